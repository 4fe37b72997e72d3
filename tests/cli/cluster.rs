//! Studies on clusters: the scripts of `examples/cluster`, on a Slurm of one node and under GNU parallel.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use super::Folder;
use super::scope::{self, Scope};

/// 32 runs, 4 a shard of 8.
const SPEC: &str = "preset = \"yabi\"\nsteps = 12000\nseeds = 8\n[set]\nflock.boids = 100\n[vary]\n\
                    noise.weight = [0, 0.5, 1, 2]\n[measure]\nevery = 1000\ncolumns = [\"polarization\"]\n";

const TABLES: [&str; 3] = ["runs.csv", "summary.csv", "manifest.json"];

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/cluster").join(name)
}

/// Whether all programs are there, and this call tests with them.
fn installed(programs: &[&str]) -> bool {
    if scope::left_to_all("studies on clusters") {
        return false;
    }
    let there = |name: &&str| {
        let mut probe = Command::new("sh");
        probe.args(["-c", &format!("PATH=$PATH:/usr/sbin command -v {name}")]).stdout(Stdio::null());
        probe.status().is_ok_and(|status| status.success())
    };
    let missing: Vec<&&str> = programs.iter().filter(|name| !there(name)).collect();
    if !missing.is_empty() {
        scope::missing(Scope::All, &format!("{programs:?}: {missing:?} are not installed"));
    }
    missing.is_empty()
}

/// The search path with the program on it.
fn search_path() -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_murmuration")).parent().expect("a folder").display();
    format!("{program}:{}:/usr/sbin", std::env::var("PATH").unwrap_or_default())
}

/// A cluster of this machine alone, whose daemons end with it.
struct Slurm<'a> {
    folder: &'a Folder,
    user: String,
    daemons: Vec<Child>,
}

impl<'a> Slurm<'a> {
    fn start(folder: &'a Folder) -> Self {
        let port = || {
            std::net::TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a port").port()
        };
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").expect("a name");
        let host = host.trim();
        let user = Command::new("id").arg("-un").output().expect("id runs").stdout;
        let user = String::from_utf8(user).expect("text");
        let (user, at) = (user.trim(), folder.inside.path().display().to_string());
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let configuration = format!(
            "ClusterName=one\nSlurmctldHost={host}(127.0.0.1)\nSlurmUser={user}\nSlurmdUser={user}\n\
             SlurmctldPort={}\nSlurmdPort={}\nAuthInfo=socket={at}/munge.socket\n\
             ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nJobAcctGatherType=jobacct_gather/none\n\
             SelectType=select/cons_tres\nSelectTypeParameters=CR_Core\nStateSaveLocation={at}/state\n\
             SlurmdSpoolDir={at}/spool\nSlurmctldPidFile={at}/ctld.pid\nSlurmdPidFile={at}/d.pid\n\
             ReturnToService=2\nKillWait=2\nNodeName={host} NodeAddr=127.0.0.1 CPUs={cores} RealMemory=200\n\
             PartitionName=main Nodes={host} Default=YES State=UP\n",
            port(),
            port()
        );
        folder.write("slurm.conf", &configuration);
        for name in ["state", "spool"] {
            std::fs::create_dir(folder.path(name)).expect("a folder");
        }
        let key = folder.write("munge.key", &"a key of this test alone, ".repeat(8));
        std::fs::set_permissions(&key, std::os::unix::fs::PermissionsExt::from_mode(0o600))
            .expect("its mode");
        let files = ["key", "socket", "seed", "pid", "log"].map(|name| {
            let option = if name == "socket" { "socket".to_owned() } else { format!("{name}-file") };
            format!("--{option}={at}/munge.{name}")
        });
        let mut slurm = Slurm { folder, user: user.to_owned(), daemons: Vec::new() };
        slurm.daemon("munged", &[&["--foreground".to_owned(), "--force".to_owned()][..], &files].concat());
        slurm.wait("munge", |slurm| slurm.folder.path("munge.socket").exists());
        slurm.daemon("slurmctld", &["-D", "-c"].map(str::to_owned));
        slurm.daemon("slurmd", &["-D"].map(str::to_owned));
        slurm.wait("the node", |slurm| slurm.text("sinfo", &["-h", "-o", "%t"]).trim() == "idle");
        slurm
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.folder.inside.path()).stdin(Stdio::null()).env("MURMURATION_CACHE", "");
        command.env("PATH", search_path()).env("SLURM_CONF", self.folder.path("slurm.conf"));
        command
    }

    fn daemon(&mut self, program: &str, arguments: &[String]) {
        let log = std::fs::File::create(self.folder.path(&format!("{program}.out"))).expect("a file");
        let copy = log.try_clone().expect("a file");
        let child = self.command(program).args(arguments).stdout(log).stderr(copy).spawn();
        self.daemons.push(child.expect(program));
    }

    fn output(&self, program: &str, arguments: &[&str]) -> Output {
        self.command(program).args(arguments).output().expect(program)
    }

    fn text(&self, program: &str, arguments: &[&str]) -> String {
        String::from_utf8(self.output(program, arguments).stdout).expect("text")
    }

    fn wait(&self, what: &str, done: impl Fn(&Self) -> bool) {
        let begun = Instant::now();
        while !done(self) {
            if begun.elapsed() > Duration::from_secs(180) {
                let said = ["munged", "slurmctld", "slurmd"].map(|name| {
                    std::fs::read_to_string(self.folder.path(&format!("{name}.out"))).unwrap_or_default()
                });
                panic!("{what} takes too long: {said:#?}");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Submits the script for some shards of eight; returns the number of the job.
    fn submit(&self, array: &str) -> String {
        let script = script("slurm.sh").display().to_string();
        let output =
            self.output("sbatch", &["--parsable", "--array", array, &script, "a.toml", "results", "8"]);
        let job = String::from_utf8(output.stdout).expect("text");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        job.trim().to_owned()
    }

    fn wait_for(&self, job: &str) {
        self.wait("the array", |slurm| slurm.text("squeue", &["-h", "-j", job]).trim().is_empty());
    }
}

impl Drop for Slurm<'_> {
    fn drop(&mut self) {
        if self.daemons.len() == 3 {
            let user = format!("--user={}", self.user);
            self.output("scancel", &["--signal=KILL", "--full", &user]);
        }
        for mut daemon in self.daemons.drain(..).rev() {
            super::ending::signal("-TERM", daemon.id());
            let begun = Instant::now();
            while daemon.try_wait().is_ok_and(|ended| ended.is_none()) {
                if begun.elapsed() > Duration::from_secs(5) {
                    let _ = daemon.kill();
                }
                std::thread::sleep(Duration::from_millis(10));
            }
        }
    }
}

fn logged(folder: &Folder, out: &str) -> usize {
    let log = std::fs::read_to_string(folder.path(&format!("{out}/runs.log"))).unwrap_or_default();
    log.lines().count()
}

#[test]
fn a_slurm_array_is_one_run() {
    if !installed(&["slurmctld", "slurmd", "sbatch", "squeue", "scancel", "sinfo", "munged"]) {
        return;
    }
    let folder = Folder::new();
    folder.write("a.toml", SPEC);
    let slurm = Slurm::start(&folder);
    let job = slurm.submit("0-7%2");
    slurm.wait("shard 2", |slurm| logged(slurm.folder, "results/shard-2") > 0);
    slurm.output("scancel", &["--signal=KILL", "--full", &format!("{job}_2")]);
    slurm.wait_for(&job);
    let done = logged(&folder, "results/shard-2");
    assert!(done < 4, "the job was killed too late");
    let shards: Vec<String> = (0..8).map(|shard| format!("results/shard-{shard}")).collect();
    let merge = format!("sweep --merge {} --out all --quiet", shards.join(" "));
    let ended = folder.call(&merge);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stderr.contains(&format!("{} of 32 runs are missing", 4 - done)), "{ended:?}");
    slurm.wait_for(&slurm.submit("2"));
    folder.done(&merge);
    folder.done("sweep a.toml --out one --engine cpu --quiet");
    for table in TABLES {
        assert!(folder.read(&format!("all/{table}")) == folder.read(&format!("one/{table}")), "{table}");
    }
}

#[test]
fn gnu_parallel_does_all_shards() {
    if !installed(&["parallel"]) {
        return;
    }
    let folder = Folder::new();
    folder.write("a.toml", &SPEC.replace("12000", "40").replace("1000", "10"));
    // Twice: the second time there is nothing to do.
    for _ in 0..2 {
        let mut command = Command::new("sh");
        command.arg(script("parallel.sh")).args(["a.toml", "results", "3"]);
        command.env("PATH", search_path()).env("MURMURATION_CACHE", "").current_dir(folder.inside.path());
        let ended = super::ended(command.output().expect("sh starts"));
        assert_eq!(ended.code, Some(0), "{ended:?}");
    }
    folder.done("sweep a.toml --out one --quiet");
    for table in TABLES {
        assert!(
            folder.read(&format!("results/all/{table}")) == folder.read(&format!("one/{table}")),
            "{table}"
        );
    }
}

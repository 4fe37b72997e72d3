//! A Slurm of one node, this machine, for tests.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::scope::{self, Scope};

/// The programs of a cluster.
pub const PROGRAMS: [&str; 7] = ["slurmctld", "slurmd", "sbatch", "squeue", "scancel", "sinfo", "munged"];

/// A script of `examples/cluster`.
pub fn script(name: &str) -> PathBuf {
    // The tests of a crate lie two folders deeper.
    let mut roots = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let found = roots.find_map(|root| root.join("examples/cluster").join(name).canonicalize().ok());
    found.unwrap_or_else(|| panic!("no script {name}"))
}

/// The search path with a folder of programs before it.
pub fn search_path(programs: &Path) -> String {
    let path = std::env::var("PATH").unwrap_or_default();
    format!("{}:{path}:/usr/sbin", programs.display())
}

/// True if all programs are installed, and this call tests with them.
pub fn installed(programs: &[&str]) -> bool {
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

/// A cluster of this machine alone, whose daemons end with it.
pub struct Slurm {
    /// Folder of its files and those of its jobs.
    folder: PathBuf,
    /// The search path of its jobs.
    path: String,
    user: String,
    daemons: Vec<Child>,
}

impl Slurm {
    /// Starts one in a folder, for jobs that find their programs in another.
    pub fn start(folder: &Path, programs: &Path) -> Self {
        let port = || {
            std::net::TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a port").port()
        };
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").expect("a name");
        let host = host.trim();
        let user = Command::new("id").arg("-un").output().expect("id runs").stdout;
        let user = String::from_utf8(user).expect("text");
        let (user, at) = (user.trim(), folder.display().to_string());
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
        std::fs::write(folder.join("slurm.conf"), configuration).expect("a file");
        for name in ["state", "spool"] {
            std::fs::create_dir(folder.join(name)).expect("a folder");
        }
        let key = folder.join("munge.key");
        std::fs::write(&key, "a key of this test alone, ".repeat(8)).expect("a file");
        std::fs::set_permissions(&key, std::os::unix::fs::PermissionsExt::from_mode(0o600))
            .expect("its mode");
        let files = ["key", "socket", "seed", "pid", "log"].map(|name| {
            let option = if name == "socket" { "socket".to_owned() } else { format!("{name}-file") };
            format!("--{option}={at}/munge.{name}")
        });
        let mut slurm = Slurm {
            folder: folder.to_owned(),
            path: search_path(programs),
            user: user.to_owned(),
            daemons: Vec::new(),
        };
        slurm.daemon("munged", &[&["--foreground".to_owned(), "--force".to_owned()][..], &files].concat());
        slurm.wait("munge", |slurm| slurm.folder.join("munge.socket").exists());
        slurm.daemon("slurmctld", &["-D", "-c"].map(str::to_owned));
        slurm.daemon("slurmd", &["-D"].map(str::to_owned));
        slurm.wait("the node", |slurm| slurm.text("sinfo", &["-h", "-o", "%t"]).trim() == "idle");
        slurm
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.folder).stdin(Stdio::null()).env("MURMURATION_CACHE", "");
        command.env("PATH", &self.path).env("SLURM_CONF", self.folder.join("slurm.conf"));
        command
    }

    fn daemon(&mut self, program: &str, arguments: &[String]) {
        let log = std::fs::File::create(self.folder.join(format!("{program}.out"))).expect("a file");
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

    /// Waits until something is done, and fails where that takes too long.
    pub fn wait(&self, what: &str, done: impl Fn(&Self) -> bool) {
        let begun = Instant::now();
        while !done(self) {
            if begun.elapsed() > Duration::from_secs(180) {
                let said = ["munged", "slurmctld", "slurmd"].map(|name| {
                    std::fs::read_to_string(self.folder.join(format!("{name}.out"))).unwrap_or_default()
                });
                panic!("{what} takes too long: {said:#?}");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Submits a job by these words of `sbatch`, each of which is one; returns its number.
    pub fn submit(&self, words: &[&str]) -> String {
        let output = self.output("sbatch", &[&["--parsable"], words].concat());
        let job = String::from_utf8(output.stdout).expect("text");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        job.trim().to_owned()
    }

    /// Waits for the end of a job.
    pub fn wait_for(&self, job: &str) {
        self.wait("the job", |slurm| slurm.text("squeue", &["-h", "-j", job]).trim().is_empty());
    }

    /// Kills a job and all that it started.
    pub fn kill(&self, job: &str) {
        self.output("scancel", &["--signal=KILL", "--full", job]);
    }
}

impl Drop for Slurm {
    fn drop(&mut self) {
        if self.daemons.len() == 3 {
            let user = format!("--user={}", self.user);
            self.kill(&user);
        }
        for mut daemon in self.daemons.drain(..).rev() {
            let _ = Command::new("sh").args(["-c", &format!("kill -TERM {}", daemon.id())]).status();
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

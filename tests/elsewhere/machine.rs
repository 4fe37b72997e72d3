//! A machine that runs the program: this one, or one that an emulator stands in for.

use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Seek as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::rc::Rc;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// The program of a machine, and the folder that it works in.
pub struct Machine {
    /// The emulator and its words, and the program as the emulator knows it.
    call: Vec<OsString>,
    folder: Rc<tempfile::TempDir>,
    /// Held under Wine, where Ctrl-C reaches all programs.
    _alone: Option<MutexGuard<'static, ()>>,
}

/// The outcome of a call.
#[derive(Debug)]
pub struct Ended {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// The program's own output: Wine may add a line while threads end.
fn own(stderr: &str) -> String {
    stderr.split_inclusive('\n').filter(|line| !line.starts_with("wine client error:")).collect()
}

impl Machine {
    /// Arm, in 64 bits.
    pub fn aarch64() -> Self {
        Machine::of("aarch64-unknown-linux-gnu/debug/murmuration", &["qemu-aarch64"], Path::to_owned)
    }

    /// Windows on x86-64.
    pub fn windows() -> Self {
        static ALONE: Mutex<()> = Mutex::new(());
        static PREPARED: OnceLock<()> = OnceLock::new();
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        PREPARED.get_or_init(|| {
            let made = emulated(&mut Command::new("wineboot")).arg("--init").output().expect("Wine starts");
            assert!(made.status.success(), "{made:?}");
            let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/elsewhere/bcryptprimitives.c");
            let mut compiler = Command::new("x86_64-w64-mingw32-gcc");
            let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bcryptprimitives.dll");
            compiler.arg("-shared").arg(source).arg("-o").arg(library).arg("-ladvapi32");
            assert!(compiler.status().expect("MinGW starts").success());
        });
        // Wine 8 kills about one in fifteen programs while its threads end, and the code is lost. `cmd` still gets it.
        let name = |program: &Path| format!("Z:{}", program.display()).replace('/', "\\").into();
        let machine =
            Machine::of("x86_64-pc-windows-gnu/debug/murmuration.exe", &["wine", "cmd", "/c"], name);
        Machine { _alone: Some(alone), ..machine }
    }

    fn of(program: &str, emulator: &[&str], name: fn(&Path) -> PathBuf) -> Self {
        let built = Path::new(env!("CARGO_BIN_EXE_murmuration")).parent().and_then(Path::parent);
        let program = built.expect("a folder").join(program);
        assert!(program.is_file(), "{}: `cargo xtask test --all` builds it", program.display());
        let call = emulator.iter().map(OsString::from).chain([name(&program).into()]).collect();
        Machine { call, folder: Rc::new(tempfile::tempdir().expect("a folder")), _alone: None }
    }

    /// This machine, in the same folder.
    pub fn here(&self) -> Machine {
        let call = vec![env!("CARGO_BIN_EXE_murmuration").into()];
        Machine { call, folder: Rc::clone(&self.folder), _alone: None }
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.call[0]);
        command.args(&self.call[1..]).args(words).current_dir(self.folder.path()).stdin(Stdio::null());
        emulated(&mut command).env("MURMURATION_CACHE", "");
        command
    }

    /// Calls the program. Now and then Wine's `cmd` does not find it, or loses its code and gives 1, which none of
    /// these calls gives: it is then called again, without what is new in the folder.
    pub fn call_words(&self, words: &[&str]) -> Ended {
        let before = self.files();
        let first = self.call_once(words);
        if first.code != Some(1) && !first.stderr.starts_with("Can't recognize '") {
            return first;
        }
        for new in self.files().into_iter().filter(|name| !before.contains(name)) {
            std::fs::remove_file(self.folder.path().join(new)).expect("removed");
        }
        self.call_once(words)
    }

    fn call_once(&self, words: &[&str]) -> Ended {
        // Files, not pipes: Wine's own processes hold them open for seconds.
        let [mut stdout, mut stderr] = [(); 2].map(|()| tempfile::tempfile().expect("a file"));
        let copy = |file: &File| file.try_clone().expect("a copy");
        let status = self.command(words).stdout(copy(&stdout)).stderr(copy(&stderr)).status();
        let text = |file: &mut File| {
            file.rewind().expect("read");
            std::io::read_to_string(file).expect("text")
        };
        let code = status.expect("it starts").code();
        Ended { code, stdout: text(&mut stdout), stderr: own(&text(&mut stderr)) }
    }

    /// Calls the program with words separated by blanks.
    pub fn call(&self, line: &str) -> Ended {
        self.call_words(&line.split_whitespace().collect::<Vec<_>>())
    }

    /// Calls it; it must succeed.
    pub fn done(&self, line: &str) -> Ended {
        let ended = self.call(line);
        assert_eq!(ended.code, Some(0), "{line}: {ended:?}");
        ended
    }

    /// Calls it, and interrupts it as Ctrl-C does after its first line.
    pub fn interrupted(&self, line: &str) -> Ended {
        let mut command = self.command(&line.split_whitespace().collect::<Vec<_>>());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut text = String::new();
        stdout.read_line(&mut text).expect("a line");
        let sent = Command::new("kill").args(["-INT", &self.process().expect("it runs")]).status();
        assert!(sent.expect("kill starts").success());
        stdout.read_to_string(&mut text).expect("text");
        let mut stderr = String::new();
        child.stderr.take().expect("a pipe").read_to_string(&mut stderr).expect("text");
        Ended { code: child.wait().expect("it ends").code(), stdout: text, stderr: own(&stderr) }
    }

    /// The process that works in the folder as the program. `cmd` does so, too, but is another.
    fn process(&self) -> Option<String> {
        let processes = std::fs::read_dir("/proc").expect("processes").filter_map(Result::ok);
        let is_it = |entry: &std::fs::DirEntry| {
            let line = std::fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default();
            let folder = std::fs::read_link(entry.path().join("cwd")).ok();
            folder.as_deref() == Some(self.folder.path()) && !line.contains("/c\0")
        };
        processes.into_iter().find(is_it).and_then(|entry| entry.file_name().into_string().ok())
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.folder.path().join(name), text).expect("written");
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(name)).expect(name)
    }

    /// The names in the folder.
    pub fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).expect("a folder");
        let name = |entry: std::fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
        let mut names: Vec<String> = entries.map(|entry| name(entry.expect("an entry"))).collect();
        names.sort();
        names
    }
}

/// Sets the emulators up: Wine without words of its own, and in a folder that is nobody else's.
fn emulated(command: &mut Command) -> &mut Command {
    command.env("WINEPREFIX", Path::new(env!("CARGO_TARGET_TMPDIR")).join("wine"));
    // Beside Windows' own folders it looks for libraries in these.
    command.env("WINEPATH", format!("Z:{}", env!("CARGO_TARGET_TMPDIR")));
    command.env("WINEDEBUG", "-all").env_remove("DISPLAY");
    // Debian's path to the libraries of the other processor.
    command.env("QEMU_LD_PREFIX", "/usr/aarch64-linux-gnu")
}

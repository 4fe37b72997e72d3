//! A machine that runs the program: this one, or one that an emulator stands in for.

use std::ffi::OsString;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::rc::Rc;

/// The program of a machine, and the folder that it works in.
pub struct Machine {
    /// The emulator, if there is one, and the program.
    call: Vec<OsString>,
    folder: Rc<tempfile::TempDir>,
}

/// The outcome of a call.
#[derive(Debug)]
pub struct Ended {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
        Ended { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

impl Machine {
    /// Arm, in 64 bits.
    pub fn aarch64() -> Self {
        let built = Path::new(env!("CARGO_BIN_EXE_murmuration")).parent().and_then(Path::parent);
        let program = built.expect("a folder").join("aarch64-unknown-linux-gnu/debug/murmuration");
        assert!(program.is_file(), "{}: `cargo xtask test --all` builds it", program.display());
        let call = vec!["qemu-aarch64".into(), program.into()];
        Machine { call, folder: Rc::new(tempfile::tempdir().expect("a folder")) }
    }

    /// This machine, in the same folder.
    pub fn here(&self) -> Machine {
        let call = vec![env!("CARGO_BIN_EXE_murmuration").into()];
        Machine { call, folder: Rc::clone(&self.folder) }
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.call[0]);
        command.args(&self.call[1..]).args(words).current_dir(self.folder.path()).stdin(Stdio::null());
        // Debian's path to the libraries of the other processor.
        command.env("QEMU_LD_PREFIX", "/usr/aarch64-linux-gnu").env("MURMURATION_CACHE", "");
        command
    }

    /// Calls the program.
    pub fn call_words(&self, words: &[&str]) -> Ended {
        self.command(words).output().expect("it starts").into()
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
        let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(sent.expect("kill starts").success());
        stdout.read_to_string(&mut text).expect("text");
        let mut stderr = String::new();
        child.stderr.take().expect("a pipe").read_to_string(&mut stderr).expect("text");
        Ended { code: child.wait().expect("it ends").code(), stdout: text, stderr }
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

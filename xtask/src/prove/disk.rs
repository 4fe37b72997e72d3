//! A disk that fails: the program's calls on files of a folder, counted, one of which is made to fail.
//!
//! The kernel asks this process before each call that makes, changes or names a file (seccomp's notification to user
//! space, Linux 5.5). A preloaded library would miss those calls that the program makes without libc.

use crate::shell::{Error, Result};
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// The way in which a call fails, and perhaps later ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It fails alone.
    Once,
    /// The disk is full: it and all later ones that need room fail.
    Full,
    /// The first half of a write that makes a file longer is made, and then the disk is full.
    Short,
    /// The disk is gone: it and all later ones fail.
    Gone,
    /// The process is killed before it.
    Kill,
    /// There is no more memory from an allocation on.
    Memory,
}

impl Fault {
    pub const ALL: [Fault; 6] =
        [Fault::Once, Fault::Full, Fault::Short, Fault::Gone, Fault::Kill, Fault::Memory];

    pub fn name(self) -> &'static str {
        match self {
            Fault::Once => "it fails alone",
            Fault::Full => "the disk is full",
            Fault::Short => "half is written, then the disk is full",
            Fault::Gone => "the disk is gone",
            Fault::Kill => "the program is killed",
            Fault::Memory => "memory ends",
        }
    }

    /// True if this can happen to a call.
    pub fn fits(self, call: &Call) -> bool {
        match self {
            Fault::Memory => call.kind == Kind::Memory,
            Fault::Full => call.kind.needs_room() || call.kind == Kind::Sync,
            Fault::Short => call.grows && call.bytes > 1,
            Fault::Once | Fault::Gone | Fault::Kill => call.kind != Kind::Memory,
        }
    }
}

/// The effect of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Open,
    /// Opens a file, and makes it.
    Create,
    Write,
    Sync,
    /// Makes a folder or a link.
    Make,
    /// Renames, removes, or changes what is no content.
    Name,
    Memory,
}

impl Kind {
    fn needs_room(self) -> bool {
        matches!(self, Kind::Create | Kind::Write | Kind::Make)
    }
}

/// A call on a file of the folder, or an allocation after the first such call.
#[derive(Clone, Debug)]
pub struct Call {
    pub kind: Kind,
    /// Its name and the file's.
    pub text: String,
    /// Bytes of a write, the place where they go, and whether that is the end of the file.
    bytes: u64,
    at: u64,
    grows: bool,
}

/// The argument that leads to the file of a call.
#[derive(Clone, Copy, Debug)]
enum Operand {
    /// A descriptor in this argument.
    Descriptor(usize),
    /// A path in this argument, from the current folder.
    #[cfg(target_arch = "x86_64")]
    Path(usize),
    /// The descriptor of a folder in this argument, and a path from there in the next.
    At(usize),
    None,
}

/// A call that is counted.
#[derive(Clone, Copy, Debug)]
struct Counted {
    number: libc::c_long,
    name: &'static str,
    kind: Kind,
    operand: Operand,
}

const fn counted(number: libc::c_long, name: &'static str, kind: Kind, operand: Operand) -> Counted {
    Counted { number, name, kind, operand }
}

const COUNTED: [Counted; 25] = [
    counted(libc::SYS_write, "write", Kind::Write, Operand::Descriptor(0)),
    counted(libc::SYS_pwrite64, "pwrite", Kind::Write, Operand::Descriptor(0)),
    counted(libc::SYS_writev, "writev", Kind::Write, Operand::Descriptor(0)),
    counted(libc::SYS_pwritev, "pwritev", Kind::Write, Operand::Descriptor(0)),
    counted(libc::SYS_pwritev2, "pwritev2", Kind::Write, Operand::Descriptor(0)),
    counted(libc::SYS_sendfile, "sendfile", Kind::Write, Operand::Descriptor(0)),
    counted(libc::SYS_copy_file_range, "copy_file_range", Kind::Write, Operand::Descriptor(2)),
    counted(libc::SYS_fallocate, "fallocate", Kind::Write, Operand::Descriptor(0)),
    counted(libc::SYS_ftruncate, "ftruncate", Kind::Name, Operand::Descriptor(0)),
    counted(libc::SYS_fsync, "fsync", Kind::Sync, Operand::Descriptor(0)),
    counted(libc::SYS_fdatasync, "fdatasync", Kind::Sync, Operand::Descriptor(0)),
    counted(libc::SYS_flock, "flock", Kind::Name, Operand::Descriptor(0)),
    counted(libc::SYS_fchmod, "fchmod", Kind::Name, Operand::Descriptor(0)),
    counted(libc::SYS_openat, "open", Kind::Open, Operand::At(0)),
    counted(libc::SYS_openat2, "open", Kind::Open, Operand::At(0)),
    counted(libc::SYS_fchmodat, "chmod", Kind::Name, Operand::At(0)),
    counted(libc::SYS_mkdirat, "mkdir", Kind::Make, Operand::At(0)),
    counted(libc::SYS_linkat, "link", Kind::Make, Operand::At(2)),
    counted(libc::SYS_symlinkat, "symlink", Kind::Make, Operand::At(1)),
    counted(libc::SYS_unlinkat, "unlink", Kind::Name, Operand::At(0)),
    counted(libc::SYS_renameat, "rename", Kind::Name, Operand::At(0)),
    counted(libc::SYS_renameat2, "rename", Kind::Name, Operand::At(0)),
    counted(libc::SYS_mmap, "mmap", Kind::Memory, Operand::None),
    counted(libc::SYS_mremap, "mremap", Kind::Memory, Operand::None),
    counted(libc::SYS_brk, "brk", Kind::Memory, Operand::None),
];

/// Calls that only older processors have.
#[cfg(target_arch = "x86_64")]
const OLDER: [Counted; 8] = [
    counted(libc::SYS_open, "open", Kind::Open, Operand::Path(0)),
    counted(libc::SYS_creat, "create", Kind::Create, Operand::Path(0)),
    counted(libc::SYS_rename, "rename", Kind::Name, Operand::Path(0)),
    counted(libc::SYS_mkdir, "mkdir", Kind::Make, Operand::Path(0)),
    counted(libc::SYS_rmdir, "rmdir", Kind::Name, Operand::Path(0)),
    counted(libc::SYS_link, "link", Kind::Make, Operand::Path(1)),
    counted(libc::SYS_unlink, "unlink", Kind::Name, Operand::Path(0)),
    counted(libc::SYS_chmod, "chmod", Kind::Name, Operand::Path(0)),
];
#[cfg(not(target_arch = "x86_64"))]
const OLDER: [Counted; 0] = [];

/// The time after which a program is killed that does not end.
const PATIENCE: Duration = Duration::from_secs(120);

/// A run of a program, and its calls.
#[derive(Debug)]
pub struct Run {
    pub output: Output,
    pub calls: Vec<Call>,
    /// It was killed, since it did not end.
    pub hung: bool,
}

/// The files to watch, and what fails.
#[derive(Debug)]
pub struct Disk {
    /// The folder, as an absolute path without links.
    pub folder: PathBuf,
    /// True if its file system has no locks, no links, no unnamed files and no rename that spares what is there.
    pub simple: bool,
    /// True if allocations are counted, too.
    pub memory: bool,
    /// The number of the call, from 0.
    pub fault: Option<(usize, Fault)>,
}

impl Disk {
    /// Runs a program on the disk.
    ///
    /// # Errors
    /// When it cannot be started, or the system does not ask before calls.
    pub fn run(&self, mut command: Command) -> Result<Run> {
        let memory = self.memory;
        // A bounded channel allocates nothing when it sends: an allocation would wait for the answer to itself.
        let (send, receive) = mpsc::sync_channel(1);
        // The filter holds for this thread and the programs that it starts.
        let program = std::thread::spawn(move || {
            let filter = filter(memory);
            send.send(install(&filter)?).map_err(io::Error::other)?;
            command.output()
        });
        let mut supervisor = Supervisor { disk: self, calls: Vec::new(), process: None };
        let begun = Instant::now();
        let mut hung = false;
        if let Ok(listener) = receive.recv() {
            while !program.is_finished() {
                if !hung && begun.elapsed() > PATIENCE {
                    hung = true;
                    supervisor.kill();
                }
                if !supervisor.answer(&listener).map_err(|why| failed(&why))? {
                    break;
                }
            }
        }
        let ended = program.join().map_err(|_| Error::Failed("the thread of a program panicked".into()))?;
        Ok(Run { output: ended.map_err(|why| failed(&why))?, calls: supervisor.calls, hung })
    }
}

/// The reason why no disk can fail here, as in a container whose calls are supervised already.
pub fn why_absent() -> Option<String> {
    let asked = std::thread::spawn(|| install(&filter(false)).map(drop)).join();
    let why = asked.unwrap_or_else(|_| Err(io::Error::other("the thread panicked"))).err()?;
    Some(format!("the kernel does not ask before a program's calls: {why}"))
}

fn failed(why: &io::Error) -> Error {
    Error::Failed(format!("cannot supervise a program's calls: {why}"))
}

/// The filter: the kernel asks about calls that are counted, and allows all others.
fn filter(memory: bool) -> Vec<libc::sock_filter> {
    let instruction =
        |code: u32, jt: usize, k: u32| libc::sock_filter { code: code as u16, jt: jt as u8, jf: 0, k };
    let all = COUNTED.iter().chain(&OLDER).filter(|call| memory || call.kind != Kind::Memory);
    let numbers: Vec<u32> = all.map(|call| call.number as u32).collect();
    // The number of the call is the first word of `seccomp_data`.
    let mut filter = vec![instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0)];
    for (k, number) in numbers.iter().enumerate() {
        filter.push(instruction(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, numbers.len() - k, *number));
    }
    filter.push(instruction(libc::BPF_RET | libc::BPF_K, 0, libc::SECCOMP_RET_ALLOW));
    filter.push(instruction(libc::BPF_RET | libc::BPF_K, 0, libc::SECCOMP_RET_USER_NOTIF));
    filter
}

/// Installs a filter for the calling thread; returns the descriptor that hears of calls.
fn install(filter: &[libc::sock_filter]) -> io::Result<OwnedFd> {
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_ptr().cast_mut() };
    // SAFETY: the calls change nothing but this thread's rights, and the kernel copies the filter.
    let listener = unsafe {
        if libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 {
            return Err(io::Error::last_os_error());
        }
        let flags = libc::SECCOMP_FILTER_FLAG_NEW_LISTENER;
        libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, flags, &raw const program)
    };
    if listener < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just opened it for the caller.
    Ok(unsafe { OwnedFd::from_raw_fd(listener as i32) })
}

/// The answers to the kernel.
struct Supervisor<'a> {
    disk: &'a Disk,
    calls: Vec<Call>,
    /// The program, once it has made a call.
    process: Option<libc::pid_t>,
}

impl Supervisor<'_> {
    /// Answers a question if one comes soon; false once nobody is left who could ask.
    fn answer(&mut self, listener: &OwnedFd) -> io::Result<bool> {
        let mut poll = libc::pollfd { fd: listener.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: one descriptor, which is open.
        let count = unsafe { libc::poll(&raw mut poll, 1, 20) };
        if count <= 0 {
            return Ok(true);
        }
        if poll.revents & libc::POLLIN == 0 {
            return Ok(false);
        }
        // SAFETY: numbers alone, all of which may be 0.
        let mut asked: libc::seccomp_notif = unsafe { std::mem::zeroed() };
        // SAFETY: the kernel fills the structure.
        let received =
            unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_RECV, &raw mut asked) };
        if received != 0 {
            // The asking thread may have been killed.
            return Ok(true);
        }
        let error = self.judge(&asked);
        let flags = if error == 0 { libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32 } else { 0 };
        let answer = libc::seccomp_notif_resp { id: asked.id, val: 0, error: -error, flags };
        // SAFETY: the kernel reads the structure. That nobody waits any more is no error.
        unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SEND, &raw const answer) };
        Ok(true)
    }

    /// The error of a call: 0 for one that is made.
    fn judge(&mut self, asked: &libc::seccomp_notif) -> i32 {
        let Some(process) = process_of(asked.pid).filter(|id| *id as u32 != std::process::id()) else {
            return 0;
        };
        self.process = Some(process);
        let Some(call) = self.call(asked) else { return 0 };
        let lacking = if self.disk.simple { lacking(asked) } else { 0 };
        if lacking != 0 {
            return lacking;
        }
        let number = self.calls.len();
        self.calls.push(call);
        let Some((at, fault)) = self.disk.fault.filter(|(at, _)| number >= *at) else { return 0 };
        let Call { kind, bytes, at: place, .. } = self.calls[number];
        if number > at {
            return match fault {
                Fault::Gone => libc::EIO,
                Fault::Full | Fault::Short if kind.needs_room() => libc::ENOSPC,
                _ => 0,
            };
        }
        match fault {
            Fault::Once if matches!(kind, Kind::Write | Kind::Sync) => libc::EIO,
            Fault::Once => libc::EACCES,
            Fault::Full => libc::ENOSPC,
            Fault::Gone => libc::EIO,
            Fault::Short => {
                limit(process, libc::RLIMIT_FSIZE, place + bytes / 2);
                0
            }
            Fault::Memory => {
                // The stack may still grow: it is no data.
                limit(process, libc::RLIMIT_DATA, 0);
                0
            }
            Fault::Kill => {
                self.kill();
                libc::EINTR
            }
        }
    }

    /// The call that is asked about, if it is counted.
    fn call(&self, asked: &libc::seccomp_notif) -> Option<Call> {
        let (thread, arguments) = (asked.pid, &asked.data.args);
        let mut all = COUNTED.iter().chain(&OLDER);
        let Counted { number, name, mut kind, operand } =
            *all.find(|call| call.number == asked.data.nr.into())?;
        let proc = |what: &str| PathBuf::from(format!("/proc/{thread}/{what}"));
        let text = |argument: usize| text_at(&proc("mem"), arguments[argument]);
        let folder_of = |argument: usize| match arguments[argument] as i32 {
            libc::AT_FDCWD => fs::read_link(proc("cwd")).ok(),
            descriptor => fs::read_link(proc(&format!("fd/{descriptor}"))).ok(),
        };
        let path = match operand {
            Operand::Descriptor(argument) => folder_of(argument)?,
            #[cfg(target_arch = "x86_64")]
            Operand::Path(argument) => fs::read_link(proc("cwd")).ok()?.join(text(argument)?),
            Operand::At(argument) => folder_of(argument)?.join(text(argument + 1)?),
            Operand::None => {
                let anonymous = number != libc::SYS_mmap || arguments[3] as i32 & libc::MAP_ANONYMOUS != 0;
                let counts = anonymous && !self.calls.is_empty();
                return counts.then(|| Call { kind, text: name.to_owned(), bytes: 0, at: 0, grows: false });
            }
        };
        let inside = path.strip_prefix(&self.disk.folder).ok()?;
        let (mut bytes, mut at, mut grows) = (0, 0, false);
        match (number, name) {
            (libc::SYS_write, _) => {
                bytes = arguments[2];
                at = position(&proc(&format!("fdinfo/{}", arguments[0])));
                let file = fs::metadata(proc(&format!("fd/{}", arguments[0]))).ok()?;
                grows = at + bytes > file.len();
            }
            (_, "open") => {
                let flags = arguments[if number == libc::SYS_openat { 2 } else { 1 }] as i32;
                if flags & libc::O_CREAT != 0 || flags & libc::O_TMPFILE == libc::O_TMPFILE {
                    kind = Kind::Create;
                }
            }
            _ => {}
        }
        Some(Call { kind, text: format!("{name} {}", inside.display()), bytes, at, grows })
    }

    fn kill(&self) {
        if let Some(process) = self.process {
            // SAFETY: it is the program, which has not been waited for while it asks.
            unsafe { libc::kill(process, libc::SIGKILL) };
        }
    }
}

/// The error of a call that a simple file system does not have; 0 for one that it has.
fn lacking(asked: &libc::seccomp_notif) -> i32 {
    let arguments = &asked.data.args;
    match asked.data.nr.into() {
        libc::SYS_flock => libc::ENOTSUP,
        libc::SYS_linkat => libc::EPERM,
        libc::SYS_renameat2 if arguments[4] != 0 => libc::EINVAL,
        libc::SYS_openat if arguments[2] as i32 & libc::O_TMPFILE == libc::O_TMPFILE => libc::ENOTSUP,
        _ => 0,
    }
}

/// The process of a thread.
fn process_of(thread: u32) -> Option<libc::pid_t> {
    let status = fs::read_to_string(format!("/proc/{thread}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("Tgid:"))?.trim().parse().ok()
}

/// The offset of an open file.
fn position(about: &Path) -> u64 {
    let text = fs::read_to_string(about).unwrap_or_default();
    let position = text.lines().find_map(|line| line.strip_prefix("pos:"));
    position.and_then(|position| position.trim().parse().ok()).unwrap_or(0)
}

/// The text at an address of a process, up to its zero.
fn text_at(memory: &Path, address: u64) -> Option<PathBuf> {
    let mut bytes = vec![0; libc::PATH_MAX as usize];
    let count = File::open(memory).and_then(|memory| memory.read_at(&mut bytes, address)).ok()?;
    let length = bytes[..count].iter().position(|byte| *byte == 0)?;
    Some(PathBuf::from(String::from_utf8_lossy(&bytes[..length]).into_owned()))
}

/// Sets a limit of a process.
fn limit(process: libc::pid_t, resource: libc::__rlimit_resource_t, most: u64) {
    let mut limit = libc::rlimit64 { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the kernel fills the structure, and then reads it.
    unsafe {
        libc::prlimit64(process, resource, std::ptr::null(), &raw mut limit);
        limit.rlim_cur = most;
        libc::prlimit64(process, resource, &raw const limit, std::ptr::null_mut());
    }
}

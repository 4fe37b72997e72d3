//! Every write that fails: the calls that make files, on a disk on which each of their system calls fails in turn.

use super::disk::{Call, Disk, Fault, Run};
use crate::shell::{Error, Result, at};
use crate::{options, shell};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A call of the program, and the files around it.
#[derive(Clone, Copy)]
struct Case {
    name: &'static str,
    /// Calls that make the files that are there before it.
    before: &'static [&'static str],
    /// A file that is then cut in half.
    cut: Option<&'static str>,
    call: &'static str,
    /// The options that are added when the call is repeated after a failure.
    again: &'static str,
    /// Calls that make what a failed call may leave: samples up to an earlier step, a checkpoint.
    earlier: &'static [&'static str],
    /// The file that is its stdout.
    stdout: Option<&'static str>,
    /// True if the file system is a simple one.
    simple: bool,
}

const PLAIN: Case = Case {
    name: "",
    before: &[],
    cut: None,
    call: "",
    again: "--yes",
    earlier: &[],
    stdout: None,
    simple: false,
};

/// The calls. `RUN`, `RENDER` and `SWEEP` stand for options that all of their kind have.
const CASES: [Case; 15] = [
    Case {
        name: "run",
        call: "run RUN --steps 6 --every 2 --out o.csv --metrics m.csv --trajectory t.gsd",
        earlier: &[
            "run RUN --steps 0 --every 2 --metrics m.csv --trajectory t.gsd",
            "run RUN --steps 2 --every 2 --metrics m.csv --trajectory t.gsd",
            "run RUN --steps 4 --every 2 --metrics m.csv --trajectory t.gsd",
        ],
        ..PLAIN
    },
    Case {
        name: "replace",
        before: &["run RUN --seed 7 --steps 3 --out o.csv --metrics m.csv --trajectory t.csv"],
        call: "run RUN --yes --steps 6 --every 3 --out o.csv --metrics m.csv --trajectory t.csv",
        again: "",
        earlier: &[
            "run RUN --steps 0 --every 3 --metrics m.csv --trajectory t.csv",
            "run RUN --steps 3 --every 3 --metrics m.csv --trajectory t.csv",
        ],
        ..PLAIN
    },
    Case {
        name: "simple",
        call: "run RUN --steps 2 --every 2 --out o.csv --metrics m.csv",
        earlier: &["run RUN --steps 0 --every 2 --metrics m.csv"],
        simple: true,
        ..PLAIN
    },
    Case {
        name: "checkpoints",
        call: "run RUN --steps 6 --checkpoint 2 --out o.csv",
        earlier: &["run RUN --steps 2 --out o.2.csv", "run RUN --steps 4 --out o.4.csv"],
        ..PLAIN
    },
    Case {
        name: "continue",
        before: &["run RUN --steps 4 --out o.csv"],
        call: "run RUN --init o.csv --yes --steps 4 --out o.csv",
        again: "",
        ..PLAIN
    },
    Case { name: "hashes", call: "run RUN --steps 6 --hash", again: "", stdout: Some("hashes.txt"), ..PLAIN },
    Case {
        name: "picture",
        before: &["render RENDER --seed 7 p.png"],
        call: "render RENDER --yes p.png",
        again: "",
        ..PLAIN
    },
    Case { name: "pictures", call: "render RENDER p-%d.png", ..PLAIN },
    Case {
        name: "mp4",
        before: &["render RENDER --seed 7 f.mp4"],
        call: "render RENDER --yes f.mp4",
        again: "",
        ..PLAIN
    },
    Case { name: "simple-mp4", call: "render RENDER f.mp4", simple: true, ..PLAIN },
    Case { name: "gif", call: "render RENDER f.gif", ..PLAIN },
    Case {
        name: "plot",
        before: &["run RUN --steps 9 --metrics m.csv", "plot m.csv -y milling -o p.svg"],
        call: "plot m.csv --yes -o p.svg",
        again: "",
        ..PLAIN
    },
    Case { name: "sweep", call: "sweep SWEEP --out s", again: "--resume", ..PLAIN },
    Case {
        name: "resume",
        before: &["sweep SWEEP --out s"],
        cut: Some("s/runs.log"),
        call: "sweep SWEEP --out s --resume",
        again: "",
        ..PLAIN
    },
    Case {
        name: "merge",
        before: &["sweep SWEEP --out a --shard 0/2", "sweep SWEEP --out b --shard 1/2"],
        call: "sweep --merge a b --out s",
        again: "",
        ..PLAIN
    },
];

/// The options of all calls of a kind.
const COMMON: [(&str, &str); 3] = [
    ("RUN", "--preset cornell -n 20 --engine cpu --threads 1 --quiet"),
    ("RENDER", "--preset cornell -n 20 --engine cpu --threads 1 --quiet --steps 3 --size 64x48"),
    (
        "SWEEP",
        "--preset yabi -n 20 --vary noise.weight=0,1 --seeds 2 --steps 8 --every 4 --columns polarization --series \
         --jobs 1 --engine cpu --quiet",
    ),
];

/// The reasons that an error may give: those of the errors that the disk returns.
const REASONS: [&str; 4] = ["permission denied", "input/output error", "the disk is full", "out of memory"];

/// Is in the name of a file that is not whole.
const PART: &str = ".murmuration-part";

/// Begins in a manifest what changes while its study is done.
const CHANGING: &str = "\"hosts\": [";

/// The files of a folder, by their paths in it.
type Tree = BTreeMap<String, Vec<u8>>;

/// The trees of calls that were not disturbed.
struct Expected {
    before: Tree,
    after: Tree,
    earlier: Vec<Tree>,
}

impl Expected {
    fn all(&self) -> impl Iterator<Item = &Tree> {
        [&self.before, &self.after].into_iter().chain(&self.earlier)
    }

    /// True if a manifest is that of the study with other runs done. One that is not whole may end anywhere.
    fn is_earlier_manifest(&self, name: &str, bytes: &[u8], whole: bool) -> bool {
        let manifest = self.after.get(name).map(|bytes| String::from_utf8_lossy(bytes));
        let Some((study, _)) = manifest.as_deref().and_then(|text| text.split_once(CHANGING)) else {
            return false;
        };
        let text = String::from_utf8_lossy(bytes);
        match text.split_once(CHANGING) {
            Some((same, end)) => same == study && (!whole || end.ends_with("]\n  }\n}\n")),
            None => !whole && study.starts_with(&*text),
        }
    }
}

/// Makes each system call of each case fail, in every way.
///
/// # Errors
/// When a word is not understood, or a failure leaves anything half-written, lost or unsaid.
pub fn writes(words: &[&str]) -> Result {
    let (one_in, names) = match words {
        ["--one-in", rest @ ..] => {
            (options::count("--one-in", rest.first())?, rest.get(1..).unwrap_or_default())
        }
        names => (1, names),
    };
    if let Some(word) = names.iter().find(|word| CASES.iter().all(|case| case.name != **word)) {
        let all: Vec<&str> = CASES.iter().map(|case| case.name).collect();
        return options::refused("prove writes", &format!("`--one-in K` and {}", all.join(", ")), word);
    }
    shell::run(&mut shell::cargo(&["build", "--locked", "--package", "murmuration-boids"]))?;
    let target = shell::target();
    let folder = target.join("writes");
    fs::create_dir_all(&folder).map_err(at(&folder))?;
    let folder = folder.canonicalize().map_err(at(&folder))?;
    let program = target.join("debug/murmuration").canonicalize().map_err(at(&target))?;
    let mut problems = 0;
    for case in CASES.iter().filter(|case| names.is_empty() || names.contains(&case.name)) {
        let bench = Bench { program: program.clone(), folder: folder.clone(), case: *case };
        problems += bench.prove(&Fault::ALL, one_in)?.len();
    }
    match problems {
        0 => Ok(()),
        count => Err(Error::Failed(format!("{count} failed calls have left something wrong"))),
    }
}

/// A case, its program, and the folder that it works in.
struct Bench {
    program: PathBuf,
    folder: PathBuf,
    case: Case,
}

impl Bench {
    /// Makes each call fail, or one in so many; prints and returns the problems.
    fn prove(&self, faults: &[Fault], one_in: u32) -> Result<Vec<String>> {
        let expected = self.expected()?;
        let mut trials = Vec::new();
        for &fault in faults {
            let calls = self.calls(&expected, fault == Fault::Memory)?;
            let fits = (0..).zip(calls).filter(|(_, call)| fault.fits(call));
            trials.extend(fits.map(|(number, call)| (number, fault, call)));
        }
        let (mut done, mut failed, mut found) = (0, 0, Vec::new());
        let mut repeated = BTreeSet::new();
        for (number, fault, call) in trials.into_iter().step_by(one_in as usize) {
            self.fill(&expected.before)?;
            let run = self
                .disk(fault == Fault::Memory, Some((number, fault)))
                .run(self.command(self.case.call)?)?;
            let left = self.tree()?;
            let mut problems = self.judge(number, fault, &run, &left, &expected);
            // The repetition depends on nothing but the files that are left. A result that is complete needs none.
            if left != expected.after && repeated.insert(without_random_names(&left)) {
                problems.extend(self.repeat(&left, &expected)?);
            }
            done += 1;
            failed += usize::from(!run.output.status.success());
            for problem in problems {
                let Case { name, .. } = self.case;
                found.push(format!("{name}: call {number} ({}), {}: {problem}", call.text, fault.name()));
                println!("{}", found[found.len() - 1]);
            }
        }
        println!(
            "{:11} {done:4} faults, of which {failed:4} failed the call: {} problems",
            self.case.name,
            found.len()
        );
        Ok(found)
    }

    /// The trees of undisturbed calls.
    fn expected(&self) -> Result<Expected> {
        self.fill(&Tree::new())?;
        for call in self.case.before {
            self.undisturbed(call)?;
        }
        let mut before = self.tree()?;
        if let Some(bytes) = self.case.cut.and_then(|name| before.get_mut(name)) {
            bytes.truncate(bytes.len() / 2);
        }
        self.fill(&before)?;
        self.undisturbed(self.case.call)?;
        let after = self.tree()?;
        let mut earlier = Vec::new();
        for call in self.case.earlier {
            self.fill(&Tree::new())?;
            self.undisturbed(call)?;
            earlier.push(self.tree()?);
        }
        Ok(Expected { before, after, earlier })
    }

    /// The system calls of the undisturbed call.
    fn calls(&self, expected: &Expected, memory: bool) -> Result<Vec<Call>> {
        self.fill(&expected.before)?;
        let run = self.disk(memory, None).run(self.command(self.case.call)?)?;
        if !run.output.status.success() || self.tree()? != expected.after {
            let said = String::from_utf8_lossy(&run.output.stderr);
            return Err(Error::Failed(format!("`{}` differs when it is watched: {said}", self.case.call)));
        }
        Ok(run.calls)
    }

    fn disk(&self, memory: bool, fault: Option<(usize, Fault)>) -> Disk {
        Disk { folder: self.folder.clone(), simple: self.case.simple, memory, fault }
    }

    fn command(&self, call: &str) -> Result<Command> {
        let mut command = Command::new(&self.program);
        for word in call.split_whitespace() {
            match COMMON.iter().find(|(name, _)| *name == word) {
                Some((_, options)) => command.args(options.split_whitespace()),
                None => command.arg(word),
            };
        }
        // No cache of the user's.
        command.current_dir(&self.folder).env("MURMURATION_CACHE", "");
        command.env_remove("RUST_LOG").env_remove("RUST_BACKTRACE");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(name) = self.case.stdout {
            let path = self.folder.join(name);
            command.stdout(File::create(&path).map_err(at(&path))?);
        }
        Ok(command)
    }

    fn undisturbed(&self, call: &str) -> Result {
        let output = self.command(call)?.output().map_err(at(&self.program))?;
        if output.status.success() {
            return Ok(());
        }
        Err(Error::Failed(format!("`{call}` failed: {}", String::from_utf8_lossy(&output.stderr))))
    }

    /// Repeats the call on an intact disk, after a failure that has left these files.
    fn repeat(&self, left: &Tree, expected: &Expected) -> Result<Vec<String>> {
        let call = format!("{} {}", self.case.call, self.case.again).trim_end().to_owned();
        if let Err(Error::Failed(why)) = self.undisturbed(&call) {
            return Ok(vec![format!("repeated, {why}")]);
        }
        let mut problems = Vec::new();
        let now = self.tree()?;
        for (name, bytes) in &expected.after {
            if now.get(name) != Some(bytes) {
                problems.push(format!("repeated, `{call}` makes another {name}"));
            }
        }
        for name in now.keys().filter(|name| !expected.after.contains_key(*name) && !left.contains_key(*name))
        {
            problems.push(format!("repeated, `{call}` leaves {name}"));
        }
        Ok(problems)
    }

    /// The problems after a fault.
    fn judge(&self, number: usize, fault: Fault, run: &Run, left: &Tree, expected: &Expected) -> Vec<String> {
        let said = String::from_utf8_lossy(&run.output.stderr).into_owned();
        let mut problems = Vec::new();
        match run.output.status.code() {
            _ if run.hung => problems.push("it did not end".to_owned()),
            None if fault == Fault::Kill => {}
            // The standard library panics where a new thread gets no stack for its signals.
            None if fault == Fault::Memory && said.contains("failed to allocate an alternative stack") => {}
            None => problems.push(format!("it was ended by signal {:?}: {said}", run.output.status.signal())),
            // A checkpoint that cannot be removed is whole, and stays.
            Some(0) if expected.after.iter().all(|(name, bytes)| left.get(name) == Some(bytes)) => {}
            Some(0) => {
                problems
                    .push(format!("it succeeded, with other files: {}", differing(left, &expected.after)));
            }
            Some(1 | 2) => problems.extend(misspoken(&said, expected).map(|why| format!("{why}: {said}"))),
            Some(code) => problems.push(format!("it ended with {code}: {said}")),
        }
        // Nobody could remove or finish a file.
        let stays = matches!(fault, Fault::Kill | Fault::Memory | Fault::Gone);
        let removed = run.calls.get(number).and_then(|call| call.text.strip_prefix("unlink "));
        for (name, bytes) in left {
            if removed == Some(name) || expected.all().any(|tree| tree.get(name) == Some(bytes)) {
                continue;
            }
            let grows = name.ends_with("runs.log") || Some(&**name) == self.case.stdout;
            // An empty file reserves a name where no rename does.
            if self.case.simple && stays && bytes.is_empty() {
                continue;
            }
            let is_part = name.contains(PART);
            if is_part && (stays || said.contains(name)) || grows {
                problems.extend(torn(name, bytes, expected));
            } else if !(name.ends_with("manifest.json") && expected.is_earlier_manifest(name, bytes, true)) {
                problems.push(format!("{name} is neither old nor whole, of {} bytes", bytes.len()));
            }
        }
        let lost = expected.before.keys().filter(|name| !left.contains_key(*name));
        problems.extend(lost.map(|name| format!("{name} is lost")));
        problems
    }

    /// The files of the folder.
    fn tree(&self) -> Result<Tree> {
        let mut tree = Tree::new();
        let mut folders = vec![self.folder.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).map_err(at(&folder))? {
                let path = entry.map_err(at(&folder))?.path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let name = path.strip_prefix(&self.folder).unwrap_or(&path).display().to_string();
                tree.insert(name, fs::read(&path).map_err(at(&path))?);
            }
        }
        Ok(tree)
    }

    /// Replaces the files of the folder by those of a tree.
    fn fill(&self, tree: &Tree) -> Result {
        fs::remove_dir_all(&self.folder).map_err(at(&self.folder))?;
        fs::create_dir_all(&self.folder).map_err(at(&self.folder))?;
        for (name, bytes) in tree {
            super::plant::write(&self.folder.join(name), bytes)?;
        }
        Ok(())
    }
}

/// The names of files that are in one tree only or differ.
fn differing(one: &Tree, other: &Tree) -> String {
    let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    let differing = names.into_iter().filter(|name| one.get(*name) != other.get(*name));
    differing.map(String::as_str).collect::<Vec<_>>().join(", ")
}

/// The same files, with parts under names that are the same each time.
fn without_random_names(tree: &Tree) -> Tree {
    let mut plain = Tree::new();
    for (name, bytes) in tree {
        let part = target_of(name).map(|target| format!("{PART} {target}"));
        plain.insert(part.unwrap_or(name.clone()), bytes.clone());
    }
    plain
}

/// The file that a part would become: `s/runs.csv` for `s/.runs.x1Y2z3.murmuration-part.csv`.
fn target_of(part: &str) -> Option<String> {
    let (before, ending) = part.split_once(PART)?;
    let (folder, name) = before.rsplit_once('/').map_or(("", before), |(folder, name)| (folder, name));
    let (stem, _) = name.strip_prefix('.')?.rsplit_once('.')?;
    let target = Path::new(folder).join(format!("{stem}{ending}"));
    Some(target.display().to_string())
}

/// The error of a file that may end anywhere, but holds something else than its whole one begins with.
fn torn(name: &str, bytes: &[u8], expected: &Expected) -> Option<String> {
    let target = target_of(name).unwrap_or(name.to_owned());
    if target.ends_with(".gsd") {
        return (!holds_its_index(bytes))
            .then(|| format!("{name} has chunks in its index that it does not hold"));
    }
    if target.ends_with("manifest.json") && expected.is_earlier_manifest(&target, bytes, false) {
        return None;
    }
    let begins = expected.all().filter_map(|tree| tree.get(&target)).any(|whole| whole.starts_with(bytes));
    (!begins).then(|| format!("{name} does not begin like {target}"))
}

/// True if a file in GSD holds every chunk of its index, or is empty.
fn holds_its_index(bytes: &[u8]) -> bool {
    /// Bytes of an element by the number of its type.
    const SIZES: [u64; 11] = [0, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8];
    if bytes.is_empty() {
        return true;
    }
    let word = |at: usize| {
        bytes.get(at..at + 8).map(|word| word.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte)))
    };
    let (Some(start), Some(room)) = (word(8), word(16)) else { return false };
    for entry in 0..room as usize {
        let at = start as usize + 32 * entry;
        let (Some(rows), Some(place), Some(last)) = (word(at + 8), word(at + 16), word(at + 24)) else {
            return false;
        };
        if place == 0 {
            return true;
        }
        let size = SIZES.get((last >> 48 & 0xff) as usize).copied().unwrap_or(0);
        if place + rows * (last & 0xffff_ffff) * size > bytes.len() as u64 {
            return false;
        }
    }
    false
}

/// The problem of the words of a failed call.
fn misspoken(said: &str, expected: &Expected) -> Option<&'static str> {
    let mut errors = said.lines().filter(|line| line.starts_with("error: "));
    let (Some(error), None) = (errors.next(), errors.next()) else {
        return Some("it does not say one error");
    };
    let known = ["error: ", "hint: ", "note: ", "warning: "];
    if !said.lines().all(|line| known.iter().any(|word| line.starts_with(word))) {
        return Some("it says more than one line");
    }
    if !REASONS.iter().any(|reason| error.contains(reason)) {
        return Some("it gives another reason");
    }
    let named = expected.all().flat_map(Tree::keys).any(|name| {
        let folder = name.split_once('/').map(|(folder, _)| folder);
        error.contains(name) || folder.is_some_and(|folder| error.contains(folder))
    });
    (!named && !error.contains("stdout") && !error.contains("out of memory")).then_some("it names no file")
}

#[cfg(test)]
mod tests {
    use super::{Bench, Case, PLAIN};
    use crate::prove::disk::Fault;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;

    /// A program that replaces `r.csv`: rightly where it is called with `right`, else with a fault.
    const PROGRAM: &str = r#"#!/bin/sh
exec 3>&2 2>/dev/null
part=.r.abcdef.murmuration-part.csv
fail() {
    rm -f $part
    case $1 in
        silent) exit 0 ;;
        mute) ;;
        vague) echo "error: cannot write r.csv" >&3 ;;
        talkative) echo "error: cannot write r.csv: the disk is full\nthread 'main' panicked" >&3 ;;
        *) echo "error: cannot write r.csv: the disk is full" >&3 ;;
    esac
    exit 1
}
whole() {
    { echo one && echo two; } > "$1"
}
case $1 in
    first) echo old > r.csv ;;
    direct) whole r.csv || fail ;;
    lost) rm -f r.csv && whole $part && mv $part r.csv || fail ;;
    scattered) whole $part && echo note > r.txt && mv $part r.csv && rm r.txt || fail ;;
    stubborn) [ ! -e $part ] && whole $part && mv $part r.csv || { [ -e $part ] && exit 1; fail; } ;;
    *) whole $part && mv $part r.csv || fail "$1" ;;
esac
"#;

    /// The checks find each fault of such a program, and none in one that is right.
    #[test]
    fn half_written_lost_and_unsaid_files_are_found() {
        if let Some(why) = crate::prove::disk::why_absent() {
            eprintln!("NOT TESTED: {why}");
            return;
        }
        let root = std::env::temp_dir().join(format!("murmuration-writes-{}", std::process::id()));
        let folder = root.join("files");
        fs::create_dir_all(&folder).expect("a folder");
        let root = root.canonicalize().expect("a path");
        let program = root.join("program");
        fs::write(&program, PROGRAM).expect("written");
        fs::set_permissions(&program, Permissions::from_mode(0o755)).expect("a program");
        for (call, words) in [
            ("right", ""),
            ("direct", "r.csv is neither old nor whole"),
            ("lost", "r.csv is lost"),
            ("scattered", "r.txt is neither old nor whole"),
            ("silent", "it succeeded, with other files: r.csv"),
            ("mute", "it does not say one error"),
            ("vague", "it gives another reason"),
            ("talkative", "it says more than one line"),
            ("stubborn", "repeated, `stubborn` failed"),
        ] {
            let case = Case { name: call, before: &["first"], call, again: "", ..PLAIN };
            let bench = Bench { program: program.clone(), folder: root.join("files"), case };
            let faults = [Fault::Once, Fault::Full, Fault::Short, Fault::Gone, Fault::Kill];
            let found = bench.prove(&faults, 1).expect("it runs");
            let named = found.iter().any(|problem| problem.contains(words));
            assert!(named || call == "right", "{call}: {found:#?}");
            assert!(!found.is_empty() || call == "right", "{call}: {found:#?}");
            assert!(call != "right" || found.is_empty(), "{found:#?}");
        }
        fs::remove_dir_all(&root).expect("removed");
    }
}

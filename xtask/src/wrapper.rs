//! This program in the compiler's place: the images of the board are the same bytes in every folder.
//!
//! Cargo names a crate by a hash, and the linker orders functions by their names. The hash of `flock` holds its absolute
//! path, because it lies outside of the board's workspace. Here crates of this repository are named by their names alone.

use crate::error::{Error, Result, at};
use std::path::Path;
use std::process::Command;

/// Set where this program is to compile.
const MARK: &str = "MURMURATION_COMPILES";

/// The board's crates that lie in this repository.
const CRATES: [&str; 3] = ["flock", "firmware", "murmuration"];

/// Makes a cargo compile by this program.
///
/// # Errors
/// When this program cannot be found.
pub fn compile_by(cargo: &mut Command) -> Result {
    let this =
        std::env::current_exe().map_err(|why| Error::Failed(format!("cannot find this program: {why}")))?;
    cargo.env("RUSTC_WRAPPER", this).env(MARK, "1");
    Ok(())
}

/// True if cargo calls this program as a compiler.
pub fn is_asked() -> bool {
    std::env::var_os(MARK).is_some()
}

/// Compiles: the first word is the compiler, the others its arguments.
///
/// # Errors
/// When the compiler does not start or fails.
pub fn compile(words: &[String]) -> Result {
    let Some((compiler, arguments)) = words.split_first() else {
        return Err(Error::Usage(format!("{MARK} must only be set by cargo")));
    };
    let status = Command::new(compiler).args(named(arguments)).env_remove(MARK).status();
    let status = status.map_err(at(Path::new(compiler)))?;
    if status.success() { Ok(()) } else { Err(Error::Failed(format!("the compiler failed: {status}"))) }
}

/// The arguments, with the crate's name instead of its hash if the crate is one of [`CRATES`].
fn named(arguments: &[String]) -> Vec<String> {
    let name = arguments.iter().skip_while(|word| *word != "--crate-name").nth(1);
    let name = name.filter(|name| CRATES.contains(&name.as_str()));
    let rename = |word: &String| match name {
        Some(name) if word.starts_with("metadata=") => format!("metadata={name}"),
        _ => word.clone(),
    };
    arguments.iter().map(rename).collect()
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn only_crates_of_this_repository_are_renamed() {
        let words = |name: &str, metadata: &str| {
            ["--crate-name", name, "-C", metadata, "-C", "extra-filename=-1f"].map(str::to_owned).to_vec()
        };
        assert_eq!(named(&words("flock", "metadata=1f")), words("flock", "metadata=flock"));
        assert_eq!(named(&words("toml", "metadata=1f")), words("toml", "metadata=1f"));
    }
}

//! Shows the flock in a window, or as a film without a display.

use crate::shell::{Result, at};
use crate::{display, needs::Purpose, setup, shell};

/// Sets up, without asking where the first argument is `--yes`, then runs the program with the others. Without a
/// display, arguments for the window go to `render`.
pub fn run(arguments: &[String]) -> Result {
    let yes = arguments.first().is_some_and(|word| word == "--yes");
    let arguments = &arguments[usize::from(yes)..];
    setup::setup(Purpose::Run, setup::Consent::asked(yes))?;
    let filmed = window_options(arguments).and_then(|options| Some((options, display::why_none()?)));
    let Some((options, why)) = filmed else {
        return shell::run(program().args(arguments));
    };
    let folder = shell::root().join("target");
    std::fs::create_dir_all(&folder).map_err(at(&folder))?;
    let film = folder.join("murmuration.mp4");
    eprintln!("run: cannot open a window ({why}); filming the flock instead");
    shell::run(program().arg("render").arg(&film).arg("--yes").args(film_options(options)))?;
    println!("{}", film.display());
    eprintln!("run: the film is in the file above ({why})");
    Ok(())
}

/// The program, in the folder of the caller.
fn program() -> std::process::Command {
    let mut cargo = shell::cargo(&["run", "--package", "murmuration-boids", "--"]);
    if let Ok(here) = std::env::current_dir() {
        cargo.current_dir(here);
    }
    cargo
}

/// The options of a call that opens the window: `view`, or no command at all.
fn window_options(arguments: &[String]) -> Option<&[String]> {
    match arguments.first().map(String::as_str) {
        Some("view") => Some(&arguments[1..]),
        Some("--help" | "-h" | "--version" | "-V") => None,
        Some(word) if !word.starts_with('-') => None,
        _ => Some(arguments),
    }
}

/// The options that `render` has, too.
fn film_options(options: &[String]) -> Vec<&String> {
    const WINDOW_SIZE: &str = "--window-size";
    let mut rest = options.iter();
    let mut kept = Vec::new();
    while let Some(option) = rest.next() {
        if option == WINDOW_SIZE {
            // Its value goes with it.
            rest.next();
        } else if option.strip_prefix(WINDOW_SIZE).is_none_or(|value| !value.starts_with('=')) {
            kept.push(option);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::{film_options, window_options};

    #[test]
    fn only_calls_for_the_window_become_a_film_without_its_size() {
        let film = |line: &str| {
            let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            let options = window_options(&words)?.to_vec();
            Some(film_options(&options).into_iter().map(String::as_str).collect::<Vec<_>>().join(" "))
        };
        for (line, options) in [
            ("", Some("")),
            ("view -n 10 --window-size 640x480 --steps 9", Some("-n 10 --steps 9")),
            ("--window-size=640x480 --preset yabi --window-size", Some("--preset yabi")),
            ("presets", None),
            ("--help", None),
        ] {
            assert_eq!(film(line).as_deref(), options, "{line}");
        }
    }
}

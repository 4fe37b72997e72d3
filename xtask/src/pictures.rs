//! The pictures of the README, drawn again by the program itself.

use crate::needs::Purpose;
use crate::{Error, Result, setup, shell};

/// Each picture: its file in `docs/pictures`, and the arguments of `render` after the file.
const PICTURES: [(&str, &str); 7] = [
    ("murmuration.gif", "--preset murmuration --size 480x270 --skip 300 --steps 140 --every 4 --fps 12"),
    ("murmuration.png", "--preset murmuration --size 704x396 --steps 600"),
    ("cornell.png", "--preset cornell --size 800x450 --steps 400"),
    ("yabi.png", "--preset yabi --size 800x450 --steps 400"),
    ("think.png", "--preset think --size 800x450 --steps 400"),
    ("swarm.png", "--preset swarm --boids 60000 --size 640x360 --steps 400"),
    ("holoviews.png", "--preset holoviews --size 800x450 --steps 400"),
];

/// Most that a picture may weigh: a clone carries every version of it for ever.
const PICTURE_LIMIT: u64 = 300 * 1024;
const FILM_LIMIT: u64 = 2 * 1024 * 1024;

/// Draws every picture, and names those that came out too heavy.
pub fn pictures() -> Result {
    setup::setup(Purpose::Run, false)?;
    let folder = shell::root().join("docs").join("pictures");
    std::fs::create_dir_all(&folder).map_err(|why| Error::Failed(format!("{}: {why}", folder.display())))?;
    let mut heavy = Vec::new();
    for (name, options) in PICTURES {
        let file = folder.join(name);
        let program = ["run", "--release", "--quiet", "--package", "murmuration", "--", "render"];
        shell::run(shell::cargo(&program).arg(&file).args(options.split_whitespace()))?;
        let size = std::fs::metadata(&file)
            .map_err(|why| Error::Failed(format!("{}: {why}", file.display())))?
            .len();
        let limit = if name.ends_with(".png") { PICTURE_LIMIT } else { FILM_LIMIT };
        eprintln!("pictures: {name} has {} KiB of {}", size.div_ceil(1024), limit / 1024);
        if size > limit {
            heavy.push(name);
        }
    }
    if heavy.is_empty() {
        return Ok(());
    }
    Err(Error::Failed(format!("too heavy for the repository: {}", heavy.join(", "))))
}

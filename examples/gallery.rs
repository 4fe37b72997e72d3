//! # The gallery of presets
//!
//! `cargo run --example gallery target/debug/murmuration` has the program draw each preset, and packs the pictures into
//! `presets/gallery.png`: one below the other, in 256 colours.

use std::error::Error;
use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::Path;
use std::process::Command;

use config::presets::all;

type Colour = [u8; 3];
type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Size of a packed picture, and the reduction factor per side.
const SIZE: [usize; 2] = [128, 72];
const MEAN: usize = 2;
/// Binary logarithm of the number of colours.
const CUTS: u32 = 8;
/// Minimum step, at which most flocks have their shape; a file may set a later one.
const STEPS: u32 = 400;

fn main() -> Result<()> {
    let program = std::env::args().nth(1).ok_or("where is the program?")?;
    let mut pixels = Vec::new();
    for preset in all() {
        let picture = std::env::temp_dir().join(format!("murmuration-gallery-{}.png", preset.name));
        let [width, height] = SIZE.map(|side| MEAN * side);
        // The same number of steps as in the window's gallery.
        let steps = preset.document()?.view.skip.max(STEPS);
        let options = format!("--size {width}x{height} --skip 0 --steps {steps} --style cones --yes --quiet");
        let mut render = Command::new(&program);
        render.arg("render").arg(&picture).args(["--preset", preset.name]).args(options.split_whitespace());
        if !render.status()?.success() {
            return Err(format!("{} was not drawn", preset.name).into());
        }
        pixels.extend(reduced(&picture)?);
        std::fs::remove_file(picture)?;
    }
    let mut boxes = vec![pixels.clone()];
    for _ in 0..CUTS {
        boxes = boxes.into_iter().flat_map(halves).collect();
    }
    let palette: Vec<Colour> =
        boxes.iter().filter(|colours| !colours.is_empty()).map(|colours| mean(colours)).collect();
    let nearest =
        |pixel: &Colour| (0..palette.len()).min_by_key(|k| apart(palette[*k], *pixel)).unwrap_or(0) as u8;
    let indices: Vec<u8> = pixels.iter().map(nearest).collect();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("presets").join("gallery.png");
    let rows = (indices.len() / SIZE[0]) as u32;
    let mut encoder = png::Encoder::new(BufWriter::new(File::create(file)?), SIZE[0] as u32, rows);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_palette(palette.concat());
    encoder.set_compression(png::Compression::High);
    encoder.set_filter(png::Filter::NoFilter);
    Ok(encoder.write_header()?.write_image_data(&indices)?)
}

/// The pixels of a picture, reduced.
fn reduced(path: &Path) -> Result<Vec<Colour>> {
    let mut reader = png::Decoder::new(BufReader::new(File::open(path)?)).read_info()?;
    let mut bytes = vec![0; reader.output_buffer_size().ok_or("too large")?];
    let info = reader.next_frame(&mut bytes)?;
    if [info.width as usize, info.height as usize] != SIZE.map(|side| MEAN * side) {
        return Err(format!("{}: {} x {} pixels", path.display(), info.width, info.height).into());
    }
    let wide = MEAN * SIZE[0];
    let at = |x: usize, y: usize| -> Colour { std::array::from_fn(|k| bytes[3 * (y * wide + x) + k]) };
    let block = |x: usize, y: usize| -> Vec<Colour> {
        (0..MEAN * MEAN).map(|k| at(MEAN * x + k % MEAN, MEAN * y + k / MEAN)).collect()
    };
    Ok((0..SIZE[0] * SIZE[1]).map(|k| mean(&block(k % SIZE[0], k / SIZE[0]))).collect())
}

fn mean(colours: &[Colour]) -> Colour {
    std::array::from_fn(|k| {
        let sum: usize = colours.iter().map(|colour| usize::from(colour[k])).sum();
        (sum / colours.len().max(1)) as u8
    })
}

/// Cuts colours at the median along the axis in which they spread farthest.
fn halves(mut colours: Vec<Colour>) -> [Vec<Colour>; 2] {
    let spread = |k: &usize| {
        let values = || colours.iter().map(|colour| colour[*k]);
        values().max().unwrap_or(0) - values().min().unwrap_or(0)
    };
    let axis = (0..3).max_by_key(spread).unwrap_or(0);
    colours.sort_unstable_by_key(|colour| colour[axis]);
    let upper = colours.split_off(colours.len() / 2);
    [colours, upper]
}

fn apart(a: Colour, b: Colour) -> i32 {
    (0..3).map(|k| (i32::from(a[k]) - i32::from(b[k])).pow(2)).sum()
}

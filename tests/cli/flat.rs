//! Memory while pictures are drawn: what a picture allocates, it frees.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::Stdio;

use crate::Folder;
use crate::adapters::{Slot, adapters};
use crate::resident::resident;
use crate::scope;

/// Pixels across and down.
const SIZE: [usize; 2] = [160, 120];
/// The pictures between which memory is compared; by the first, all pipelines are in use.
const PICTURES: [usize; 2] = [60, 260];
/// kB that memory may grow between them; 600 pictures would take three times as much.
const MAX_GROWTH: u64 = 3_300;

/// kB by which a film's memory grows between [`PICTURES`].
fn growth(options: &str) -> u64 {
    let [width, height] = SIZE;
    let [first, last] = PICTURES;
    let call =
        format!("render - -n 200 --skip 0 --steps {last} --size {width}x{height} --engine gpu --quiet");
    let folder = Folder::new();
    let mut child =
        folder.command(&format!("{call} {options}")).stdout(Stdio::piped()).spawn().expect("starts");
    let mut film = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut line = Vec::new();
    film.read_until(b'\n', &mut line).expect("a header");
    // A frame is a line and three planes, two of them at half the width and height.
    let mut planes = vec![0; width * height * 3 / 2];
    let mut sizes = Vec::new();
    for picture in 1..=last {
        film.read_until(b'\n', &mut line).expect("a frame");
        film.read_exact(&mut planes).unwrap_or_else(|why| panic!("{options}: picture {picture}: {why}"));
        if picture == first || picture == last {
            sizes.push(resident(child.id()));
        }
    }
    drop(film);
    child.wait().expect("it ends");
    sizes[1].saturating_sub(sizes[0])
}

/// Films of each look, with trails, with blur and on a plane.
fn films_are_flat(slot: Slot) {
    let all = [
        "--look dusk",
        "--look cones --trails 1",
        "--look paper --blur 3",
        "--look water",
        "--preset gate",
        "--preset yabi",
        "--look dusk --trails 1",
        "--look cones --colour speed --preset swarm",
    ];
    for entry in adapters(slot) {
        for options in &all[..scope::choose(4, all.len())] {
            let growth = growth(&format!("{options} --adapter {}", entry.index));
            assert!(growth < MAX_GROWTH, "{options} on {entry}: {growth} kB more");
        }
    }
}

#[test]
fn a_film_by_vulkan_takes_no_more_memory_for_more_pictures() {
    films_are_flat(Slot::LlvmpipeVulkan);
}

#[test]
fn a_film_by_opengl_takes_no_more_memory_for_more_pictures() {
    if !scope::left_to_all("memory of films by OpenGL") {
        films_are_flat(Slot::LlvmpipeGl);
    }
}

#[test]
fn a_film_by_swiftshader_takes_no_more_memory_for_more_pictures() {
    if !scope::left_to_all("memory of films by SwiftShader") {
        films_are_flat(Slot::SwiftShader);
    }
}

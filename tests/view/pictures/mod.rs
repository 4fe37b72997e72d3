//! Drawn pictures, checked by pixel on every software adapter: boids are present, point along their velocity, and have the
//! requested colours; small ones are density; birds are dark before a bright sky; a picture has the same bits every time.

mod bodies;
mod coverage;
mod looks;
mod studio;

use crate::adapters::{Slot, adapters};
use scene::Scenery;

use bodies::{
    boids_point_where_they_fly, colours_tell_what_they_should, flocks_are_seen, one_speed_is_one_colour,
    other_things_are_seen,
};
use coverage::{
    a_small_boid_adds_its_area_wherever_it_is, birds_are_dark_before_a_bright_sky,
    boids_are_drawn_ahead_in_time, edges_are_smooth_at_any_number, obstacles_hide_what_is_behind_them,
    parts_add_up_to_the_whole, pictures_have_the_same_bits_in_any_order, the_inside_of_a_deep_flock_is_seen,
};
use looks::{
    birds_that_turn_show_their_wings, falcons_are_dark_birds_at_dusk,
    paper_is_light_and_boids_are_dark_on_it, trails_are_what_a_cone_swept, trails_fade_by_steps,
    water_is_lit_from_above_and_held_by_glass,
};
use studio::{Picture, Studio, flock};

on_every_adapter![
    flocks_are_seen,
    boids_point_where_they_fly,
    colours_tell_what_they_should,
    one_speed_is_one_colour,
    other_things_are_seen,
    obstacles_hide_what_is_behind_them,
    pictures_have_the_same_bits_in_any_order,
    parts_add_up_to_the_whole,
    birds_are_dark_before_a_bright_sky,
    a_small_boid_adds_its_area_wherever_it_is,
    edges_are_smooth_at_any_number,
    boids_are_drawn_ahead_in_time,
    the_inside_of_a_deep_flock_is_seen,
    paper_is_light_and_boids_are_dark_on_it,
    water_is_lit_from_above_and_held_by_glass,
    falcons_are_dark_birds_at_dusk,
    birds_that_turn_show_their_wings,
    trails_are_what_a_cone_swept,
    trails_fade_by_steps,
];

/// The same flock looks the same on all adapters, but for rounding.
#[test]
fn software_adapters_agree() {
    let mut first: Vec<Picture> = Vec::new();
    for slot in [Slot::LlvmpipeVulkan, Slot::LlvmpipeGl, Slot::SwiftShader] {
        for entry in adapters(slot) {
            let studio = Studio::of(&entry);
            let pictures = Scenery::ALL.map(|(scenery, _)| flock(&studio, scenery, 20_000).draw());
            if first.is_empty() {
                first.extend(pictures);
                continue;
            }
            for (picture, first) in pictures.iter().zip(&first) {
                let apart: u64 = picture.0.iter().zip(&first.0).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
                let mean = apart as f64 / picture.0.len() as f64;
                let unlike = picture.unlike(first).len();
                assert!(mean < 0.4 && unlike < 1000, "{slot:?}: {mean} of 255 apart, {unlike} pixels");
            }
        }
    }
}

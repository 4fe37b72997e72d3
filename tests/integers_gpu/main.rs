//! The flock in integers on every adapter: each number, and each step, has the very bits that it has on the CPU.

#[path = "../support/adapters.rs"]
mod adapters;
#[path = "../support/read.rs"]
mod read;
#[path = "../support/rules.rs"]
mod rules;
mod steps;
mod words;

/// Every test on every adapter.
macro_rules! on {
    ($($module:ident: $slot:ident),*: $tests:tt) => { $(on! { one $module $slot $tests })* };
    (one $module:ident $slot:ident [$($test:path => $name:ident),* $(,)?]) => {
        mod $module {
            use super::*;
            use super::adapters::{Slot, adapters, open};
            $(#[test]
            fn $name() {
                for entry in adapters(Slot::$slot) {
                    $test(&open(&entry));
                }
            })*
        }
    };
}

on! { llvmpipe_vulkan: LlvmpipeVulkan, llvmpipe_gl: LlvmpipeGl, swiftshader: SwiftShader, other: Other: [
    words::have_the_same_bits => words_have_the_same_bits,
    words::a_slip_is_seen => a_slip_in_a_word_is_seen,
    steps::presets_have_the_same_bits => presets_have_the_same_bits,
    steps::every_part_of_the_rule_has_the_same_bits => every_part_of_the_rule_has_the_same_bits,
    steps::other_parameters_have_the_same_bits => other_parameters_have_the_same_bits,
    steps::what_is_drawn_is_the_flock => what_is_drawn_is_the_flock,
] }

/// A slip is one on every adapter, and some take their time to compile: once is enough.
#[test]
fn slips_in_the_shaders_are_seen() {
    for entry in adapters::adapters(adapters::Slot::LlvmpipeVulkan) {
        steps::slips_in_the_shaders_are_seen(&adapters::open(&entry));
    }
}

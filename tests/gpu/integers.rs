//! The flock in integers on every adapter: each number, and each step, has the very bits that it has on the CPU. Random
//! rules have them on the board, too.

mod random_rules;
mod steps;
mod words;

use random_rules::random_rules_have_the_same_bits;
use steps::{
    every_part_of_the_rule_has_the_same_bits, other_parameters_have_the_same_bits,
    presets_have_the_same_bits, ties_for_the_nearest_have_the_same_bits, what_is_drawn_is_the_flock,
};
use words::have_the_same_bits as words_have_the_same_bits;

on_every_adapter![
    words_have_the_same_bits,
    presets_have_the_same_bits,
    every_part_of_the_rule_has_the_same_bits,
    other_parameters_have_the_same_bits,
    ties_for_the_nearest_have_the_same_bits,
    what_is_drawn_is_the_flock,
    random_rules_have_the_same_bits,
];

/// A slip is one on every adapter, and some take their time to compile: once is enough.
#[test]
fn slips_in_the_shaders_are_seen() {
    crate::every::on(crate::adapters::Slot::LlvmpipeVulkan, words::a_slip_is_seen);
    crate::every::on(crate::adapters::Slot::LlvmpipeVulkan, steps::slips_in_the_shaders_are_seen);
    crate::every::on(crate::adapters::Slot::LlvmpipeVulkan, steps::slips_in_the_terms_are_seen);
}

#[test]
fn random_rules_have_the_same_bits_on_the_cpu_in_all_registers() {
    random_rules::on_the_cpu_in_all_registers();
}

#[test]
fn random_rules_have_the_same_bits_on_the_board() {
    random_rules::on_the_board();
}

#[test]
fn another_random_rule_is_seen() {
    random_rules::another_rule_is_seen();
}

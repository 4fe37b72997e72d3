//! `cargo xtask prove shaders`: mutants of the shaders, and the test that sees each.

use super::sample::{Kind, Sample};
use super::{Bench, Trial, copy, listed_faults, plant};
use crate::display::Virtual;
use crate::shell::{self, Result};
use std::collections::BTreeSet;

/// The mutants of a call that names none: one in so many, for an hour or two on two cores.
const ONE_IN: u32 = 10;

/// The test that fails for what is no WGSL, and for nothing else.
const VALID: &str = "gpu every_shader_passes_validation";

/// The steps that can see a mutant of a folder, the quickest first, on one adapter where that is enough. The tests that
/// plant slips of their own are left out: they fail where the text that they replace is another.
const ORDER: [(&str, &str); 12] = [
    ("view/", "view pictures_are_as_recorded, view pictures"),
    (
        "number/f32",
        "conformance gpu_llvmpipe_vulkan::any_rule, gpu formulas::llvmpipe_vulkan, conformance gpu_llvmpipe_vulkan",
    ),
    ("number/fixed_formulas", FORMULAS),
    ("number/", "gpu vulkan::words, gpu vulkan::ties, gpu vulkan::random_rules, gpu llvmpipe_vulkan"),
    ("step_plain", "gpu kernels_agree, gpu integers::llvmpipe_gl, gpu crowds::llvmpipe_gl"),
    ("common/formulas", FORMULAS),
    ("place_requests", FORMULAS),
    ("rule/formulas", FORMULAS),
    ("hash", SUMS),
    ("measure", SUMS),
    ("rule/", RULE),
    (
        "",
        "gpu vulkan::other_parameters, gpu kernels_agree, gpu crowds::llvmpipe_vulkan, gpu vulkan::random_rules, \
         gpu reductions::llvmpipe_vulkan, gpu beyond_32_bits, gpu vulkan::every_part, gpu formulas::llvmpipe_vulkan",
    ),
];
const FORMULAS: &str = "gpu formulas::llvmpipe_vulkan, gpu llvmpipe_vulkan";
const SUMS: &str = "gpu reductions::llvmpipe_vulkan, gpu llvmpipe_vulkan";
const RULE: &str = "gpu vulkan::other_parameters, gpu vulkan::random_rules, gpu vulkan::every_part, gpu vulkan::ties, \
                    gpu kernels_agree, gpu formulas::llvmpipe_vulkan, conformance gpu_llvmpipe_vulkan::any_rule";

pub const SHADERS: Kind = Kind {
    name: "shaders",
    root: "shaders/",
    // The others neither step nor draw.
    takes: |file| file.ends_with(".wgsl") && !file.starts_with("shaders/probe/"),
    one_in: ONE_IN,
    groups: &GROUPS,
};

const GROUPS: [(&str, &str); 5] = [
    ("pictures", "view"),
    ("numbers", "number"),
    ("sort", "count scan scatter order common/dispatch common/grid common/guard common/long common/scan"),
    ("sums and hashes", "convert hash measure reduce common/measure common/reduce"),
    ("rule and step", "common move place rule step"),
];

/// Plants mutants of the shaders in the copy of [`super::faults`], which needs no further build, and runs the suites
/// that could see each, until a test fails. Prints a line for each mutant, then a table; writes both to
/// `target/prove/shaders.txt`.
pub fn shaders(words: &[&str]) -> Result {
    let sample = Sample::read(&SHADERS, words)?;
    let tree = shell::target().join("prove");
    copy(&tree, &listed_faults()?)?;
    let display = Virtual::start()?;
    let mut bench = Bench::build(&tree, &BTreeSet::new(), &display)?;
    let mut trials = Vec::new();
    for mutant in sample.mutants.iter().filter(|mutant| sample.runs(mutant)) {
        let switch = format!("mutant-{}", mutant.number);
        let name = mutant.file.trim_start_matches("shaders/");
        let (file, text) = plant::faulty_shader(&switch, name, &mutant.plant(&sample.texts[&mutant.file]));
        plant::write(&tree.join(file), text.as_bytes())?;
        if bench.prove(&switch, &mutant.file, VALID)?.is_none() {
            let steps = sample.steps(mutant, &ORDER, name);
            trials.push(Trial { planted: mutant, switch, file: &mutant.file, steps });
        }
    }
    sample.hunt(&mut bench, trials, &tree)
}

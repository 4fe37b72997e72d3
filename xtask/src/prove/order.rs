//! `cargo xtask prove order`: the workgroups of every pass in other orders, which may change no bit.

use super::permute::Order;
use super::{Bench, Findings, Selection, copy, listed, listed_faults, plant, presets, source};
use crate::display::Virtual;
use crate::shell::{Error, Result};
use crate::{drivers, shell};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The orders of a call that names none: 1 to this.
const ORDERS: u32 = 10;

/// The suites that run in each order, beside the runs of the program.
const SUITES: [&str; 4] =
    ["gpu llvmpipe_vulkan", "gpu kernels_agree", "conformance gpu_llvmpipe_vulkan", "view pictures"];

/// Options of the adapters. The last is several times slower than the others.
const VULKAN: &str = "--engine gpu --backend vulkan --adapter llvmpipe";
const GL: &str = "--engine gpu --backend gl --adapter llvmpipe";
const SWIFTSHADER: &str = "--engine gpu --backend vulkan --adapter SwiftShader";

/// Flocks on the slower adapters: without predators and with them, with the nearest neighbours, with a formula.
const FEW: [&str; 4] = ["murmuration", "yabi", "starlings", "mill"];

/// A flock that fills sixteen workgroups.
const FLOCK: &str = "--boids 1000 --quiet";

/// Films: each look, with birds as meshes and without, and trails.
const FILMS: [&str; 7] = [
    "--preset murmuration --look dusk",
    "--preset murmuration --look cones",
    "--preset murmuration --look paper",
    "--preset swarm --look water",
    "--preset yabi --look cones --trails 1",
    "--preset starlings --look dusk --zoom 6",
    "--preset vicsek --style arrows",
];

/// A shader whose result depends on the order of workgroups: a control.
struct Defect {
    what: &'static str,
    file: &'static str,
    good: &'static str,
    bad: &'static str,
    /// Call of the program whose output shows it.
    call: &'static str,
}

const DEFECTS: [Defect; 3] = [
    Defect {
        what: "the boids of a cell stay in the order of their arrival",
        file: "order.wgsl",
        good: "SortedBoid(member.y, begin + rank)",
        bad: "SortedBoid(member.y, begin + arrival.w)",
        call: "run --preset murmuration --steps 20 --hash",
    },
    Defect {
        what: "the first workgroup clears the sum of the hashes to which all add",
        file: "hash.wgsl",
        good: "        let low = atomicAdd(",
        bad: "        if (workgroup_of(at) == 0u) {
            atomicStore(&hash_sum.sum[0], 0u);
            atomicStore(&hash_sum.sum[1], 0u);
        }
        let low = atomicAdd(",
        call: "run --preset murmuration --numeric fixed --steps 20 --hash",
    },
    Defect {
        what: "the last boid gives a pixel its colour",
        file: "view/coverage.wgsl",
        good: "atomicAdd(&sums[4u * pixel + 1u], u32(colour.x));",
        bad: "atomicStore(&sums[4u * pixel + 1u], u32(colour.x));",
        call: "render - --preset murmuration --look cones --size 320x180 --steps 2 --skip 5",
    },
];

/// The shaders by name, below `shaders/`.
pub fn shaders() -> Result<Vec<(String, String)>> {
    let mut texts = Vec::new();
    for file in listed(&["shaders/*.wgsl"])? {
        texts.push((file.trim_start_matches("shaders/").to_owned(), source(&file)?));
    }
    Ok(texts)
}

/// The file of the changed shaders in an order, with a defect or without. Each is written as for [`super::faults`].
fn changed(texts: &[(String, String)], order: Order, defect: Option<&Defect>) -> Result<String> {
    let mut changed = Vec::new();
    for (name, text) in texts {
        let mut planted = text.clone();
        if let Some(defect) = defect.filter(|defect| defect.file == name) {
            planted = text.replacen(defect.good, defect.bad, 1);
            if planted == *text {
                return Err(Error::Failed(format!(
                    "a defect has no place: {}: {}",
                    defect.file, defect.good
                )));
            }
        }
        let permuted = order.permute(name, &planted)?;
        if permuted != *text {
            changed.push(format!("{name}\n{permuted}"));
        }
    }
    Ok(changed.join("\0"))
}

/// The calls of the program that must have the same output in every order.
fn calls() -> Vec<String> {
    let mut calls = Vec::new();
    for preset in presets() {
        calls.push(format!("run {VULKAN} {FLOCK} --preset {preset} --steps 10 --hash"));
    }
    for preset in FEW {
        calls.push(format!("run {VULKAN} {FLOCK} --preset {preset} --numeric fixed --steps 10 --hash"));
    }
    let slower = [Some(GL), drivers::swiftshader().map(|_| SWIFTSHADER)];
    for adapter in slower.into_iter().flatten() {
        for preset in FEW {
            calls.push(format!("run {adapter} {FLOCK} --preset {preset} --steps 10 --hash"));
        }
    }
    for preset in FEW {
        calls.push(format!("run {VULKAN} {FLOCK} --preset {preset} --steps 10 --metrics -"));
    }
    for film in FILMS {
        calls.push(format!("render - {VULKAN} {FLOCK} {film} --size 640x360 --steps 3 --skip 20"));
    }
    calls
}

/// The program of the copy.
struct Program(PathBuf);

impl Program {
    /// The output of a call; none if it fails.
    fn output(&self, switch: &str, call: &str) -> Option<Vec<u8>> {
        let mut command = Command::new(&self.0);
        command.args(call.split_whitespace()).env(plant::VARIABLE, switch);
        let output = command.envs(drivers::test_environment(true)).output().ok()?;
        output.status.success().then_some(output.stdout)
    }

    /// The same, without anything planted.
    fn expected(&self, call: &str) -> Result<Vec<u8>> {
        let output = self.output("0", call);
        output
            .ok_or_else(|| Error::Failed(format!("`murmuration {call}` failed as its passes are dispatched")))
    }
}

/// Runs the program and the suites of the GPU in each order of workgroups, in the copy of [`super::faults`], which
/// needs no further build; then the controls. Prints what it finds, and writes it to `target/prove/order.txt`.
///
/// # Errors
/// When a bit differs, a test fails, or no order shows a control.
pub fn order(words: &[&str]) -> Result {
    let selection = Selection::read_whole("prove order", words)?;
    let mut numbers = selection.numbers.clone();
    if numbers.is_empty() {
        numbers.extend(1..=ORDERS);
    }
    let orders: Vec<Order> = numbers.into_iter().map(|number| Order { number }).collect();
    let tree = shell::target().join("prove");
    copy(&tree, &listed_faults()?)?;
    write_shaders(&tree, &orders)?;
    let display = Virtual::start()?;
    let mut bench = Bench::build(&tree, &BTreeSet::new(), &display)?;
    let program = Program(tree.join("target/debug/murmuration"));
    let mut findings = Findings::default();
    compare(&program, &orders, &mut findings)?;
    let named: Vec<&str> = selection.suites.iter().map(String::as_str).collect();
    let suites = if named.is_empty() { &SUITES[..] } else { &named };
    for order in &orders {
        for suite in suites {
            let seen = bench.prove(&order.switch(0), "shaders/", suite)?;
            findings.add(&format!("{} | {suite}", order.name()), seen.map(|seen| seen.test));
        }
    }
    control(&program, &orders, &mut findings);
    findings.write("order.txt")
}

fn write_shaders(tree: &Path, orders: &[Order]) -> Result {
    let texts = shaders()?;
    for planted in 0..=DEFECTS.len() {
        let defect = planted.checked_sub(1).map(|index| &DEFECTS[index]);
        for order in [Order { number: 0 }].iter().chain(orders) {
            let changed = changed(&texts, *order, defect)?;
            if !changed.is_empty() {
                let file = tree.join(plant::FAULTY_SHADERS).join(order.switch(planted));
                plant::write(&file, changed.as_bytes())?;
            }
        }
    }
    Ok(())
}

/// Compares the output of every call in each order with that as the workgroups are dispatched.
fn compare(program: &Program, orders: &[Order], findings: &mut Findings) -> Result {
    let calls = calls();
    let mut differing = vec![Vec::new(); orders.len()];
    for call in &calls {
        let expected = program.expected(call)?;
        for (order, differing) in orders.iter().zip(&mut differing) {
            if program.output(&order.switch(0), call).as_ref() != Some(&expected) {
                differing.push(format!("`murmuration {call}` differs"));
            }
        }
    }
    for (order, differing) in orders.iter().zip(differing) {
        let wrong = (!differing.is_empty()).then(|| differing.join("; "));
        findings.add(&format!("{} | {} calls", order.name(), calls.len()), wrong);
    }
    Ok(())
}

/// Runs each defect as often in the order of the dispatch as in other orders, and counts the outputs that differ from
/// its first.
fn control(program: &Program, orders: &[Order], findings: &mut Findings) {
    let as_dispatched = Order { number: 0 };
    for (index, defect) in DEFECTS.iter().enumerate() {
        let (command, options) = defect.call.split_once(" --").unwrap_or((defect.call, ""));
        let call = format!("{command} {VULKAN} {FLOCK} --{options}");
        let output = |order: Order| program.output(&order.switch(index + 1), &call);
        let first = output(as_dispatched);
        let mut again = 0;
        let mut permuted = 0;
        for order in orders {
            again += u32::from(output(as_dispatched) != first);
            permuted += u32::from(output(*order) != first);
        }
        let (what, all) = (defect.what, orders.len());
        let wrong = (permuted == 0).then(|| "no order shows it".to_owned());
        findings
            .add(&format!("{what} | differs in {again} of {all}, permuted in {permuted} of {all}"), wrong);
    }
}

#[cfg(test)]
mod tests {
    use super::{DEFECTS, Order, changed, shaders};

    #[test]
    fn every_defect_has_a_place_and_other_shaders_than_its_order() {
        let texts = shaders().expect("read");
        let reversed = Order { number: 1 };
        let without = changed(&texts, reversed, None).expect("permuted");
        assert!(without.contains("\0scatter.wgsl\n") && !without.contains("\0order.wgsl\n\0"));
        for defect in &DEFECTS {
            let with = changed(&texts, reversed, Some(defect)).expect("it has a place");
            assert!(with != without && with.contains(defect.bad), "{}", defect.what);
        }
        assert_eq!(changed(&texts, Order { number: 0 }, None).expect("as it is"), "");
    }
}

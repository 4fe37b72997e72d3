//! The page's bits, which are those of the command line: in integers on both engines, in f32 on the CPU; on the GPU f32 is
//! within the bounds of the rule. Chromium's WebGPU has another shader compiler (Tint), Firefox its own naga and wgpu.

use config::presets::{PRESETS, Preset};
use conform::bounds::{Guarantee, bounds};
use conform::flocks;
use engine::{Numeric, State};
use files::read_state;
use flight::{First, Flight, InFlight, Start, snapped};

use super::driver::{Firefox, Page};
use super::{printed, sessions};

/// A term that looks round.
const FORMULA: &str = "terms.shy={ radius = { default = 6, unit = 'len' }, \
    inner_radius = { default = 1, unit = 'len' }, angle = ANGLE, weight = { default = 0.3, unit = '1/t' }, \
    each = 'select(-offset, their.velocity * motion.time_step, distance > inner_radius * 2)', \
    request = 'weight * sum / max(count, 1) + 0.1 * cross(heading, velocity)' }";

/// A part of an address, with every byte as `%XX`.
fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// The hashes of a flock on the page, and on the command line, which takes the CPU.
fn hashes(page: &Page, engine: &str, options: &[&str]) -> (String, String) {
    let address: Vec<String> =
        options.chunks(2).map(|pair| format!("{}={}", &pair[0][2..], encoded(pair[1]))).collect();
    page.open(&format!("?{}&engine={engine}&hash", address.join("&")));
    let found = page.wait_for("hashes");
    assert!(page.text("status").starts_with(engine), "{}", page.text("status"));
    (found, printed(&[&["run", "--engine", "cpu", "--hash"], options].concat()))
}

#[test]
fn presets_have_the_bits_of_the_command_line_or_lie_within_their_bounds() {
    let page = Page::start(true);
    for preset in PRESETS.iter().step_by(3) {
        let name = preset.name;
        let flock = ["--boids", "173", "--seed", "90210", "--steps", "20", "--preset", name, "--numeric"];
        for (engine, numeric) in [("gpu", "fixed"), ("cpu", "fixed"), ("cpu", "f32")] {
            let (found, expected) = hashes(&page, engine, &[&flock[..], &[numeric]].concat());
            assert_eq!(found, expected, "{name}, {numeric} on {engine}");
            assert_eq!(found.lines().count(), 21, "{found}");
        }
        f32_of_the_gpu_is_within_its_bounds(&page, preset);
    }
    // The control: another seed is another flock.
    let flock = ["--preset", "think", "--boids", "173", "--steps", "20", "--numeric", "fixed", "--seed"];
    let [one, other] = ["90210", "90211"].map(|seed| hashes(&page, "gpu", &[&flock[..], &[seed]].concat()).0);
    assert_ne!(one, other);
    assert_eq!(page.complaints(), Vec::<String>::new());
}

/// One step of a preset; see docs/conformance.md.
fn f32_of_the_gpu_is_within_its_bounds(page: &Page, preset: &Preset) {
    let name = preset.name;
    let mut parameters = preset.parameters().expect(name);
    parameters.set_boids(500);
    let start = State::try_start(&parameters).expect(name);
    let start = flocks::representable::<f32>(&parameters, &start);
    page.open(&format!("?preset={name}&boids=500&steps=1&numeric=f32&engine=gpu&state"));
    let boids = page.wait_for("state");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("state.csv");
    std::fs::write(&file, boids).expect("written");
    let found = read_state(&file, Numeric::F32).expect("a state").state;
    let bounds = bounds(Guarantee::Wgsl32, &flocks::quantised(&parameters), &start).expect("bounds");
    let compared = bounds(&found);
    assert!(compared.failures.is_empty() && compared.boids == 500, "{name}: {compared}");
    // The start is not the next state.
    let unmoved = bounds(&State { step: 1, ..start });
    assert!(!unmoved.failures.is_empty(), "{name}: {unmoved}");
}

#[test]
fn a_million_boids_do_not_end_the_page() {
    let page = Page::start(true);
    let flock = ["--boids", "1e6", "--numeric", "fixed", "--steps", "2"];
    let (found, expected) = hashes(&page, "gpu", &flock);
    assert_eq!(found, expected);
}

/// On its WebGPU, for which it has no adapter in hardware here, and on the CPU.
#[test]
fn firefox_has_the_bits_of_the_command_line() {
    let settings = [("dom.webgpu.enabled", true), ("gfx.webgpu.ignore-blocklist", true)];
    let page = Page::within(Firefox::start(&settings));
    let flock = ["--boids", "173", "--steps", "5", "--preset"];
    for (preset, engine, numeric) in [
        ("cornell", "gpu", "fixed"),
        ("starlings", "gpu", "fixed"),
        ("starlings", "cpu", "fixed"),
        ("starlings", "cpu", "f32"),
    ] {
        let (found, expected) =
            hashes(&page, engine, &[&flock[..], &[preset, "--numeric", numeric]].concat());
        assert_eq!(found, expected, "{preset}, {numeric} on {engine}");
    }
    assert_eq!(page.complaints(), Vec::<String>::new());
}

/// A formula, with every byte in the address as `%XX`; a wrong one is refused in the words of the command line.
#[test]
fn a_formula_in_the_address_has_the_bits_of_the_command_line() {
    let page = Page::start(true);
    let mut all = Vec::new();
    for (angle, engine) in [("100", "cpu"), ("100", "gpu"), ("101", "gpu")] {
        let term = FORMULA.replace("ANGLE", angle);
        let flock = ["--boids", "173", "--seed", "7", "--steps", "3", "--numeric", "fixed", "--set"];
        let (found, expected) = hashes(&page, engine, &[&flock[..], &[&term]].concat());
        assert_eq!(found, expected, "{angle} on {engine}");
        assert_eq!(found.lines().count(), 4, "{found}");
        all.push(found);
    }
    assert_eq!(all[0], all[1]);
    // The control: another angle has other hashes.
    assert_ne!(all[1], all[2]);
    let wrong = FORMULA.replace("ANGLE", "100").replace("heading", "headong");
    page.open(&format!("?set={}", encoded(&wrong)));
    let said = page.wait_for("error");
    let expected = printed(&["run", "--set", &wrong]);
    let [said, expected] = [&said, &expected].map(|text| text.lines().find(|line| line.starts_with("error")));
    assert!(said.is_some() && said == expected, "{said:?}, not {expected:?}");
}

/// A flight of a hand in fixed point, with a predator and another rule from step 20 on.
fn flown() -> Flight {
    let mut parameters = config::presets::find("cornell").expect("built in").parameters().expect("allowed");
    parameters.set_boids(125);
    let predators = &mut parameters.predators;
    (predators.count, predators.weight, predators.radius) = (1, 1.0, 80.0);
    let (view, engine, numeric) = (config::View::default(), "a hand".to_owned(), Numeric::Fixed);
    let start = Start { preset: Some("cornell"), parameters, view, numeric, engine, first: First::Seed };
    let mut flight = Flight::new(start);
    let before = InFlight::new(parameters);
    let mut new = before;
    new.engine.separation.radius *= 2.0;
    for step in 0..60 {
        if step == 20 {
            flight.changes.set_parameters(step, &before, &new);
        }
        let turn = step as f32 * 0.2;
        let position = [320.0 + 200.0 * turn.cos(), 240.0 + 150.0 * turn.sin(), 0.0];
        flight.changes.steer(step, 0, snapped(position, &parameters));
    }
    flight.end = 60;
    flight
}

/// A flight in the fragment of a link: the page repeats it, on both engines, as the command line does from its file.
#[test]
fn a_flight_in_a_link_has_the_bits_of_the_command_line() {
    let flight = flown();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mine.flight");
    std::fs::write(&file, flight.text()).expect("written");
    let expected = printed(&["run", "--engine", "cpu", "--hash", "--flight", &file.display().to_string()]);
    assert_eq!(expected.lines().count(), 61, "{expected}");
    let link = flight.link().expect("a short flight");
    let page = Page::start(true);
    for engine in ["cpu", "gpu"] {
        page.open(&format!("?engine={engine}&hash#flight={link}"));
        let found = page.wait_for("hashes");
        assert!(page.text("status").starts_with(engine), "{}", page.text("status"));
        assert_eq!(found, expected, "{engine}");
    }
    // The control: the flock without what was flown.
    let alone = ["--boids", "125", "--steps", "60", "--preset", "cornell", "--numeric", "fixed"];
    assert_ne!(hashes(&page, "cpu", &alone).0, expected);
    page.open(&format!("?engine=cpu&hash#flight={}", &link[..40]));
    assert!(page.wait_for("error").contains("the flight in the link is damaged"));
    // Another flight in the same tab: only the fragment differs.
    page.open(&format!("?engine=cpu&hash#flight={link}"));
    assert_eq!(page.wait_for("hashes"), expected);
}

/// Whatever a person does in the window is repeated on the page, in each number type.
#[test]
fn random_sessions_of_the_window_have_the_same_bits() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = Page::start(true);
    let (mut changes, mut on_gpu) = (0, 0);
    for seed in 0..8 {
        let numeric = [Numeric::Fixed, Numeric::F32, Numeric::Fixed, Numeric::F64][seed as usize % 4];
        let file = sessions::save(&mut sessions::random(seed, numeric), folder.path());
        let flight = sessions::read(&file);
        let expected =
            printed(&["run", "--engine", "cpu", "--hash", "--flight", &file.display().to_string()]);
        std::fs::remove_file(file).expect("removed");
        assert_eq!(expected.lines().count() as u64, flight.end - flight.start.step() + 1);
        let link = flight.link().expect("a short flight");
        let engines: &[&str] = if numeric == Numeric::Fixed { &["cpu", "gpu"] } else { &["cpu"] };
        for engine in engines {
            // With a query of its own: the page of the session before must not answer.
            page.open(&format!("?engine={engine}&hash&utm_id={seed}#flight={link}"));
            assert_eq!(page.wait_for("hashes"), expected, "session {seed} on {engine}");
            on_gpu += u32::from(*engine == "gpu" && page.text("status").starts_with("gpu"));
        }
        changes += flight.changes.all().len();
    }
    assert!(changes > 160 && on_gpu == 4, "{changes} changes, {on_gpu} on the GPU");
}

use super::*;
use crate::cores::tests::Sequential;
use crate::memory::Word;
use crate::presets::find;
use flock::Fixed;
use flock::formula::Prepared;
use std::string::{String, ToString};
use std::vec::Vec;

mod fuzz;

fn arena() -> Vec<Word> {
    (0..24_500).map(|_| Word::new(0)).collect()
}

fn session(arena: &[Word]) -> Session<'_> {
    let mut session = Session::new(arena, find("cornell").expect("a preset")).expect("fits");
    session.set_boids(30).expect("fits");
    session
}

fn ask(session: &mut Session<'_>, line: &str) -> String {
    ask_until(session, &|| false, line)
}

fn ask_until(session: &mut Session<'_>, key: &dyn Fn() -> bool, line: &str) -> String {
    let mut out = String::new();
    answer(session, &Sequential, key, line, &mut out).expect("a string takes all");
    let last = out.lines().last().unwrap_or_default();
    assert!(last == "ok" || last.starts_with("error: "), "{line}: {out}");
    assert_eq!(out.lines().filter(|line| line.starts_with("error: ")).count(), usize::from(last != "ok"));
    out
}

#[test]
fn good_commands_do_what_they_say() {
    let arena = arena();
    let mut s = session(&arena);
    for (name, arguments, ..) in COMMANDS {
        assert!(
            ask(&mut s, "help")
                .contains(&std::format!("{name}{}{arguments}", if arguments.is_empty() { "" } else { " " }))
        );
    }
    assert_eq!(ask(&mut s, "set cohesion.radius 30").trim(), "ok");
    assert!(ask(&mut s, "get cohesion.radius").contains("cohesion.radius = 30.0"));
    assert!(ask(&mut s, "set home.position = [1, 2, 3]").contains("ok"));
    assert!(ask(&mut s, "list home").contains("home.position = [1.0, 2.0, 3.0] length; [x, y, z]"));
    assert!(ask(&mut s, "boids 77").contains("ok") && s.engine.boids() == 77);
    assert!(ask(&mut s, "seed 9").contains("ok") && s.parameters().flock.seed == 9);
    assert_eq!(ask(&mut s, "step 4").trim(), "ok");
    assert!(ask(&mut s, "hash").starts_with("4,") && !s.running);
    assert_eq!(ask(&mut s, "hashes 3").lines().count(), 5);
    assert!(ask(&mut s, "run").contains("ok") && s.running);
    assert!(ask(&mut s, "preset murmuration").contains("ok") && s.engine.boids() == 700);
    assert!(ask(&mut s, "status").contains("murmuration") && ask(&mut s, "cycles").contains("core 1"));
}

#[test]
fn bad_commands_name_what_is_wrong_and_change_nothing() {
    let arena = arena();
    let mut s = session(&arena);
    for (line, part) in [
        ("fly", "`fly` is no command"),
        ("get cohesion.radios", "no parameter is called `cohesion.radios`"),
        ("set cohesion.radius -1", "cohesion.radius = `-1`: allowed is a number from 0"),
        ("set cohesion.radius 1 2", "cohesion.radius = `1 2`: allowed is a number"),
        ("set motion.min_speed 7", "motion.min_speed = `7`: allowed is at most motion.max_speed"),
        ("set motion.max_speed 2", "motion.min_speed = 3.0: allowed is at most motion.max_speed"),
        ("set world.edges round", "\"turn\""),
        ("set", "no parameter"),
        ("obstacle", "obstacle = ``: allowed is { position = [x, y, z], radius = r }"),
        ("obstacle { position = [1, 2, 3], radius = 4 } 5", "obstacle = `{ position"),
        ("obstacle { position = [1, 2, 3], radius = -4 }", "obstacles.spheres = `{ position"),
        ("boids 1000000", "flock.boids = 1000000: allowed is at most"),
        ("set flock.boids 70000", "flock.boids = 70000: allowed is at most"),
        ("boids", "boids = ``"),
        ("step 1000001", "steps = `1000001`: allowed is a whole number from 0 to 1000000"),
        ("hashes", "steps = ``"),
        ("preset sparrows", "no preset is called `sparrows`"),
        ("hash now", "allowed is nothing"),
        ("list things", "no table is called `things`"),
        ("kernel fast", "allowed is assembly or plain"),
        ("kernel plain x", "allowed is nothing"),
        ("put boid 30 0 0 0 0 0 0 0 0 0", "boid = `30`"),
        ("put boid 3 0 0 1 0 0 0 0 0 0", "z = `1`"),
        ("put boid 3 0 0 0 0 0 0 0 8 0", "group = `8`: allowed is a group from 0 to 7"),
        ("put boid 3 40000000 0 0 0 0 0 0 0 0", "x = `40000000`"),
        ("put predator 0 0 0 0 0 0 0", "predator = `0`"),
        ("put step -1", "step = `-1`"),
        ("terms fly 1 0", "the terms are damaged"),
        ("terms fly -1 0", "reach = `-1`: allowed is a length"),
        ("terms 809", "terms = `809`: allowed is off, fly or the number of a word"),
        ("terms 808 0 0", "word = `0`: allowed is a word that terms have there"),
        ("terms 0 g", "word = `g`"),
        ("terms off now", "allowed is nothing"),
        ("put it", "put = `it`: allowed is boid, predator or step"),
    ] {
        let (before, parameters) = (s.engine.hash(), *s.parameters());
        let text = ask(&mut s, line);
        assert!(text.contains(part), "{line}: {text}");
        assert_eq!((s.engine.hash(), *s.parameters()), (before, parameters), "{line}");
        assert!(s.engine.assembly, "{line}");
    }
}

#[test]
fn obstacles_are_added_one_by_one_until_there_are_sixteen() {
    let arena = arena();
    let mut s = session(&arena);
    let line =
        |k: u32| std::format!("obstacle {{ position = [{k}.123456789012345, -2.5, 0], radius = {k} }}");
    for k in 0..16 {
        assert_eq!(ask(&mut s, &line(k)), "ok\n", "{k}");
        assert_eq!(s.parameters().obstacles.spheres.as_slice().len() as u32, k + 1);
    }
    assert_eq!(s.parameters().obstacles.spheres.as_slice()[9].position, [9.123_456_789_012_345, -2.5, 0.0]);
    let parameters = *s.parameters();
    let text = ask(&mut s, &line(16));
    assert!(
        text.contains("obstacles.spheres = `") && text.contains("allowed is at most 16 of them"),
        "{text}"
    );
    assert_eq!(*s.parameters(), parameters);
    assert_eq!(ask(&mut s, "set obstacles.spheres []"), "ok\n");
    assert!(s.parameters().obstacles.spheres.as_slice().is_empty());
}

#[test]
fn a_key_stops_steps_after_the_one_under_way() {
    let arena = arena();
    let mut s = session(&arena);
    let asked = core::cell::Cell::new(0);
    let third = || {
        asked.set(asked.get() + 1);
        asked.get() == 3
    };
    assert_eq!(ask_until(&mut s, &third, "step 1000000"), "error: stopped after step 3: a key was pressed\n");
    asked.set(0);
    let text = ask_until(&mut s, &third, "hashes 1000000");
    assert!(text.lines().nth(3).is_some_and(|line| line.starts_with("6,")) && text.lines().count() == 5);
    assert_eq!(ask_until(&mut s, &|| true, "step"), "ok\n", "there is nothing to stop");
}

#[test]
fn a_world_that_grows_with_its_boids_stays_in_its_range() {
    let arena = arena();
    let mut s = session(&arena);
    for line in ["set motion.max_speed 100", "set world.max = [1e6, 1e6, 0]", "set flock.density keep"] {
        assert_eq!(ask(&mut s, line), "ok\n", "{line}");
    }
    let (before, parameters) = (s.engine.hash(), *s.parameters());
    let text = ask(&mut s, "boids 90");
    assert!(text.contains("flock.boids = 90: world.") && text.contains("allowed is"), "{text}");
    assert_eq!((s.engine.hash(), *s.parameters()), (before, parameters));
    assert_eq!(ask(&mut s, "boids 20"), "ok\n");
}

#[test]
fn a_state_that_is_put_in_goes_on_as_the_one_it_was_taken_from() {
    let (first, second) = (arena(), arena());
    let mut s = session(&first);
    ask(&mut s, "set predators.count 2");
    ask(&mut s, "set noise.weight 0.5");
    ask(&mut s, "step 40");
    let state = ask(&mut s, "state");
    let mut other = session(&second);
    ask(&mut other, "set predators.count 2");
    ask(&mut other, "set noise.weight 0.5");
    for line in state.lines().filter(|line| *line != "ok") {
        assert_eq!(ask(&mut other, &("put ".to_string() + line)).trim(), "ok", "{line}");
    }
    assert_eq!(ask(&mut s, "hashes 20"), ask(&mut other, "hashes 20"));
}

#[test]
fn terms_fly_until_they_are_dropped_and_hold_the_parameters_until_then() {
    let arena = arena();
    let mut s = session(&arena);
    let most = s.capacity();
    ask(&mut s, &std::format!("boids {most}"));
    let text = ask(&mut s, "terms 8 10000");
    assert!(text.contains(&std::format!("flock.boids = {most}: allowed is at most")), "{text}");
    ask(&mut s, "boids 30");
    let start = ask(&mut s, "hashes 3");
    // One term of one instruction, which gives nothing.
    let mut sent = Prepared::<Fixed>::EMPTY;
    for (at, word) in [(8, 1 << 16), (10, 1 << 24)] {
        assert_eq!(sent.set_word(at, word), Some(()));
        assert_eq!(ask(&mut s, &std::format!("terms {at} {word:x}")), "ok\n");
    }
    assert_eq!(ask(&mut s, "terms"), "0 terms of 0 instructions\nok\n");
    assert!(s.capacity() < most);
    let fly = std::format!("terms fly 2.5 {:x}", sent.checksum(2.5));
    assert_eq!(ask(&mut s, &fly), "ok\n");
    assert_eq!(ask(&mut s, "terms"), "1 terms of 1 instructions\nok\n");
    for line in ["set wind.acceleration [0, 0, 1]", "boids 9", "seed 3", "terms 0 1", &fly] {
        let before = (s.engine.hash(), *s.parameters());
        assert!(ask(&mut s, line).contains("`terms off` drops them"), "{line}");
        assert_eq!((s.engine.hash(), *s.parameters()), before, "{line}");
    }
    for line in ["preset cornell", "boids 30"] {
        assert_eq!(ask(&mut s, line), "ok\n", "{line}");
    }
    assert_eq!((ask(&mut s, "hashes 3"), s.capacity()), (start, most));
}

#[test]
fn lines_are_executed_up_to_the_first_that_is_refused() {
    let arena = arena();
    let mut s = session(&arena);
    let lines = "boids 40\nset cohesion.radius 9\nseed 7";
    assert_eq!(execute_all(&mut s, &Sequential, lines), Ok(()));
    let flock = s.parameters().flock;
    assert_eq!((flock.boids, flock.seed, s.parameters().cohesion.radius), (40, 7, 9.0));
    assert_eq!(execute_all(&mut s, &Sequential, ""), Ok(()));
    assert_eq!(execute_all(&mut s, &Sequential, "boids 30\nseed x\nboids 20"), Err("seed x"));
    assert_eq!(s.parameters().flock.boids, 30);
}

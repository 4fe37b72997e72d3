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

/// A session with `cornell` and this number of boids.
fn of_boids(arena: &[Word], boids: u32) -> Session<'_> {
    let mut session = Session::new(arena, find("cornell").expect("a preset")).expect("fits");
    let parameter = flock::parameters::find("flock.boids").expect("a parameter");
    session.set(parameter, Value::Count(boids)).expect("fits");
    session
}

fn session(arena: &[Word]) -> Session<'_> {
    of_boids(arena, 30)
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
        ("fly", "unknown command `fly`"),
        ("get cohesion.radios", "unknown parameter `cohesion.radios`"),
        ("set cohesion.radius -1", "cohesion.radius must be a number from 0 to 1000000, not `-1`"),
        ("set cohesion.radius 1 2", "cohesion.radius must be a number from 0 to 1000000, not `1 2`"),
        ("set motion.min_speed 7", "motion.min_speed must be at most motion.max_speed, not 7.0"),
        ("set motion.max_speed 2", "motion.min_speed must be at most motion.max_speed, not 3.0"),
        ("set world.edges round", "\"turn\""),
        ("set", "unknown parameter ``"),
        ("obstacle", "obstacle must be { position = [x, y, z], radius = r }, not ``"),
        ("obstacle { position = [1, 2, 3], radius = 4 } 5", "not `{ position"),
        ("obstacle { position = [1, 2, 3], radius = -4 }", "radius 0 or more, not `{ position"),
        ("boids 1000000", "flock.boids must be at most "),
        ("set flock.boids 70000", "to fit the memory, not 70000"),
        ("boids", "flock.boids must be a whole number from 0 to 2000000000, not ``"),
        ("boids 2000000001", "flock.boids must be a whole number from 0 to 2000000000, not `2000000001`"),
        ("seed x", "flock.seed must be a whole number from 0 to 4294967295, not `x`"),
        ("step 1000001", "steps must be 0 to 1000000, not `1000001`"),
        ("hashes", "steps must be 0 to 1000000, not ``"),
        ("preset sparrows", "unknown preset `sparrows`"),
        ("preset Cargo", "unknown preset `Cargo`"),
        ("hash now", "unexpected `now`"),
        ("list things", "unknown table `things`"),
        ("kernel fast", "kernel must be assembly or plain, not `fast`"),
        ("kernel plain x", "unexpected `x`"),
        ("put boid 30 0 0 0 0 0 0 0 0 0", "boid must be the number of an existing one, not `30`"),
        ("put boid 3 0 0 1 0 0 0 0 0 0", "z must be"),
        ("put boid 3 0 0 0 0 0 0 0 8 0", "group must be 0 to 7, not `8`"),
        ("put boid 3 40000000 0 0 0 0 0 0 0 0", "x must be"),
        ("put predator 0 0 0 0 0 0 0", "predator must be the number of an existing one, not `0`"),
        ("put step -1", "step must be 0 to 18446744073709551615, not `-1`"),
        ("terms fly 1 0", "the terms do not match their checksum"),
        ("terms fly -1 0", "reach must be a length, not `-1`"),
        ("terms 809", "terms must be off, fly or the number of a word, not `809`"),
        ("terms 808 0 0", "word must be one that is possible there, not `0`"),
        ("terms 0 g", "word must be"),
        ("terms off now", "unexpected `now`"),
        ("put it", "put must be boid, predator or step, not `it`"),
        ("commit", "`commit` requires `begin`"),
        ("commit now", "unexpected `now`"),
        ("begin now", "unexpected `now`"),
        ("begin terms now", "unexpected `now`"),
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
        text.contains("obstacles.spheres must be at most 16 of") && text.contains("not `{ position"),
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
    assert!(text.contains("error: world.") && text.contains("must be [x, y, z], each a number"), "{text}");
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
    assert!(text.contains(&std::format!("to fit the memory, not {most}")), "{text}");
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

/// Two changes that suit each other only together, and one that restarts the flock.
const CHANGES: [&str; 3] = ["set motion.min_speed 9", "set motion.max_speed 12", "seed 5"];

#[test]
fn a_batch_is_applied_at_once_by_its_commit() {
    let arena = arena();
    let mut s = session(&arena);
    assert!(ask(&mut s, CHANGES[0]).contains("must be at most motion.max_speed"), "one by one it is refused");
    ask(&mut s, "step 3");
    let (hash, parameters) = (s.engine.hash(), *s.parameters());
    for line in ["begin"].iter().chain(&CHANGES) {
        assert_eq!(ask(&mut s, line), "ok\n", "{line}");
        assert_eq!((s.engine.hash(), *s.parameters()), (hash, parameters), "{line}");
    }
    assert_eq!(ask(&mut s, "get motion.min_speed"), "motion.min_speed = 9.0\nok\n");
    assert_eq!(ask(&mut s, "commit"), "ok\n");
    let (motion, flock) = (s.parameters().motion, s.parameters().flock);
    assert_eq!((motion.min_speed, motion.max_speed, flock.seed), (9.0, 12.0, 5));
    assert_eq!(s.engine.step_number, 0, "another seed restarts");
    assert_eq!(ask(&mut s, "commit"), "error: `commit` requires `begin`\n", "the batch has ended");
    // Without a parameter of the start the flock goes on.
    for line in ["step 3", "begin", "set motion.min_speed 8", "commit"] {
        assert_eq!(ask(&mut s, line), "ok\n", "{line}");
    }
    assert_eq!((s.engine.step_number, s.parameters().motion.min_speed), (3, 8.0));
}

#[test]
fn a_batch_with_a_refused_line_is_refused_as_a_whole() {
    let arena = arena();
    let mut s = session(&arena);
    let (hash, parameters) = (s.engine.hash(), *s.parameters());
    for line in ["set cohesion.radius -1", "set cohesion.radios 1", "fly", "obstacle", "boids many"] {
        ask(&mut s, "begin");
        CHANGES.iter().for_each(|line| assert_eq!(ask(&mut s, line), "ok\n"));
        assert!(ask(&mut s, line).starts_with("error: "), "{line}");
        assert!(ask(&mut s, "commit").contains("a line since `begin` was refused"), "{line}");
        assert_eq!((s.engine.hash(), *s.parameters()), (hash, parameters), "{line}");
    }
    // A line that was received damaged.
    ask(&mut s, "begin");
    CHANGES.iter().for_each(|line| assert_eq!(ask(&mut s, line), "ok\n"));
    s.spoil();
    assert!(ask(&mut s, "commit").contains("a line since `begin` was refused"));
    // The commit says that values do not suit each other or the memory.
    for (line, part) in [
        ("set motion.max_speed 2", "error: motion.min_speed must be at most motion.max_speed, not 3.0"),
        ("boids 70000", "error: flock.boids must be at most"),
        (
            "set world.min [9999, 0, 0]",
            "error: world.min must be below world.max in every component, not [9999.0",
        ),
    ] {
        for line in ["begin", "seed 7", line] {
            assert_eq!(ask(&mut s, line), "ok\n", "{line}");
        }
        let text = ask(&mut s, "commit");
        assert!(text.starts_with(part), "{line}: {text}");
        assert_eq!((s.engine.hash(), *s.parameters()), (hash, parameters), "{line}");
    }
    // A line that is refused outside of a batch spoils none.
    for line in ["fly", "begin", CHANGES[2], "commit"] {
        assert_eq!(ask(&mut s, line) == "ok\n", line != "fly", "{line}");
    }
    assert_eq!(s.parameters().flock.seed, 5);
}

#[test]
fn a_second_begin_forgets_the_first_and_a_preset_ends_the_batch() {
    let arena = arena();
    let mut s = session(&arena);
    for line in ["begin", "fly", "set cohesion.radius 9", "begin", "set separation.radius 4", "commit"] {
        ask(&mut s, line);
    }
    let (cohesion, separation) = (s.parameters().cohesion.radius, s.parameters().separation.radius);
    assert!(cohesion != 9.0 && separation == 4.0, "{cohesion} {separation}");
    for line in ["begin", "set cohesion.radius 9", "preset cornell"] {
        assert_eq!(ask(&mut s, line), "ok\n", "{line}");
    }
    assert!(ask(&mut s, "commit").contains("requires `begin`") && s.parameters().cohesion.radius != 9.0);
}

#[test]
fn the_capacity_is_the_number_of_boids_that_a_commit_takes() {
    let arena = arena();
    let mut s = session(&arena);
    let capacity = |s: &mut Session<'_>| -> u32 {
        ask(s, "capacity").lines().next().and_then(|line| line.parse().ok()).expect("a number")
    };
    let flat = capacity(&mut s);
    let mut found = Vec::from([flat]);
    for (begin, change) in [
        ("begin", "set flock.dimensions 3"),
        ("begin", "set alignment.unit true"),
        ("begin terms", "set flock.dimensions 2"),
        ("begin terms", "set alignment.unit true"),
    ] {
        ask(&mut s, begin);
        ask(&mut s, change);
        let most = capacity(&mut s);
        found.push(most);
        for (boids, fits) in [(most + 1, false), (most, true)] {
            for line in [begin, change, &std::format!("boids {boids}")] {
                assert_eq!(ask(&mut s, line), "ok\n", "{line}");
            }
            let text = ask(&mut s, "commit");
            assert_eq!(text == "ok\n", fits, "{begin}, {change}, {boids}: {text}");
            assert!(fits || text.contains(&std::format!("at most {most} ")), "{text}");
        }
        assert_eq!(s.engine.boids() as u32, most);
        for line in ["preset cornell", "boids 30"] {
            ask(&mut s, line);
        }
    }
    let [flat, space, exact, with_terms, both] = found[..] else { panic!("{found:?}") };
    assert!(space < exact && exact < with_terms && with_terms < flat && both < exact, "{found:?}");
}

#[test]
fn a_commit_drops_the_terms_in_use_and_a_refused_one_keeps_them() {
    let arena = arena();
    let mut s = session(&arena);
    let mut sent = Prepared::<Fixed>::EMPTY;
    for (at, word) in [(8, 1 << 16), (10, 1 << 24)] {
        assert_eq!(sent.set_word(at, word), Some(()));
        ask(&mut s, &std::format!("terms {at} {word:x}"));
    }
    let fly = std::format!("terms fly 2.5 {:x}", sent.checksum(2.5));
    for line in [&fly, "begin", "set motion.max_speed 2"] {
        assert_eq!(ask(&mut s, line), "ok\n", "{line}");
    }
    assert!(ask(&mut s, "commit").contains("motion.min_speed must be"));
    assert_eq!(ask(&mut s, "terms"), "1 terms of 1 instructions\nok\n");
    for line in ["begin terms", "set motion.max_speed 8", "commit"] {
        assert_eq!(ask(&mut s, line), "ok\n", "{line}");
    }
    assert_eq!(ask(&mut s, "terms"), "0 terms of 0 instructions\nok\n");
    assert_eq!(ask(&mut s, &fly), "ok\n", "their words are still there");
    assert_eq!(s.parameters().motion.max_speed, 8.0);
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

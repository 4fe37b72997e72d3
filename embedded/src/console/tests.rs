use super::*;
use crate::cores::tests::Sequential;
use crate::image::find;
use crate::memory::Word;
use flock::Fixed;
use flock::formula::Prepared;
use flock::random::{draw, stream};
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

/// Lines that are executed.
fn all_ok(session: &mut Session<'_>, lines: &[&str]) {
    for line in lines {
        assert_eq!(ask(session, line), "ok\n", "{line}");
    }
}

#[test]
fn good_commands_do_what_they_say() {
    let arena = arena();
    let mut s = session(&arena);
    let help = ask(&mut s, "help");
    for (name, arguments, ..) in COMMANDS {
        assert!(help.contains(std::format!("{name} {arguments}").trim_end()), "{name}");
    }
    all_ok(
        &mut s,
        &["set cohesion.radius 30", "set home.position = [1, 2, 3]", "boids 77", "seed 9", "step 4"],
    );
    assert!(ask(&mut s, "get cohesion.radius").contains("cohesion.radius = 30.0"));
    assert!(ask(&mut s, "list home").contains("home.position = [1.0, 2.0, 3.0] length; [x, y, z]"));
    assert_eq!((s.engine.boids(), s.parameters().flock.seed), (77, 9));
    assert!(ask(&mut s, "hash").starts_with("4,") && !s.running);
    assert_eq!(ask(&mut s, "hashes 3").lines().count(), 5);
    all_ok(&mut s, &["run", "preset murmuration"]);
    assert!(s.running && s.engine.boids() == 700);
    assert!(ask(&mut s, "status").contains("murmuration") && ask(&mut s, "cycles").contains("core 1"));
}

#[test]
fn bad_commands_name_what_is_wrong_and_change_nothing() {
    let arena = arena();
    let mut s = session(&arena);
    for (line, part) in [
        ("fly", "unknown command `fly`"),
        ("set cohesion.radius -1", "cohesion.radius must be 0 to 1000000, not `-1`"),
        ("set motion.min_speed 7", "motion.min_speed must be at most motion.max_speed, not 7.0"),
        ("set motion.max_speed 2", "motion.min_speed must be at most motion.max_speed, not 3.0"),
        ("set world.edges round", "\"turn\""),
        ("set", "unknown parameter ``"),
        ("obstacle", "obstacle must be { position = [x, y, z], radius = r }, not ``"),
        ("obstacle { position = [1, 2, 3], radius = 4 } 5", "not `{ position"),
        ("obstacle { position = [1, 2, 3], radius = -4 }", "radius 0 or more, not `{ position"),
        ("boids 1000000", "flock.boids must be at most "),
        ("set flock.boids 70000", "to fit in memory, not 70000"),
        ("boids", "flock.boids must be a whole number from 0 to 2000000000, not ``"),
        ("seed x", "flock.seed must be a whole number from 0 to 4294967295, not `x`"),
        ("step 1000001", "steps must be 0 to 1000000, not `1000001`"),
        ("preset sparrows", "unknown preset `sparrows`"),
        ("hash now", "unexpected `now`"),
        ("kernel fast", "kernel must be assembly or plain, not `fast`"),
        ("put boid 30 0 0 0 0 0 0 0 0 0", "boid must be an existing index, not `30`"),
        ("put boid 3 0 0 1 0 0 0 0 0 0", "z must be"),
        ("put boid 3 0 0 0 0 0 0 0 8 0", "group must be 0 to 7, not `8`"),
        ("put boid 3 40000000 0 0 0 0 0 0 0 0", "x must be"),
        ("put predator 0 0 0 0 0 0 0", "predator must be an existing index, not `0`"),
        ("put step -1", "step must be 0 to 18446744073709551615, not `-1`"),
        ("terms fly 1 0", "the terms do not match their checksum"),
        ("terms fly -1 0", "reach must be 0 or more, not `-1`"),
        ("terms 833", "terms must be off, fly or the index of a word, not `833`"),
        ("terms 832 0 0", "word must be valid at this index, not `0`"),
        ("terms 0 g", "word must be"),
        ("put it", "put must be boid, predator or step, not `it`"),
        ("commit", "`commit` requires `begin`"),
        ("begin now", "unexpected `now`"),
    ] {
        let (before, parameters) = (s.engine.hash(), *s.parameters());
        let text = ask(&mut s, line);
        assert!(text.contains(part), "{line}: {text}");
        assert_eq!((s.engine.hash(), *s.parameters()), (before, parameters), "{line}");
        assert!(s.engine.assembly, "{line}");
    }
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
    assert!(text.contains("error: world.") && text.contains("must be [x, y, z], each -1000000"), "{text}");
    assert_eq!((s.engine.hash(), *s.parameters()), (before, parameters));
    assert_eq!(ask(&mut s, "boids 20"), "ok\n");
}

#[test]
fn obstacles_are_added_one_by_one_until_there_are_sixteen() {
    let arena = arena();
    let mut s = session(&arena);
    let line =
        |k: u32| std::format!("obstacle {{ position = [{k}.123456789012345, -2.5, 0], radius = {k} }}");
    for k in 0..16 {
        all_ok(&mut s, &[&line(k)]);
    }
    let parameters = *s.parameters();
    assert_eq!(parameters.obstacles.spheres.as_slice()[9].position, [9.123_456_789_012_345, -2.5, 0.0]);
    let text = ask(&mut s, &line(16));
    assert!(text.contains("obstacles.spheres must be a list of at most 16 "), "{text}");
    assert_eq!(*s.parameters(), parameters);
    all_ok(&mut s, &["set obstacles.spheres []"]);
    assert!(s.parameters().obstacles.spheres.as_slice().is_empty());
}

#[test]
fn a_state_that_is_put_in_goes_on_as_the_one_it_was_taken_from() {
    let (first, second) = (arena(), arena());
    let (mut s, mut other) = (session(&first), session(&second));
    for one in [&mut s, &mut other] {
        all_ok(one, &["set predators.count 2", "set noise.weight 0.5"]);
    }
    all_ok(&mut s, &["step 40"]);
    for line in ask(&mut s, "state").lines().filter(|line| *line != "ok") {
        all_ok(&mut other, &[&("put ".to_string() + line)]);
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
    assert!(text.contains(&std::format!("to fit in memory, not {most}")), "{text}");
    all_ok(&mut s, &["boids 30"]);
    let start = ask(&mut s, "hashes 3");
    // One term of one instruction, which gives nothing.
    let mut sent = Prepared::<Fixed>::EMPTY;
    for (at, word) in [(8, 1 << 16), (10, 1 << 24)] {
        assert_eq!(sent.set_word(at, word), Some(()));
        all_ok(&mut s, &[&std::format!("terms {at} {word:x}")]);
    }
    assert_eq!(ask(&mut s, "terms"), "0 terms of 0 instructions\nok\n");
    assert!(s.capacity() < most);
    let fly = std::format!("terms fly 2.5 {:x}", sent.checksum(2.5));
    // A bit of a word is wrong, then the reach.
    all_ok(&mut s, &["terms 8 10001"]);
    assert!(ask(&mut s, &fly).contains("do not match their checksum"));
    all_ok(&mut s, &["terms 8 10000"]);
    assert!(ask(&mut s, &fly.replace("2.5", "2")).contains("do not match their checksum"));
    all_ok(&mut s, &[&fly]);
    assert_eq!(ask(&mut s, "terms"), "1 terms of 1 instructions\nok\n");
    for line in ["set wind.acceleration [0, 0, 1]", "boids 9", "seed 3", "terms 0 1", &fly] {
        let before = (s.engine.hash(), *s.parameters());
        assert!(ask(&mut s, line).contains("drop them with `terms off`"), "{line}");
        assert_eq!((s.engine.hash(), *s.parameters()), before, "{line}");
    }
    // A commit that is refused keeps them, one that is executed drops them; their words stay.
    all_ok(&mut s, &["begin", "set motion.max_speed 2"]);
    assert!(ask(&mut s, "commit").contains("motion.min_speed must be"));
    assert_eq!(ask(&mut s, "terms"), "1 terms of 1 instructions\nok\n");
    all_ok(&mut s, &["begin terms", "set motion.max_speed 8", "commit"]);
    assert_eq!(ask(&mut s, "terms"), "0 terms of 0 instructions\nok\n");
    all_ok(&mut s, &[&fly, "preset cornell", "boids 30"]);
    assert_eq!((ask(&mut s, "hashes 3"), s.capacity()), (start, most));
}

/// Words of no compiler, with their right checksum: the flock may fly anyhow, and the board goes on.
#[test]
fn whatever_words_fly_the_board_goes_on() {
    let arena = arena();
    let mut s = session(&arena);
    for flock in 0..12 {
        let dimensions = std::format!("set flock.dimensions {}", 2 + flock % 2);
        all_ok(&mut s, &["preset cornell", "boids 12", &dimensions]);
        let mut sent = Prepared::<Fixed>::EMPTY;
        for at in 0..Prepared::<Fixed>::WORDS {
            let [word, mask, ..] = draw(flock, 7, at as u32, stream::DRAWN);
            // Numbers of any size; operations, ranges and registers that there are.
            let word = match at {
                1..113 if (at - 1) % 7 < 2 => 0x60_0000 | word & 0x1f,
                1..113 if (at - 1) % 7 == 2 => word | 1 << 24,
                297.. if at % 2 == 1 => (word & 0xffff_ff00) | (word % 21),
                _ if mask % 2 == 0 => word,
                _ => word >> (mask >> 3 & 31),
            };
            assert_eq!(sent.set_word(at, word), Some(()), "word {at}");
            all_ok(&mut s, &[&std::format!("terms {at} {:x}", sent.word(at))]);
        }
        // The greatest is as wide as words hold; a wider one is refused.
        let wider = std::format!("terms fly 32769.0 {:x}", sent.checksum(32769.0));
        assert!(ask(&mut s, &wider).contains("at most 32768"));
        let reach = [0.0, 25.0, 32768.0][flock as usize % 3];
        all_ok(&mut s, &[&std::format!("terms fly {reach:?} {:x}", sent.checksum(reach)), "step 3"]);
    }
}

/// Two changes that suit each other only together, and one that restarts the flock.
const CHANGES: [&str; 3] = ["set motion.min_speed 9", "set motion.max_speed 12", "seed 5"];

#[test]
fn a_batch_is_applied_at_once_by_its_commit() {
    let arena = arena();
    let mut s = session(&arena);
    assert!(ask(&mut s, CHANGES[0]).contains("must be at most motion.max_speed"), "one by one it is refused");
    all_ok(&mut s, &["step 3"]);
    let (hash, parameters) = (s.engine.hash(), *s.parameters());
    // A second `begin` forgets the first.
    for line in ["begin", "set cohesion.radius 9", "begin"].iter().chain(&CHANGES) {
        all_ok(&mut s, &[line]);
        assert_eq!((s.engine.hash(), *s.parameters()), (hash, parameters), "{line}");
    }
    assert_eq!(ask(&mut s, "get motion.min_speed"), "motion.min_speed = 9.0\nok\n");
    all_ok(&mut s, &["commit"]);
    let mut expected = parameters;
    (expected.motion.min_speed, expected.motion.max_speed, expected.flock.seed) = (9.0, 12.0, 5);
    assert_eq!(*s.parameters(), expected);
    assert_eq!(s.engine.step_number, 0, "another seed restarts");
    assert_eq!(ask(&mut s, "commit"), "error: `commit` requires `begin`\n", "the batch has ended");
    // Without a parameter of the start the flock goes on.
    all_ok(&mut s, &["step 3", "begin", "set motion.min_speed 8", "commit"]);
    assert_eq!((s.engine.step_number, s.parameters().motion.min_speed), (3, 8.0));
    // A preset ends a batch.
    all_ok(&mut s, &["begin", "set cohesion.radius 9", "preset cornell"]);
    assert!(ask(&mut s, "commit").contains("requires `begin`") && s.parameters().cohesion.radius != 9.0);
}

#[test]
fn a_batch_with_a_refused_line_is_refused_as_a_whole() {
    let arena = arena();
    let mut s = session(&arena);
    let before = (s.engine.hash(), *s.parameters());
    for line in ["set cohesion.radius -1", "fly", "boids many", "damaged"] {
        all_ok(&mut s, &["begin"]);
        all_ok(&mut s, &CHANGES);
        if line == "damaged" {
            s.spoil();
        } else {
            assert!(ask(&mut s, line).starts_with("error: "), "{line}");
        }
        assert!(ask(&mut s, "commit").contains("a line since `begin` was refused"), "{line}");
        assert_eq!((s.engine.hash(), *s.parameters()), before, "{line}");
    }
    // The commit says that values do not suit each other or the memory.
    for (line, part) in [
        ("set motion.max_speed 2", "error: motion.min_speed must be at most motion.max_speed, not 3.0"),
        ("boids 70000", "error: flock.boids must be at most"),
        ("set world.min [9999, 0, 0]", "error: world.min must be below world.max in every component"),
    ] {
        all_ok(&mut s, &["begin", "seed 7", line]);
        let text = ask(&mut s, "commit");
        assert!(text.starts_with(part), "{line}: {text}");
        assert_eq!((s.engine.hash(), *s.parameters()), before, "{line}");
    }
    // A line that is refused outside of a batch spoils none.
    ask(&mut s, "fly");
    all_ok(&mut s, &["begin", CHANGES[2], "commit"]);
    assert_eq!(s.parameters().flock.seed, 5);
}

#[test]
fn the_capacity_is_the_number_of_boids_that_a_commit_takes() {
    let arena = arena();
    let mut s = session(&arena);
    for (begin, change) in [
        ("begin", "set flock.dimensions 3"),
        ("begin", "set alignment.unit true"),
        ("begin terms", "set flock.dimensions 2"),
        ("begin terms", "set alignment.unit true"),
    ] {
        all_ok(&mut s, &[begin, change]);
        let most: u32 = ask(&mut s, "capacity").lines().next().expect("a line").parse().expect("a number");
        for (boids, fits) in [(most + 1, false), (most, true)] {
            all_ok(&mut s, &[begin, change, &std::format!("boids {boids}")]);
            let text = ask(&mut s, "commit");
            assert_eq!(text == "ok\n", fits, "{begin}, {change}, {boids}: {text}");
            assert!(fits || text.contains(&std::format!("at most {most} ")), "{text}");
        }
        all_ok(&mut s, &["preset cornell", "boids 30"]);
    }
}

#[test]
fn lines_are_executed_up_to_the_first_that_is_refused() {
    let arena = arena();
    let mut s = session(&arena);
    assert_eq!(execute_all(&mut s, &Sequential, "boids 40\nset cohesion.radius 9"), Ok(()));
    assert_eq!((s.parameters().flock.boids, s.parameters().cohesion.radius), (40, 9.0));
    assert_eq!(execute_all(&mut s, &Sequential, "boids 30\nseed x\nboids 20"), Err("seed x"));
    assert_eq!(s.parameters().flock.boids, 30);
}

/// Plays a flight of an image for some frames, and returns step and hash after each.
fn played(session: &mut Session<'_>, frames: u32) -> Vec<(u64, u64)> {
    let mut seen = Vec::new();
    for _ in 0..frames {
        play(session, &Sequential).expect("valid lines");
        seen.push((session.engine.step_number, session.engine.hash()));
    }
    seen
}

#[test]
fn a_flight_of_the_image_is_shown_again_and_again_until_somebody_changes_the_flock() {
    let script = "boids 40\nset predators.count 1\nset cohesion.weight 0.01\nat 2\nsteer 0 900000 800000 0\nat 4\nset cohesion.weight 0.1\n\
                  at 6";
    let arena = arena();
    let mut s = session(&arena);
    begin_script(&mut s, &Sequential, script).expect("valid lines");
    let first = played(&mut s, 6);
    assert_eq!(first.last().map(|(step, _)| *step), Some(6));
    // The same by hand.
    let other_arena = self::arena();
    let mut other = session(&other_arena);
    let mut by_hand = Vec::new();
    all_ok(&mut other, &["boids 40", "set predators.count 1", "set cohesion.weight 0.01"]);
    for step in 0..6 {
        match step {
            2 => all_ok(&mut other, &["steer 0 900000 800000 0"]),
            4 => all_ok(&mut other, &["set cohesion.weight 0.1"]),
            _ => (),
        }
        all_ok(&mut other, &["step"]);
        by_hand.push((other.engine.step_number, other.engine.hash()));
    }
    assert_eq!(first, by_hand);
    // Its end stands for a while, and then it starts again.
    let end = played(&mut s, FRAMES_AT_END - 1);
    assert!(end.iter().all(|shown| Some(shown) == first.last()));
    assert_eq!(played(&mut s, 1)[0].0, 0);
    assert_eq!(played(&mut s, 6), first);
    // Steps of the console have its changes, too.
    begin_script(&mut s, &Sequential, script).expect("valid lines");
    all_ok(&mut s, &["step 6"]);
    assert_eq!((s.engine.step_number, s.engine.hash()), first[5]);
    // Whoever changes the flock ends it; a question does not.
    for (line, ends) in [("hash", false), ("steer 0 0 0 0", true), ("set cohesion.weight 0.2", true)] {
        begin_script(&mut s, &Sequential, script).expect("valid lines");
        assert!(ask(&mut s, line).ends_with("ok\n"));
        assert_eq!(s.flight.is_none(), ends, "{line}");
    }
    assert_eq!(begin_script(&mut s, &Sequential, "boids many\nat 2"), Err("boids many"));
    begin_script(&mut s, &Sequential, "at 0\nsteer 9 0 0 0\nat 2").expect("no line is due");
    s.running = true;
    assert_eq!(play(&mut s, &Sequential), Err("steer 9 0 0 0"));
}

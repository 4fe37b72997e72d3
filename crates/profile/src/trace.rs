//! The passes of the measured steps in the Trace Event Format, for ui.perfetto.dev and chrome://tracing.
//!
//! A process is a flock of one size in one condition. Its first track has the steps, the second their passes; further
//! tracks hold passes that ran at the same time, because events of a track must not overlap.
//!
//! Readers truncate times to whole nanoseconds, so times are rounded to those: otherwise a pass could begin before the
//! previous pass ended. Some readers identify tracks by number alone, so numbers are unique across processes.

use serde_json::{Value, json};

use super::{Point, Profile};
use engine::PassEvent;

/// The tracks of a process.
const STEPS: usize = 1;
const PASSES: usize = 2;
/// More tracks than a process has.
const TRACKS: usize = 1000;

impl Profile {
    /// The trace; none if no pass was timed.
    pub fn trace(&self) -> Option<Value> {
        let mut events = Vec::new();
        // Nanoseconds at which the next flock begins: the clock of each flock starts at zero.
        let mut from = 0;
        for (process, point) in (1..).zip(self.points.iter().filter(|point| !point.events.is_empty())) {
            let name = format!("{} boids, {}", point.boids, point.condition.name());
            events.push(named("process_name", process, STEPS, &name));
            events.push(named("process_labels", process, STEPS, &self.subject.engine));
            from = flock(&mut events, process, point, from);
        }
        let subject = &self.subject;
        (!events.is_empty()).then(|| {
            json!({
                "displayTimeUnit": "ms",
                "otherData": {
                    "program": concat!("murmuration ", env!("CARGO_PKG_VERSION")),
                    "device": subject.engine,
                    "driver": subject.driver,
                    "flock": subject.flock,
                    "timed_by": subject.clock.name(),
                },
                "traceEvents": events,
            })
        })
    }
}

/// Adds the events of a flock; returns the time at which the next may begin.
fn flock(events: &mut Vec<Value>, process: usize, point: &Point, from: i64) -> i64 {
    let mut passes: Vec<&PassEvent> = point.events.iter().collect();
    passes.sort_by(|a, b| a.begin.total_cmp(&b.begin));
    let zero = passes.first().map_or(0.0, |pass| pass.begin);
    let place = |time: f64| from + (time - zero).round() as i64;
    let microseconds = |nanoseconds: i64| nanoseconds as f64 / 1e3;
    let complete = |track: usize, name: &str, step: u64, begin: f64, end: f64| {
        json!({
            "ph": "X", "pid": process, "tid": number(process, track), "name": name, "cat": "step",
            "ts": microseconds(place(begin)), "dur": microseconds(place(end) - place(begin)),
            "args": { "step": step, "boids": point.boids, "state": point.condition.name() },
        })
    };
    events.push(named("thread_name", process, STEPS, "steps"));
    let mut end = zero;
    for steps in passes.chunk_by(|a, b| a.step == b.step) {
        let Some(first) = steps.first() else { continue };
        // Steps must not overlap: a step begins at the end of the previous one at the earliest.
        let begin = first.begin.max(end);
        end = steps.iter().map(|pass| pass.end).fold(begin, f64::max);
        events.push(complete(STEPS, "step", first.step, begin, end));
    }
    // The end of the last pass of each track.
    let mut tracks: Vec<f64> = Vec::new();
    for pass in passes {
        let free = tracks.iter().position(|end| *end <= pass.begin);
        let track = free.unwrap_or_else(|| {
            let name = if tracks.is_empty() { "passes" } else { "passes at the same time" };
            events.push(named("thread_name", process, PASSES + tracks.len(), name));
            tracks.push(0.0);
            tracks.len() - 1
        });
        tracks[track] = pass.end;
        events.push(complete(PASSES + track, pass.pass, pass.step, pass.begin, pass.end));
    }
    // A visible gap.
    place(end) + 100_000
}

/// The unique number of a track.
fn number(process: usize, track: usize) -> usize {
    process * TRACKS + track
}

/// An event that names a process or one of its tracks.
fn named(what: &str, process: usize, track: usize, name: &str) -> Value {
    let key = if what == "process_labels" { "labels" } else { "name" };
    json!({ "ph": "M", "pid": process, "tid": number(process, track), "name": what, "args": { key: name } })
}

#[cfg(test)]
mod tests {
    use super::super::tests::profile;
    use super::*;

    /// A process and one of its tracks.
    type Track = (u64, u64);
    /// Begin and duration in nanoseconds, and the step.
    type Complete = (i64, i64, u64);

    /// A number of microseconds with no more than three digits after the point, in nanoseconds.
    fn whole(number: &Value) -> Option<i64> {
        let text = number.to_string();
        let (whole, part) = text.split_once('.').unwrap_or((&text, ""));
        (part.len() <= 3).then(|| format!("{whole}{part:0<3}").parse().ok()).flatten()
    }

    /// The fault of a trace, if any.
    fn fault(trace: &str) -> Option<String> {
        let trace: Value = serde_json::from_str(trace).expect("JSON");
        let events = trace["traceEvents"].as_array().expect("events");
        let mut tracks: Vec<(Track, Vec<Complete>)> = Vec::new();
        let mut names = Vec::new();
        for event in events {
            let process = event["pid"].as_u64().expect("a process");
            match event["ph"].as_str().expect("a kind") {
                "M" if event["name"] == "process_name" => names.push((process, None)),
                "M" if event["name"] == "thread_name" => names.push((process, event["tid"].as_u64())),
                "M" => {}
                "X" => {
                    let track = (process, event["tid"].as_u64().expect("a track"));
                    let time = |name: &str| whole(&event[name]);
                    let step = event["args"]["step"].as_u64().expect("a step");
                    let all = match tracks.iter().position(|(known, _)| *known == track) {
                        Some(place) => &mut tracks[place].1,
                        None => {
                            tracks.push((track, Vec::new()));
                            &mut tracks.last_mut().expect("one").1
                        }
                    };
                    match (time("ts"), time("dur")) {
                        (Some(begin), Some(duration)) if duration >= 0 => all.push((begin, duration, step)),
                        _ => return Some(format!("not in whole nanoseconds: {event}")),
                    }
                }
                other => return Some(format!("a {other} event")),
            }
        }
        for (k, ((process, track), all)) in tracks.iter().enumerate() {
            if tracks[..k].iter().any(|((_, other), _)| other == track) {
                return Some(format!("two tracks {track}"));
            }
            if !names.contains(&(*process, None)) || !names.contains(&(*process, Some(*track))) {
                return Some(format!("track {track} has no name"));
            }
            for pair in all.windows(2) {
                if pair[0].0 + pair[0].1 > pair[1].0 {
                    return Some(format!("overlap on track {track} at {} ns", pair[1].0));
                }
            }
            let own = number(*process as usize, STEPS) as u64;
            if *track == own {
                continue;
            }
            let steps = &tracks.iter().find(|(place, _)| *place == (*process, own)).expect("steps").1;
            for (_, time, step) in steps {
                let sum: i64 = all.iter().filter(|(_, _, of)| of == step).map(|(_, time, _)| time).sum();
                if sum != *time {
                    return Some(format!("step {step} of {time} ns has passes of {sum} ns"));
                }
            }
        }
        None
    }

    #[test]
    fn tracks_are_in_order_and_the_passes_add_up_to_their_steps() {
        let trace = profile().trace().expect("events").to_string();
        assert_eq!(fault(&trace), None);
        let trace: Value = serde_json::from_str(&trace).expect("JSON");
        let complete = trace["traceEvents"].as_array().expect("events").iter().filter(|e| e["ph"] == "X");
        // Four flocks, two steps each, of two passes each.
        assert_eq!(complete.clone().count(), 4 * 2 * 3);
        let first = complete.clone().find(|event| event["tid"] == number(1, PASSES)).expect("a pass");
        assert_eq!((&first["name"], &first["ts"], &first["dur"]), (&json!("step"), &json!(0.0), &json!(8.0)));
        assert_eq!(first["args"], json!({ "step": 10, "boids": 1000, "state": "start" }));
        assert_eq!(trace["otherData"]["device"], "a device");
    }

    #[test]
    fn faults_of_a_trace_are_found() {
        let mut gap = profile();
        gap.points[0].events[1].begin += 500.0;
        let why = fault(&gap.trace().expect("events").to_string()).expect("a fault");
        assert!(why.contains("has passes of"), "{why}");
        let text = profile().trace().expect("events").to_string();
        let why = fault(&text.replacen("\"dur\":8.0", "\"dur\":9.0", 1)).expect("a fault");
        assert!(why.contains("overlap"), "{why}");
        let why = fault(&text.replacen("\"dur\":8.0", "\"dur\":7.9999", 1)).expect("a fault");
        assert!(why.contains("nanoseconds"), "{why}");
        let why = fault(&text.replace("\"tid\":2002", "\"tid\":1002")).expect("a fault");
        assert!(why.contains("two tracks"), "{why}");
        for name in ["thread_name", "process_name"] {
            let why = fault(&text.replacen(name, "process_sort_index", 1)).expect("a fault");
            assert!(why.contains("has no name"), "{why}");
        }
    }

    #[test]
    fn passes_that_ran_at_the_same_time_lie_on_tracks_of_their_own() {
        let mut beside = profile();
        beside.points.truncate(1);
        // The second pass of the first step begins within the first.
        beside.points[0].events[1].begin -= 1000.0;
        let trace = beside.trace().expect("events");
        let tracks: Vec<_> = trace["traceEvents"]
            .as_array()
            .expect("events")
            .iter()
            .filter(|event| event["ph"] == "X" && event["tid"] != number(1, STEPS))
            .map(|event| event["tid"].as_u64().expect("a track"))
            .collect();
        assert_eq!(tracks, [1002, 1003, 1002, 1002]);
    }

    #[test]
    fn fractions_of_nanoseconds_make_no_overlap() {
        let mut odd = profile();
        for (k, event) in odd.points.iter_mut().flat_map(|point| &mut point.events).enumerate() {
            let shift = |time: f64| time + 0.37 * (time / 1000.0).rem_euclid(7.0);
            (event.begin, event.end) = (shift(event.begin), shift(event.end));
            assert!(event.begin < event.end, "{k}");
        }
        assert_eq!(fault(&odd.trace().expect("events").to_string()), None);
    }

    #[test]
    fn where_no_pass_was_timed_there_is_no_trace() {
        let mut nothing = profile();
        nothing.points.iter_mut().for_each(|point| point.events.clear());
        assert!(nothing.trace().is_none());
    }
}

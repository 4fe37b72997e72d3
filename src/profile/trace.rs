//! The passes of the steps that were measured, as a trace for ui.perfetto.dev and chrome://tracing.
//!
//! A process is a flock: so many boids, at the start or settled. Its first track has the steps, the next their passes;
//! where passes ran at the same time, more tracks follow, for what lies on one must not overlap.

use serde_json::{Value, json};

use super::result::{Point, Profile};
use crate::engine::PassEvent;

/// The tracks of a process.
const STEPS: usize = 1;
const PASSES: usize = 2;

impl Profile {
    /// The trace; none where no pass was timed.
    #[must_use]
    pub fn trace(&self) -> Option<Value> {
        let mut events = Vec::new();
        // Microseconds at which the next flock begins: each has a clock of its own.
        let mut from = 0.0;
        for (process, point) in (1..).zip(self.points.iter().filter(|point| !point.events.is_empty())) {
            let name = format!("{} boids, {}", point.boids, point.condition.name());
            events.push(named("process_name", process, None, &name));
            events.push(named("process_labels", process, None, &self.subject.engine));
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

/// Adds a flock's events; returns where the next may begin.
fn flock(events: &mut Vec<Value>, process: usize, point: &Point, from: f64) -> f64 {
    let mut passes: Vec<&PassEvent> = point.events.iter().collect();
    passes.sort_by(|a, b| a.begin.total_cmp(&b.begin));
    let zero = passes.first().map_or(0.0, |pass| pass.begin);
    let place = |time: f64| from + (time - zero) / 1e3;
    let complete = |track: usize, name: &str, step: u64, begin: f64, end: f64| {
        json!({
            "ph": "X", "pid": process, "tid": track, "name": name, "cat": "step",
            "ts": place(begin), "dur": (end - begin) / 1e3,
            "args": { "step": step, "boids": point.boids, "state": point.condition.name() },
        })
    };
    events.push(named("thread_name", process, Some(STEPS), "steps"));
    let mut end = zero;
    for steps in passes.chunk_by(|a, b| a.step == b.step) {
        let Some(first) = steps.first() else { continue };
        // A step that begins before the last has ended takes its turn.
        let begin = first.begin.max(end);
        end = steps.iter().map(|pass| pass.end).fold(begin, f64::max);
        events.push(complete(STEPS, "step", first.step, begin, end));
    }
    // Where the last pass of each track ended.
    let mut tracks: Vec<f64> = Vec::new();
    for pass in passes {
        let free = tracks.iter().position(|end| *end <= pass.begin);
        let track = free.unwrap_or_else(|| {
            let name = if tracks.is_empty() { "passes" } else { "passes at the same time" };
            events.push(named("thread_name", process, Some(PASSES + tracks.len()), name));
            tracks.push(0.0);
            tracks.len() - 1
        });
        tracks[track] = pass.end;
        events.push(complete(PASSES + track, pass.pass, pass.step, pass.begin, pass.end));
    }
    // A gap that is seen as one.
    place(end) + 100.0
}

/// Gives a process or a track its name.
fn named(what: &str, process: usize, track: Option<usize>, name: &str) -> Value {
    let key = if what == "process_labels" { "labels" } else { "name" };
    let mut event = json!({ "ph": "M", "pid": process, "name": what, "args": { key: name } });
    if let (Some(track), Some(fields)) = (track, event.as_object_mut()) {
        fields.insert("tid".to_owned(), track.into());
    }
    event
}

#[cfg(test)]
mod tests {
    use super::super::testing::profile;
    use super::*;

    /// A process and one of its tracks.
    type Track = (u64, u64);
    /// Begin and duration in microseconds, and the step.
    type Complete = (f64, f64, u64);

    /// What is wrong with a trace, if anything.
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
                    let number = |name: &str| event[name].as_f64().expect(name);
                    let step = event["args"]["step"].as_u64().expect("a step");
                    let all = match tracks.iter().position(|(known, _)| *known == track) {
                        Some(place) => &mut tracks[place].1,
                        None => {
                            tracks.push((track, Vec::new()));
                            &mut tracks.last_mut().expect("one").1
                        }
                    };
                    all.push((number("ts"), number("dur"), step));
                }
                other => return Some(format!("a {other} event")),
            }
        }
        for ((process, track), all) in &tracks {
            if !names.contains(&(*process, None)) || !names.contains(&(*process, Some(*track))) {
                return Some(format!("track {track} has no name"));
            }
            for pair in all.windows(2) {
                if pair[0].0 + pair[0].1 > pair[1].0 + 1e-6 {
                    return Some(format!("overlap on track {track} at {} us", pair[1].0));
                }
            }
            if *track == STEPS as u64 {
                continue;
            }
            let steps =
                &tracks.iter().find(|(place, _)| *place == (*process, STEPS as u64)).expect("steps").1;
            for (_, time, step) in steps {
                let sum: f64 = all.iter().filter(|(_, _, of)| of == step).map(|(_, time, _)| time).sum();
                if (sum - time).abs() > 1e-6 * time {
                    return Some(format!("step {step} of {time} us has passes of {sum} us"));
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
        let first = complete.clone().find(|event| event["tid"] == PASSES).expect("a pass");
        assert_eq!((&first["name"], &first["ts"], &first["dur"]), (&json!("step"), &json!(0.0), &json!(8.0)));
        assert_eq!(first["args"], json!({ "step": 10, "boids": 1000, "state": "start" }));
        assert_eq!(trace["otherData"]["device"], "a device");
    }

    #[test]
    fn a_trace_that_is_wrong_is_found_out() {
        let mut gap = profile();
        gap.points[0].events[1].begin += 500.0;
        let why = fault(&gap.trace().expect("events").to_string()).expect("a fault");
        assert!(why.contains("has passes of"), "{why}");
        let text = profile().trace().expect("events").to_string();
        let why = fault(&text.replacen("\"dur\":8.0", "\"dur\":9.0", 1)).expect("a fault");
        assert!(why.contains("overlap"), "{why}");
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
            .filter(|event| event["ph"] == "X" && event["tid"] != STEPS)
            .map(|event| event["tid"].as_u64().expect("a track"))
            .collect();
        assert_eq!(tracks, [2, 3, 2, 2]);
    }

    #[test]
    fn where_no_pass_was_timed_there_is_no_trace() {
        let mut nothing = profile();
        nothing.points.iter_mut().for_each(|point| point.events.clear());
        assert!(nothing.trace().is_none());
    }
}

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

    /// The complete events of a trace: track, name, begin and duration in microseconds.
    fn complete(profile: &Profile) -> Vec<(u64, String, f64, f64)> {
        let trace = profile.trace().expect("events");
        let events = trace["traceEvents"].as_array().expect("events");
        let number = |event: &Value, key: &str| event[key].as_f64().expect("a number");
        let one = |event: &Value| {
            let name = event["name"].as_str().expect("a name").to_owned();
            (event["tid"].as_u64().expect("a track"), name, number(event, "ts"), number(event, "dur"))
        };
        events.iter().filter(|event| event["ph"] == "X").map(one).collect()
    }

    #[test]
    fn tracks_are_in_order_and_the_passes_add_up_to_their_steps() {
        let mut odd = profile();
        for event in odd.points.iter_mut().flat_map(|point| &mut point.events) {
            let shift = |time: f64| time + 0.37 * (time / 1000.0).rem_euclid(7.0);
            (event.begin, event.end) = (shift(event.begin), shift(event.end));
        }
        // Fractions of nanoseconds make no overlap either.
        for profile in [profile(), odd] {
            let events = complete(&profile);
            // Four flocks, two steps each, of two passes each.
            assert_eq!(events.len(), 4 * 2 * 3);
            for flock in 1..=4 {
                let of = |track: usize| {
                    let track = number(flock, track) as u64;
                    events.iter().filter(|event| event.0 == track).collect::<Vec<_>>()
                };
                let (steps, passes) = (of(STEPS), of(PASSES));
                assert_eq!((steps.len(), passes.len()), (2, 4));
                for pair in passes.windows(2).chain(steps.windows(2)) {
                    assert!(pair[0].2 + pair[0].3 <= pair[1].2 + 1e-6, "{pair:?}");
                }
                for (step, passes) in steps.iter().zip(passes.chunks(2)) {
                    assert!((passes[0].3 + passes[1].3 - step.3).abs() < 1e-6, "{step:?}: {passes:?}");
                }
            }
        }
        let events = complete(&profile());
        let first = events.iter().find(|event| event.0 == number(1, PASSES) as u64).expect("a pass");
        assert_eq!((first.1.as_str(), first.2, first.3), ("step", 0.0, 8.0));
        let trace = profile().trace().expect("events");
        assert_eq!(trace["otherData"]["device"], "a device");
        let named = trace["traceEvents"].as_array().expect("events").iter();
        let named = named.filter(|event| event["name"] == "process_name" || event["name"] == "thread_name");
        assert_eq!(named.count(), 4 * 3);
    }

    #[test]
    fn passes_that_ran_at_the_same_time_lie_on_tracks_of_their_own() {
        let mut beside = profile();
        beside.points.truncate(1);
        // The second pass of the first step begins within the first.
        beside.points[0].events[1].begin -= 1000.0;
        let events = complete(&beside);
        let tracks = events.iter().map(|event| event.0).filter(|track| *track != number(1, STEPS) as u64);
        assert_eq!(tracks.collect::<Vec<_>>(), [1002, 1003, 1002, 1002]);
        beside.points[0].events.clear();
        assert!(beside.trace().is_none(), "where no pass was timed there is no trace");
    }
}

//! An invented profile for tests.

use super::census::Census;
use super::cost::Cost;
use super::result::{
    ABOUT, Clock, Condition, FEWER, MORE, Method, Pass, Point, Profile, Rate, Spread, Subject,
};
use engine::{Numeric, PassEvent};

/// 1,000 and 10,000 boids, start and settled: two steps from step 10 on, with 8 ns per boid for `step` and 2 for
/// `order`.
pub fn profile() -> Profile {
    let conditions = [Condition::Start, Condition::Settled];
    let points = [1000, 10_000].into_iter().flat_map(|boids| conditions.map(|when| point(boids, when)));
    let rate =
        |frames, drawn, bound, boids| Rate { frames, condition: Condition::Start, drawn, bound, boids };
    Profile {
        subject: Subject {
            engine: "a device".to_owned(),
            driver: "driver 7".to_owned(),
            numeric: Numeric::F32,
            tuning: None,
            clock: Clock::Timestamps,
            flock: "preset cornell".to_owned(),
            dimensions: 2,
            drawn: None,
        },
        method: Method { steps: 2, repeats: 2, warm_up: 3, settle: 100 },
        limits: None,
        points: points.collect(),
        rates: vec![
            rate(60, false, ABOUT, 123_456),
            rate(30, false, MORE, 200_000),
            rate(60, true, FEWER, 1000),
        ],
        stopped: None,
    }
}

fn point(boids: u32, condition: Condition) -> Point {
    let size = f64::from(boids);
    let spread = |median: f64| Spread { median, least: 0.9 * median, most: 1.2 * median };
    let pass = |name, ns: f64| Pass::new(name, spread(ns * size), Cost::default(), None);
    let event = |(turn, pass, begin, end): (u32, _, f64, f64)| PassEvent {
        pass,
        step: 10 + u64::from(turn),
        begin: 500.0 + (f64::from(10 * turn) + begin) * size,
        end: 500.0 + (f64::from(10 * turn) + end) * size,
    };
    let events =
        [(0, "step", 0.0, 8.0), (0, "order", 8.0, 10.0), (1, "step", 0.0, 8.0), (1, "order", 8.0, 10.0)];
    Point {
        boids,
        condition,
        at_step: 10,
        steady: (condition == Condition::Settled).then_some(true),
        step: spread(10.0 * size),
        step_p95_ns: Some(11.0 * size),
        step_p99_ns: Some(12.0 * size),
        frame_ns: None,
        picture_ns: None,
        boid_ns: 10.0,
        candidate_ps: None,
        passes: vec![pass("step", 8.0), pass("order", 2.0)],
        census: Census::default(),
        untimed_steps: 0,
        events: events.map(event).to_vec(),
    }
}

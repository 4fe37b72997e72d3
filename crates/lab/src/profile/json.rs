//! A profile as JSON. The unit of each number is at the end of its name.

use serde_json::{Value, json};

use super::result::{Largest, Limits, Pass, Point, Profile, Rate, Spread};
use cpu::engine::PassEvent;
use gpu::Kernel;
use gpu::choice::Measurement;

/// The version of the format; it changes when old readers would fail.
const FORMAT: u64 = 1;

impl Profile {
    /// The profile as JSON.
    pub fn json(&self) -> Value {
        let Profile { subject, method, limits, points, rates, stopped } = self;
        json!({
            "format": FORMAT,
            "program": concat!("murmuration ", env!("CARGO_PKG_VERSION")),
            "engine": subject.engine,
            "driver": subject.driver,
            "numeric": subject.numeric.name(),
            "kernel": subject.tuning.map(|tuning| tuning.kernel.name()),
            "kernel_reason": subject.tuning.map(|tuning| tuning.reason.to_string()),
            "kernel_ns": subject.tuning.and_then(|tuning| tuning.reason.measurement().map(kernel_times)),
            "checks": subject.tuning.map(|tuning| tuning.checked),
            "timed_by": subject.clock.name(),
            "flock": subject.flock,
            "dimensions": subject.dimensions,
            "drawn_by": subject.drawn,
            "steps": method.steps,
            "repeats": method.repeats,
            "warm_up": method.warm_up,
            "settle": method.settle,
            "limits": limits.as_ref().map(limits_json),
            "points": points.iter().map(|point| point_json(point, limits.as_ref())).collect::<Vec<_>>(),
            "rates": rates.iter().map(rate).collect::<Vec<_>>(),
            "stopped": stopped,
        })
    }
}

/// Nanoseconds of each kernel.
fn kernel_times(found: &Measurement) -> Value {
    let times = Kernel::ALL.map(|kernel| (kernel.name().to_owned(), found.time(kernel).into()));
    Value::Object(times.into_iter().collect())
}

fn limits_json(limits: &Limits) -> Value {
    json!({
        "copy_bytes_per_s": limits.copy,
        "copied_bytes": limits.copied,
        "copied_by": limits.copy_by,
        "arithmetic_per_s": limits.arithmetic,
        "arithmetic_of": limits.arithmetic_of,
    })
}

fn point_json(point: &Point, limits: Option<&Limits>) -> Value {
    let census = &point.census;
    json!({
        "boids": point.boids,
        "state": point.condition.name(),
        "at_step": point.age,
        "steady": point.steady,
        "step_ns": spread(&point.step),
        "step_p95_ns": point.tail.map(|[p95, _]| p95),
        "step_p99_ns": point.tail.map(|[_, p99]| p99),
        "frame_ns": point.frame.as_ref().map(spread),
        "picture_ns": point.picture.as_ref().map(spread),
        "boid_ns": point.ns_a_boid(),
        "candidate_ps": point.ps_a_candidate(),
        "candidates": census.candidates,
        "most_candidates": census.most_candidates,
        "neighbours": census.neighbours,
        "most_neighbours": census.most_neighbours,
        "occupancy": census.occupancy,
        "fullest_cell": census.fullest,
        "cells": census.cells,
        "passes": point.passes.iter().map(|pass| pass_json(pass, limits)).collect::<Vec<_>>(),
        "untimed_steps": point.untimed,
        "events": point.events.iter().map(event).collect::<Vec<_>>(),
    })
}

fn pass_json(pass: &Pass, limits: Option<&Limits>) -> Value {
    let shares = limits.map(|limits| pass.shares(limits));
    json!({
        "name": pass.name,
        "ns": spread(&pass.time),
        "bytes": pass.bytes,
        "cached_bytes": pass.cached,
        "operations": pass.operations,
        "bytes_per_s": pass.bandwidth(),
        "operations_per_s": pass.rate(),
        "share_of_copy": shares.map(|shares| shares[0]),
        "share_of_arithmetic": shares.map(|shares| shares[1]),
    })
}

fn spread(spread: &Spread) -> Value {
    json!({ "median": spread.median, "least": spread.least, "most": spread.most })
}

fn event(event: &PassEvent) -> Value {
    json!({ "pass": event.pass, "step": event.step, "begin_ns": event.begin, "end_ns": event.end })
}

fn rate(rate: &Rate) -> Value {
    let (bound, boids) = match rate.largest {
        Largest::About(boids) => ("about", boids),
        Largest::MoreThan(boids) => ("more than", boids),
        Largest::FewerThan(boids) => ("fewer than", boids),
    };
    json!({
        "frames_per_s": rate.frames,
        "state": rate.condition.name(),
        "drawn": rate.drawn,
        "bound": bound,
        "boids": boids,
    })
}

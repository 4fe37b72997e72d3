#!/usr/bin/env python3
"""Steps the five published flocks with NumPy, all pairs at once, as a notebook would.

For each preset and number of boids this takes the flock that murmuration starts, compares one NumPy step with one of
murmuration's, then times both and prints a table. Predators, scouts and noise are off on both sides.

    python3 -m pip install numpy
    python3 benches/numpy_boids.py --binary target/debug/murmuration -n 100,500,2000
"""

import argparse
import csv
import json
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

import numpy as np

PRESETS = ["cornell", "yabi", "think", "swarm", "holoviews"]
WITHOUT = ["predators.count=0", "scouts.right=0", "scouts.left=0", "noise.weight=0"]
# Both steps are in f64: only the order of sums differs.
TOLERANCE = 1e-9


def length(v):
    return np.sqrt((v * v).sum(-1, keepdims=True))


def unit(v):
    d = length(v)
    return np.divide(v, d, out=np.zeros_like(v), where=d > 0)


def limit(v, most):
    d = length(v)
    return np.where(d > most, unit(v) * most, v)


class Flock:
    """The rule of a preset's tables, for states of shape (N, 3)."""

    def __init__(self, tables, dimensions):
        self.tables = tables
        self.flat = dimensions == 2
        world = tables["world"]
        self.low, self.high = np.array(world["min"], float), np.array(world["max"], float)
        self.wraps = world.get("edges", "open") == "wrap"
        self.axes = [0, 1] if self.flat else [0, 1, 2]

    def get(self, name, default):
        table, key = name.split(".")
        return self.tables.get(table, {}).get(key, default)

    def image(self, o):
        if self.wraps:
            size = (self.high - self.low)[self.axes]
            o[..., self.axes] -= size * np.round(o[..., self.axes] / size)
        return o

    def seen(self, rule, o, square, v):
        """Who sees whom: (N, M)."""
        radius = self.get(f"{rule}.radius", 0.0)
        near = square < radius * radius
        angle = self.get(f"{rule}.angle", 180.0)
        if angle < 180.0:
            ahead = np.einsum("ijk,ik->ij", o, v)
            near &= ahead >= np.cos(np.radians(angle)) * np.sqrt(square) * length(v)
        return near

    def shape(self, rule, request, total, v):
        response = self.get(f"{rule}.response", "proportional")
        if response == "limited":
            return limit(request, 1.0)
        if response == "steer":
            steered = limit(unit(total) * self.get("motion.max_speed", 0.0) - v, self.get(f"{rule}.max_force", 0.0))
            return np.where(length(total) > 0, steered, 0.0)
        return request

    def step(self, p, v):
        n = len(p)
        o = self.image(p[None, :, :] - p[:, None, :])
        square = (o * o).sum(-1)
        np.fill_diagonal(square, np.inf)
        a = self.separate(p, v, o, square) + self.align(v, o, square) + self.cohere(p, v, o, square)
        home = self.get("home.weight", 0.0)
        if home:
            offset = self.image(np.array(self.get("home.position", [0.0] * 3)) - p)
            extent = self.get("home.half_extent", 0.0)
            a += home * offset * ((extent == 0) | (np.abs(offset).max(-1, keepdims=True) > extent))
        drawn = self.get("attractor.weight", 0.0)
        if drawn:
            a += drawn * limit(self.image(np.array(self.get("attractor.position", [0.0] * 3)) - p), 1.0)
        if self.get("motion.normalize_goal", False):
            a = unit(a)
        v = self.get("motion.inertia", 1.0) * v + self.get("motion.gain", 1.0) * a
        if self.get("world.edges", "open") == "turn":
            margin, turn = self.get("world.margin", 0.0), self.get("world.turn", 0.0)
            v += turn * ((p < self.low + margin).astype(float) - (p > self.high - margin))
        if self.flat:
            v[:, 2] = 0.0
        speed = length(v)
        least, most = self.get("motion.min_speed", 0.0), self.get("motion.max_speed", np.inf)
        v = np.where(speed > 0, unit(v) * np.clip(speed, least, most), 0.0)
        p = p + self.get("motion.time_step", 1.0) * v
        if self.wraps:
            size = self.high - self.low
            p[:, self.axes] = self.low[self.axes] + (p - self.low)[:, self.axes] % size[self.axes]
        assert p.shape == (n, 3)
        return p, v

    def separate(self, p, v, o, square):
        seen = self.seen("separation", o, square, v)
        falloff = self.get("separation.falloff", "none")
        power = {"none": 0.0, "inverse": -0.5, "inverse_square": -1.0}[falloff]
        with np.errstate(divide="ignore"):
            weight = np.where(seen, np.where(square > 0, square, np.inf) ** power if power else 1.0, 0.0)
        total = -np.einsum("ijk,ij->ik", o, weight)
        count = seen.sum(1)[:, None].astype(float)
        if self.get("attractor.avoid", False):
            away = self.image(np.array(self.get("attractor.position", [0.0] * 3)) - p)[:, None, :]
            far = (away * away).sum(-1)
            saw = self.seen("separation", away, far, v)
            total -= (away * np.where(saw, far**power if power else 1.0, 0.0)[..., None])[:, 0]
            count += saw
        mean = count + self.get("separation.include_self", False)
        request = total / np.maximum(mean, 1.0) if self.get("separation.average", False) else total
        request = np.where(count > 0, self.shape("separation", request, total, v), 0.0)
        return self.get("separation.weight", 0.0) * request

    def others(self, rule, o, square, v):
        seen = self.seen(rule, o, square, v)
        if self.get("separation.exclusive", False):
            seen &= square >= self.get("separation.radius", 0.0) ** 2
        return seen

    def mean(self, rule, values, own, seen):
        """Means of values (N, M, 3) or (M, 3), and whether each boid has any."""
        inputs = "ijk,ij->ik" if values.ndim == 3 else "jk,ij->ik"
        count = seen.sum(1)[:, None]
        me = self.get(f"{rule}.include_self", False)
        total = np.einsum(inputs, values, seen.astype(float)) + (own if me else 0.0)
        return total / np.maximum(count + me, 1), count > 0

    def align(self, v, o, square):
        if self.get("alignment.scope", "neighbours") == "flock":
            mean, any_ = np.broadcast_to(v.mean(0), v.shape), True
        else:
            mean, any_ = self.mean("alignment", v, v, self.others("alignment", o, square, v))
        return self.get("alignment.weight", 0.0) * np.where(any_, self.shape("alignment", mean - v, mean, v), 0.0)

    def cohere(self, p, v, o, square):
        if self.get("cohesion.scope", "neighbours") == "flock":
            mean, any_ = p.mean(0) - p, True
        else:
            mean, any_ = self.mean("cohesion", o, 0.0, self.others("cohesion", o, square, v))
        return self.get("cohesion.weight", 0.0) * np.where(any_, self.shape("cohesion", mean, mean, v), 0.0)


def read(path):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    vectors = [[[float(row[k]) for k in keys] for row in rows] for keys in (("x", "y", "z"), ("vx", "vy", "vz"))]
    return np.array(vectors[0]), np.array(vectors[1])


def run(binary, preset, boids, *more):
    sets = [word for pair in WITHOUT for word in ("--set", pair)]
    call = [binary, "run", "--preset", preset, "-n", str(boids), "--set", "flock.density=keep", *sets, *more]
    return subprocess.run(call, check=True, capture_output=True, text=True).stdout


def table(binary, preset, boids):
    """The tables of a preset for a number of boids, with a world of the preset's density."""
    shown = subprocess.run([binary, "presets", "show", preset], check=True, capture_output=True, text=True).stdout
    tables = tomllib.loads(shown)
    here = tables["flock"]["boids"]
    if boids != here:
        low, high = np.array(tables["world"]["min"]), np.array(tables["world"]["max"])
        dimensions = tables["flock"]["dimensions"]
        scale = (boids / here) ** (1 / dimensions)
        grown = (high - low) * scale / 2
        middle = (low + high) / 2
        tables["world"]["min"], tables["world"]["max"] = (middle - grown).tolist(), (middle + grown).tolist()
        home = tables.setdefault("home", {})
        home["half_extent"] = home.get("half_extent", 0.0) * scale
        tables["world"]["margin"] = tables["world"].get("margin", 0.0) * scale
    return tables


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", default="target/debug/murmuration")
    parser.add_argument("-n", "--boids", default="100,500,2000")
    parser.add_argument("--preset", default=",".join(PRESETS))
    given = parser.parse_args()
    print("| preset | boids | NumPy, ms per step | murmuration (CPU), ms per step | ratio | largest difference after a step |")
    print("|---|--:|--:|--:|--:|--:|")
    wrong = False
    for preset in given.preset.split(","):
        for boids in map(int, given.boids.split(",")):
            with tempfile.TemporaryDirectory() as folder:
                begin, end = Path(folder, "begin.csv"), Path(folder, "end.csv")
                exact = ["--engine", "cpu", "--numeric", "f64", "--quiet"]
                # After some steps, so that flocks that start at rest are compared in flight.
                run(given.binary, preset, boids, *exact, "--steps", "20", "--out", str(begin))
                run(given.binary, preset, boids, *exact, "--init", str(begin), "--steps", "1", "--out", str(end))
                tables = table(given.binary, preset, boids)
                flock = Flock(tables, tables["flock"]["dimensions"])
                p, v = read(begin)
                ours, theirs = read(end), flock.step(p, v)
                moved = np.abs(ours[0] - p).max()
                worst = max(np.abs(flock.image(a - b)).max() for a, b in zip(ours, theirs)) / max(moved, 1e-300)
                wrong |= not worst < TOLERANCE
                steps = max(3, int(2e6 / boids**2))
                began = time.perf_counter()
                for _ in range(steps):
                    p, v = flock.step(p, v)
                numpy = (time.perf_counter() - began) / steps * 1e3
                told = run(given.binary, preset, boids, "--engine", "cpu", "--init", str(begin), "--steps", "2000", "--json")
                native = json.loads(told)["ms_a_step"]
            print(f"| {preset} | {boids} | {numpy:.2f} | {native:.4f} | {numpy / native:.0f} | {worst:.1e} |", flush=True)
    if wrong:
        sys.exit(f"error: a NumPy step differs from murmuration's by more than {TOLERANCE} of the largest step")


if __name__ == "__main__":
    main()

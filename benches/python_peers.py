"""The same model in Python's ways and in murmuration_boids, in turns on one machine: ratios for docs/benchmarks.md.

    python -m pip install target/wheels/*.whl numba mesa jax jax-md     # those that are not installed are left out, and named
    python benches/python_peers.py [--rounds 5]

Separation, alignment and cohesion on a torus in space, with some 20 boids in reach of each. Each peer steps the flock that
murmuration starts, and its first step is compared with murmuration's, for 999 of 1000 boids. A ratio is the median over rounds of the peer's time a
step by that of murmuration's in the same round; compilation is not counted.
"""

import argparse
import importlib.metadata
import os
import time
from statistics import median

import numpy as np

import murmuration_boids as mb
from numpy_boids import Flock as AllPairs

DENSITY, CLOSE, REACH, FAST = 0.6, 1.0, 2.0, 0.2
WEIGHTS = SEPARATE, ALIGN, COHERE = 0.02, 0.1, 0.01
FIRST = 20


def parameters(boids):
    """The model's, by their names."""
    side = (boids / DENSITY) ** (1 / 3)
    return {
        "world.min": [0.0, 0.0, 0.0], "world.max": [side, side, side], "world.edges": "wrap", "home.weight": 0.0, "predators.count": 0,
        "separation.radius": CLOSE, "separation.weight": SEPARATE, "separation.falloff": "none",
        "alignment.radius": REACH, "alignment.weight": ALIGN, "alignment.scope": "neighbours",
        "cohesion.radius": REACH, "cohesion.weight": COHERE, "cohesion.scope": "neighbours",
        "motion.inertia": 1.0, "motion.min_speed": 0.05, "motion.max_speed": FAST, "flock.start": "uniform",
    }


def moved(p, v, request, side):
    """The end of a step in NumPy: the speed in its limits, the place on the torus."""
    v = v + request
    speed = np.linalg.norm(v, axis=1, keepdims=True)
    v = v * (np.clip(speed, 0.05, FAST) / np.maximum(speed, 1e-12))
    return (p + v) % side, v


def numpy_all_pairs(p, v, side):
    """Vectorised, all pairs at once: `numpy_boids.py`."""
    tables = {}
    for name, value in parameters(len(p)).items():
        table, key = name.split(".")
        tables.setdefault(table, {})[key] = value
    flock = AllPairs(tables, 3)
    while True:
        p, v = flock.step(p, v)
        yield p, v


def numba_cells(p, v, side):
    """A list of cells as wide as the reach, compiled by Numba, on all cores."""
    import numba

    cells = int(side / REACH)

    @numba.njit(parallel=True, fastmath=True)
    def requests(p, v, starts, members):
        out = np.empty_like(p)
        for i in numba.prange(len(p)):
            x, y, z = (p[i] / side * cells).astype(np.int64) % cells
            apart, mean_v, mean_o, near = np.zeros(3), np.zeros(3), np.zeros(3), 0
            for a in range(x - 1, x + 2):
                for b in range(y - 1, y + 2):
                    for c in range(z - 1, z + 2):
                        cell = (a % cells * cells + b % cells) * cells + c % cells
                        for k in range(starts[cell], starts[cell + 1]):
                            j = members[k]
                            ox, oy, oz = p[j, 0] - p[i, 0], p[j, 1] - p[i, 1], p[j, 2] - p[i, 2]
                            ox, oy, oz = ox - side * round(ox / side), oy - side * round(oy / side), oz - side * round(oz / side)
                            square = ox * ox + oy * oy + oz * oz
                            if j == i or square >= REACH * REACH:
                                continue
                            near += 1
                            for axis, o in enumerate((ox, oy, oz)):
                                mean_v[axis] += v[j, axis]
                                mean_o[axis] += o
                                if square < CLOSE * CLOSE:
                                    apart[axis] -= o
            for axis in range(3):
                out[i, axis] = SEPARATE * apart[axis]
                if near:
                    out[i, axis] += ALIGN * (mean_v[axis] / near - v[i, axis]) + COHERE * mean_o[axis] / near
        return out

    while True:
        cell = (p / side * cells).astype(np.int64) % cells
        cell = (cell[:, 0] * cells + cell[:, 1]) * cells + cell[:, 2]
        members = cell.argsort(kind="stable")
        starts = np.searchsorted(cell[members], np.arange(cells**3 + 1))
        p, v = moved(p, v, requests(p, v, starts, members), side)
        yield p, v


def mesa_agents(p, v, side):
    """An agent a boid in Mesa's continuous space, which finds the neighbours."""
    from mesa import Model
    from mesa.experimental.continuous_space import ContinuousSpace, ContinuousSpaceAgent

    class Boid(ContinuousSpaceAgent):
        def __init__(self, space, model, place, velocity):
            super().__init__(space, model)
            self.position, self.velocity = place, velocity

        def look(self):
            others, distances = self.get_neighbors_in_radius(REACH)
            self.request = np.zeros(3)
            if others:
                offsets = self.space.calculate_difference_vector(self.position, others)
                velocities = np.array([other.velocity for other in others])
                self.request += ALIGN * (velocities.mean(0) - self.velocity) + COHERE * offsets.mean(0)
                self.request -= SEPARATE * offsets[distances < CLOSE].sum(0)

        def fly(self):
            place, velocity = moved(self.position[None], self.velocity[None], self.request[None], side)
            self.position, self.velocity = place[0], velocity[0]

    model = Model(rng=1)
    space = ContinuousSpace([[0, side]] * 3, torus=True, random=model.random, n_agents=len(p))
    for place, velocity in zip(p, v):
        Boid(space, model, place, velocity)
    while True:
        model.agents.do("look")
        model.agents.do("fly")
        boids = list(model.agents)
        yield np.array([boid.position for boid in boids]), np.array([boid.velocity for boid in boids])


def jax_md_neighbours(p, v, side):
    """JAX-MD's periodic space and neighbour list, compiled by XLA, in its single precision."""
    import jax
    import jax.numpy as jnp
    from jax_md import partition, space

    displacement, _ = space.periodic(side)
    find = partition.neighbor_list(displacement, side, REACH, dr_threshold=0.4, capacity_multiplier=1.5)
    offsets_of = space.map_neighbor(displacement)

    @jax.jit
    def step(p, v, near):
        near = near.update(p)
        offsets = offsets_of(p, p[near.idx])
        square = (offsets**2).sum(-1)
        seen = ((near.idx < len(p)) & (square < REACH**2))[..., None]
        count = jnp.maximum(seen.sum(1), 1)
        align = jnp.where(seen.any(1), (v[near.idx] * seen).sum(1) / count - v, 0)
        cohere = (offsets * seen).sum(1) / count
        apart = -(offsets * (seen & (square[..., None] < CLOSE**2))).sum(1)
        v = v + SEPARATE * apart + ALIGN * align + COHERE * cohere
        speed = jnp.linalg.norm(v, axis=1, keepdims=True)
        v = v * (jnp.clip(speed, 0.05, FAST) / jnp.maximum(speed, 1e-12))
        return (p + v) % side, v, near

    p, v = jnp.asarray(p, jnp.float32), jnp.asarray(v, jnp.float32)
    near = find.allocate(p)
    while True:
        p, v, near = step(p, v, near)
        if near.did_buffer_overflow:
            near = find.allocate(p)
        yield np.asarray(p, float), np.asarray(v, float)


# Each with its packages, the numbers of boids, the largest difference of a step, and steps of a round.
PEERS = [
    (numpy_all_pairs, ["numpy"], {1000: 3}, 1e-9),
    (mesa_agents, ["mesa"], {1000: 2}, 1e-9),
    (numba_cells, ["numba"], {1000: 50, 100_000: 3}, 1e-9),
    (jax_md_neighbours, ["jax", "jax-md"], {1000: 20, 100_000: 2}, 1e-4),
]


def compare(peer, boids, steps, tolerance, rounds):
    """A row of the table: milliseconds of a step of the peer, of murmuration in f32, and the median ratio of the rounds."""
    exact = mb.Flock("yabi", boids=boids, engine="cpu", numeric="f64", seed=1, **parameters(boids))
    exact.step(FIRST)
    start, side = (exact.position, exact.velocity), parameters(boids)["world.max"][0]
    flight = peer(*start, side)
    p, v = next(flight)
    exact.step()
    offset = exact.position - p
    offset -= side * np.round(offset / side)
    # In single precision a few boids lie within rounding of the reach.
    worst = np.maximum(np.abs(offset), np.abs(exact.velocity - v)).max(1) / FAST
    apart = np.quantile(worst, 0.999)
    if not apart < tolerance:
        raise SystemExit(f"{peer.__name__}: its step differs by {apart:.1e} of the largest step")
    ours = mb.Flock("yabi", boids=boids, engine="cpu", seed=1, **parameters(boids))
    ours.step(FIRST + 1)
    times = []
    for _ in range(rounds):
        begun = time.perf_counter()
        for _ in range(steps):
            next(flight)
        between = time.perf_counter()
        ours.step(max(20, 200_000 // boids))
        end = time.perf_counter()
        times.append([1e3 * (between - begun) / steps, 1e3 * (end - between) / max(20, 200_000 // boids)])
    theirs, mine = (median(column) for column in zip(*times))
    return theirs, mine, median(a / b for a, b in times), apart


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    print(f"murmuration-boids {mb.__version__}, {mb.Flock('yabi', boids=2, engine='cpu').engine}, {os.cpu_count()} cores\n")
    print("| peer | boids | peer, ms a step | murmuration, ms a step | ratio | largest difference after a step |\n|---|--:|--:|--:|--:|--:|")
    for peer, packages, sizes, tolerance in PEERS:
        try:
            versions = [f"{package} {importlib.metadata.version(package)}" for package in packages]
        except importlib.metadata.PackageNotFoundError as missing:
            print(f"| {peer.__name__}: NOT compared, {missing.name} is not installed |")
            continue
        for boids, steps in sizes.items():
            theirs, mine, ratio, apart = compare(peer, boids, steps, tolerance, options.rounds)
            print(f"| {peer.__name__} ({', '.join(versions)}) | {boids} | {theirs:.2f} | {mine:.3f} | {ratio:.0f} | {apart:.0e} |", flush=True)


if __name__ == "__main__":
    main()

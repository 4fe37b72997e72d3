"""The declared flock of the comparison of agent-based frameworks, side by side: the tables of docs/benchmarks.md.

    python -m pip install target/wheels/*.whl numpy numba mesa agentpy jax jax-md       # those that are missing are named
    cargo build --release --manifest-path benches/krabmaga/Cargo.toml --target-dir target/krabmaga
    cargo build --bin murmuration
    python benches/agents.py [--rounds 5] [--sizes small,large,many] [--only Mesa,Numba]

Every program is checked first: the small flock by `mb.check`, the others by that of murmuration in f64. Then all run in turns,
from the same start, in one thread on one core; times are those of the processor. Ratios are medians over rounds. A verdict
that is not the expected one ends the call with an error. It runs on Linux.
"""

import argparse
import importlib.metadata
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median

# Before the packages start their threads.
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
for name in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"]:
    os.environ[name] = "1"

import numpy as np

import murmuration_boids as mb

COHERE, SEPARATE, ALIGN, CLOSE = 0.03, 0.015, 0.05, 1.0
ROOT = Path(__file__).parent.parent
# A round of a program takes at least so many seconds.
LEAST = 0.2
# The steps by which a program is compared with murmuration, where there are no recorded numbers.
COMPARED = 10


@dataclass
class Size:
    """One of the two flocks of Flocking/DECLARATION.md, or the small one with more birds on as much more area."""

    boids: int
    side: float
    radius: float
    steps: int

    def flock(self, numeric="f64"):
        terms = {"terms.birds.radius": self.radius, "world.max": [self.side] * 2 + [100.0]}
        return mb.Flock("agents", boids=self.boids, engine="cpu", threads=1, numeric=numeric, seed=1, **terms)

    def start(self):
        """Positions and velocities (boids, 2)."""
        if self == SIZES["small"]:
            return mb.reference("agents", boids=self.boids)
        flock = self.flock()
        return flock.position[:, :2].copy(), flock.velocity[:, :2].copy()


SIZES = {
    "small": Size(200, 100.0, 5.0, 100),
    "large": Size(400, 150.0, 15.0, 100),
    "many": Size(100_000, 100.0 * 500**0.5, 5.0, 10),
}


class Program:
    """A program that steps a flock in this process. Subclasses write `step`, and hold `position` and `velocity`."""

    # What the verdict must say, and what stands behind the name and version in the table.
    expected, label = "right", ""

    def __init__(self, size, position, velocity):
        self.size, self.position, self.velocity = size, position, velocity

    def run(self, steps):
        for _ in range(steps):
            self.step()

    def state(self):
        return np.asarray(self.position, float)[:, :2], np.asarray(self.velocity, float)[:, :2]

    @classmethod
    def seconds(cls, size, position, velocity):
        """Processor seconds of a step: the mean over flights from the start."""
        spent, flights = 0.0, 0
        while spent < LEAST:
            program = cls(size, position.copy(), velocity.copy())
            begun = time.process_time()
            program.run(size.steps)
            spent += time.process_time() - begun
            flights += 1
        return spent / flights / size.steps


class NumPy(Program):
    """All pairs at once, as in docs/reference.md."""

    family, package, sizes = "NumPy", "numpy", ["small", "large"]

    def step(self):
        side, position, velocity = self.size.side, self.position, self.velocity
        offset = position - position[:, None]
        offset -= side * np.round(offset / side)
        distance = np.linalg.norm(offset, axis=2)
        near = (distance < self.size.radius) & ~np.eye(len(position), dtype=bool)
        pull = COHERE * near - SEPARATE * (near & (distance < CLOSE))
        request = (pull[:, :, None] * offset).sum(axis=1) + ALIGN * near @ velocity
        velocity = velocity + request / np.maximum(near.sum(axis=1), 1)[:, None]
        self.velocity = velocity / np.linalg.norm(velocity, axis=1)[:, None]
        self.position = (position + self.velocity) % side


class Numba(Program):
    """A list of cells as wide as the radius, compiled."""

    family, package, sizes = "Numba", "numba", list(SIZES)

    def step(self):
        self.position, self.velocity = numba_step()(self.position, self.velocity, self.size.side, self.size.radius)


@cache
def numba_step():
    import numba

    @numba.njit
    def step(p, v, side, radius):
        n, cells = len(p), int(side / radius)
        cell = np.empty(n, np.int64)
        starts = np.zeros(cells * cells + 1, np.int64)
        for i in range(n):
            cell[i] = int(p[i, 0] / side * cells) % cells * cells + int(p[i, 1] / side * cells) % cells
            starts[cell[i] + 1] += 1
        starts = np.cumsum(starts)
        free, members = starts[:-1].copy(), np.empty(n, np.int64)
        for i in range(n):
            members[free[cell[i]]] = i
            free[cell[i]] += 1
        new_p, new_v = np.empty_like(p), np.empty_like(v)
        for i in range(n):
            row, column = cell[i] // cells, cell[i] % cells
            x, y, count = 0.0, 0.0, 0
            for a in range(row - 1, row + 2):
                for b in range(column - 1, column + 2):
                    around = a % cells * cells + b % cells
                    for k in range(starts[around], starts[around + 1]):
                        j = members[k]
                        ox, oy = p[j, 0] - p[i, 0], p[j, 1] - p[i, 1]
                        ox, oy = ox - side * np.rint(ox / side), oy - side * np.rint(oy / side)
                        square = ox * ox + oy * oy
                        if j == i or square >= radius * radius:
                            continue
                        pull = COHERE - SEPARATE if square < CLOSE * CLOSE else COHERE
                        x += pull * ox + ALIGN * v[j, 0]
                        y += pull * oy + ALIGN * v[j, 1]
                        count += 1
            x, y = v[i, 0] + x / max(count, 1), v[i, 1] + y / max(count, 1)
            length = np.sqrt(x * x + y * y)
            new_v[i, 0], new_v[i, 1] = x / length, y / length
            new_p[i] = (p[i] + new_v[i]) % side
        return new_p, new_v

    return step


class JaxMD(Program):
    """The periodic space and neighbour list of JAX-MD, compiled by XLA, in f64."""

    family, package, sizes = "JAX-MD", "jax-md", list(SIZES)

    def __init__(self, size, position, velocity):
        import jax

        jax.config.update("jax_enable_x64", True)
        super().__init__(size, jax.numpy.asarray(position), jax.numpy.asarray(velocity))
        self.advance, self.near = jax_md_step(size, self.position)

    def step(self):
        self.position, self.velocity, self.near = self.advance(self.position, self.velocity, self.near)

    def run(self, steps):
        super().run(steps)
        if self.near.did_buffer_overflow:
            raise SystemExit("JAX-MD: the list of neighbours has no room")


def jax_md_step(size, position, compiled={}):
    """The step, compiled once a size, and the list of neighbours at the start, with room for later: another compiles anew."""
    if size.side in compiled:
        return compiled[size.side]
    import jax
    import jax.numpy as jnp
    from jax_md import partition, space

    displacement, shift = space.periodic(size.side)
    side, radius = size.side, size.radius
    # The small flocks gather.
    room = {200: 4, 400: 12}.get(size.boids, 1.5)
    find = partition.neighbor_list(displacement, side, radius, dr_threshold=0.2 * radius, capacity_multiplier=room)
    offsets_of = space.map_neighbor(displacement)

    @jax.jit
    def step(p, v, near):
        near = near.update(p)
        offsets = offsets_of(p, p[near.idx])
        square = (offsets**2).sum(-1)
        seen = (near.idx < len(p)) & (square < radius**2)
        pull = COHERE * seen - SEPARATE * (seen & (square < CLOSE**2))
        request = (pull[..., None] * offsets).sum(1) + ALIGN * (v[near.idx] * seen[..., None]).sum(1)
        v = v + request / jnp.maximum(seen.sum(1), 1)[:, None]
        v = v / jnp.linalg.norm(v, axis=1, keepdims=True)
        return shift(p, v), v, near

    compiled[side] = step, find.allocate(position)
    return compiled[side]


class Mesa(Program):
    """An agent a bird in Mesa's continuous space, after Mesa's own Boid; all look, then all fly."""

    family, package, sizes = "Mesa", "mesa", ["small", "large"]

    def __init__(self, size, position, velocity):
        from mesa import Model
        from mesa.experimental.continuous_space import ContinuousSpace

        self.model, self.size = Model(rng=1), size
        space = ContinuousSpace([[0, size.side]] * 2, torus=True, random=self.model.random, n_agents=size.boids)
        boid = mesa_boid()
        for place, direction in zip(position, velocity):
            boid(space, self.model, place, direction, size.radius)
        # In the order of the start: shuffling does not change it.
        self.boids = list(self.model.agents)

    def step(self):
        self.model.agents.do("look")
        self.model.agents.do("fly")

    def state(self):
        return np.array([boid.position for boid in self.boids]), np.array([boid.direction for boid in self.boids])


@cache
def mesa_boid():
    from mesa.experimental.continuous_space import ContinuousSpaceAgent

    class Boid(ContinuousSpaceAgent):
        def __init__(self, space, model, position, direction, vision):
            super().__init__(space, model)
            self.position, self.direction, self.vision = position, direction, vision

        def look(self):
            self.next = self.direction
            neighbors, distances = self.get_neighbors_in_radius(radius=self.vision)
            if neighbors:
                delta = self.space.calculate_difference_vector(self.position, agents=neighbors)
                cohere = delta.sum(axis=0) * COHERE
                separate = -1 * delta[distances < CLOSE].sum(axis=0) * SEPARATE
                match = np.asarray([n.direction for n in neighbors]).sum(axis=0) * ALIGN
                self.next = self.direction + (cohere + separate + match) / len(neighbors)
                self.next /= np.linalg.norm(self.next)

        def fly(self):
            self.direction = self.next
            self.position += self.direction

        def step(self):
            self.look()
            self.fly()

    return Boid


class MesaShuffled(Mesa):
    """The order of Mesa's own example, and of the declaration: one bird after the other, in a random order."""

    expected, label = "no known mistake", ", its example's order"

    def step(self):
        self.model.agents.shuffle_do("step")


class Agentpy(Program):
    """An agent a bird in agentpy's space, after the flock of its documentation; all look, then all fly."""

    family, package, sizes = "agentpy", "agentpy", ["small", "large"]
    methods = ["look", "turn", "fly"]

    def __init__(self, size, position, velocity):
        import agentpy

        model, self.size = agentpy.Model(), size
        space = agentpy.Space(model, shape=[size.side] * 2, torus=True)
        self.boids = agentpy.AgentList(model, size.boids, agentpy_boid())
        space.add_agents(self.boids, positions=list(position))
        self.boids.enter(space, size.radius)
        self.boids.velocity = agentpy.AttrIter(list(velocity))

    def step(self):
        for method in self.methods:
            getattr(self.boids, method)()

    def state(self):
        return np.array(list(self.boids.pos)), np.array(list(self.boids.velocity))


@cache
def agentpy_boid():
    import agentpy

    class Boid(agentpy.Agent):
        def enter(self, space, radius):
            self.space, self.radius, self.pos = space, radius, space.positions[self]

        def look(self):
            self.next = self.velocity
            others = self.space.neighbors(self, distance=self.radius)
            if len(others):
                offsets = np.array(list(others.pos)) - self.pos
                offsets -= self.space.shape * np.round(offsets / self.space.shape)
                close = np.linalg.norm(offsets, axis=1) < CLOSE
                request = COHERE * offsets.sum(0) - SEPARATE * offsets[close].sum(0)
                request += ALIGN * np.array(list(others.velocity)).sum(0)
                self.next = self.velocity + request / len(offsets)
                self.next /= np.linalg.norm(self.next)

        def turn(self):
            self.velocity = self.next

        def look_and_turn(self):
            self.look()
            self.turn()

        def fly(self):
            self.space.move_by(self, self.velocity)

    return Boid


class AgentpyExample(Agentpy):
    """The order of agentpy's documentation: each bird turns at once, and then all move."""

    expected, label = "velocities change before others read them", ", its example's order"
    methods = ["look_and_turn", "fly"]


class Command(Program):
    """A program that steps a flock in processes of its own. Subclasses write `call`, the last state, and `spent`."""

    def run(self, steps):
        self.position, self.velocity = self.call(steps, 1)

    @classmethod
    def seconds(cls, size, position, velocity):
        program, spent, flights = cls(size, position, velocity), 0.0, 1
        while spent < LEAST:
            flights *= 2
            spent = program.spent(flights)
        return spent / flights / size.steps

    def children(self, steps, flights):
        """Processor seconds of a call."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.call(steps, flights)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


class Krabmaga(Command):
    """krABMaga, in f32: benches/krabmaga. Its search ends at the edges, so it is asked on the other side, too."""

    expected, label = "single precision", " 0.6.2, searched beyond the edges"
    family, package, sizes = "krABMaga", ROOT / "target" / "krabmaga" / "release" / "krabmaga-agents", list(SIZES)
    search = "over"

    def call(self, steps, flights):
        rows = np.hstack([self.position, self.velocity])
        start = "\n".join(" ".join(map(repr, row)) for row in rows.tolist())
        words = [self.package, self.size.side, self.size.radius, steps, flights, self.search]
        said = subprocess.run(list(map(str, words)), input=start, check=True, capture_output=True, text=True).stdout
        state = np.array([line.split() for line in said.splitlines()], float)
        return state[:, :2], state[:, 2:]

    def spent(self, flights):
        """Of flights in one process, without its start."""
        return self.children(self.size.steps, 1 + flights) - self.children(self.size.steps, 1)


class KrabmagaNear(Krabmaga):
    """Its own search by radius, on its torus."""

    expected, label, search = "do not wrap", " 0.6.2, its own search by radius", "near"


class Murmuration(Program):
    """The wheel, in f64, many steps a call."""

    family, package, sizes = "murmuration", "murmuration-boids", list(SIZES)
    numeric, label = "f64", " from Python, f64"

    def __init__(self, size, position, velocity):
        self.flock = size.flock(self.numeric)
        flat = np.zeros((size.boids, 1))
        self.flock.position, self.flock.velocity = np.hstack([position, flat]), np.hstack([velocity, flat])

    def run(self, steps):
        self.flock.step(steps)

    def state(self):
        return self.flock.position[:, :2].astype(float), self.flock.velocity[:, :2].astype(float)


class MurmurationCalls(Murmuration):
    """One step a call, and a look at the positions."""

    label = " from Python, f64, a call and positions each step"

    def run(self, steps):
        for _ in range(steps):
            self.flock.step()
            self.flock.position


class MurmurationSingle(Murmuration):
    """Its default numbers."""

    numeric, expected, label = "f32", "single precision", " from Python, f32"


class MurmurationProgram(Command):
    """The command line, in f64."""

    family, package, sizes = "murmuration", ROOT / "target" / "debug" / "murmuration", list(SIZES)
    label = " from the command line, f64"

    def call(self, steps, flights):
        with tempfile.TemporaryDirectory() as folder:
            start, end = Path(folder, "start.csv"), Path(folder, "end.csv")
            with open(start, "w") as file:
                file.write("id,x,y,z,vx,vy,vz\n")
                for k, ((x, y), (vx, vy)) in enumerate(zip(self.position.tolist(), self.velocity.tolist())):
                    file.write(f"{k},{x!r},{y!r},0,{vx!r},{vy!r},0\n")
            size = self.size
            words = [self.package, "run", "--preset", "agents", "--init", start, "--engine", "cpu", "--quiet", "--yes"]
            words += ["--set", f"terms.birds.radius={size.radius}", "--set", f"world.max=[{size.side},{size.side},100]"]
            words += ["--numeric", "f64", "--threads", 1, "--steps", steps, "--out", end]
            for _ in range(flights):
                subprocess.run(list(map(str, words)), check=True, stdout=subprocess.DEVNULL)
            state = np.loadtxt(end, delimiter=",", skiprows=1, usecols=[3, 4, 6, 7])
            return state[:, :2], state[:, 2:]

    def spent(self, flights):
        """Of processes, without their start and a step."""
        return self.children(1 + self.size.steps, flights) - self.children(1, flights)


PROGRAMS = [
    NumPy, Numba, JaxMD, Mesa, MesaShuffled, Agentpy, AgentpyExample, Krabmaga, KrabmagaNear,
    MurmurationProgram, Murmuration, MurmurationCalls, MurmurationSingle,
]


def title(program):
    """The name with its version; none if it is not there."""
    if isinstance(program.package, Path):
        return f"{program.family}{program.label}" if program.package.exists() else None
    try:
        return f"{program.family} {importlib.metadata.version(program.package)}{program.label}"
    except importlib.metadata.PackageNotFoundError:
        return None


def checked(program, size, start):
    """The verdict as the table has it, and whether it is the expected one."""
    if size == SIZES["small"]:
        for step in [1, 2, 5, 10]:
            flock = program(size, *map(np.copy, start))
            flock.run(step)
            position, velocity = flock.state()
            verdict = mb.check("agents", step=step, position=position, velocity=velocity)
            if not verdict:
                text = str(verdict).split("; ")[-1].removeprefix("these numbers result if ")
                return f"step {step}: {text}", program.expected in text
        return "right", program.expected == "right"
    flock, ours = program(size, *map(np.copy, start)), size.flock()
    flat = np.zeros((size.boids, 1))
    ours.position, ours.velocity = np.hstack([start[0], flat]), np.hstack([start[1], flat])
    flock.run(COMPARED)
    ours.step(COMPARED)
    position, velocity = flock.state()
    offset = position - ours.position[:, :2]
    offset -= size.side * np.round(offset / size.side)
    differences = np.abs(np.hstack([offset, velocity - ours.velocity[:, :2]])).max(axis=1)
    # In single precision a few birds lie within rounding of the radius, and positions have so many digits.
    found, rounded = np.quantile(differences, 0.999), 1e-5 * size.side
    bands = {"right": (0, 1e-9), "single precision": (1e-9, rounded)}
    least, most = bands.get(program.expected, (rounded, size.side))
    return f"{found:.0e}", least <= found < most


def compare(name, programs, rounds):
    """Prints a table; returns the programs whose verdict is not the expected one."""
    size = SIZES[name]
    start = size.start()
    verdicts, times, unexpected = {}, {}, []
    for program in programs:
        verdict, expected = checked(program, size, start)
        verdicts[program], times[program] = verdict, []
        if not expected:
            unexpected.append(f"{title(program)}, {name}: {verdict}")
    # The first round compiles.
    for counted in [False] + [True] * rounds:
        for program in programs:
            seconds = program.seconds(size, *start)
            if counted:
                times[program].append(1e9 * seconds / size.boids)
    verdict = "verdict of the check" if name == "small" else f"difference after {COMPARED} steps"
    print(f"\n{name}: {size.boids:,} birds on {size.side:.0f} x {size.side:.0f}, radius {size.radius:.0f}, {size.steps} steps\n")
    print(f"| program | {verdict} | ns per bird and step | least | most | ratio |\n|---|---|--:|--:|--:|--:|")
    for program in programs:
        own = times[program]
        ratio = median(theirs / ours for theirs, ours in zip(own, times[Murmuration]))
        print(f"| {title(program)} | {verdicts[program]} | {median(own):,.0f} | {min(own):,.0f} | {max(own):,.0f} | {ratio:,.2f} |")
    sys.stdout.flush()
    return unexpected


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sizes", default=",".join(SIZES))
    parser.add_argument("--only", default="", help="parts of the names of programs")
    given = parser.parse_args()
    programs = []
    for program in PROGRAMS:
        wanted = any(part in program.__name__ for part in given.only.split(",")) or program is Murmuration
        if wanted and title(program) is None:
            print(f"{program.__name__}: NOT compared, {program.package} is missing")
        elif wanted:
            programs.append(program)
    unexpected = []
    for name in given.sizes.split(","):
        unexpected += compare(name, [program for program in programs if name in program.sizes], given.rounds)
    if unexpected:
        sys.exit("error: unexpected verdicts:\n" + "\n".join(unexpected))


if __name__ == "__main__":
    main()

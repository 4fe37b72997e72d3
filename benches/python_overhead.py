"""What Python adds to a step: figures of docs/python.md. Install the wheel, then run this where nothing else runs.

    python benches/python_overhead.py [BOIDS]
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

import murmuration_boids as mb

ROUNDS, STEPS = 7, 10


def timed(work, clock=time.perf_counter):
    """Seconds that it takes."""
    begun = clock()
    work()
    return clock() - begun


def against_the_program(boids):
    """step(1) and a look at the positions, in turns with the program of the wheel, over the same steps."""
    program = Path(sys.executable).with_name("murmuration")
    words = [program, "run", "-n", str(boids), "--engine", "cpu", "--steps", str(STEPS), "--json", "--quiet"]
    ratios, alone = [], []
    for _ in range(ROUNDS):
        flock = mb.Flock(boids=boids, engine="cpu")
        steps = looks = 0.0
        for _ in range(STEPS):
            steps += timed(flock.step)
            looks += timed(lambda: flock.position)
        theirs = json.loads(subprocess.run(words, check=True, capture_output=True).stdout)["ms_a_step"]
        ours = 1e3 * (steps + looks) / STEPS
        ratios.append(ours / theirs)
        alone.append((steps + looks) / steps)
        print(f"  python {ours:8.2f} ms, of which position {1e3 * looks / STEPS:6.2f}; program {theirs:8.2f} ms")
    print(f"{boids} boids, step(1) and position: {median(ratios):.3f} of the program's step; {median(alone):.3f} of step(1)")


def many(preset, count=256, boids=100, steps=50):
    """Many small flocks in one call, against one flock on one thread: time of all cores together, which other work on the
    machine does not count in."""
    def spent(work, of):
        return 1e6 * min(timed(work, time.process_time) for _ in range(ROUNDS)) / of

    one = mb.Flock(preset, boids=boids, engine="cpu", threads=1, seed=0)
    single = spent(lambda: one.step(count), count)
    print(f"{count} flocks of {boids}, {preset}: one flock {single:.1f} us of a core a step")
    for threads in [1, None]:
        flocks = mb.Flocks(preset, count=count, boids=boids, threads=threads)
        each = spent(lambda: flocks.step(steps), steps * count)
        look = spent(lambda: [(flocks.step(), flocks.position) for _ in range(steps)], steps * count)
        print(f"  {threads or os.cpu_count()} threads: {each:.1f} us, {each / single:.2f} of it; "
              f"with step(1) and position each time {look / single:.2f}")


def importing():
    """The import, without NumPy's."""
    code = "import time, numpy; t = time.perf_counter(); import murmuration_boids; print(time.perf_counter() - t)"
    run = lambda: float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True).stdout)
    print(f"import: {1e3 * median(run() for _ in range(ROUNDS)):.1f} ms beside NumPy's")


if __name__ == "__main__":
    importing()
    many("couzin")
    many("yabi")
    against_the_program(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)

#!/usr/bin/env python3
"""Times peers and murmuration in turns on one machine: same number of boids, density, radii and rule.

    python3 benches/peers.py --boidswebgpu ../BoidsWebGPU --henad henad-cli --binary target/debug/murmuration

docs/benchmarks.md says how to get the peers. Each round runs every program once; the table shows medians and their
spread. The machine should be idle. --cpu-time measures the CPU time of all cores in place of wall time, for a busy
machine (software adapters only).
"""

import argparse
import json
import resource
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
BOIDS = 100_000
# Steps of BoidsWebGPU after which its flock has gathered.
SETTLED = 1500
# The side of henad's square world at 0.01 boids a unit of area.
SIDE = 3162.28


def call(command):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def processor():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (used.ru_utime + used.ru_stime) * 1e3


class Murmuration:
    def __init__(self, given, name, config, *more):
        self.name = f"murmuration, {name}"
        self.base = [given.binary, "run", "--config", HERE / config, "--quiet", "--json", *more]

    def run(self, steps):
        return json.loads(call([*self.base, "--steps", steps]))["ms_a_step"]


class Registers:
    """The CPU engine with registers of one width."""

    def __init__(self, given, width, config, *init):
        self.name = f"murmuration, cpu, {width}"
        self.base = [given.widths, HERE / config, width]
        self.init = init

    def run(self, steps):
        return float(call([*self.base, steps, *self.init]))


class BoidsWebGPU:
    name = "BoidsWebGPU's passes"

    def __init__(self, given, init):
        self.base = [given.passes, given.boidswebgpu, BOIDS]
        self.init = ["--init", init, "--backend", given.backend]

    def run(self, steps):
        return float(call([*self.base, steps, *self.init]))


class Henad:
    def __init__(self, given, model):
        self.name = f"henad 0.3, {model}"
        world = [f"world_width={SIDE}", f"world_height={SIDE}", f"num_agents={BOIDS}"]
        self.base = [given.henad, model, "--json", "--warmup", 1, *(w for pair in world for w in ("--set", pair))]

    def run(self, steps):
        lines = map(json.loads, call([*self.base, "--steps", steps]).splitlines())
        return next(line["elapsed_s"] for line in lines if line["kind"] == "rep") * 1e3 / steps


def measure(program, steps, by_processor):
    if not by_processor:
        return program.run(steps)
    # Subtract the start-up time, which does not depend on the number of steps.
    begun = processor()
    program.run(steps)
    between = processor()
    program.run(3 * steps)
    return (processor() - 2 * between + begun) / (2 * steps)


def compare(title, programs, given):
    """Prints a table of (program, steps, name of the peer to compare with)."""
    times = {program.name: [] for program, _, _ in programs}
    for _ in range(given.rounds):
        for program, steps, _ in programs:
            times[program.name].append(measure(program, max(1, int(steps * given.scale)), given.cpu_time))
    clock = "CPU time" if given.cpu_time else "wall clock"
    print(f"\n{title}, {BOIDS} boids, ms per step by {clock}, {given.rounds} rounds\n")
    print("| program | median | least | most | times as fast as |\n|---|--:|--:|--:|---|")
    for program, _, peer in programs:
        own = times[program.name]
        ratio = ""
        if peer:
            ratios = [theirs / ours for theirs, ours in zip(times[peer], own)]
            ratio = f"{statistics.median(ratios):.1f} {peer} ({min(ratios):.1f} to {max(ratios):.1f})"
        print(f"| {program.name} | {statistics.median(own):.2f} | {min(own):.2f} | {max(own):.2f} | {ratio} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", default="target/debug/murmuration")
    parser.add_argument("--boidswebgpu", help="a checkout of BoidsWebGPU")
    parser.add_argument("--passes", default="target/debug/examples/boidswebgpu", help="the program that runs its passes")
    parser.add_argument("--henad", help="henad-cli 0.3")
    parser.add_argument("--backend", default="vulkan")
    parser.add_argument("--widths", default="target/debug/examples/registers", help="the program that runs the CPU engine")
    parser.add_argument("--registers", default="sse2,avx2", help="register widths: any of sse2,avx2,avx-512")
    parser.add_argument("--states", type=Path, default=Path("target/peers"), help="folder for flocks kept between calls")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--scale", type=float, default=1.0, help="more or fewer steps a round")
    parser.add_argument("--cpu-time", action="store_true")
    given = parser.parse_args()
    if not given.boidswebgpu and not given.henad:
        sys.exit("error: --boidswebgpu or --henad: name at least one peer")
    gpu = ["--engine", "gpu", "--backend", given.backend]
    widths = given.registers.split(",")
    if given.boidswebgpu:
        given.states.mkdir(parents=True, exist_ok=True)
        for state, before in (("start", 0), ("settled", SETTLED)):
            file = given.states / f"boidswebgpu-{state}.csv"
            if not file.exists():
                call([given.passes, given.boidswebgpu, BOIDS, before, "--backend", given.backend, "--out", file])
            init = ["--init", file]
            peer = BoidsWebGPU(given, file)
            rows = [
                (peer, 20, None),
                (Murmuration(given, "gpu", "boidswebgpu.toml", *gpu, *init), 40, peer.name),
            ]
            rows += [(Registers(given, width, "boidswebgpu.toml", file), 200, peer.name) for width in widths]
            compare(f"3-D, BoidsWebGPU's flock, {state}", rows, given)
    if given.henad:
        gpu_peer, cpu_peer = Henad(given, "gpu_boids"), Henad(given, "boids")
        rows = [
            (gpu_peer, 5, None),
            (Murmuration(given, "gpu", "henad.toml", *gpu), 15, gpu_peer.name),
            (cpu_peer, 10, None),
            *((Registers(given, width, "henad.toml"), 60, cpu_peer.name) for width in widths),
        ]
        compare("2-D torus, henad's flock", rows, given)


if __name__ == "__main__":
    main()

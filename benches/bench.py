#!/usr/bin/env python3
"""Times flocks of all sizes on every device: python3 benches/bench.py [--quick] [--most N] [--device NAME] [--program FILE]

`murmuration profile` runs over sizes, presets and devices: every adapter that can step flocks, and the CPU engine. Each run
writes its JSON to target/bench/, and the table, results.md there, is rewritten after each run, so that an interruption loses
nothing. The program is built first, unless --program names one. With --self-test and nothing else the plan and the table are
held to recorded JSON.

Needs Python 3.9, and nothing beside its standard library.
"""

import argparse
import json
import math
import os
import platform
import re
import signal
import subprocess
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FORMAT = 1  # of the JSON of `profile`

# A flock in three dimensions and one in two, both of constant density.
PRESETS = ["murmuration", "cornell"]
# The largest flock by default; larger steps take seconds on a software adapter.
MOST, MOST_IN_SOFTWARE = 1_000_000, 100_000
LIMIT = 1_000_000_000
# Neighbours of a boid in the dense flocks.
DENSE = [10, 100, 1000, 10_000]
DENSE_BOIDS = 20_000
# The largest flock of the comparisons.
COMPARED = 100_000
# Boids per unit of area in `cornell`.
DENSITY = 500 / (640 * 480)


class Wrong(Exception):
    """What ends the program with one line."""


# The devices.


@dataclass
class Device:
    name: str
    short: str  # in file names
    words: list  # the options of `profile` that select it
    kind: str  # "gpu", "software" (an adapter that computes on the processor) or "cpu"
    most: int = LIMIT  # its capacity in boids
    kernels: list = field(default_factory=list)  # the simplest first


def short(name):
    """A name without the characters that a file name cannot have."""
    return "-".join(re.findall("[A-Za-z0-9]+", name)).lower()


def adapters(text):
    """The adapters of the program's list that can step flocks."""
    try:
        able = [adapter for adapter in json.loads(text) if adapter["compute"]]
        return [adapter_device(adapter) for adapter in able]
    except (ValueError, KeyError, TypeError) as why:
        raise Wrong(f"the list of adapters cannot be read: {why!r}") from None


def adapter_device(adapter):
    name, index = f"{adapter['name']} ({adapter['backend']})", adapter["index"]
    return Device(
        name=name,
        short=f"gpu{index}-{short(name)}",
        words=["--engine", "gpu", "--adapter", str(index)],
        kind="gpu" if adapter["hardware"] else "software",
        most=adapter.get("most_boids") or LIMIT,
        kernels=adapter.get("kernels", []),
    )


def selected(devices, part):
    """The devices whose name contains a part."""
    found = [device for device in devices if part.lower() in device.name.lower()]
    if not found:
        raise Wrong(f"--device {part}: there is {', '.join(device.name for device in devices)}")
    return found


# The plan: short runs, and those quoted most, come first on each device.


@dataclass
class Run:
    """A call of `profile`."""

    name: str  # of its files
    title: str
    words: list
    plot: bool = False


def run_of(device, name, title, words, plot=False):
    words = [str(word) for word in device.words + words]
    return Run(f"{device.short}-{name}", f"{title}; {device.name}", words, plot)


def plan(devices, options):
    runs = []
    for device in devices:
        runs += [ladder(device, preset, options) for preset in PRESETS]
        runs += [dense(device, neighbours) for neighbours in (DENSE[:3] if options.quick else DENSE)]
        runs += comparisons(device, options)
    return runs


def sizes(device, options):
    """1,000, 3,000, 10,000 and so on up to the largest, which is included."""
    usual = MOST_IN_SOFTWARE if options.quick or device.kind == "software" else MOST
    most = max(1000, min(device.most, options.most or usual))
    steps = [1] if options.quick else [1, 3]
    return [size for power in range(3, 10) for step in steps if (size := step * 10**power) < most] + [most]


def ladder(device, preset, options):
    repeats, settle = (3, 200) if options.quick else (5, 1000)
    boids = ",".join(map(str, sizes(device, options)))
    words = ["--preset", preset, "--boids", boids, "--repeats", repeats, "--settle", settle]
    return run_of(device, preset, f"{preset}: from a thousand boids up, at the start and settled", words, plot=True)


def dense(device, neighbours):
    """A flock with this number of neighbours, at the start."""
    radius = math.sqrt(neighbours / (math.pi * DENSITY))
    words = ["--preset", "cornell", "--boids", DENSE_BOIDS]
    words += ["--set", f"alignment.radius={radius:.1f}", "--set", f"cohesion.radius={radius:.1f}"]
    words += ["--no-drawing", "--settle", 0, "--steps", 2, "--warm-up", 1, "--repeats", 3]
    title = f"cornell: {DENSE_BOIDS} boids, each with about {neighbours} neighbours"
    return run_of(device, f"dense-{neighbours}", title, words)


def comparisons(device, options):
    """Pairs, timed in turns: integers with f32, shaders without and with checks of bounds, kernel with kernel."""
    pairs = [("fixed", "integers", "f32", [], "numeric=fixed")]
    if device.kind != "cpu":
        pairs.append(("checks", "shaders without checks", "with them", ["--checks", "on"], "checks=off"))
    for other in device.kernels[1:]:
        plain = device.kernels[0]
        pairs.append((other, other, plain, ["--kernel", plain], f"kernel={other}"))
    boids = max((size for size in sizes(device, options) if size <= COMPARED), default=COMPARED)
    repeats, settle = (5, 200) if options.quick else (9, 1000)
    runs = []
    for preset in PRESETS:
        for name, what, beside, words, versus in pairs:
            common = ["--preset", preset, "--boids", boids, "--repeats", repeats, "--settle", settle]
            title = f"{preset}: {what} (B) beside {beside} (A), in turns"
            runs.append(run_of(device, f"{preset}-{name}", title, common + words + ["--versus", versus]))
    return runs


# The table, for docs/benchmarks.md to quote.


def figures(value):
    """A number with three significant digits; a dash for none."""
    if value is None or not math.isfinite(value):
        return "–"
    decimals = 0 if value == 0 else min(max(2 - math.floor(math.log10(abs(value))), 0), 6)
    return f"{value:.{decimals}f}"


def scaled(value, unit):
    return figures(None if value is None else value / unit)


def markdown(machine, finished):
    """The table of all finished runs, each with its JSON, or with the text of what failed."""
    text = (
        f"# Results of `cargo xtask bench`\n\n{machine}.\n\nTimes are medians; the spread is from the least to the "
        "most of the repeats, as a share of the median.\n"
    )
    for run, outcome in finished:
        text += f"\n## {run.title}\n\n"
        if isinstance(outcome, str):
            text += f"Failed: {outcome}\n"
        elif "rows" in outcome:
            text += comparison(outcome)
        elif outcome.get("format") != FORMAT:
            text += f"`{run.name}.json` has another form than {FORMAT}: {json.dumps(outcome.get('format'))}\n"
        else:
            text += section(outcome)
        text += f"\n```sh\nmurmuration profile {' '.join(run.words)}\n```\n"
    return text


def section(measured):
    driver = f", driver {measured['driver']}" if measured.get("driver") else ""
    text = f"{measured['engine']}{driver}. Passes by {measured['timed_by']}.\n\n"
    text += "| boids | state | ms a step | spread | ns a boid | ps a candidate | candidates | neighbours | passes |\n"
    text += "|---:|---|---:|---:|---:|---:|---:|---:|---|\n"
    text += "".join(point_row(point) for point in measured["points"])
    rates = [
        f"{rate['bound']} {rate['boids']} at {rate['frames_per_s']} a second, {rate['state']}, "
        f"{'drawn' if rate['drawn'] else 'not drawn'}"
        for rate in measured.get("rates", [])
    ]
    if rates:
        text += f"\nLargest flock: {'; '.join(rates)}.\n"
    if measured.get("stopped"):
        text += f"\nStopped: {measured['stopped']}\n"
    return text


def point_row(point):
    step = point["step_ns"]
    spread = (step["most"] - step["least"]) / step["median"]
    steady = ", not steady" if point.get("steady") is False else ""
    cells = [point["boids"], f"{point['state'] or '–'}{steady}", scaled(step["median"], 1e6), f"{100 * spread:.0f} %"]
    cells += [figures(point.get(key)) for key in ("boid_ns", "candidate_ps", "candidates", "neighbours")]
    return f"| {' | '.join(map(str, cells))} | {passes(point.get('passes') or [])} |\n"


def passes(measured):
    """The passes that take at least 1 % of their sum, the longest first."""
    times = sorted(((one["ns"]["median"], one["name"]) for one in measured), key=lambda one: -one[0])
    whole = sum(time for time, _ in times)
    return ", ".join(f"{name} {100 * time / whole:.0f} %" for time, name in times if time >= 0.01 * whole)


def comparison(measured):
    """Two configurations, timed in turns."""
    text = f"A: {measured['a']}. B: {measured['b']}.\n\n"
    text += "| boids | state | | ms, A | ms, B | B/A | least | most |\n|---:|---|---|---:|---:|---:|---:|---:|\n"
    for row in measured["rows"]:
        cells = [row["boids"], row["state"] or "–", row["pass"] or "**whole step**"]
        cells += [scaled(row[side]["median"], 1e6) for side in ("a_ns", "b_ns")]
        cells += [figures(row["ratio"][key]) for key in ("median", "least", "most")]
        text += f"| {' | '.join(map(str, cells))} |\n"
    if measured.get("interrupted"):
        text += "\nInterrupted: what was measured until then.\n"
    return text


def machine():
    """The machine and the version of the program, in one line."""
    git = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True)
    commit = git.stdout.strip() or "an unknown commit"
    threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    where = f"{threads} threads, {platform.system().lower()} on {platform.machine()}"
    return f"{processor()}, {where}; murmuration at {commit}"


def processor():
    """The name of the processor, where the system provides it."""
    info = Path("/proc/cpuinfo")
    found = re.search(r"^model name\s*: (.*)$", info.read_text(), re.MULTILINE) if info.exists() else None
    if found:
        return found[1].strip()
    if sys.platform == "darwin":
        return subprocess.run(["sysctl", "-n", "machdep.cpu.brand_string"], capture_output=True, text=True).stdout.strip()
    return platform.processor() or "a processor that tells no name"


# The runs.


def call(words, **options):
    """Prints a command and runs it; what went wrong, or nothing."""
    line = " ".join([Path(words[0]).name, *map(str, words[1:])])
    print(f"+ {line}", file=sys.stderr)
    try:
        status = subprocess.call(list(map(str, words)), cwd=ROOT, **options)
    except OSError as why:
        return f"`{line}` did not start: {why}"
    return f"`{line}` ended with exit status: {status}" if status else None


def built():
    """The program, built."""
    failure = call([os.environ.get("CARGO", "cargo"), "build", "--locked", "--package", "murmuration-boids"])
    if failure:
        raise Wrong(failure)
    target = Path(os.environ.get("CARGO_TARGET_DIR") or "target")
    return ROOT / target / "debug" / ("murmuration.exe" if os.name == "nt" else "murmuration")


def listed(program):
    """What the program lists as adapters."""
    try:
        return subprocess.run([program, "adapters", "--json"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as why:
        raise Wrong(f"`{program} adapters --json` failed: {why}") from None


def profile(program, folder, run):
    """Makes a run: its JSON, or the text of what failed."""
    result = folder / f"{run.name}.json"
    # A result of an earlier call must not be mistaken for this one's.
    result.unlink(missing_ok=True)
    plot = ["--plot", folder / f"{run.name}.svg"] if run.plot else []
    failure = call([program, "profile", *run.words, "--quiet", "--yes", "--json", result, *plot])
    try:
        return json.loads(result.read_text(encoding="utf-8"))
    except (OSError, ValueError) as why:
        return failure or f"{result}: {why}"


def concluded(finished, planned):
    """Fails with the names of the missing runs."""
    failures = [f"{run.name}: {outcome}" for run, outcome in finished if isinstance(outcome, str)]
    if failures:
        raise Wrong(f"{len(failures)} of {planned} runs: {'; '.join(failures)}")
    if len(finished) < planned:
        raise Wrong(f"interrupted after {len(finished)} of {planned} runs")


def boids(text):
    """A number of boids on the command line."""
    number = int(text.replace("_", "")) if re.fullmatch("[0-9_]+", text) else 0
    if not 1000 <= number <= LIMIT:
        raise argparse.ArgumentTypeError(f"must be a whole number, 1000 to {LIMIT}, not {text}")
    return number


def parser():
    reader = argparse.ArgumentParser(
        prog="bench", description="Times flocks of all sizes on every device.", allow_abbrev=False
    )
    reader.add_argument("--quick", action="store_true", help="fewer sizes, repeats and steps")
    most = "boids of the largest flock; the default depends on the device"
    reader.add_argument("--most", type=boids, metavar="N", help=most)
    reader.add_argument("--device", default="", metavar="NAME", help="only devices whose name contains this")
    reader.add_argument("--program", metavar="FILE", help="the program to run instead of building it")
    return reader


def main(words):
    if words == ["--self-test"]:
        return self_test()
    options = parser().parse_args(words)
    stop = []
    # The running program receives the signal too, and writes its results so far.
    signal.signal(signal.SIGINT, lambda *_: stop.append(True))
    program = Path(options.program).resolve() if options.program else built()
    cpu = Device("CPU engine", "cpu", ["--engine", "cpu"], "cpu")
    devices = selected(adapters(listed(program)) + [cpu], options.device)
    runs = plan(devices, options)
    print(f"bench: {len(runs)} runs on {len(devices)} devices", file=sys.stderr)
    folder = ROOT / "target" / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    table, finished, here = folder / "results.md", [], machine()
    for count, run in enumerate(runs, 1):
        if stop:
            break
        print(f"bench: {count} of {len(runs)}: {run.title}", file=sys.stderr)
        finished.append((run, profile(program, folder, run)))
        part = table.with_suffix(".part")
        part.write_text(markdown(here, finished), encoding="utf-8")
        part.replace(table)
    if finished:
        print(table)
    concluded(finished, len(runs))
    return 0


# The self-test.

ADAPTERS = """[
    {"index": 0, "name": "llvmpipe (LLVM 15, 256 bits)", "backend": "vulkan", "hardware": false,
     "compute": true, "most_boids": 8388608, "kernels": ["plain", "shared"]},
    {"index": 1, "name": "Old", "backend": "gl", "hardware": true, "compute": false, "most_boids": 0},
    {"index": 2, "name": "New 9", "backend": "vulkan", "hardware": true, "compute": true, "most_boids": 100}
]"""

MEASURED = """{
    "format": 1, "engine": "gpu, f32, A GPU", "driver": "Driver 7", "timed_by": "GPU timestamps",
    "points": [{
        "boids": 1000, "state": "settled", "steady": false, "boid_ns": 12.345, "candidate_ps": null,
        "step_ns": {"median": 1.5e6, "least": 1.2e6, "most": 1.8e6}, "candidates": 59.44, "neighbours": 8,
        "passes": [{"name": "order", "ns": {"median": 9}}, {"name": "reduce_totals", "ns": {"median": 0.5}},
                   {"name": "step", "ns": {"median": 90.5}}]
    }],
    "rates": [{"frames_per_s": 60, "state": "settled", "drawn": false, "bound": "about", "boids": 123}],
    "stopped": "interrupted"
}"""

COMPARISON = """{
    "a": "one", "b": "other", "interrupted": false,
    "rows": [{"boids": 10, "state": "start", "pass": null, "a_ns": {"median": 2e6}, "b_ns": {"median": 1e6},
              "ratio": {"median": 0.5, "least": 0.45, "most": 0.55}},
             {"boids": 10, "state": "start", "pass": "order", "a_ns": {"median": 2e6}, "b_ns": {"median": 1e6},
              "ratio": {"median": 0.5, "least": 0.45, "most": 0.55}}]
}"""


def check(true, what):
    """Unlike `assert`, it also checks under `python3 -O`."""
    if not true:
        raise Wrong(f"self-test: {what}")


def failure_of(function, *arguments):
    """The text of what a call fails with."""
    try:
        function(*arguments)
    except (Wrong, argparse.ArgumentTypeError) as why:
        return str(why)
    raise Wrong(f"self-test: {function.__name__}{arguments} did not fail")


def self_test():
    """The plan and the table of recorded JSON."""
    check_devices()
    check_plan()
    check_table()
    check_ends()
    print("bench: devices, plan and table are as recorded", file=sys.stderr)
    return 0


def check_devices():
    soft, new = adapters(ADAPTERS)
    check(soft.words == ["--engine", "gpu", "--adapter", "0"] and len(soft.kernels) == 2, soft)
    check((soft.short, soft.kind) == ("gpu0-llvmpipe-llvm-15-256-bits-vulkan", "software"), soft)
    check((new.name, new.kind, new.most, new.kernels) == ("New 9 (vulkan)", "gpu", 100, []), new)
    for text in ("", "{", "7", '[{"compute": true}]', "[7]"):
        check("list of adapters" in failure_of(adapters, text), text)
    check(selected([soft, new], "NEW") == [new], "a part of a name selects")
    check(failure_of(selected, [soft, new], "x") == f"--device x: there is {soft.name}, {new.name}", "no such device")


def check_plan():
    def asked(*words):
        return parser().parse_args(words)

    gpu = Device("A GPU", "gpu0", ["--engine", "gpu"], "gpu", kernels=["plain", "shared"])
    software, cpu = replace(gpu, kind="software", kernels=["plain"]), replace(gpu, kind="cpu", short="cpu", kernels=[])
    full, quick = asked(), asked("--quick")
    for device, options, expected in [
        (gpu, full, [1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000]),
        (gpu, quick, [1000, 10_000, 100_000]),
        (gpu, asked("--quick", "--most", "4_000_000"), [1000, 10_000, 100_000, 1_000_000, 4_000_000]),
        (software, full, [1000, 3000, 10_000, 30_000, 100_000]),
        (replace(gpu, most=20_000), quick, [1000, 10_000, 20_000]),
        (replace(gpu, most=100), quick, [1000]),
        (gpu, asked("--most", "1000"), [1000]),
    ]:
        check(sizes(device, options) == expected, f"{sizes(device, options)} in place of {expected}")
    names = [run.name for run in plan([gpu, cpu], full)]
    expected = ["gpu0-murmuration", "gpu0-cornell", "gpu0-dense-10000", "cpu-murmuration", "cpu-dense-10", "cpu-cornell-fixed"]
    for name in expected:
        check(name in names, f"{name} is not in {names}")
    check(len(set(names)) == len(names), f"a name is there twice: {names}")
    check(not any(run.name.endswith("dense-10000") for run in plan([gpu, cpu], quick)), "a quick plan is less dense")
    lines = [" ".join(run.words) for run in comparisons(gpu, quick) if "cornell" in run.words]
    ends = [
        "--boids 100000 --repeats 5 --settle 200 --versus numeric=fixed",
        "--checks on --versus checks=off",
        "--kernel plain --versus kernel=shared",
    ]
    check(len(lines) == 3 and all(line.endswith(end) for line, end in zip(lines, ends)), lines)
    check([len(comparisons(device, quick)) for device in (software, cpu)] == [4, 2], "a device compares what it can do")
    whole = " ".join(ladder(software, "cornell", full).words)
    check(whole.endswith("--preset cornell --boids 1000,3000,10000,30000,100000 --repeats 5 --settle 1000"), whole)
    # π r² · 500 / (640 · 480) = 100
    check("--set alignment.radius=139.8 --set cohesion.radius=139.8" in " ".join(dense(gpu, 100).words), "radii")
    for text in ("10", "many", "1_000_000_001", "-5"):
        check(f"must be a whole number, 1000 to {LIMIT}, not {text}" in failure_of(boids, text), text)


def check_table():
    def shown(outcome):
        return markdown("A machine", [(Run("a", "Flock a", ["--preset", "a"]), outcome)])

    for outcome, parts in [
        (
            json.loads(MEASURED),
            [
                "A machine.",
                "## Flock a",
                "gpu, f32, A GPU, driver Driver 7. Passes by GPU timestamps.",
                "| 1000 | settled, not steady | 1.50 | 40 % | 12.3 | – | 59.4 | 8.00 | step 90 %, order 9 % |",
                "Largest flock: about 123 at 60 a second, settled, not drawn.",
                "Stopped: interrupted",
                "murmuration profile --preset a\n",
            ],
        ),
        (
            json.loads(COMPARISON),
            [
                "A: one. B: other.",
                "| 10 | start | **whole step** | 2.00 | 1.00 | 0.500 | 0.450 | 0.550 |",
                "| 10 | start | order | 2.00 |",
            ],
        ),
        (json.loads(COMPARISON.replace("false", "true")), ["Interrupted"]),
        ("no room", ["Failed: no room"]),
        ({"format": 99}, ["`a.json` has another form than 1: 99"]),
    ]:
        for part in parts:
            check(part in shown(outcome), f"{part} is not in {shown(outcome)}")
    check("Interrupted" not in shown(json.loads(COMPARISON)), "an end that was not")
    digits = [figures(value) for value in (0.0, 0.012_345, 12.345, 123_456.0, math.nan)]
    check(digits == ["0", "0.0123", "12.3", "123456", "–"], digits)


def check_ends():
    good, bad = (Run("a", "A", []), {}), (Run("a", "A", []), "it broke")
    concluded([good, good], 2)
    check(failure_of(concluded, [good, bad], 2) == "1 of 2 runs: a: it broke", "a failure is named")
    check(failure_of(concluded, [good], 3) == "interrupted after 1 of 3 runs", "an interruption is named")
    missing = profile(Path("no/such/program"), ROOT / "no-such-folder", bad[0])
    check("did not start" in missing, missing)
    ended = call([sys.executable, "-c", "exit(3)"])
    check(ended and ended.endswith("` ended with exit status: 3"), ended)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Wrong as why:
        print(f"error: {why}", file=sys.stderr)
        sys.exit(1)

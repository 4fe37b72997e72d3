#!/usr/bin/env python3
"""What a graphics card does, in one file to send: python3 benches/report.py [--quick] [--most N] [--device NAME] [--program FILE]

Every adapter in hardware (or those that --device names) steps flocks from a thousand boids to the most that fit, the flocks of
two published measurements, and both kernels in turns; then `murmuration conform` compares what it computes with the rule. All
of it goes into target/bench/report.json, which is rewritten after each run, so that an interruption loses nothing.

With --read FILE and nothing else the rows of a report go into the table of docs/benchmarks.md, in place of those of the same
card and driver.

Needs Python 3.9, and nothing beside its standard library.
"""

import argparse
import json
import re
import signal
import sys
import tempfile
from pathlib import Path

import bench
from bench import ROOT, Run, Wrong

FORMAT = 1
DOCS = ROOT / "docs" / "benchmarks.md"
BEGIN, END = "<!-- cards -->\n", "<!-- end of cards -->\n"
# Of `conform`: in space, on a plane, with noise, and of formulas.
CONFORMED = ["murmuration", "cornell", "couzin", "zones"]
CONFORM = [word for name in CONFORMED for word in ("--preset", name)]
CONFORM += ["--tier", "bits", "--tier", "step", "--steps", "300", "--require", "gpu"]
# The flocks that others have published, the largest first where one has to fit.
PUBLISHED = {"circles": 1_000_000, "students": 1_280_000}


def plan(device, options):
    """The runs of a device: short ones first."""
    most = min(device.most, options.most or (bench.MOST_IN_SOFTWARE if device.kind == "software" else device.most))
    runs = [published(device, name, min(boids, most)) for name, boids in PUBLISHED.items()]
    runs += [run for run in bench.comparisons(device, options) if " kernel=" in " ".join(run.words)]
    return runs + [bench.ladder(device, bench.PRESETS[0], argparse.Namespace(**{**vars(options), "most": most}))]


def published(device, name, boids):
    words = ["--config", f"benches/{name}.toml", "--boids", boids, "--settle", 0, "--no-drawing"]
    return bench.run_of(device, name, f"{name}: a published flock", words)


def conformed(program, folder):
    """The findings of `conform` by their names, or the text of what failed."""
    result = folder / "conform.json"
    result.unlink(missing_ok=True)
    # It fails where something differs: its file says what.
    failure = bench.call([program, "conform", *CONFORM, "--quiet", "--json", result], stdout=sys.stderr)
    try:
        return json.loads(result.read_text(encoding="utf-8"))
    except (OSError, ValueError) as why:
        return failure or f"{result}: {why}"


def write(report, file):
    part = file.with_suffix(".part")
    part.write_text(json.dumps(report, indent=1), encoding="utf-8")
    part.replace(file)


def measure(options):
    stop = []
    # The running program receives the signal too, and writes its results so far.
    signal.signal(signal.SIGINT, lambda *_: stop.append(True))
    program = Path(options.program).resolve() if options.program else bench.built()
    able = bench.adapters(bench.listed(program))
    devices = bench.selected(able, options.device) if options.device else [one for one in able if one.kind == "gpu"]
    if not devices:
        raise Wrong("there is no GPU in hardware; --device NAME reports another adapter")
    folder = ROOT / "target" / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "report.json"
    report = {"format": FORMAT, "machine": bench.machine(), "devices": [], "conform": None}
    # Of a report of an earlier call nothing may stay.
    write(report, file)
    # Before the ladders, whose largest flocks take the longest.
    print(f"report: conform {' '.join(CONFORM)}: some minutes", file=sys.stderr)
    report["conform"] = conformed(program, folder)
    write(report, file)
    for device in devices:
        runs, made = plan(device, options), []
        index = int(device.words[-1])
        report["devices"].append({"name": device.name, "index": index, "most_boids": device.most, "runs": made})
        for count, run in enumerate(runs, 1):
            print(f"report: {count} of {len(runs)}: {run.title}", file=sys.stderr)
            outcome = bench.profile(program, folder, run)
            made.append({"name": run.name[len(device.short) + 1 :], "words": run.words, "outcome": outcome})
            write(report, file)
            if stop:
                raise Wrong(f"interrupted: {file} has what was measured until then")
    print(file)


# The table of docs/benchmarks.md, a row a card.


def rows(report):
    """The rows of a report by what they begin with: card and driver."""
    try:
        if report["format"] != FORMAT:
            raise Wrong(f"format must be {FORMAT}, not {report['format']!r}")
        return dict(row(report, device) for device in report["devices"])
    except (AttributeError, KeyError, TypeError, IndexError) as why:
        raise Wrong(f"it is no report: {why!r}") from None


def row(report, device):
    outcomes = {run["name"]: run["outcome"] for run in device["runs"]}
    driver = next((one["driver"] for one in outcomes.values() if isinstance(one, dict) and one.get("driver")), "–")
    card = f"| {plain(device['name'])}, {plain(driver)} |"
    steps = points(outcomes.get(bench.PRESETS[0]))
    largest = steps[-1] if steps else {}
    settled = max((one for one in steps if one["state"] == "settled"), key=lambda one: one["boids"], default={})
    cells = [step(settled), step(largest), *(step((points(outcomes.get(name)) or [{}])[0]) for name in PUBLISHED)]
    return card, f"{card} {' | '.join([*cells, agreement(report['conform'], device['index'])])} |\n"


def plain(text):
    """A text that leaves the table whole, as a report comes from elsewhere."""
    return re.sub(r"[|<>`\\\s]+", " ", str(text)).strip()[:80]


def points(outcome):
    return outcome["points"] if isinstance(outcome, dict) else []


def step(point):
    if not point:
        return "–"
    time = f"{int(point['boids']):,}: {bench.scaled(float(point['step_ns']['median']), 1e6)} ms"
    return f"{time}, {bench.figures(point.get('candidate_ps'))} ps"


def agreement(conform, index):
    """How much of what an adapter has computed agrees with the rule."""
    if not isinstance(conform, dict):
        return "not compared"
    mine = [one["result"] for one in conform["rows"] if one["backend"].startswith(f"gpu {int(index)} ")]
    wrong = sum(result != "agrees" for result in mine)
    return "not compared" if not mine else f"{len(mine) - wrong} of {len(mine)} agree"


def read_in(file, docs):
    try:
        new = rows(json.loads(Path(file).read_text(encoding="utf-8")))
    except OSError as why:
        raise Wrong(f"{file}: {why.strerror}") from None
    except (ValueError, Wrong) as why:
        raise Wrong(f"{file}: {why}") from None
    text = docs.read_text(encoding="utf-8")
    before, found, rest = text.partition(BEGIN)
    table, ended, after = rest.partition(END)
    if not (found and ended):
        raise Wrong(f"{docs}: there is no table between {BEGIN.strip()} and {END.strip()}")
    kept = [line for line in table.splitlines(keepends=True) if not any(line.startswith(card) for card in new)]
    part = docs.with_suffix(".part")
    part.write_text(before + BEGIN + "".join([*kept, *new.values()]) + END + after, encoding="utf-8")
    part.replace(docs)
    print(docs)


# The self-test.

POINT = {"boids": 1000, "state": "settled", "step_ns": {"median": 1.5e6}, "candidate_ps": 5.04}
REPORT = {
    "format": FORMAT,
    "devices": [
        {
            "name": "A | GPU (vulkan)",
            "index": 1,
            "runs": [
                {"name": "murmuration", "outcome": {"driver": "7", "points": [POINT, {**POINT, "boids": 4000, "state": "start"}]}},
                {"name": "circles", "outcome": {"driver": "7", "points": [POINT]}},
                {"name": "students", "outcome": "no room"},
            ],
        }
    ],
    "conform": {"rows": [{"backend": f"gpu {k} A GPU, vulkan", "result": "agrees"} for k in (1, 1, 10)]},
}
CARD = "| A GPU (vulkan), 7 |"
ROW = f"{CARD} 1,000: 1.50 ms, 5.04 ps | 4,000: 1.50 ms, 5.04 ps | 1,000: 1.50 ms, 5.04 ps | – | 2 of 2 agree |\n"


def self_test():
    """A report is read in where the table is, once, and what is none is refused."""
    with tempfile.TemporaryDirectory() as folder:
        file, docs = Path(folder) / "report.json", Path(folder) / "docs.md"
        for table, expected in [("| B |\n", f"| B |\n{ROW}"), (f"{CARD} old |\n| B |\n", f"| B |\n{ROW}")]:
            write(REPORT, file)
            docs.write_text(f"before\n{BEGIN}{table}{END}after\n", encoding="utf-8")
            read_in(file, docs)
            text = docs.read_text(encoding="utf-8")
            bench.check(text == f"before\n{BEGIN}{expected}{END}after\n", text)
        for wrong in ({}, {**REPORT, "format": 2}, {**REPORT, "devices": [{}]}, {**REPORT, "devices": 7}, []):
            write(wrong, file)
            bench.check(str(file) in bench.failure_of(read_in, file, docs), wrong)
        docs.write_text("no table", encoding="utf-8")
        write(REPORT, file)
        bench.check("there is no table" in bench.failure_of(read_in, file, docs), "no table")
    device = bench.Device("A GPU", "gpu0", ["--adapter", "0"], "gpu", most=30_000_000, kernels=["plain", "shared"])
    runs = plan(device, bench.parser().parse_args([]))
    bench.check([run.name for run in runs][:2] == ["gpu0-circles", "gpu0-students"], runs)
    bench.check("10000000,30000000" in " ".join(runs[-1].words), "the ladder ends at what fits")
    bench.check(sum("kernel=shared" in " ".join(run.words) for run in runs) == len(bench.PRESETS), "kernels in turns")


def main(words):
    if words == ["--self-test"]:
        return self_test()
    if words[:1] == ["--read"] and len(words) == 2:
        return read_in(words[1], DOCS)
    reader = bench.parser()
    reader.prog, reader.description = "bench --report", "Measures every graphics card for one file to send."
    return measure(reader.parse_args(words[words[:1] == ["--report"] :]))


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Wrong as why:
        print(f"error: {why}", file=sys.stderr)
        sys.exit(1)

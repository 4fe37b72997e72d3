#!/usr/bin/env python3
"""Repeats the findings: python3 examples/findings/reproduce.py PROGRAM FOLDER [--quick] [--keep] [NAME ...]

Each folder beside this file has a finding.toml: studies, which `PROGRAM sweep` runs into FOLDER, and rows, each of which
compares a measure of a study with what was published. The pictures of the studies are drawn into docs/pictures/ and, without
names, docs/findings.md is written. With --quick studies are run with few seeds and half the steps, and the rows that are
marked `quick` have to hold; nothing is written but the studies. With --keep the studies that are in FOLDER are not run again.
With --self-test and nothing else the judge is held to cases whose verdicts are known.

Needs Python 3.11 and NumPy.
"""

import csv
import io
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

try:
    import numpy as np
except ImportError:
    sys.exit("error: NumPy is missing: install python3-numpy, or `python3 -m pip install numpy`")

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LEVEL = 0.05  # of errors of the first kind over all rows
DRAWS = 99_999  # permutations of a test: their number bounds its probability from below
RESAMPLES = 10_000
HOLDS, DIFFERS, OPEN = "holds", "**differs**", "not distinguishable"

HEAD = """# Findings: known results, repeated

Each finding has a folder in `examples/findings/` with its flock, its studies and what they are compared with. Each study runs
once more as a *control*, without the interaction that the finding is about. `cargo xtask findings` runs all studies and
writes this page and its pictures. The verdicts:

- *holds*: for a value, the whole 95 % interval of the mean over at least 20 seeds lies within a margin about the published
  one, or beyond a bound. For an order of two settings, a one-sided permutation test over seeds shows it at 5 %, corrected by
  Holm's method for all orders on this page.
- *differs*: the opposite is shown in the same way. *Not distinguishable*: neither is shown.
- *no finding*: the row also holds in the control, without the correction.
- *by choice*: the row holds, but a chosen parameter sets it.

Margins and bounds without a source are ours.
"""


class Wrong(Exception):
    """What ends the program with one line."""


# The tables of a study.


def same(cell, value):
    """True if a cell is a value, numbers up to rounding."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            return abs(float(cell) - value) <= 1e-9 * max(abs(value), 1)
        except ValueError:
            return False
    return cell.replace(" ", "") == written(value).replace(" ", "")


class Results:
    """summary.csv, a row a setting, and runs.csv, a row a run."""

    def __init__(self, summary, runs):
        self.summary, self.runs = (list(csv.DictReader(io.StringIO(text))) for text in (summary, runs))

    @classmethod
    def read(cls, folder):
        return cls(*((folder / name).read_text() for name in ("summary.csv", "runs.csv")))

    def setting(self, at):
        fitting = [row for row in self.summary if all(key in row and same(row[key], at[key]) for key in at)]
        if len(fitting) != 1:
            raise Wrong(f"not one setting has {at}")
        return fitting[0]

    def by_seed(self, measure, row):
        """The values of a measure in the runs of a setting, in the order of the seeds. A run in which it is not defined, as a
        heading's error where nobody is informed, has none."""
        names = list(row)
        keys = names[1 : names.index("seeds")]
        runs = [run for run in self.runs if all(run[key] == row[key] for key in keys)]
        column = f"{measure}_mean" if runs and f"{measure}_mean" in runs[0] else measure
        try:
            return np.array([float(run[column]) for run in runs if run[column]])
        except (KeyError, ValueError):
            raise Wrong(f"a run has no {measure} at {row[names[0]]}") from None

    def estimate(self, measure, at):
        """Mean, low and high."""
        if measure in DERIVED:
            return DERIVED[measure](self, at)
        row = self.setting(at)
        try:
            return tuple(float(row[f"{measure}_{part}"]) for part in ("mean", "ci_low", "ci_high"))
        except (KeyError, ValueError):
            raise Wrong(f"{measure} is not in the summary at {at}") from None


def percentile_interval(values, statistic):
    """A statistic of the rows of an array, and its bootstrap interval of 95 % over them."""
    draws = np.random.default_rng(1).integers(0, len(values), (RESAMPLES, len(values)))
    resampled = np.array([statistic(values[draw]) for draw in draws])
    return (statistic(values), *np.quantile(resampled, [0.025, 0.975]))


def accuracy(results, at):
    """Of group directions over replicates: one less their angular deviation about the preferred direction (Batschelet 1981),
    as a fraction of that of random directions. 1 is exact, 0 is chance."""
    errors = results.by_seed("heading_error", results.setting(at))
    cosines = np.cos(np.radians(errors))
    return percentile_interval(cosines, lambda part: 1 - np.sqrt(1 - part.mean()))


def critical_difference(results, at):
    """The angle between two preferred directions from which on half of the groups choose one of them, so that their heading
    lies nearer to it than to the mean of both. Setting k is a difference of 20 k degrees."""
    if at:
        raise Wrong("a critical difference is of all settings")
    table = np.array([results.by_seed("heading_error", row) for row in results.summary]).T
    differences = 20.0 * np.arange(table.shape[1])
    chosen = table > differences / 4

    def crossing(runs):
        share = runs.mean(axis=0)
        # Where two directions hardly differ, errors of the heading alone are a quarter of it: the last setting counts.
        below = np.flatnonzero(share[1:] < 0.5) + 1
        if len(below) == 0:
            return differences[1]
        k = below[-1]
        if k + 1 == len(share):
            return differences[k]
        return differences[k] + 20.0 * (0.5 - share[k]) / (share[k + 1] - share[k])

    return percentile_interval(chosen, crossing)


DERIVED = {"accuracy": accuracy, "critical_difference": critical_difference}


# The judge.


def chance(low, high):
    """The probability under exchangeable seeds that the mean of `low` lies below that of `high` at least as far as it does,
    in units of Welch's standard error. The studentised statistic keeps the level where the variances differ (Janssen,
    Statistics and Probability Letters 36, 1997)."""

    def statistic(values):
        low_part, high_part = values[..., : len(low)], values[..., len(low) :]
        difference = high_part.mean(-1) - low_part.mean(-1)
        error = np.sqrt(sum(part.var(-1, ddof=1) / part.shape[-1] for part in (low_part, high_part)))
        # Equal values on each side have no error: only the sign of the difference counts.
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(difference == 0, 0.0, difference / error)

    pooled = np.concatenate([low, high])
    shuffled = np.random.default_rng(1).permuted(np.tile(pooled, (DRAWS, 1)), axis=1)
    observed = statistic(pooled)
    # Sums of permuted values differ by rounding.
    least = observed - 1e-9 * abs(observed) if np.isfinite(observed) else observed
    reached = statistic(shuffled) >= least
    return (1 + np.count_nonzero(reached)) / (1 + DRAWS)


def holm(chances):
    """The probabilities as Holm adjusts them (Scandinavian Journal of Statistics 6, 1979)."""
    adjusted, greatest = [0.0] * len(chances), 0.0
    for rank, place in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        greatest = min(max(greatest, chances[place] * (len(chances) - rank)), 1.0)
        adjusted[place] = greatest
    return adjusted


def shown(estimate):
    """A mean and half its interval, to the second digit of the latter, or to the fourth of the mean; the ends of an interval
    that the mean is not in the middle of."""
    mean, low, high = estimate
    half = (high - low) / 2
    if not half >= 5e-5:
        return f"{mean:.4f}".rstrip("0").rstrip(".")
    digits = int(min(max(1 - np.floor(np.log10(half)), 0), 4))
    if abs(mean - (low + high) / 2) > 0.2 * half:
        return f"{mean:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"
    return f"{mean:.{digits}f} ± {half:.{digits}f}"


def compare(row, studies):
    """What a row says of its study: our figures, and either whether the whole interval lies within the margin and whether
    outside of it, or the probabilities of the order and of the reverse one."""
    checks = [key for key in ("within", "below", "above") if key in row]
    if len(checks) != 1:
        raise Wrong("a row has one of `within`, `below`, `above` and `verdict`")
    check, wanted = checks[0], row[checks[0]]
    results, measure, at = studies[row.get("study")], row["measure"], row.get("at", {})
    mean, low, high = ours = results.estimate(measure, at)
    if check == "within":
        return shown(ours), "margin", [wanted[0] <= low and high <= wanted[1], high < wanted[0] or low > wanted[1]]
    if not isinstance(wanted, dict):
        sides = [high < wanted, low > wanted]
        return f"{shown(ours)}, against {wanted:g}", "margin", sides if check == "below" else sides[::-1]
    others = studies[row.get("other_study", row.get("study"))]
    if measure in DERIVED:
        raise Wrong(f"{measure} is compared with numbers")
    pair = [part.by_seed(measure, part.setting(where)) for part, where in ((results, at), (others, wanted))]
    order = [chance(*pair), chance(*pair[::-1])]
    return f"{shown(ours)}, against {shown(others.estimate(measure, wanted))}", "order", order if check == "below" else order[::-1]


def judge(rows, corrected=True):
    """Verdicts of rows of (row, comparison, control's comparison). A margin holds where the whole interval lies within it, so
    that no wider interval makes that easier; an order where its test over seeds tells, corrected for the number of orders on
    the page unless there are too few seeds for that. A row that holds in its control, where no correction is made, is no
    finding."""
    orders = [ours[2] for _, ours, _ in rows if ours and ours[1] == "order"]
    sides = [list(side) for side in zip(*orders)] or [[], []]
    adjusted = iter(zip(*(holm(side) if corrected else side for side in sides)))
    judged = []
    for row, ours, control in rows:
        if ours is None:
            judged.append((row, "not measured", "", row["verdict"]))
            continue
        found, kind, told = ours
        holds, differs = told if kind == "margin" else [part <= LEVEL for part in next(adjusted)]
        without = control and (control[2][0] if control[1] == "margin" else control[1] == "order" and control[2][0] <= LEVEL)
        if holds:
            verdict = "by choice" if row.get("choice") else "no finding" if without else HOLDS
        else:
            verdict = DIFFERS if differs else OPEN
        judged.append((row, found, control[0] if control else "", verdict))
    return judged


# Findings and their studies.


class Finding:
    def __init__(self, folder):
        self.name = folder.name
        try:
            text = (folder / "finding.toml").read_text()
            self.file = tomllib.loads(text)
        except (OSError, tomllib.TOMLDecodeError) as why:
            raise Wrong(f"{folder / 'finding.toml'}: {why}") from None
        self.title, self.about, self.place = (self.file[key] for key in ("title", "about", "place"))
        self.studies, self.rows = self.file["study"], self.file["row"]
        self.hash = self.file["hash"]

    def control(self, study):
        """What takes the interaction away, as options."""
        return settings(study.get("control") or self.file.get("control", {}))

    def studies_of(self, row):
        if "verdict" in row:
            return []
        first = row.get("study", self.studies[0]["file"])
        return [first, row.get("other_study", first)]

    def stem(self, study):
        name = study["file"].removesuffix(".toml")
        return self.name if name == "study" else f"{self.name}-{name}"

    def plotted(self, study):
        return [f"{self.stem(study)}/summary.csv", *study["plot"]]

    def drawn(self):
        return [study for study in self.studies if study.get("plot")]

    def compared(self, study):
        return any(study["file"] in self.studies_of(row) for row in self.rows)

    def hashed(self):
        words = ["run", "--config", f"examples/findings/{self.name}/flock.toml", *settings(self.hash.get("set", {}))]
        return [*words, "--steps", str(self.hash["steps"]), "--numeric", "fixed", "--hash"]

    def run(self, program, folder, quick, keep):
        """The tables of its studies, and those of their controls, by file; the first one's also by None."""
        results, controls = {}, {}
        rows = [row for row in self.rows if row.get("quick") or not quick]
        for study in self.studies:
            file, wanted = study["file"], any(study["file"] in self.studies_of(row) for row in rows)
            if quick and not wanted:
                continue
            spec = HERE / self.name / file
            if quick:
                table = tomllib.loads(spec.read_text())
                after = table.get("measure", {}).get("after", 0)
                few = ["--quiet", "--seeds", "4", "--steps", str(table["steps"] // 2), "--after", str(after // 2)]
                results[file] = swept(program, spec, folder / self.stem(study), few, False)
                continue
            results[file] = swept(program, spec, folder / self.stem(study), [], keep)
            if self.control(study) and self.compared(study):
                at = folder / f"{self.stem(study)}-control"
                controls[file] = swept(program, spec, at, self.control(study), keep)
        for tables in (results, controls):
            if self.studies[0]["file"] in tables:
                tables[None] = tables[self.studies[0]["file"]]
        for study in [] if quick else self.drawn():
            picture = ROOT / "docs" / "pictures" / f"finding-{self.stem(study)}.png"
            call([program, "plot", *self.plotted(study), "-o", str(picture), "--yes"], cwd=folder)
        compared = []
        for row in rows:
            try:
                ours = None if "verdict" in row else compare(row, results)
            except Wrong as why:
                raise Wrong(f"{self.name}: {row['observable']}: {why}") from None
            control = None
            if ours and row.get("study") in controls:
                try:
                    control = compare(row, controls)
                except Wrong:
                    # The control has no such measure: its flock has no two boids of a group, for example.
                    control = ("undefined", "undefined", [])
            compared.append((row, ours, control))
        return compared


def settings(table):
    return [word for key, value in table.items() for word in ("--set", f"{key}={written(value)}")]


def written(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def call(words, **options):
    try:
        subprocess.run([str(word) for word in words], check=True, **options)
    except (OSError, subprocess.CalledProcessError) as why:
        raise Wrong(str(why)) from None


def swept(program, spec, folder, more, keep):
    """Runs a study into an empty folder."""
    if not (keep and (folder / "summary.csv").exists()):
        for file in folder.glob("*"):
            file.unlink()
        call([program, "sweep", spec, "--engine", "cpu", "--out", folder, *more])
    return Results.read(folder)


def section(finding, judged, last_hash):
    """A finding: what it is, how it is repeated, and what came out."""
    lines = [f"## {finding.title}", "", finding.about.strip(), "", "```sh"]
    for study in finding.studies:
        lines.append(f"murmuration sweep examples/findings/{finding.name}/{study['file']} --out {finding.stem(study)}")
    for study in finding.drawn():
        lines.append(f"murmuration plot {shlex.join(finding.plotted(study))} -o {finding.stem(study)}.png")
    lines += ["```", ""]
    for study in finding.drawn():
        lines += [f"![{study['about']}](pictures/finding-{finding.stem(study)}.png)", ""]
    sets = []
    for study in filter(finding.compared, finding.studies):
        words = finding.control(study)
        text = " ".join(f"`--set {word}`" for word in words[1::2])
        if text and text not in sets:
            sets.append(text)
    if sets:
        lines += [f"The controls are the same studies with {', or with '.join(sets)}.", ""]
    parts = [part for part in judged if part[3] != "by choice"], [part for part in judged if part[3] == "by choice"]
    for k, part in enumerate(parts):
        if not part:
            continue
        lines += ["By choice:", ""] if k else []
        lines += ["| observable | published | here | control | verdict |", "|---|---|---|---|---|"]
        for row, found, control, verdict in part:
            lines.append(f"| {row['observable']} | {row['published']} | {found} | {control} | {verdict} |")
        lines.append("")
    for row, *_ in judged:
        if row.get("note"):
            lines.append(f"- *{row['observable']}*: {row['note'].rstrip('.')}.")
    lines += ["", f"In integers the state at step {finding.hash['steps']} has the hash `{last_hash}` on every engine:", ""]
    lines += ["```sh", f"murmuration {shlex.join(finding.hashed())} | tail -1", "```", ""]
    return "\n".join(lines)


def main(words):
    if words == ["--self-test"]:
        return self_test()
    quick, keep = ("--quick" in words), ("--keep" in words)
    words = [word for word in words if not word.startswith("--")]
    if len(words) < 2:
        raise Wrong("a call is `reproduce.py PROGRAM FOLDER [--quick] [--keep] [NAME ...]`")
    program, folder, names = Path(words[0]).resolve(), Path(words[1]).resolve(), words[2:]
    folders = {path.parent.name: path.parent for path in HERE.glob("*/finding.toml")}
    for name in names:
        if name not in folders:
            raise Wrong(f"unknown finding `{name}`: {HERE} has {', '.join(sorted(folders))}")
    findings = sorted((Finding(folders[name]) for name in names or folders), key=lambda finding: finding.place)
    rows, ends, hashes = [], [], []
    for finding in findings:
        rows += finding.run(program, folder, quick, keep)
        ends.append(len(rows))
        if not quick:
            lines = subprocess.run([program, *finding.hashed(), "--engine", "cpu"], cwd=ROOT, text=True, capture_output=True)
            if lines.returncode:
                raise Wrong(f"{finding.name}: {lines.stderr.strip()}")
            hashes.append(lines.stdout.split()[-1].split(",")[1])
    judged = judge(rows, corrected=not quick)
    for row, found, _, verdict in judged:
        print(f"{row['observable']}: {found}, {verdict}", file=sys.stderr)
    if quick:
        failed = [row["observable"] for row, _, _, verdict in judged if verdict not in (HOLDS, "by choice")]
        if failed:
            raise Wrong(f"these have to hold with few seeds, too: {'; '.join(failed)}")
    elif not names:
        begins = [0, *ends]
        parts = [section(finding, judged[begin:end], last) for finding, begin, end, last in zip(findings, begins, ends, hashes)]
        (ROOT / "docs" / "findings.md").write_text("\n".join([HEAD, *parts]))
    return 0


def self_test():
    """Cases whose verdicts are known."""
    random = np.random.default_rng(7)
    low, high = np.arange(20.0), 100 + np.arange(20.0)
    assert abs(chance(low, high) - 1e-5) < 1e-12 and chance(high, low) > 0.9999
    # 4 against 4 have 70 splits.
    assert abs(chance(low[:4], high[:4]) - 1 / 70) < 0.002
    assert 0.3 < chance(2.0 * (np.arange(20) // 2), low) < 0.7 and chance(np.ones(20), np.ones(20)) == 1
    # Of samples of one distribution about a twentieth is below the level, also where one side varies ten times as much.
    assert sum(chance(random.normal(0, 1, 20), random.normal(0, 10, 20)) <= LEVEL for _ in range(20)) <= 4
    assert np.allclose(holm([0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02]) and holm([0.6, 0.4]) == [0.8, 0.8]

    summary = "setting,x,seeds,m_mean,m_ci_low,m_ci_high\n0,1,20,0.5,0.4,0.6\n1,2,20,0.9,0.87,0.93\n2,3,20,0.7,0.55,0.88\n"
    of = [(1, 0.5, 0.2), (2, 0.9, 0.05), (3, 0.55, 0.8)]
    runs = "x,seed,m_mean\n" + "".join(f"{x},{k},{mean + spread * (k - 9.5) / 10}\n" for x, mean, spread in of for k in range(20))
    row = {"measure": "m", "at": {"x": 1}}

    def verdict(check, control=None):
        ours = compare({**row, **check}, {None: Results(summary, runs)})
        without = compare({**row, **check}, {None: Results(control, runs)}) if control else None
        return judge([({**row, **check}, ours, without)])[0][3]

    for check, expected in [
        ({"within": [0.4, 0.6]}, HOLDS),
        ({"within": [0.41, 0.8]}, OPEN),
        ({"within": [0.45, 0.55]}, OPEN),
        ({"within": [0.61, 0.8]}, DIFFERS),
        ({"within": [0.0, 0.39]}, DIFFERS),
        ({"below": {"x": 2}}, HOLDS),
        ({"below": {"x": 2}, "choice": True}, "by choice"),
        ({"below": {"x": 3}}, OPEN),
        ({"above": {"x": 2}}, DIFFERS),
        ({"above": {"x": 2}, "choice": True}, DIFFERS),
        ({"above": 0.39}, HOLDS),
        ({"above": 0.4}, OPEN),
    ]:
        assert verdict(check) == expected, (check, verdict(check))
    # A row whose control says the same tells nothing of the interaction.
    assert verdict({"below": {"x": 2}}, summary) == verdict({"within": [0.4, 0.6]}, summary) == "no finding"
    assert verdict({"within": [0.4, 0.6]}, summary.replace("0.4,0.6", "0.3,0.7")) == HOLDS
    for wrong in ({}, {"within": [0, 1], "below": 3}, {"below": {"x": 4}}):
        try:
            verdict(wrong)
        except Wrong:
            continue
        raise AssertionError(f"{wrong} was judged")
    assert shown((0.5, 0.4, 0.6)) == "0.50 ± 0.10" and shown((1.0, 0.84, 1.0)) == "1.000 (0.840 to 1.000)"

    # Groups that fly 0°, 60° and 90° off: cosines 1, 0.5 and 0.
    def directions(errors):
        runs = "x,heading_error\n" + "".join(f"1,{error}\n" for error in errors)
        return accuracy(Results("setting,x,seeds\n0,1,9\n", runs), {"x": 1})

    assert directions([0] * 9) == (1, 1, 1) and abs(directions([90] * 9)[0]) < 1e-7
    mixed = directions([0, 60, 90] * 3)
    assert abs(mixed[0] - (1 - np.sqrt(0.5))) < 1e-12 and 0 < mixed[1] < mixed[0] < mixed[2] < 1
    # Groups that average below a difference of 100° and choose above: half of them at 100°.
    flown = [(k, seed, 10 * k if k > 5 or (k == 5 and seed % 2) else 0) for k in range(10) for seed in range(20)]
    runs = "x,heading_error\n" + "".join(f"{k},{error}\n" for k, _, error in flown)
    table = Results("setting,x,seeds\n" + "".join(f"{k},{k},20\n" for k in range(10)), runs)
    middle, least, most = critical_difference(table, {})
    assert middle == 100 and 90 < least < 100 < most < 110, (middle, least, most)
    print("reproduce: the judge is right in all cases", file=sys.stderr)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Wrong as why:
        print(f"error: {why}", file=sys.stderr)
        sys.exit(1)

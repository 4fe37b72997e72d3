"""The examples, from start to end: the longer one with few steps."""

import subprocess
import sys
from pathlib import Path

import numpy as np

EXAMPLES = Path(__file__).parents[3] / "examples" / "python"


def run(folder, name, *options):
    """What an example prints; its files are in the folder."""
    words = [sys.executable, EXAMPLES / name, *options]
    return subprocess.run(list(map(str, words)), check=True, capture_output=True, text=True, cwd=folder).stdout


def is_picture(path):
    return path.read_bytes().startswith(b"\x89PNG") and path.stat().st_size > 2000


def test_order_falls_as_noise_grows(tmp_path):
    out = tmp_path / "vicsek.csv"
    table = run(tmp_path, "vicsek.py", "--seeds", "4", "--settle", "100", "--samples", "5", "--out", out)
    assert table.count("±") == 10
    rows = np.genfromtxt(out, delimiter=",", names=True)
    assert rows["polarization"][0] > 0.9 and rows["polarization"][-1] < 0.3
    assert (np.diff(rows["polarization"]) < 0.1).all()


def test_a_first_flock(tmp_path):
    said = run(tmp_path, "first_flock.py")
    assert "step 300" in said and "(480, 640, 4)" in said
    order = [float(line.split()[-1]) for line in said.splitlines() if line.startswith("step")]
    assert order[0] < 0.2 and order[-1] > 0.8
    assert is_picture(tmp_path / "first_flock.png")


def test_a_rule_of_ones_own(tmp_path):
    said = run(tmp_path, "own_rule.py")
    assert "the same bits: True" in said
    assert int(said.split(" meals")[0].split()[-1]) > 300
    assert is_picture(tmp_path / "own_rule.png")


"""The examples, with few steps."""

import subprocess
import sys
from pathlib import Path

import numpy as np

EXAMPLES = Path(__file__).parents[3] / "examples" / "python"


def test_order_falls_as_noise_grows(tmp_path):
    out = tmp_path / "vicsek.csv"
    words = [EXAMPLES / "vicsek.py", "--seeds", "4", "--settle", "100", "--samples", "5", "--out", out]
    table = subprocess.run([sys.executable, *map(str, words)], check=True, capture_output=True, text=True).stdout
    assert table.count("±") == 10
    rows = np.genfromtxt(out, delimiter=",", names=True)
    assert rows["polarization"][0] > 0.9 and rows["polarization"][-1] < 0.3
    assert (np.diff(rows["polarization"]) < 0.1).all()

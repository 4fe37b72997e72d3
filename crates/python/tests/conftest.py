"""What the tests share. MURMURATION_PROGRAM names the program to compare with, as `cargo xtask wheel --test` does."""

import os
import signal
import subprocess

import numpy as np
import pytest

import murmuration_boids as mb


@pytest.fixture(scope="session")
def program():
    """Runs the program with these arguments; returns what it prints."""
    path = os.environ["MURMURATION_PROGRAM"]

    def run(*arguments):
        words = [path, *map(str, arguments)]
        return subprocess.run(words, check=True, capture_output=True, text=True).stdout

    return run


@pytest.fixture(scope="session")
def gpu():
    """Fails where an adapter is required, and else is a reason not to run the test."""
    if not any(adapter["compute"] for adapter in mb.adapters()):
        if os.environ.get("MURMURATION_TEST"):
            pytest.fail("there is no adapter that steps flocks")
        pytest.skip("there is no adapter that steps flocks: NOT tested")


@pytest.fixture
def interruptible():
    """Ctrl-C is heard, also where whoever began the tests ignores it, as shells do for what runs behind them."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def refused(lines, kind=mb.UsageError):
    """Each call fails with an error of this kind, and its line begins as its key says."""
    for line, call in lines.items():
        with pytest.raises(kind) as caught:
            call()
        assert str(caught.value).startswith(line), str(caught.value)


def columns(path, numeric):
    """Positions and velocities of the boids of a state that a run wrote."""
    table = np.genfromtxt(path, delimiter=",", names=True, dtype=None, encoding="ascii")
    table = table[table["kind"] == "boid"]
    kind = np.float32 if numeric == "f32" else np.float64
    both = ["x", "y", "z"], ["vx", "vy", "vz"]
    return [np.stack([table[name] for name in names], 1).astype(kind) for names in both]

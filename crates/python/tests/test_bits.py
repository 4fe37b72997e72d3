"""A flock in Python has the hashes and the bits of the command line."""

import numpy as np
import pytest

import murmuration_boids as mb
from conftest import columns

BOIDS, STEPS = 300, 20


def hashes(flock, steps=STEPS):
    """The lines of `run --hash`."""
    lines = [f"{flock.step_count},{flock.hash()}"]
    for _ in range(steps):
        flock.step()
        lines.append(f"{flock.step_count},{flock.hash()}")
    return lines


def options(preset, numeric, engine):
    return "--preset", preset, "-n", BOIDS, "--numeric", numeric, "--engine", engine, "--seed", 5


@pytest.mark.parametrize("numeric", ["f32", "f64", "fixed"])
@pytest.mark.parametrize("preset", mb.presets())
def test_hashes_and_states_are_those_of_the_program(program, tmp_path, preset, numeric):
    flock = mb.Flock(preset, boids=BOIDS, numeric=numeric, engine="cpu", seed=5)
    words = options(preset, numeric, "cpu")
    out = tmp_path / "state.csv"
    lines = program("run", *words, "--steps", STEPS, "--hash", "--out", out).split()
    assert hashes(flock) == lines
    for here, there in zip([flock.position, flock.velocity], columns(out, numeric)):
        assert here.dtype == there.dtype and here.tobytes() == there.tobytes()
    # So a wrong state would be seen.
    other = mb.Flock(preset, boids=BOIDS, numeric=numeric, engine="cpu", seed=6)
    assert other.hash() != lines[0].split(",")[1]


@pytest.mark.parametrize("numeric", ["f32", "fixed"])
def test_hashes_on_the_gpu(program, gpu, numeric):
    flock = mb.Flock("yabi", boids=BOIDS, numeric=numeric, engine="gpu", seed=5)
    assert flock.engine.startswith("gpu")
    assert flock.position.dtype == (np.float32 if numeric == "f32" else np.float64)
    assert hashes(flock) == program("run", *options("yabi", numeric, "gpu"), "--steps", STEPS, "--hash").split()


@pytest.mark.parametrize("numeric", ["f32", "f64", "fixed"])
def test_what_is_read_can_be_set_without_a_change(numeric):
    flock = mb.Flock("cornell", boids=BOIDS, numeric=numeric, engine="cpu")
    twin = mb.Flock("cornell", boids=BOIDS, numeric=numeric, engine="cpu")
    for _ in range(3):
        flock.step(5)
        twin.step(5)
        flock.position, flock.velocity = flock.position, flock.velocity
        assert flock.hash() == twin.hash()
    moved = flock.position.copy()
    moved[7, 1] += 1e-3
    flock.position = moved
    assert flock.hash() != twin.hash()
    assert np.array_equal(np.flatnonzero((flock.position != twin.position).any(1)), [7])


def test_an_array_of_any_layout_is_the_same_state():
    flock = mb.Flock("yabi", boids=50, engine="cpu")
    position, before = flock.position, flock.hash()
    wide = np.zeros((50, 6), np.float64)
    wide[:, ::2] = position
    for same in [np.asfortranarray(position), wide[:, ::2], position.astype(">f4"), position.tolist()]:
        flock.position = position * 0.5
        assert flock.hash() != before
        flock.position = same
        assert flock.hash() == before


def test_a_flock_goes_on_from_a_file(program, tmp_path):
    out = tmp_path / "state.csv"
    program("run", *options("yabi", "f32", "cpu"), "--steps", 10, "--out", out)
    lines = program("run", *options("yabi", "f32", "cpu"), "--steps", STEPS, "--hash").split()
    flock = mb.Flock("yabi", engine="cpu", seed=5, init=out)
    assert hashes(flock, STEPS - 10) == lines[10:]

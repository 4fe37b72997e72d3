"""A flock in Python has the hashes and the bits of the command line; an array of requests those of a formula."""

import numpy as np
import pytest

import murmuration_boids as mb
from conftest import columns, refused

BOIDS, STEPS = 200, 10


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
@pytest.mark.parametrize("preset", ["murmuration", "vicsek", "vortex"])
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
    # A flock goes on from a file.
    later = mb.Flock(preset, numeric=numeric, engine="cpu", seed=5, init=out)
    flock.step(5)
    later.step(5)
    assert later.hash() == flock.hash()


@pytest.mark.parametrize("numeric", ["f32", "fixed"])
def test_hashes_on_the_gpu(program, gpu, numeric):
    flock = mb.Flock("yabi", boids=BOIDS, numeric=numeric, engine="gpu", seed=5)
    assert flock.engine.startswith("gpu")
    assert flock.position.dtype == (np.float32 if numeric == "f32" else np.float64)
    assert hashes(flock) == program("run", *options("yabi", numeric, "gpu"), "--steps", STEPS, "--hash").split()


@pytest.mark.parametrize("numeric", ["f32", "f64", "fixed"])
def test_what_is_read_can_be_set_without_a_change(numeric):
    flock, twin = (mb.Flock("cornell", boids=BOIDS, numeric=numeric, engine="cpu") for _ in range(2))
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


SWIRL = """
preset = "murmuration"
[flock]
boids = 90
[terms.swirl]
strength = { default = 0.05, range = [0, 1], unit = "1/t" }
request = "strength * cross(vec3(0, 0, 1), position - home.position)"
"""


@pytest.mark.parametrize("numeric", ["f32", "f64"])
def test_an_array_of_requests_has_the_bits_of_a_formula(tmp_path, numeric):
    file = tmp_path / "swirl.toml"
    file.write_text(SWIRL)
    by_formula = mb.Flock.load(file, engine="cpu", numeric=numeric)
    by_array, plain = (mb.Flock("murmuration", boids=90, engine="cpu", numeric=numeric) for _ in range(2))
    home = np.array(by_array.parameters["home.position"], by_array.position.dtype)
    for _ in range(20):
        x, y, _ = (by_array.position - home).T
        by_array.step(acceleration=home.dtype.type(0.05) * np.stack([-y, x, 0 * x], 1))
        by_formula.step()
        plain.step()
        assert by_array.hash() == by_formula.hash()
    assert plain.hash() != by_array.hash()


@pytest.mark.parametrize("numeric", ["f32", "f64", "fixed"])
def test_zeros_are_none_and_steps_hold_the_array(numeric):
    flocks = [mb.Flock("yabi", boids=200, engine="cpu", numeric=numeric, seed=3) for _ in range(4)]
    zeros, plain, once, often = flocks
    zeros.step(30, acceleration=np.zeros((200, 3)))
    plain.step(30)
    assert zeros.hash() == plain.hash()
    along = np.random.default_rng(1).normal(0, 0.01, (200, 3))
    once.step(30, acceleration=along)
    for _ in range(30):
        often.step(1, acceleration=along.tolist())
    assert once.hash() == often.hash() != plain.hash()
    # None is left of it.
    once.step(5)
    often.step(5, acceleration=None)
    assert once.hash() == often.hash()


def test_rows_are_boids_by_id():
    flock, twin = (mb.Flock("murmuration", boids=300, engine="cpu", seed=2) for _ in range(2))
    flock.step(20)
    twin.step(20)
    up = np.zeros((300, 3))
    up[[7, 250], 2] = 0.05
    flock.step(acceleration=up)
    twin.step()
    other = (flock.velocity != twin.velocity).any(1)
    assert np.flatnonzero(other).tolist() == [7, 250]


def test_many_flocks_take_an_array_each():
    many = mb.Flocks("couzin", boids=40, count=3)
    singles = [mb.Flock("couzin", boids=40, seed=seed, engine="cpu") for seed in range(3)]
    for _ in range(5):
        along = 0.1 * many.velocity[..., [1, 0, 2]]
        many.step(2, acceleration=along)
        for one, row in zip(singles, along):
            one.step(2, acceleration=row)
    assert many.hash() == [one.hash() for one in singles]


def test_requests_that_do_not_fit_are_refused_in_a_line():
    flock, flat = (mb.Flock(name, boids=20, engine="cpu") for name in ["yabi", "vicsek"])
    whole = mb.Flock("yabi", boids=20, engine="cpu", numeric="fixed")
    many = mb.Flocks("yabi", boids=20, count=2)
    array, up = np.zeros((20, 3)), np.zeros((20, 3))
    array[4, 1], up[3, 2] = np.nan, 1
    refused(
        {
            "acceleration must have the shape [20, 3], not [2]": lambda: flock.step(1, acceleration=[1, 2]),
            "acceleration must have the shape [2, 20, 3], not [20, 3]": lambda: many.step(1, acceleration=up),
            "acceleration: boid 4, column y must be -1e15 to 1e15, not NaN": lambda: flock.step(1, acceleration=array),
            "acceleration: boid 3, column z must be 0 in two dimensions": lambda: flat.step(1, acceleration=up),
            "acceleration: boid 3, column z must be -": lambda: whole.step(1, acceleration=up * 1e6),
        }
    )
    with pytest.raises(TypeError):
        flock.step(1, acceleration=["a"] * 20)
    assert flock.step_count == 0


@pytest.mark.parametrize("numeric", ["f32", "fixed"])
def test_the_gpu_takes_an_array_of_requests(gpu, numeric):
    here, there = (mb.Flock("yabi", boids=200, engine=engine, numeric=numeric, seed=3) for engine in ["cpu", "gpu"])
    along = np.random.default_rng(1).normal(0, 0.05, (200, 3))
    for flock in [here, there]:
        flock.step(6, acceleration=along)
        flock.step(2)
    if numeric == "fixed":
        assert here.hash() == there.hash()
    assert np.abs(here.velocity - there.velocity).max() < 1e-3 * here.parameters["motion.max_speed"]
    plain = mb.Flock("yabi", boids=200, engine="gpu", numeric=numeric, seed=3)
    plain.step(8)
    assert np.abs(plain.velocity - there.velocity).max() > 1e-2 * here.parameters["motion.max_speed"]

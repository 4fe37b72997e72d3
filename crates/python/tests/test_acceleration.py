"""What boids request by an array enters the rule as what they request by a formula does."""

import numpy as np
import pytest

import murmuration_boids as mb

SWIRL = """
preset = "{preset}"
[flock]
boids = 90
[terms.swirl]
strength = {{ default = 0.05, range = [0, 1], unit = "1/t" }}
request = "strength * cross(vec3(0, 0, 1), position - home.position)"
"""


def swirl(flock):
    """The same as the formula requests, in the numbers of the flock."""
    position = flock.position
    x, y, _ = (position - np.array(flock.parameters["home.position"], position.dtype)).T
    return position.dtype.type(0.05) * np.stack([-y, x, 0 * x], 1)


@pytest.mark.parametrize("numeric", ["f32", "f64"])
@pytest.mark.parametrize("preset", ["murmuration", "cornell", "vicsek"])
def test_an_array_has_the_bits_of_a_formula(tmp_path, preset, numeric):
    file = tmp_path / "swirl.toml"
    file.write_text(SWIRL.format(preset=preset))
    by_formula = mb.Flock.load(file, engine="cpu", numeric=numeric)
    by_array, plain = (mb.Flock(preset, boids=90, engine="cpu", numeric=numeric) for _ in range(2))
    for _ in range(40):
        by_array.step(acceleration=swirl(by_array))
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


@pytest.mark.parametrize("numeric", ["f32", "fixed"])
def test_many_flocks_take_an_array_each(numeric):
    many = mb.Flocks("couzin", boids=40, count=3, numeric=numeric)
    singles = [mb.Flock("couzin", boids=40, seed=seed, numeric=numeric, engine="cpu") for seed in range(3)]
    for _ in range(5):
        along = 0.1 * many.velocity[..., [1, 0, 2]]
        many.step(2, acceleration=along)
        for one, row in zip(singles, along):
            one.step(2, acceleration=row)
    assert many.hash() == [one.hash() for one in singles]


def test_what_does_not_fit_is_refused_in_a_line():
    flock, flat = (mb.Flock(name, boids=20, engine="cpu") for name in ["yabi", "vicsek"])
    whole = mb.Flock("yabi", boids=20, engine="cpu", numeric="fixed")
    many = mb.Flocks("yabi", boids=20, count=2)
    array, up = np.zeros((20, 3)), np.zeros((20, 3))
    array[4, 1], up[3, 2] = np.nan, 1
    lines = {
        "acceleration: shape [2]: allowed is [20, 3]": lambda: flock.step(1, acceleration=[1, 2]),
        "acceleration: shape [20, 3]: allowed is [2, 20, 3]": lambda: many.step(1, acceleration=up),
        "acceleration: boid 4, column y must be -1e15 to 1e15, not NaN": lambda: flock.step(1, acceleration=array),
        "acceleration: boid 3, column z must be 0 in two dimensions": lambda: flat.step(1, acceleration=up),
    }
    for line, call in lines.items():
        with pytest.raises(mb.UsageError) as caught:
            call()
        assert str(caught.value) == line
    with pytest.raises(mb.UsageError, match="boid 3, column z must be -.*, not 1e6"):
        whole.step(1, acceleration=up * 1e6)
    with pytest.raises(TypeError):
        flock.step(1, acceleration=["a"] * 20)
    assert flock.step_count == 0


@pytest.mark.parametrize("numeric", ["f32", "fixed"])
def test_the_gpu_takes_it(gpu, numeric):
    here, there = (mb.Flock("yabi", boids=200, engine=engine, numeric=numeric, seed=3) for engine in ["cpu", "gpu"])
    along = np.random.default_rng(1).normal(0, 0.05, (200, 3))
    for flock in [here, there]:
        flock.step(6, acceleration=along)
        flock.step(2)
    assert here.step_count == there.step_count == 8
    if numeric == "fixed":
        assert here.hash() == there.hash()
    assert np.abs(here.velocity - there.velocity).max() < 1e-3 * here.parameters["motion.max_speed"]
    plain = mb.Flock("yabi", boids=200, engine="gpu", numeric=numeric, seed=3)
    plain.step(8)
    assert np.abs(plain.velocity - there.velocity).max() > 1e-2 * here.parameters["motion.max_speed"]

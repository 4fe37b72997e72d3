"""Many flocks at once."""

import itertools

import numpy as np
import pytest

import murmuration_boids as mb
from conftest import refused


@pytest.mark.parametrize("numeric, threads", [("f32", 1), ("f64", None), ("fixed", None)])
def test_many_flocks_are_single_ones(numeric, threads):
    seeds = [3, 1, 4, 1, 5]
    many = mb.Flocks("couzin", boids=60, seeds=seeds, numeric=numeric, threads=threads)
    singles = [mb.Flock("couzin", boids=60, seed=seed, numeric=numeric, engine="cpu") for seed in seeds]
    for steps in [0, 1, 17]:
        many.step(steps)
        for one in singles:
            one.step(steps)
        assert many.hash() == [one.hash() for one in singles]
        assert np.array_equal(many.position, [one.position for one in singles])
        assert np.array_equal(many.velocity, [one.velocity for one in singles])
    assert many.position.dtype == singles[0].position.dtype and many.position.shape == (5, 60, 3)
    measures = many.measure("polarization", "milling")
    for name, values in measures.items():
        assert values.tolist() == [one.measure(name)[name] for one in singles]
    # So flocks in a wrong order would be seen.
    assert len(set(many.hash())) == 4


def test_a_part_starts_anew():
    many = mb.Flocks("yabi", count=4, boids=30)
    first = many.hash()
    many.step(5)
    later = many.hash()
    many.reset([True, False, True, False], seeds=[0, 9])
    assert many.seeds.tolist() == [0, 1, 9, 3] and many.step_count.tolist() == [0, 5, 0, 5]
    assert many.hash()[0] == first[0] and many.hash()[2] not in first + later
    assert many.hash()[1::2] == later[1::2]
    many.step(5)
    one = mb.Flock("yabi", seed=9, boids=30, engine="cpu")
    one.step(5)
    assert many.hash()[2] == one.hash()
    many.reset()
    assert many.step_count.tolist() == [0] * 4 and many.hash()[1] == first[1]


def test_all_are_set():
    many = mb.Flocks("yabi", count=3, boids=30)
    position = many.position.copy()
    position[1, 2] += 0.5
    before = many.hash()
    many.position = position
    assert [a == b for a, b in zip(before, many.hash())] == [True, False, True]
    many.set("separation.radius", 9)
    many.step(4)
    one = mb.Flock("yabi", boids=30, seed=2, engine="cpu", **{"separation.radius": 9})
    one.step(4)
    assert many.hash()[2] == one.hash() and many.parameters["separation.radius"] == 9


@pytest.mark.parametrize("numeric", ["f32", "f64", "fixed"])
def test_the_nearest_are_observed(numeric):
    many = mb.Flocks("vicsek", count=3, boids=40, numeric=numeric)
    many.step(20)
    side = np.subtract(many.parameters["world.max"], many.parameters["world.min"])
    near, none = many.observe(5, 0.5), many.observe(0)
    assert near.shape == (3, 40, 5, 6) and none.shape == (3, 40, 0, 6) and near.dtype == many.position.dtype
    for seen, position, velocity in zip(near, many.position, many.velocity):
        offset = position[None] - position[:, None]
        offset[..., :2] -= side[:2] * np.round(offset[..., :2] / side[:2])
        distance = np.linalg.norm(offset, axis=-1)
        np.fill_diagonal(distance, np.inf)
        order = distance.argsort(axis=1)[:, :5]
        inside = np.take_along_axis(distance, order, 1) < 0.5
        rows = np.arange(40)[:, None]
        expected = np.concatenate([offset[rows, order], velocity[order]], -1) * inside[..., None]
        assert np.abs(seen - expected).max() < 1e-5
        assert inside.any() and not inside.all()
    for wrong in [lambda: many.observe(40), lambda: many.observe(2, -1.0), lambda: many.observe(2, np.nan)]:
        with pytest.raises(mb.UsageError, match="(nearest|radius) must be"):
            wrong()


def test_too_many_are_refused_at_once():
    calls = {
        "count must be 0 to 1000000, not 9223372036854775808": dict(boids=4, count=2**63),
        "seeds must have at most 1000000 values": dict(boids=4, seeds=itertools.count()),
        "out of memory: 5000 flocks of flock.boids = 1000000 are too many": dict(boids=10**6, count=5000),
    }
    refused({line: lambda words=words: mb.Flocks("yabi", **words) for line, words in calls.items()}, mb.Error)


def test_what_does_not_fit_changes_nothing():
    many = mb.Flocks("yabi", count=3, boids=30)
    before = many.hash()
    bad = many.position.copy()
    bad[2, 4, 1] = np.nan
    calls = [
        lambda: setattr(many, "position", bad),
        lambda: setattr(many, "velocity", bad[:2]),
        lambda: many.reset([True, False]),
        lambda: many.reset([True, False, True], seeds=[1]),
        lambda: many.reset(seeds=[1, 2, -3]),
        lambda: many.set("noise.angle", 1e9),
    ]
    for call in calls:
        with pytest.raises(mb.UsageError):
            call()
        assert many.hash() == before


def test_none_are_flocks():
    none = mb.Flocks("yabi", count=0, boids=5)
    assert none.position.shape == (0, 5, 3) and none.parameters["flock.boids"] == 5
    none.set("separation.radius", 9)
    assert none.parameters["separation.radius"] == 9
    with pytest.raises(mb.UsageError, match="separation.radus"):
        none.set("separation.radus", 9)
    empty = mb.Flocks("yabi", count=3, boids=0)
    empty.step(2)
    assert empty.position.shape == (3, 0, 3)

"""Flocks that are copied, or sent to another process, go on with the same bits."""

import copy
import multiprocessing
import pickle

import numpy as np
import pytest

import murmuration_boids as mb

# A preset, and parameters over it.
FLOCKS = {
    "predators": ("yabi", {"predators.count": 2}),
    "scouts": ("cornell", {"scouts.right": 0.2}),
    "groups": ("cornell", {"flock.groups": [1, 0, 2], "scouts.right": 0, "scouts.left": 0}),
    "perched": ("cornell", {"perching.height": 30, "perching.steps": 500}),
    "formula": ("vortex", {}),
    "formulas": ("gate", {}),
    "set in flight": ("vicsek", {}),
}


def flown(name, numeric="f32", **options):
    preset, parameters = FLOCKS[name]
    flock = mb.Flock(preset, boids=120, seed=7, numeric=numeric, **options, **parameters)
    flock.step(15)
    if name == "set in flight":
        flock.set("noise.angle", 12.5)
        flock.step(5)
    return flock


def same(flock, twin):
    """The same now, and after more steps."""
    assert twin.hash() == flock.hash() and twin.parameters == flock.parameters
    assert np.array_equal(twin.step_count, flock.step_count)
    for array in ["position", "velocity"]:
        ours, theirs = getattr(flock, array), getattr(twin, array)
        assert ours.dtype == theirs.dtype and np.array_equal(ours, theirs) and not theirs.flags.writeable
    for one in [flock, twin]:
        one.step(25)
    assert twin.hash() == flock.hash()


def copies(thing):
    return [pickle.loads(pickle.dumps(thing)), copy.copy(thing), copy.deepcopy(thing)]


@pytest.mark.parametrize("numeric", ["f32", "f64", "fixed"])
@pytest.mark.parametrize("name", FLOCKS)
def test_a_copy_of_a_flock_flies_on_like_it(name, numeric):
    flock = flown(name, numeric, engine="cpu", threads=2)
    if name == "perched":
        boids = flock.__reduce__()[1][2][1]
        assert (boids[0, :, 8] > 0).any(), "none is perched"
    for twin in copies(flock):
        assert twin.engine == flock.engine and "2 threads" in twin.engine and np.array_equal(twin.group, flock.group)
    same(flock, twin)


def test_a_copy_of_no_boids_and_one_after_a_change_of_engine():
    same(mb.Flock("yabi", boids=0, engine="cpu"), copy.deepcopy(mb.Flock("yabi", boids=0, engine="cpu")))
    flock = mb.Flock("yabi", boids=40, threads=1)
    flock.engine = "cpu"
    twin = copy.deepcopy(flock)
    assert twin.engine == flock.engine
    same(flock, twin)


@pytest.mark.parametrize("numeric", ["f32", "fixed"])
def test_a_flock_of_the_gpu_is_opened_where_it_arrives(gpu, numeric):
    flock = flown("predators", numeric, engine="gpu")
    twin = pickle.loads(pickle.dumps(flock))
    assert twin.engine == flock.engine and twin.engine.startswith("gpu")
    same(flock, twin)
    flock.engine = "cpu"
    assert copy.deepcopy(flock).engine.startswith("cpu")


@pytest.mark.parametrize("numeric", ["f32", "fixed"])
@pytest.mark.parametrize("name", ["perched", "predators", "formulas"])
def test_a_copy_of_many_flocks_flies_on_like_them(name, numeric):
    preset, parameters = FLOCKS[name]
    many = mb.Flocks(preset, seeds=[5, 3, 8], boids=60, numeric=numeric, **parameters)
    many.step(15)
    many.reset([False, True, False], seeds=[11])
    many.step(4)
    for twin in copies(many):
        assert twin.seeds.tolist() == [5, 11, 8] and twin.step_count.tolist() == [19, 4, 19]
    same(many, twin)
    twin.reset()
    assert twin.step_count.tolist() == [0, 0, 0]
    none = copy.deepcopy(mb.Flocks(preset, count=0, boids=5))
    assert len(none) == 0 and none.position.shape == (0, 5, 3)


def step(flock, steps):
    flock.step(steps)
    return flock, flock.hash()


def test_processes_that_are_spawned_take_flocks_and_return_them():
    flocks = [flown(name, engine="cpu") for name in ["predators", "perched", "formulas"]]
    flocks.append(mb.Flocks("couzin", count=3, boids=50))
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        found = pool.starmap_async(step, [(flock, 10) for flock in flocks]).get(300)
    for flock, (twin, there) in zip(flocks, found):
        flock.step(10)
        assert flock.hash() == twin.hash() == there


def test_a_state_a_study_and_an_error_are_copied():
    flock = mb.Flock("vicsek", boids=20, engine="cpu")
    state = list(flock.run(5))[-1]
    study = mb.sweep(preset="vicsek", boids=20, seeds=2, steps=5, columns="polarization", engine="cpu", series=True)
    with pytest.raises(mb.UsageError) as caught:
        flock.set("noise.angle", -1)
    for twin in copies(state):
        assert twin.step == state.step == 5 and np.array_equal(twin.position, state.position)
        assert np.array_equal(twin.group, state.group) and not twin.velocity.flags.writeable
    for twin in copies(study):
        assert repr(twin) == repr(study) and list(twin.runs) == list(study.runs)
        assert np.array_equal(twin.runs["hash"], study.runs["hash"]) and len(twin.series["step"]) == len(study.series["step"])
    for twin in copies(caught.value):
        assert isinstance(twin, mb.UsageError) and str(twin) == str(caught.value)


def test_an_old_or_damaged_pickle_is_one_line():
    restore, (options, parameters, states) = mb.Flock("vicsek", boids=20, engine="cpu").__reduce__()
    steps, boids, predators = states
    lines = {
        "pickle:": lambda: restore(options, "[separation]\nwidth = 3\n", states),
        "boids: shape [1, 19, 9]: allowed is [1, 20, 9]": lambda: restore(options, parameters, (steps, boids[:, 1:], predators)),
        "a pickled flock must have one state, not none": lambda: restore(options, parameters, ([], boids[:0], predators[:0])),
    }
    for line, call in lines.items():
        with pytest.raises(mb.UsageError) as caught:
            call()
        assert str(caught.value).startswith(line), str(caught.value)

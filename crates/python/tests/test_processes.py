"""Threads, signals, and processes that are forked or spawned; flocks that are copied go on with the same bits."""

import _thread
import copy
import itertools
import multiprocessing
import os
import pickle
import signal
import threading
import time

import numpy as np
import pytest

import murmuration_boids as mb
from conftest import refused

pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")

FORKS = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")

# A preset, and parameters over it.
FLOCKS = {
    "predators": ("yabi", {"predators.count": 2}),
    "groups": ("cornell", {"flock.groups": [1, 0, 2], "scouts.right": 0, "scouts.left": 0}),
    "perched": ("cornell", {"perching.height": 30, "perching.steps": 500}),
    "formulas": ("gate", {}),
    "set in flight": ("vicsek", {}),
}


def test_a_state_is_of_one_step_while_another_thread_steps():
    flock, alone = (mb.Flock("yabi", boids=100, engine="cpu") for _ in range(2))
    steps = [state.position.tobytes() + state.velocity.tobytes() for state in alone.run(300)]
    stepping = threading.Thread(target=lambda: [flock.step() for _ in range(300)])
    stepping.start()
    states = []
    while stepping.is_alive():
        states.extend(flock.run(0))
    stepping.join()
    assert all(steps[state.step] == state.position.tobytes() + state.velocity.tobytes() for state in states)


@pytest.mark.usefixtures("interruptible")
def test_states_that_were_interrupted_go_on_to_the_step_that_was_asked_for():
    flock = mb.Flock("yabi", boids=2000, engine="cpu", threads=1)
    states = flock.run(3000, every=2999)
    next(states)
    threading.Timer(0.3, _thread.interrupt_main).start()
    with pytest.raises(KeyboardInterrupt):
        next(states)
    assert 0 < flock.step_count < 2999
    for rule in ["separation", "alignment", "cohesion"]:
        flock.set(f"{rule}.radius", 0)
    assert [state.step for state in states][-1] == 3000


def test_python_goes_on_while_a_flock_steps():
    flock = mb.Flock("yabi", boids=2000, engine="cpu", threads=1)
    stepping = threading.Thread(target=flock.step, args=(100,))
    stepping.start()
    ticks = 0
    while stepping.is_alive():
        ticks += 1
        time.sleep(0.001)
    assert ticks > 3


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("many", [False, True])
def test_ctrl_c_ends_it_between_two_steps(many):
    flock = mb.Flocks("yabi", seeds=[1], boids=200) if many else mb.Flock("yabi", boids=200, seed=1, engine="cpu")
    threading.Timer(0.5, _thread.interrupt_main).start()
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        flock.step(2**31)
    assert time.monotonic() - begun < 10
    done = int(flock.step_count[0]) if many else flock.step_count
    assert 0 < done < 2**31
    alone = mb.Flock("yabi", boids=200, seed=1, engine="cpu")
    alone.step(done)
    assert alone.hash() == (flock.hash()[0] if many else flock.hash())


def forked(work):
    """What the work says in a forked process: nothing where it takes half a minute."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        try:
            said = work()
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(writer, said.encode())
        os._exit(0)
    os.close(writer)
    with open(reader) as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return said


def work():
    """All that uses threads; the hashes of what came of it."""
    flock = mb.Flock("vicsek", boids=500, engine="cpu")
    flock.step(5)
    flock.position = flock.position
    flock.measure(), flock.neighbours(), flock.picture(size=(32, 32))
    many = mb.Flocks("vicsek", count=3, boids=50)
    many.step(5)
    many.reset([True, False, False])
    many.measure(), many.observe(3)
    study = mb.sweep(preset="vicsek", boids=50, seeds=2, steps=5, columns="polarization", engine="cpu")
    return " ".join([flock.hash(), *many.hash(), *study.runs["hash"]])


@FORKS
def test_a_forked_process_opens_flocks_of_its_own():
    here = work()
    assert forked(work) == here
    # From a pool, too.
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.starmap_async(work, [()] * 2).get(60) == [here] * 2


@FORKS
def test_a_flock_stays_in_its_process():
    flock, many = mb.Flock("yabi", boids=50, engine="cpu"), mb.Flocks("yabi", count=2, boids=50)
    line = "Error: the flock was opened in another process: create a new one in this process"
    for call in [flock.step, flock.hash, many.step, lambda: many.position]:
        assert forked(call) == line

    def drop():
        nonlocal flock, many
        del flock, many
        return "dropped"

    assert forked(drop) == "dropped"
    flock.step(), many.step()


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


@pytest.mark.parametrize("name, numeric", list(zip(FLOCKS, itertools.cycle(["f32", "fixed", "f64"]))))
def test_a_copy_of_a_flock_flies_on_like_it(name, numeric):
    flock = flown(name, numeric, engine="cpu", threads=2)
    if name == "perched":
        boids = flock.__reduce__()[1][2][1]
        assert (boids[0, :, 8] > 0).any(), "none is perched"
    for twin in copies(flock):
        assert twin.engine == flock.engine and "2 threads" in twin.engine and np.array_equal(twin.group, flock.group)
    same(flock, twin)


def test_a_flock_of_the_gpu_is_opened_where_it_arrives(gpu):
    flock = flown("predators", "fixed", engine="gpu")
    twin = pickle.loads(pickle.dumps(flock))
    assert twin.engine == flock.engine and twin.engine.startswith("gpu")
    same(flock, twin)
    flock.engine = "cpu"
    assert copy.deepcopy(flock).engine.startswith("cpu")


@pytest.mark.parametrize("name, numeric", [("perched", "f32"), ("formulas", "fixed")])
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


def step(flock, steps):
    flock.step(steps)
    return flock, flock.hash()


def test_processes_that_are_spawned_take_flocks_and_return_them():
    flocks = [flown(name, engine="cpu") for name in ["predators", "formulas"]]
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
    refused(
        {
            "pickle:": lambda: restore(options, "[separation]\nwidth = 3\n", states),
            "boids must have the shape [1, 20, 9], not [1, 19, 9]": lambda: restore(options, parameters, (steps, boids[:, 1:], predators)),
            "a pickled flock must have one state, not none": lambda: restore(options, parameters, ([], boids[:0], predators[:0])),
        }
    )

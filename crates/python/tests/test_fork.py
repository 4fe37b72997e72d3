"""Processes that are forked: no thread goes with them."""

import multiprocessing
import os
import signal
import sys
import time

import pytest

import murmuration_boids as mb

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork"),
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
]


def forked(work):
    """What the work says in a forked process, which may take half a minute."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            said = work()
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(writer, said.encode())
        os._exit(0)
    os.close(writer)
    end = time.monotonic() + 30
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            pytest.fail("the forked process hangs")
        time.sleep(0.01)
    with open(reader) as pipe:
        return pipe.read()


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


def test_a_forked_process_opens_flocks_of_its_own():
    here = work()
    assert forked(work) == here
    # From a forked process, too.
    assert forked(lambda: forked(work)) == here


def test_a_flock_stays_in_its_process():
    flock, many = mb.Flock("yabi", boids=50, engine="cpu"), mb.Flocks("yabi", count=2, boids=50)
    line = "Error: the flock was opened in another process: make a new one in this one"
    for call in [flock.step, flock.hash, flock.measure, many.step, many.hash, lambda: many.position]:
        assert forked(call) == line

    def drop():
        nonlocal flock, many
        del flock, many
        return "dropped"

    assert forked(drop) == "dropped"
    flock.step(), many.step()


def test_a_pool_of_forked_processes_works():
    expected = work()
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.starmap_async(work, [()] * 3).get(60) == [expected] * 3

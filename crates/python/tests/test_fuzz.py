"""Random calls with what does not fit: an exception or a result, never the end of the process."""

import os
import random

import numpy as np
import pytest

import murmuration_boids as mb

CALLS = int(os.environ.get("MURMURATION_CALLS", "1500"))


class Odd:
    """What no number, text or list is."""

    def __array__(self, *_, **__):
        raise RuntimeError("no array")

    def __str__(self):
        return "\0"


def cycle():
    """A list that holds itself."""
    items = [1]
    items.append(items)
    return items


def value(rng):
    """Anything at all."""
    shape = tuple(rng.choice([0, 1, 2, 3, 20, 21]) for _ in range(rng.randrange(4)))
    dtype = rng.choice(["f4", "f8", "f2", "i4", "u1", "?", "c8", "U3", "O", "M8[s]", ">f8"])
    array = np.zeros(shape, dtype)
    if array.dtype.kind == "f" and array.size:
        array.flat[rng.randrange(array.size)] = rng.choice([np.nan, np.inf, -1e30, 1e15, 0.5, 1e-45])
    strided = np.zeros((40, 6))[::2, ::2] if rng.random() < 0.5 else np.zeros((3, 20)).T
    simple = [None, True, 0, -1, 3, 2**31, 2**64, -(2**70), 0.5, -0.0, 1e308, float("nan"), float("inf"), 1j]
    texts = ["", "yabi", "nan", "1e6", "=", "a=b", "separation.radius", "\0", "é" * 40, "[1,2", "{ a = 1 }", b"x", "--help"]
    others = [[], [1, 2, 3], [[0, 0, 0]] * 20, {"a": 1}, {1: 2}, cycle(), Odd(), object(), range(5), np.float32(2), np.int64(-1)]
    frozen = np.zeros((20, 3))
    frozen.flags.writeable = False
    return rng.choice([rng.choice(simple), rng.choice(texts), rng.choice(others), array, strided, frozen])


def call(rng, flock, many):
    """One call, most of whose arguments do not fit."""
    name = rng.choice(list(flock.parameters) + ["separation.radus", "", ".", "terms.x", "terms.x.y", "a.b.c"])
    small = rng.choice([0, 1, 3, -1, value(rng)])
    steps = small if not isinstance(small, int) or small < 10 else 3
    one = rng.choice([flock, many])
    calls = [
        lambda: setattr(one, rng.choice(["position", "velocity"]), value(rng)),
        lambda: one.set(name, value(rng)),
        lambda: one.measure(*[rng.choice(["polarization", "milling", value(rng)]) for _ in range(rng.randrange(3))]),
        lambda: flock.neighbours(rng.choice([0.1, -1.0, value(rng)])),
        lambda: one.step(steps),
        lambda: list(flock.run(steps, value(rng))),
        lambda: flock.picture(size=rng.choice([(4, 4), (0, 3), value(rng)]), style=rng.choice(["arrows", value(rng)])),
        lambda: many.reset(rng.choice([None, value(rng)]), rng.choice([None, value(rng)])),
        lambda: mb.Flock(rng.choice(["yabi", value(rng)]), engine="cpu", boids=rng.choice([0, 5, -1, "5", Odd()]), **{name: value(rng)}),
        lambda: mb.Flock("yabi", engine="cpu", boids=3, **{rng.choice(["seed", "threads", "numeric", "init", "x"]): value(rng)}),
        lambda: mb.Flocks("yabi", boids=rng.choice([0, 2]), count=rng.choice([0, 2, -1, "2"]), seeds=rng.choice([None, [1], value(rng)])),
        lambda: mb.Flock.load(value(rng), engine="cpu"),
        lambda: one.step(steps, acceleration=value(rng)),
        lambda: one.step(1, acceleration=rng.choice([0.1, 1e14]) * one.velocity),
        lambda: flock.film(rng.choice(["a.gif", "a.png", "-", value(rng)]), rng.choice([0, 2, value(rng)]), size=(16, 16), style="arrows", yes=rng.choice([True, value(rng)])),
        lambda: study(rng, name),
        lambda: many.observe(rng.choice([0, 1, 19, 20, -1, value(rng)]), rng.choice([None, 0.0, 2.0, value(rng)])),
        lambda: setattr(flock, "engine", rng.choice(["cpu", "tpu", "rp2040", value(rng)])),
        lambda: (one.position, one.velocity, one.hash(), len(one), repr(one), one.parameters),
    ]
    return rng.choice(calls)()


def study(rng, name):
    """A study, or what is none."""
    # Not so many runs or steps that they never end.
    few = {rng.choice(["steps", "seeds"]): rng.choice([0, 1, -1, True, 0.5, [1, 2], "x", Odd()])}
    given = rng.choice([few, {rng.choice(["after", "columns", "jobs", "out", "numeric", "series", name]): value(rng)}])
    words = dict(engine="cpu", boids=3, steps=2, columns="polarization") | given
    return mb.sweep(rng.choice([None, None, value(rng)]), vary={name: rng.choice(["0:1:2", [0], value(rng)])}, **words)


@pytest.mark.filterwarnings("ignore")
def test_random_calls_raise_or_return(tmp_path, monkeypatch):
    # Some write files.
    monkeypatch.chdir(tmp_path)
    rng = random.Random(20)
    raised, returned = {}, 0
    for number in range(CALLS):
        if number % 100 == 0:
            flock = mb.Flock("vicsek", boids=rng.choice([0, 20]), engine="cpu", numeric=rng.choice(["f32", "f64", "fixed"]))
            many = mb.Flocks("yabi", count=2, boids=rng.choice([0, 20]))
        try:
            call(rng, flock, many)
            returned += 1
        except Exception as error:
            raised[type(error).__name__] = raised.get(type(error).__name__, 0) + 1
            assert "an error of the program" not in str(error), (number, error)
            assert not isinstance(error, mb.Error) or "\n" not in str(error), error
    # Both happen, so the calls are neither all wrong nor all right.
    assert returned > CALLS / 10 and raised["UsageError"] > CALLS / 10, (returned, raised)

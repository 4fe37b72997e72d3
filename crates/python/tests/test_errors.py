"""Errors: one line each, whatever the arguments; and the wheel with the command line in it."""

import importlib.metadata
import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import murmuration_boids as mb
from conftest import refused


def test_the_errors_are_the_programs_line():
    flock, many = mb.Flock("yabi", boids=20, engine="cpu"), mb.Flocks("yabi", boids=20, count=1)
    refused(
        {
            "separation.radius must be 0 to 1000000, not -3": lambda: flock.set("separation.radius", -3),
            "position must have the shape [20, 3], not [2]": lambda: setattr(flock, "position", [1, 2]),
            "position: boid 0, column x must be -1e15 to 1e15, not NaN": lambda: setattr(flock, "position", flock.position * float("nan")),
            "position must be an array of shape [20, 3]": lambda: setattr(flock, "position", [[0, 0, 0], [0, 0]]),
            "numeric f64 cannot be used with engine gpu": lambda: mb.Flock(numeric="f64", engine="gpu"),
            "steps must be at most 4294967294 from step 1, not 4294967295": lambda: flock.step() or flock.step(2**32 - 1),
            "steps must be 0 to 4294967295, not 4294967296": lambda: flock.step(2**32),
            "steps must be 0 to 4294967295, not -2": lambda: flock.run(-2),
            "count must be 0 to 1000000, not -1": lambda: mb.Flocks("yabi", count=-1),
            "nearest must be 0 to 19, not -1": lambda: many.observe(-1),
            # Dashes in paths and values stay.
            "a--seed/--boids.toml: no such file": lambda: mb.Flock.load("a--seed/--boids.toml"),
            "preset: unknown preset '--seed--', expected one of murmuration": lambda: mb.Flock("--seed--"),
            "threads cannot be used with adapter": lambda: mb.Flock(threads=1, adapter=0),
            "noise.weight must be -1000 to 1000, not a--set": lambda: mb.Flock(**{"noise.weight": "a--set"}),
            "seed must be a value other than True or False, not bool": lambda: mb.Flock(seed=False),
            "mark_centre must be True or False, not int": lambda: flock.picture(mark_centre=1),
            "resume must be True or False, not str": lambda: mb.sweep(resume="x"),
        }
    )
    assert issubclass(mb.UsageError, mb.Error) and issubclass(mb.UsageError, ValueError)


def test_an_argument_of_a_wrong_type_is_named():
    flock, many = mb.Flock("vicsek", boids=20, engine="cpu"), mb.Flocks("vicsek", boids=20, count=1)
    refused(
        {
            "separation.radius must be a number, text, list or dict, at most 4 deep, not NoneType": lambda: flock.set("separation.radius", None),
            "init must be a path, not int": lambda: mb.Flock(init=5),
            "columns must be a list or text, not int": lambda: mb.sweep(columns=3),
            "seeds must be a list of whole numbers, not bytes": lambda: mb.Flocks("yabi", seeds=b"10", boids=3),
            "steps must be a whole number, not float": lambda: flock.step(1.5),
            "steps must be a whole number, not str": lambda: flock.run("2"),
            "count must be a whole number, not float": lambda: mb.Flocks("vicsek", count=2.0),
            "radius must be a number, not str": lambda: many.observe(2, "2"),
            "preset must be text, not int": lambda: mb.Flock(3),
            "look must be text, not int": lambda: flock.picture(3),
            "path must be a path, not int": lambda: mb.Flock.load(3),
            "name must be text, not int": lambda: flock.measure(3),
            "engine must be text, not int": lambda: setattr(flock, "engine", 3),
        },
        TypeError,
    )


def test_the_name_that_was_likely_meant_is_said():
    flock = mb.Flock("vicsek", boids=20, engine="cpu")
    ends = {
        "did you mean 'vicsek'?": lambda: mb.Flock("vicsec"),
        "did you mean 'noise.angle'?": lambda: flock.set("noise.angel", 3),
        "did you mean 'seed'?": lambda: mb.Flock(sed=3),
        "did you mean 'polarization'?": lambda: flock.measure("polarisation"),
        "did you mean 'dusk'?": lambda: flock.picture("dsk"),
    }
    for end, call in ends.items():
        with pytest.raises(mb.UsageError) as caught:
            call()
        assert str(caught.value).endswith(f"; {end}"), str(caught.value)


def test_every_flock_that_is_known_by_name_is_listed():
    names = mb.presets()
    assert names[0] == "murmuration" and "vortex" in names
    with pytest.raises(mb.UsageError, match=f"expected one of {', '.join(names)}$"):
        mb.Flock("no such flock")


def test_the_script_is_the_program(program):
    script = Path(sys.executable).with_name("murmuration")
    words = ["run", "--preset", "yabi", "--steps", "3", "--engine", "cpu", "--hash"]
    here = subprocess.run([script, *words], check=True, capture_output=True, text=True).stdout
    assert here == program(*words) and here.count("\n") == 4
    wrong = subprocess.run([script, "run", "--boids", "-1"], capture_output=True, text=True)
    assert wrong.returncode == 2 and wrong.stderr.startswith("error: --boids must be a whole number")


def test_the_licences_are_in_the_wheel():
    names = [file.name for file in importlib.metadata.files("murmuration-boids")]
    assert {"LICENSE-MIT", "LICENSE-APACHE", "py.typed", "__init__.pyi", "picture.py"} <= set(names)


CALLS = int(os.environ.get("MURMURATION_CALLS", "600"))


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
    texts = ["", "yabi", "nan", "1e6", "a=b", "separation.radius", "\0", "é" * 40, "[1,2", "{ a = 1 }", b"x", "--help"]
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
        lambda: flock.explain(rng.choice([0, 4, -1, value(rng)])),
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
        lambda: flock.record(rng.choice([True, True, False, value(rng)])),
        lambda: flights(rng, flock),
        lambda: mb.check(rng.choice(["agents", value(rng)]), step=rng.choice([1, value(rng)]), position=value(rng), velocity=value(rng)),
        lambda: mb.reference(rng.choice(["vicsek", value(rng)]), boids=rng.choice([8, value(rng)]), step=rng.choice([0, 2, value(rng)])),
        lambda: (one.position, one.velocity, one.hash(), len(one), repr(one), one.parameters),
    ]
    return rng.choice(calls)()


def flights(rng, flock):
    """A flight of the flock, if it is recorded, or of a file."""
    flight = flock.flight or mb.Flight.load(rng.choice(["a.flight", value(rng)]))
    flight.save(rng.choice(["a.flight", "a", value(rng)]), yes=rng.choice([True, value(rng)]))
    if flight.last - flight.first < 100:
        flight.flock(rng.choice([None, 0, 3, value(rng)]), engine="cpu", numeric=rng.choice([None, "fixed", value(rng)]))
        list(flight.run(rng.choice([1, 7, value(rng)]), engine="cpu"))
        flight.check(engine=rng.choice(["cpu", value(rng)]))


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

"""The wheel: how it is imported, and the command line in it."""

import importlib.metadata
import subprocess
import sys
from pathlib import Path

import pytest

import murmuration_boids as mb


def test_the_errors_are_the_programs_line():
    flock, many = mb.Flock("yabi", boids=20, engine="cpu"), mb.Flocks("yabi", boids=20, count=1)
    lines = {
        "separation.radius = -3: allowed is a number from 0 to 1000000": lambda: flock.set("separation.radius", -3),
        "position: shape [2]: allowed is [20, 3]": lambda: setattr(flock, "position", [1, 2]),
        "position: boid 0, column x must be -1e15 to 1e15, not NaN": lambda: setattr(flock, "position", flock.position * float("nan")),
        "numeric f64 with engine gpu: allowed are f32 and fixed on the gpu": lambda: mb.Flock(numeric="f64", engine="gpu"),
        "steps 4294967295: allowed is 4294967294 from step 1 on": lambda: flock.step() or flock.step(2**32 - 1),
        "steps = 4294967296: allowed is a whole number from 0 to 4294967295": lambda: flock.step(2**32),
        "steps = -1: allowed is a whole number from 0 to 4294967295": lambda: flock.film("a.gif", steps=-1),
        "steps = -2: allowed is a whole number from 0 to 4294967295": lambda: flock.run(-2),
        "every = -1: allowed is a whole number from 1 to 4294967295": lambda: flock.run(1, -1),
        "steps = -3: allowed is a whole number from 0 to 4294967295": lambda: many.step(-3),
        "count = -1: allowed is a whole number from 0 to 1000000": lambda: mb.Flocks("yabi", count=-1),
        "nearest = -1: allowed is a whole number from 0 to 19": lambda: many.observe(-1),
        "nowhere.toml: there is no such file": lambda: mb.Flock.load("nowhere.toml"),
    }
    for line, call in lines.items():
        with pytest.raises(mb.UsageError) as caught:
            call()
        assert str(caught.value) == line
        assert isinstance(caught.value, mb.Error) and isinstance(caught.value, ValueError)


def test_dashes_in_paths_and_values_stay():
    lines = {
        "a--seed/--boids.toml: there is no such file": lambda: mb.Flock.load("a--seed/--boids.toml"),
        'preset: no preset is called "--seed--": there are': lambda: mb.Flock("--seed--"),
        "threads with adapter: allowed is one of them": lambda: mb.Flock(threads=1, adapter=0),
        "noise.weight = a--set: ": lambda: mb.Flock(**{"noise.weight": "a--set"}),
    }
    for line, call in lines.items():
        with pytest.raises(mb.UsageError) as caught:
            call()
        assert str(caught.value).startswith(line)


def test_arguments_of_a_wrong_kind_are_named(tmp_path):
    flock = mb.Flock("vicsek", boids=20, engine="cpu")
    with pytest.raises(mb.UsageError, match="position: no array: allowed is one of shape"):
        flock.position = [[0, 0, 0], [0, 0]]
    film = tmp_path / "a.gif"
    usage = {
        "seed: bool: allowed is a value that is no bool": lambda: mb.Flock(seed=False),
        "boids: bool: allowed is a value that is no bool": lambda: mb.Flock(boids=True),
        "mark_centre: int: allowed is True or False": lambda: flock.picture(mark_centre=1),
        "yes: int: allowed is True or False": lambda: flock.film(film, yes=1),
        "resume: str: allowed is True or False": lambda: mb.sweep(resume="x"),
    }
    types = {
        "separation.radius: NoneType: allowed are numbers, text, lists and dicts": lambda: flock.set("separation.radius", None),
        "seed: object: allowed are numbers, text, lists and dicts": lambda: mb.Flock(seed=object()),
        "init: int: allowed is a path": lambda: mb.Flock(init=5),
        "columns: int: allowed are a list, and text": lambda: mb.sweep(columns=3),
        "seeds: str: allowed is a list of whole numbers": lambda: mb.Flocks("yabi", seeds="10", boids=3),
        "seeds: bytes: allowed is a list of whole numbers": lambda: mb.Flocks("yabi", seeds=b"10", boids=3),
    }
    for kind, lines in [(mb.UsageError, usage), (TypeError, types)]:
        for line, call in lines.items():
            with pytest.raises(kind) as caught:
                call()
            assert str(caught.value).startswith(line)


def test_an_argument_of_a_wrong_type_is_named(tmp_path):
    flock, many = mb.Flock("vicsek", boids=20, engine="cpu"), mb.Flocks("vicsek", boids=20, count=1)
    lines = {
        "steps must be a whole number, not float": [lambda: flock.step(1.5), lambda: many.step(1.5), lambda: flock.film("a.gif", 1.5)],
        "steps must be a whole number, not str": [lambda: flock.run("2")],
        "every must be a whole number, not float": [lambda: flock.run(2, 0.5)],
        "count must be a whole number, not float": [lambda: mb.Flocks("vicsek", count=2.0)],
        "nearest must be a whole number, not str": [lambda: many.observe("2")],
        "radius must be a number, not str": [lambda: flock.neighbours("2"), lambda: many.observe(2, "2")],
        "preset must be text, not int": [lambda: mb.Flock(3), lambda: mb.Flocks(3, count=1)],
        "look must be text, not int": [lambda: flock.picture(3)],
        "path must be a path, not int": [lambda: mb.Flock.load(3), lambda: mb.Flocks.load(3), lambda: flock.film(3)],
        "name must be text, not int": [lambda: flock.set(3, 4), lambda: many.set(3, 4), lambda: flock.measure(3), lambda: many.measure(3)],
        "engine must be text, not int": [lambda: setattr(flock, "engine", 3)],
    }
    for line, calls in lines.items():
        for call in calls:
            with pytest.raises(TypeError) as caught:
                call()
            assert str(caught.value) == line


def test_the_name_that_was_likely_meant_is_said():
    flock = mb.Flock("vicsek", boids=20, engine="cpu")
    ends = {
        'did you mean "vicsek"?': [lambda: mb.Flock("vicsec"), lambda: mb.Flocks("vicsec", count=1), lambda: mb.sweep(preset="vicsec")],
        'did you mean "noise.angle"?': [lambda: flock.set("noise.angel", 3), lambda: mb.Flock(**{"noise.angel": 3})],
        'did you mean "seed"?': [lambda: mb.Flock(sed=3)],
        'did you mean "polarization"?': [lambda: flock.measure("polarisation")],
        "a similar value exists: 'dusk'": [lambda: flock.picture("dsk")],
    }
    for end, calls in ends.items():
        for call in calls:
            with pytest.raises(mb.UsageError) as caught:
                call()
            assert str(caught.value).endswith(f"; {end}"), str(caught.value)


def test_every_flock_that_is_known_by_name_is_listed(program):
    names = mb.presets()
    assert names[0] == "murmuration" and "vortex" in names
    with pytest.raises(mb.UsageError, match=f"there are {', '.join(names)}$"):
        mb.Flock("no such flock")


def test_import_takes_a_fifth_of_a_second():
    code = "import time, numpy; t = time.perf_counter(); import murmuration_boids; print(time.perf_counter() - t)"
    times = [float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout) for _ in range(5)]
    assert min(times) <= 0.2, times


def test_the_script_is_the_program(program):
    script = Path(sys.executable).with_name("murmuration")
    words = ["run", "--preset", "yabi", "--steps", "3", "--engine", "cpu", "--hash"]
    here = subprocess.run([script, *words], check=True, capture_output=True, text=True).stdout
    assert here == program(*words) and here.count("\n") == 4
    wrong = subprocess.run([script, "run", "--boids", "-1"], capture_output=True, text=True)
    assert wrong.returncode == 2 and wrong.stderr.startswith("error: --boids: flock.boids = -1: allowed is")


def test_the_licences_are_in_the_wheel():
    names = [file.name for file in importlib.metadata.files("murmuration-boids")]
    assert {"LICENSE-MIT", "LICENSE-APACHE", "py.typed", "__init__.pyi", "picture.py"} <= set(names)

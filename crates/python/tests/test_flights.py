"""Recorded flights: a flock is recorded, written, read and repeated with the same bits."""

import copy
import json
import pickle
from pathlib import Path

import numpy as np
import pytest

import murmuration_boids as mb
from conftest import refused


def recorded(preset="cornell", numeric="fixed", steps=(70, 1, 0, 59), boids=80, **parameters):
    """A flock that is recorded while its separation changes; it is at its last step."""
    flock = mb.Flock(preset, boids=boids, seed=5, numeric=numeric, engine="cpu", **parameters)
    flock.record()
    for count, radius in zip(steps, [12.5, 3.1, 0.7, 9.9]):
        flock.set("separation.radius", radius)
        flock.step(count)
    return flock


def edited(flight, folder, edit):
    """The flight of a file whose text was edited."""
    flight.save(folder / "a.flight", yes=True)
    text = (folder / "a.flight").read_text()
    other = edit(text)
    assert other != text
    (folder / "b.flight").write_text(other)
    return mb.Flight.load(folder / "b.flight")


@pytest.mark.parametrize("numeric", ["f32", "f64", "fixed"])
@pytest.mark.parametrize("preset", ["cornell", "yabi", "vortex"])
def test_a_recording_is_repeated_with_the_same_hashes(program, tmp_path, preset, numeric):
    flock = recorded(preset, numeric)
    flight = flock.flight
    hashes = flight.hashes
    assert {0, 60, 120, 130} <= set(hashes) and hashes[130] == flock.hash()
    assert flight.check(engine="cpu") is None
    for step in [*hashes, 77]:
        twin = flight.flock(step, engine="cpu")
        assert twin.step_count == step and twin.hash() == hashes.get(step, twin.hash())
    assert flight.flock(130, engine="cpu").parameters == flock.parameters
    assert flight.flock(engine="cpu").step_count == 0
    # The program repeats it, too, step by step.
    flight.save(tmp_path / "a.flight")
    lines = program("run", "--flight", tmp_path / "a.flight", "--engine", "cpu", "--hash").split()
    assert len(lines) == 131 and {f"{step},{hash}" for step, hash in hashes.items()} <= set(lines)


def test_a_flight_is_read_as_it_was_written(tmp_path):
    path = tmp_path / "a.flight"
    flock = recorded()
    flight = flock.flight
    flight.save(path)
    text = path.read_bytes()
    read = mb.Flight.load(str(path))
    for one in [flight, read, copy.copy(read), pickle.loads(pickle.dumps(read))]:
        assert (one.first, one.last, one.numeric, one.preset, one.changes) == (0, 130, "fixed", "cornell", 4)
        assert one.engine == flock.engine and one.hashes == flight.hashes
        assert repr(one) == f"<Flight of 80 boids of cornell, steps 0 to 130, recorded in fixed on {flock.engine}>"
        one.save(path, yes=True)
        assert path.read_bytes() == text
    assert all(len(hash) == 16 for hash in read.hashes.values())


def test_a_flight_of_formulas_and_of_a_later_start(tmp_path):
    file = tmp_path / "swirl.toml"
    swirl = '[terms.swirl]\nstrength = { default = 0.05, range = [0, 1], unit = "1/t" }\n'
    file.write_text('preset = "murmuration"\n' + swirl + 'request = "strength * cross(vec3(0, 0, 1), position - home.position)"\n')
    flock = mb.Flock.load(file, boids=60, engine="cpu", numeric="fixed")
    flock.step(7)
    flock.record()
    flock.step(3)
    flock.set("terms.swirl.strength", 0.4)
    flock.step(30)
    flight = pickle.loads(pickle.dumps(flock.flight))
    assert (flight.first, flight.last, flight.changes) == (7, 40, 1) and set(flight.hashes) == {7, 10, 40}
    assert flight.check(engine="cpu") is None
    assert flight.flock(40, engine="cpu").parameters["terms.swirl.strength"] == 0.4
    assert flight.flock(10, engine="cpu").parameters["terms.swirl.strength"] == 0.05


def test_an_untouched_start_is_recorded_by_its_seed_and_any_other_by_its_state(tmp_path):
    def start(flock):
        flock.record()
        flock.step(3)
        flock.flight.save(tmp_path / "a.flight", yes=True)
        assert flock.flight.check(engine="cpu") is None
        return json.loads((tmp_path / "a.flight").read_text().splitlines()[0])["start"]

    options = dict(boids=30, engine="cpu")
    untouched, set_before, moved, stepped = (mb.Flock("yabi", **options) for _ in range(4))
    set_before.set("predators.count", 2)
    moved.position = moved.position * 0.5
    stepped.step()
    later = mb.Flock("yabi", first_step=9, **options)
    assert [start(flock) for flock in [untouched, set_before, moved, stepped, later]] == ["seed"] + ["state"] * 4
    repeated = mb.Flight.load(tmp_path / "a.flight").flock(engine="cpu")
    assert repeated.step_count == 9 and start(repeated) == "state" and start(mb.Flock("yabi", **options)) == "seed"


def test_another_number_type_and_another_change_are_told_apart(tmp_path):
    flight = recorded().flight
    assert flight.flock(130, engine="cpu", numeric="f32").hash() != flight.hashes[130]
    assert "f32" in flight.flock(engine="cpu", numeric="f32").engine and "fixed" in flight.flock(engine="cpu").engine
    later = edited(flight, tmp_path, lambda text: text.replace('{"step":70,"set"', '{"step":71,"set"'))
    found = later.check(engine="cpu")
    assert found.step == 71 and found.recorded == flight.hashes[71] != found.repeated
    assert repr(found) == f"<Divergence: the hash at step 71 is {found.repeated}, not {found.recorded} as recorded>"


def test_a_hash_is_that_before_the_changes_at_its_step():
    flock = mb.Flock("cornell", boids=40, engine="cpu", numeric="fixed")
    flock.record()
    flock.step(30)
    before = flock.hash()
    # The scale of integers changes, and so do the integers.
    flock.set("world.max", [2640, 480, 320])
    assert flock.hash() != before == flock.flight.hashes[30]
    flock.step(10)
    assert flock.flight.check(engine="cpu") is None


def test_a_changed_position_is_noticed(tmp_path):
    flock = mb.Flock("yabi", boids=40, engine="cpu", numeric="fixed")
    flock.step(11)
    flock.record()
    flock.step(20)
    flight = flock.flight
    assert flight.check(engine="cpu") is None

    def move(text):
        first, rest = text.split("\n", 1)
        header = json.loads(first)
        header["state"]["boids"][17][1] += 0.01
        return json.dumps(header) + "\n" + rest

    assert edited(flight, tmp_path, move).check(engine="cpu").step == 11


def test_the_flight_of_a_falcon_is_recorded_while_it_is_repeated(tmp_path):
    flock = recorded("yabi", steps=[40], **{"predators.count": 1, "predators.radius": 60, "predators.weight": 1})
    at = '{"step":%d,"predator":0,"at":[%d,3,2]}\n'

    def steer(x):
        lines = "".join(at % (step, x + step) for step in range(10, 20))
        return lambda text: text.replace('{"step":40,"hash"', lines + '{"step":40,"hash"')

    with_falcon = edited(flock.flight, tmp_path, steer(5))
    assert with_falcon.changes == 11 and with_falcon.check(engine="cpu").step == 40
    for twin in with_falcon.run(every=100, engine="cpu"):
        if twin.step_count == 0:
            twin.record()
    again = twin.flight
    assert again.changes == 11 and again.last == 40 and again.check(engine="cpu") is None
    assert again.hashes[40] == with_falcon.check(engine="cpu").repeated
    # A position is noticed.
    again.save(tmp_path / "c.flight")
    other = edited(again, tmp_path, lambda text: text.replace('"track":"', '"track":"1'))
    assert other.check(engine="cpu").step == 40


def test_a_repeated_flight_is_one_flock_at_its_steps():
    flight = recorded().flight
    seen, objects = [], set()
    for flock in flight.run(every=60, engine="cpu"):
        seen.append((flock.step_count, flock.hash()))
        objects.add(id(flock))
    assert seen == [(step, flight.hashes[step]) for step in [0, 60, 120, 130]] and len(objects) == 1
    # It flies on alone.
    flock.step(5)
    assert flock.step_count == 135 and flock.parameters["separation.radius"] == 9.9
    empty = mb.Flock("yabi", boids=5, engine="cpu")
    empty.record()
    assert [flock.step_count for flock in empty.flight.run()] == [0]


def test_a_flock_that_repeats_may_be_changed_and_not_stepped():
    flight = recorded().flight
    radius = []
    for flock in flight.run(every=10, engine="cpu"):
        radius.append(flock.parameters["separation.radius"])
        if flock.step_count == 20:
            flock.set("separation.radius", 1.5)
    # At step 70 the flight changes it again, and at 71 twice.
    assert radius == [8, 12.5, 12.5, 1.5, 1.5, 1.5, 1.5, 1.5] + [9.9] * 6
    assert flock.hash() != flight.hashes[130]
    steps = flight.run(every=10, engine="cpu")
    next(steps).step(3)
    with pytest.raises(mb.Error, match="the flock is at step 3, and the flight that it repeats at 0"):
        next(steps)


def test_a_flight_stays_as_it_is_when_the_flock_flies_on(tmp_path):
    flock = recorded()
    flight = flock.flight
    flock.film(tmp_path / "a.png", 4, size=(16, 16), style="arrows")
    flock.step(acceleration=None)
    assert (flight.last, flock.flight.last) == (130, 135) and 130 in flock.flight.hashes
    assert copy.copy(flock).flight is None
    assert flock.flight.check(engine="cpu") is None
    flock.record()
    assert flock.flight.first == flock.flight.last == 135
    flock.record(False)
    assert flock.flight is None
    flock.record(np.True_)
    assert flock.flight.first == 135


def test_what_no_flight_holds_is_refused_and_changes_nothing():
    for numeric in ["f32", "fixed"]:
        flock = recorded(numeric=numeric)
        before, step = flock.hash(), flock.step_count
        calls = {
            "position cannot be recorded in a flight": lambda: setattr(flock, "position", flock.position * 0.5),
            "velocity cannot be recorded in a flight": lambda: setattr(flock, "velocity", flock.velocity * 0.5),
            "acceleration cannot be recorded in a flight": lambda: flock.step(acceleration=np.zeros((80, 3))),
            "flock.seed cannot be recorded in a flight": lambda: flock.set("flock.seed", 9),
        }
        if numeric == "f32":
            calls["a change of the engine in f32 cannot be recorded in a flight"] = lambda: setattr(flock, "engine", "cpu")
        refused(calls)
        assert (flock.hash(), flock.step_count) == (before, step) and flock.flight.changes == 4
    # In integers every engine has the same bits.
    flock.engine = "cpu"
    flock.step(30)
    assert flock.flight.check(engine="cpu") is None and flock.flight.last == 160
    flock.record(False)
    flock.position = flock.position * 0.5
    flock.step(acceleration=np.zeros((80, 3)))


def test_errors_of_flights_are_one_line(tmp_path):
    flight = recorded(steps=[70]).flight
    path = tmp_path / "a.flight"
    flight.save(path)
    no_hash = edited(flight, tmp_path, lambda text: "".join(line for line in text.splitlines(True) if '"hash"' not in line))
    doubles = recorded(numeric="f64", steps=[3]).flight
    wrong = tmp_path / "wrong.flight"
    wrong.write_text(path.read_text().replace('"separation.radius=12.5"', '"separation.radius=-1"'))
    refused(
        {
            "step must be 0 to 70, not 71": lambda: flight.flock(71, engine="cpu"),
            "step must be 0 to 70, not -1": lambda: flight.flock(-1, engine="cpu"),
            "every must be 1 to 4294967295, not 0": lambda: flight.run(0),
            "unknown argument 'numeric', expected one of engine": lambda: flight.check(numeric="f32"),
            "unknown argument 'boids', expected one of engine": lambda: flight.flock(boids=3),
            "the flight has no hashes to compare": lambda: no_hash.check(engine="cpu"),
            "numeric f64 cannot be used with engine gpu": lambda: doubles.flock(engine="gpu"),
            f"{wrong}:3: separation.radius must be 0 to": lambda: mb.Flight.load(wrong),
            f"{tmp_path / 'none.flight'}: no such file": lambda: mb.Flight.load(tmp_path / "none.flight"),
            f"cannot write {path}: a file with this name already exists": lambda: flight.save(path),
            "path must be the name of a file, not -": lambda: flight.save("-"),
            f"{tmp_path / 'a.csv'}": lambda: flight.save(tmp_path / "a.csv"),
            "yes must be True or False, not int": lambda: flight.save(path, yes=1),
            "on must be True or False, not str": lambda: mb.Flock("yabi", boids=3, engine="cpu").record("x"),
        }
    )
    refused(
        {
            "step must be a whole number, not float": lambda: flight.flock(1.5),
            "path must be a path, not int": lambda: mb.Flight.load(3),
        },
        TypeError,
    )
    assert not (tmp_path / "a.csv").exists()


def test_the_example_of_the_docs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    section = (Path(__file__).parents[3] / "docs" / "python.md").read_text().split("\n## Recorded flights\n")[1]
    names = {"mb": mb}
    exec(section.split("```python\n")[1].split("```")[0], names)
    flight, other = names["flight"], names["other"]
    assert len(capsys.readouterr().out.splitlines()) == 51 and flight.check() is None
    assert other.step_count == 200 and other.hash() == flight.hashes[200]


def test_a_flight_of_the_cpu_is_repeated_on_the_gpu(gpu):
    flight = recorded("yabi").flight
    assert flight.check(engine="gpu") is None
    flock = flight.flock(70, engine="gpu")
    assert flock.engine.startswith("gpu") and flock.hash() == flight.hashes[70]
    there = mb.Flock("yabi", boids=80, engine="gpu", numeric="fixed")
    there.record()
    there.step(65)
    there.engine = "cpu"
    there.step(65)
    assert there.flight.check(engine="cpu") is None

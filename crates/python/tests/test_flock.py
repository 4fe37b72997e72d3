"""The interface of one flock."""

import _thread
import re
import threading
from pathlib import Path

import numpy as np
import pytest

import murmuration_boids as mb
from conftest import refused


def test_parameters_make_the_same_flock():
    flock = mb.Flock("cornell", boids=200, engine="cpu", **{"separation.radius": 3, "wind.acceleration": [0.01, 0, 0]})
    assert flock.parameters["separation.radius"] == 3.0
    assert flock.parameters["flock.boids"] == len(flock) == 200
    again = mb.Flock("cornell", engine="cpu", **flock.parameters)
    later, plain = (mb.Flock("cornell", boids=200, engine="cpu") for _ in range(2))
    later.set("separation.radius", 3)
    later.set("wind.acceleration", [0.01, 0, 0])
    for one in [flock, again, later, plain]:
        one.step(10)
    assert later.parameters == again.parameters == flock.parameters
    assert later.hash() == again.hash() == flock.hash() != plain.hash()


def test_numbers_of_numpy_and_text_are_values():
    values = [0.25, np.float32(0.25), np.array(0.25), "0.25"]
    flocks = [mb.Flock("yabi", boids=np.int64(50), engine="cpu", **{"noise.weight": value}) for value in values]
    assert {flock.parameters["noise.weight"] for flock in flocks} == {0.25}
    sphere = {"position": np.array([1.0, 2.0, 3.0]), "radius": 2}
    flock = mb.Flock("yabi", boids="1e2", engine="cpu", **{"obstacles.spheres": [sphere]})
    assert flock.parameters["obstacles.spheres"] == [{"position": [1, 2, 3], "radius": 2}]


def test_a_file_is_loaded(program, tmp_path):
    file = tmp_path / "swirl.toml"
    file.write_text(
        'preset = "murmuration"\n[flock]\nboids = 80\n[terms.swirl]\n'
        'strength = { default = 0.05, range = [0, 1], unit = "1/t" }\n'
        'request = "strength * cross(vec3(0, 0, 1), position - home.position)"\n'
    )
    flock = mb.Flock.load(file, engine="cpu", numeric="f64")
    flock.step(10)
    words = "run", "--config", file, "--engine", "cpu", "--numeric", "f64", "--steps", 10, "--hash"
    assert f"10,{flock.hash()}" == program(*words).split()[-1]
    assert flock.parameters["terms.swirl.strength"] == 0.05
    flock.set("terms.swirl.strength", 0.5)
    flock.step(10)
    assert f"20,{flock.hash()}" != program(*words[:-2], 20, "--hash").split()[-1]


def test_measures_are_those_of_the_program(program):
    flock = mb.Flock("couzin", boids=200, engine="cpu")
    flock.step(30)
    table = program("run", "--preset", "couzin", "-n", 200, "--engine", "cpu", "--steps", 30, "--every", 30, "--metrics", "-")
    names, *rows = [line.split(",") for line in table.split()]
    there = {name: float(cell or "nan") for name, cell in zip(names[1:], rows[-1][1:])}
    here = flock.measure()
    assert list(here) == list(there)
    np.testing.assert_equal(here, there)
    assert flock.measure("milling", "polarization") == {name: here[name] for name in ["milling", "polarization"]}


def test_states_come_first_to_last():
    flock, twin = (mb.Flock("yabi", boids=40, engine="cpu") for _ in range(2))
    states = list(flock.run(10, every=4))
    assert [state.step for state in states] == [0, 4, 8, 10]
    for state in states:
        twin.step(state.step - twin.step_count)
        assert np.array_equal(state.position, twin.position) and np.array_equal(state.velocity, twin.velocity)
    assert states[0].group.shape == (40,)


@pytest.mark.parametrize("preset", ["yabi", "vicsek"])
def test_neighbours_are_all_within_the_radius(preset):
    flock = mb.Flock(preset, boids=150, engine="cpu", numeric="f64")
    flock.step(20)
    parameters = flock.parameters
    size = np.subtract(parameters["world.max"], parameters["world.min"])
    radius = size[0] / 5
    starts, indices, distances = flock.neighbours(radius)
    offsets = flock.position[:, None] - flock.position[None]
    if parameters["world.edges"] == "wrap":
        size[size == 0] = np.inf
        offsets = np.minimum(abs(offsets), size - abs(offsets))
    all_distances = np.sqrt((offsets**2).sum(2))
    near = (all_distances < radius) & ~np.eye(150, dtype=bool)
    assert 0 < near.sum() < 150 * 149
    assert np.array_equal(np.diff(starts), near.sum(1))
    assert np.array_equal(indices, np.nonzero(near)[1])
    np.testing.assert_allclose(distances, all_distances[near], rtol=1e-12)


@pytest.mark.parametrize("numeric", ["f32", "f64", "fixed"])
def test_a_boid_is_explained_by_what_it_then_does(numeric):
    flock = mb.Flock("cornell", boids=400, engine="cpu", numeric=numeric)
    flock.step(30)
    starts, indices, _ = flock.neighbours(flock.parameters["alignment.radius"])
    id = int(np.argmax(np.diff(starts)))
    near = indices[starts[id] : starts[id + 1]]
    before = flock.explain(id)
    assert before["id"] == id and before["step"] == 30 and not before["perched"]
    np.testing.assert_array_equal(before["velocity"], flock.velocity[id])
    seen = before["neighbours"]
    # An exclusive separation takes the nearest away from the others.
    assert sorted([*seen["separation"], *seen["alignment"]]) == near.tolist() and len(near) > 3
    flock.step()
    np.testing.assert_allclose(before["next_velocity"], flock.velocity[id], rtol=1e-5)
    if not before["limits"]:
        change = sum(before["changes"].values())
        np.testing.assert_allclose(before["velocity"] + change, flock.velocity[id], rtol=1e-4, atol=1e-4)
    for wrong in [400, -1, 2**40]:
        with pytest.raises(mb.UsageError):
            flock.explain(wrong)


def test_a_notebook_shows_a_picture():
    flock = mb.Flock("vicsek", engine="cpu", boids=50)
    picture = flock.picture(size=(96, 64))
    assert isinstance(picture, mb.Picture) and isinstance(picture, np.ndarray)
    shown = picture._repr_png_()
    # Width, height, eight bits, red, green and blue.
    assert shown[:8] == b"\x89PNG\r\n\x1a\n" and shown[16:26] == bytes([0, 0, 0, 96, 0, 0, 0, 64, 8, 2])
    assert shown != np.zeros_like(picture)._repr_png_()
    half = picture[::2, ::2]._repr_png_()
    assert half[16:24] == bytes([0, 0, 0, 48, 0, 0, 0, 32])
    # What is no picture is shown as an array.
    assert all(array._repr_png_() is None for array in [picture[..., 0], picture[0], picture / 2, picture[:0], picture[..., :3]])
    with pytest.raises(mb.UsageError, match="4 bytes per pixel"):
        mb.native.png(np.zeros((2, 2, 3), np.uint8))


def test_a_picture_in_space(gpu):
    flock = mb.Flock("murmuration", boids=500, engine="cpu")
    looks = [flock.picture(look=look, size=(80, 60)) for look in ["dusk", "cones"]]
    assert not np.array_equal(*looks)
    assert len(np.unique(looks[1].reshape(-1, 4), axis=0)) > 3


def test_no_boids_are_a_flock():
    flock = mb.Flock("yabi", boids=0, engine="cpu")
    flock.step(3)
    assert flock.position.shape == (0, 3) and flock.group.shape == (0,)
    flock.position = np.zeros((0, 3))
    starts, indices, distances = flock.neighbours()
    assert starts.tolist() == [0] and len(indices) == len(distances) == 0
    assert np.isnan(flock.measure("polarization")["polarization"])


def test_every_public_name_is_in_the_stubs_and_documented():
    stub = (Path(mb.__file__).parent / "__init__.pyi").read_text()
    for name in mb.__all__:
        thing = getattr(mb, name)
        assert re.search(rf"\b(class|def) {name}\b|^{name}:", stub, re.M), name
        assert thing.__doc__, name
        if not isinstance(thing, type) or issubclass(thing, Exception):
            continue
        body = re.search(rf"^class {name}.*?(?=^\S|\Z)", stub, re.M | re.S).group()
        members = {member for member in vars(thing) if not member.startswith("_")}
        assert members == set(re.findall(r"def ([a-z]\w*)", body)), name
        assert all(vars(thing)[member].__doc__ for member in members), name


def test_an_array_of_the_flock_cannot_be_written_into():
    flock, many = mb.Flock("cornell", boids=30, engine="cpu"), mb.Flocks("cornell", boids=30, count=2)
    state = next(iter(flock.run(1)))
    arrays = [flock.position, flock.velocity, flock.group, many.position, many.velocity, many.seeds, many.step_count]
    for array in [*arrays, state.position, state.velocity, state.group]:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        flock.position[0, 0] = 5
    # A copy is the caller's, and so is what a call returns.
    moved = flock.position.copy()
    moved[0, 0] = 5
    flock.position = moved
    assert flock.position[0, 0] == 5
    for array in [many.observe(3), many.measure("milling")["milling"], *flock.neighbours()]:
        array[:1] = 0


def test_a_film_shows_the_steps_from_now_on(tmp_path):
    flock, twin = (mb.Flock("vicsek", boids=60, engine="cpu") for _ in range(2))
    flock.step(10)
    flock.film(tmp_path / "a%02d.png", steps=9, every=3, size=(64, 48))
    frames = sorted(tmp_path.iterdir())
    assert len(frames) == 4 and flock.step_count == 19
    twin.step(10)
    for frame in frames:
        twin.film(tmp_path / "still.png", steps=0, size="64x48", yes=True)
        assert (tmp_path / "still.png").read_bytes() == frame.read_bytes()
        twin.step(3)
    for name, head in [("a.mp4", b"ftyp"), ("a.gif", b"GIF8")]:
        flock.film(tmp_path / name, 3, size=(64, 48), fps=10)
        assert head in (tmp_path / name).read_bytes()[:12]
    assert flock.step_count == 25
    # Steps after the last frame.
    flock.film(tmp_path / "b.gif", steps=10, every=20, size=(64, 48))
    assert flock.step_count == 35


def test_films_that_cannot_be_are_the_programs_line(tmp_path):
    flock = mb.Flock("vicsek", boids=20, engine="cpu")
    there = tmp_path / "there.png"
    there.write_text("a")
    refused(
        {
            f"{there} already exists": lambda: flock.film(there),
            "every must be 1 to 65535, not 0": lambda: flock.film(tmp_path / "a.gif", every=0),
            "path must be the name of a file, not -": lambda: flock.film("-"),
        }
    )
    assert flock.step_count == 0 and there.read_text() == "a" and len(list(tmp_path.iterdir())) == 1


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_keeps_what_was_drawn(tmp_path):
    flock = mb.Flock("vicsek", boids=60, engine="cpu")
    threading.Timer(0.5, _thread.interrupt_main).start()
    with pytest.raises(KeyboardInterrupt):
        flock.film(tmp_path / "a.gif", steps=10**9, size=(64, 48))
    film = (tmp_path / "a.gif").read_bytes()
    assert film.startswith(b"GIF8") and film.endswith(b"\x3b") and 0 < flock.step_count < 10**9

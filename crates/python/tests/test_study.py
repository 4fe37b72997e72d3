"""Studies from Python are those of the program."""

import _thread
import importlib.util
import itertools
import threading

import numpy as np
import pytest

import murmuration_boids as mb
from conftest import refused

SPEC = """
preset = "vicsek"
steps = 60
seeds = 3
[set]
"flock.boids" = 40
[vary]
"noise.angle" = { from = 0, to = 90, points = 2 }
"world.edges" = ["wrap", "open"]
[measure]
after = 20
columns = ["polarization", "milling"]
series = true
"""


@pytest.fixture
def spec(tmp_path):
    path = tmp_path / "noise.toml"
    path.write_text(SPEC)
    return path


def same(table, path):
    """The columns of a file that the program wrote."""
    rows = np.genfromtxt(path, delimiter=",", names=True, dtype=None, encoding="ascii", deletechars="")
    assert list(table) == list(rows.dtype.names)
    for name, column in table.items():
        there = rows[name]
        assert column.shape == (len(rows),)
        assert np.array_equal(column, there, equal_nan=column.dtype.kind == "f"), name


def test_the_tables_are_those_of_the_program(program, tmp_path, spec):
    study = mb.sweep(spec, engine="cpu")
    program("sweep", spec, "--engine", "cpu", "--out", tmp_path / "there", "--quiet")
    for name in ["runs", "summary", "series"]:
        same(getattr(study, name), tmp_path / "there" / f"{name}.csv")
    assert len(study.runs["run"]) == 12 and study.runs["run"].dtype == np.int64
    assert study.runs["noise.angle"].dtype == np.float64 and study.runs["world.edges"][1] != study.runs["world.edges"][4]
    assert study.summary["polarization_mean"].shape == (4,)
    one = mb.Flock("vicsek", seed=1, engine="cpu", **{"flock.boids": 40, "noise.angle": 0, "world.edges": "wrap"})
    one.step(60)
    assert study.runs["hash"][0] == one.hash()


def test_options_stand_for_a_file(tmp_path):
    varied = {"noise.angle": np.array([0.0, 30.0]), "noise.weight": "0:1:3"}
    study = mb.sweep(vary=varied, preset="yabi", boids=20, seeds=[4, 2], steps=10, columns=["polarization"], engine="cpu", **{"separation.radius": 3})
    assert list(study.runs)[:3] == ["run", "noise.angle", "noise.weight"]
    assert len(study.runs["hash"]) == 12 and study.series is None
    assert study.runs["seed"].tolist() == [4, 2] * 6
    assert "Table of 6 rows: setting" in repr(study.summary)


def test_long_lists_are_read_to_their_end():
    plain = dict(preset="yabi", boids=2, steps=0, columns="polarization", engine="cpu")
    assert len(mb.sweep(**plain, seeds=range(1200)).runs["seed"]) == 1200
    refused(
        {
            "seeds must have at most 1000000 values": lambda: mb.sweep(**plain, seeds=itertools.count()),
            "noise.weight must have at most 1000000 values": lambda: mb.sweep(**plain, vary={"noise.weight": itertools.repeat(0)}),
            "obstacles.spheres must have at most 1000 values": lambda: mb.sweep(**plain, **{"obstacles.spheres": itertools.repeat(0)}),
        }
    )


def test_a_study_in_a_folder_goes_on(tmp_path, spec):
    out = tmp_path / "out"
    first = mb.sweep(spec, out=out, engine="cpu")
    assert {path.name for path in out.iterdir()} == {"manifest.json", "runs.log", "runs.csv", "summary.csv", "series.csv"}
    with pytest.raises(mb.UsageError, match="already contains a study"):
        mb.sweep(spec, out=out, engine="cpu")
    again = mb.sweep(spec, out=out, engine="cpu", resume=True)
    assert np.array_equal(first.runs["hash"], again.runs["hash"])


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_ends_it_and_keeps_what_is_done(tmp_path):
    options = dict(preset="yabi", boids=100, seeds=8, steps=12000, columns="polarization", engine="cpu", out=tmp_path / "out")
    threading.Timer(0.5, _thread.interrupt_main).start()
    with pytest.raises(KeyboardInterrupt) as caught:
        mb.sweep(**options, jobs=1)
    assert "stopped after" in caught.value.__notes__[0] and "of 8 runs; use resume to continue" in caught.value.__notes__[0]
    study = mb.sweep(**options, resume=True)
    assert len(set(study.runs["hash"])) == 8


def test_what_is_wrong_is_the_programs_line(spec):
    refused(
        {
            "nowhere.toml: no such file": lambda: mb.sweep("nowhere.toml"),
            "seeds must be 1 to 1000000, or a list of seeds, not -1": lambda: mb.sweep(spec, seeds=-1),
        }
    )
    with pytest.raises(mb.UsageError, match="unknown argument"):
        mb.sweep(spec, wrong=3)
    with pytest.raises(mb.Error, match="runs failed; see .*manifest.json for the reasons"):
        mb.sweep(spec, vary={"motion.time_step": [1e-9]}, numeric="fixed", engine="cpu")


def test_tables_are_frames_where_these_are_installed(spec):
    runs = mb.sweep(spec, engine="cpu", steps=30).runs
    for name, make in [("pandas", runs.to_pandas), ("xarray", runs.to_xarray)]:
        if importlib.util.find_spec(name) is None:
            with pytest.raises(mb.Error, match=f"^{name} is not installed: pip install {name}$"):
                make()
        else:
            assert np.array_equal(make()["hash"], runs["hash"])

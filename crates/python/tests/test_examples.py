"""The examples, from start to end: notebooks cell by cell, as a notebook runs them; scripts with little to learn."""

import ast
import copy
import json
import pickle
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[3] / "examples" / "python"
PNG = b"\x89PNG\r\n\x1a\n"


def cells(name):
    """The texts of the code of a notebook, which is kept without what it has shown."""
    found = [cell for cell in json.loads((EXAMPLES / name).read_text())["cells"] if cell["cell_type"] == "code"]
    assert not any(cell["outputs"] or cell["execution_count"] for cell in found)
    return ["".join(cell["source"]) for cell in found]


def run(name, folder, monkeypatch, capsys):
    """What a notebook prints, the pictures that it shows, and its names at the end. A value at the end of a cell is shown."""
    monkeypatch.chdir(folder)
    names, pictures = {"__name__": "__main__"}, []
    for text in cells(name):
        tree = ast.parse(text)
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, name, "exec"), names)
        value = last and eval(compile(ast.Expression(last.value), name, "eval"), names)
        if hasattr(value, "_repr_png_"):
            pictures.append(value._repr_png_())
    assert all(picture.startswith(PNG) and len(picture) > 2000 for picture in pictures)
    return capsys.readouterr().out, pictures, names


def test_order_falls_as_noise_grows(tmp_path, monkeypatch, capsys):
    said, pictures, names = run("vicsek.ipynb", tmp_path, monkeypatch, capsys)
    assert said.count("η") == 10 and len(pictures) == 2
    order = names["order"]
    assert order[0] > 0.9 and order[-1] < 0.3 and (np.diff(order) < 0.1).all()


def test_a_first_flock(tmp_path, monkeypatch, capsys):
    said, pictures, _ = run("first_flock.ipynb", tmp_path, monkeypatch, capsys)
    assert "step 300" in said and len(set(pictures)) == 3
    order = [float(line.split()[-1]) for line in said.splitlines() if line.startswith("step")]
    assert order[0] < 0.2 and order[-1] > 0.8
    assert (tmp_path / "first_flock.png").read_bytes().startswith(PNG)


def test_a_rule_of_ones_own(tmp_path, monkeypatch, capsys):
    said, pictures, _ = run("own_rule.ipynb", tmp_path, monkeypatch, capsys)
    assert "the same bits: True" in said and len(pictures) == 1
    assert int(said.split(" meals")[0].split()[-1]) > 300


def test_a_dog_learns(tmp_path):
    words = [sys.executable, EXAMPLES / "shepherd.py", "--generations", "5"]
    said = subprocess.run(words, check=True, capture_output=True, text=True, cwd=tmp_path).stdout
    stands, learned = (float(number) for number in re.findall(r": ([\d.]+) ±", said))
    assert learned < 0.97 * stands, said
    assert (tmp_path / "shepherd.png").read_bytes().startswith(PNG)


@pytest.fixture
def environment(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    import environment

    return environment


def test_each_boid_is_an_agent(environment):
    one = environment.FlockEnv(boids=6, nearest=3, length=20)
    seen, _ = one.reset(seed=4)
    assert list(seen) == one.agents == one.possible_agents and seen["boid_2"].shape == (21,)
    first = one.world.rewards()[0]
    for step in range(20):
        # All request one direction, and so come to fly in it.
        seen, rewards, ended, cut, _ = one.step({agent: np.array([1, 0, 0]) for agent in one.agents})
        assert all(cut.values()) == (step == 19) and not any(ended.values())
    assert rewards["boid_0"] > max(0.8, first) and one.agents == []
    again, _ = one.reset(seed=4)
    other, _ = one.reset()
    assert again.keys() == other.keys() and (again["boid_1"] != other["boid_1"]).any()
    assert one.render().shape == (480, 480, 3)
    # Wrappers copy environments, and send them to other processes.
    for twin in [copy.deepcopy(one), pickle.loads(pickle.dumps(one))]:
        assert twin.world.flocks.hash() == one.world.flocks.hash() and twin.agents == one.agents
        assert (twin.reset(seed=4)[0]["boid_1"] == again["boid_1"]).all()
    pytest.importorskip("gymnasium")
    test = pytest.importorskip("pettingzoo.test")
    test.parallel_api_test(environment.FlockEnv(boids=4, nearest=2, length=30), num_cycles=100)


def test_each_flock_is_an_environment(environment):
    many = environment.FlockVectorEnv(3, boids=8, nearest=2, length=5)
    seen, _ = many.reset(seed=1)
    assert seen.shape == (3, 8, 15) and seen.dtype == np.float32
    still, ends = np.zeros((3, 8, 3)), []
    for _ in range(13):
        seen, rewards, _, cut, _ = many.step(still)
        assert rewards.shape == (3,) and ((0 <= rewards) & (rewards <= 1)).all()
        ends.append(bool(cut.all()))
    # Every fifth step ends them; the one after starts them anew.
    assert ends == [step in (4, 10) for step in range(13)], ends
    pytest.importorskip("gymnasium")
    assert many.observation_space.contains(seen) and many.action_space.contains(still.astype(np.float32))

"""The check of programs of one's own: that of docs/reference.md is right, and each mistake in it is named."""

import re
from pathlib import Path

import numpy as np
import pytest

import murmuration_boids as mb
from conftest import refused

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def checked(program, *changes, boids=8, steps=1):
    """The result of the page's first program, with texts in it replaced."""
    for old, new in changes:
        assert old in program, old
        program = program.replace(old, new)
    names = {}
    exec(compile(program, "docs/reference.md", "exec"), names)
    position, velocity = mb.reference("agents", boids=boids)
    for _ in range(steps):
        position, velocity = names["step"](position, velocity)
    return mb.check("agents", step=steps, position=position, velocity=velocity)


def test_the_program_of_the_page_is_right(capsys):
    assert len(PROGRAMS) == 1
    for boids in (8, 200):
        for steps in (1, 2, 5, 10):
            found = checked(PROGRAMS[0], boids=boids, steps=steps)
            assert found and found.right, str(found)
            assert (found.boid, found.number, found.mistakes) == (None, None, [])
            assert str(found) == f"agents, step {steps}: right, all {boids} boids are within their bounds"
    # It prints what the page says.
    printed = capsys.readouterr().out.splitlines()[0]
    assert printed == "agents, step 1: right, all 8 boids are within their bounds" and printed in PAGE
    assert str(checked(PROGRAMS[0], *MISTAKES["offsets do not wrap at the edges of the world"])) in PAGE


# Changes of the program, and what they are called.
MISTAKES = {
    "offsets do not wrap at the edges of the world": [("np.round(offset / 100)", "0")],
    "positions do not wrap into the world": [("(position + velocity) % 100", "position + velocity")],
    "positions below zero do not wrap: a remainder keeps their sign": [("(position + velocity) % 100", "np.fmod(position + velocity, 100)")],
    "neighbours are those in a square, not in a circle": [("(distance < 5)", "(abs(offset).max(axis=2) < 5)")],
    "the distance is the greater of those along the axes": [("np.linalg.norm(offset, axis=2)", "abs(offset).max(axis=2)")],
    "a boid counts itself as a neighbour": [(" & ~np.eye(len(position), dtype=bool)", "")],
    "positions move by the velocity before the step": [("    velocity = velocity", "    old = velocity\n    velocity = velocity"), ("(position + velocity)", "(position + old)")],
    "the radius of separation is ignored": [("close = near & (distance < 1)", "close = near")],
    "sums are not divided by the number of neighbours": [(" / np.maximum(near.sum(axis=1), 1)[:, None]", "")],
    "alignment subtracts the boid's own velocity": [("* velocity\n", "* (velocity - velocity[:, None])\n")],
    "separation has the opposite sign": [("- 0.015", "+ 0.015")],
    "alignment has the opposite sign": [("+ 0.05", "- 0.05")],
    "cohesion has the opposite sign": [("0.03 * near", "-0.03 * near")],
    "the speed is not limited": [("velocity /= np.linalg.norm(velocity, axis=1)[:, None]", "pass")],
    "one step more is taken": [("def step(", "def step(p, v):\n    return once(*once(p, v))\n\ndef once(")],
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_in_it_is_named(mistake):
    changes = MISTAKES[mistake]
    for boids in (8, 200):
        found = checked(PROGRAMS[0], *changes, boids=boids)
        assert not found and found.mistakes[:1] == [mistake] and found.boid is not None, str(found)
        assert abs(found.computed - found.expected) > 1e6 * found.bound > 0
        assert str(found).endswith(f"; these numbers result if {mistake}") and "\n" not in str(found)


def test_two_mistakes_are_named_together():
    names = ["offsets do not wrap at the edges of the world", "a boid counts itself as a neighbour"]
    for boids in (8, 200):
        found = checked(PROGRAMS[0], *MISTAKES[names[0]], *MISTAKES[names[1]], boids=boids)
        assert " and ".join(names) in found.mistakes, str(found)


def test_single_precision_is_named_and_mistakes_in_it():
    begin = "def step(position, velocity):\n"
    rounded = (begin, begin + "    position, velocity = np.float32(position), np.float32(velocity)\n")
    for boids in (8, 200):
        for steps in (1, 5):
            found = checked(PROGRAMS[0], rounded, boids=boids, steps=steps)
            assert not found and found.mistakes == ["the program computes in single precision (f32)"], str(found)
        name = "alignment has the opposite sign"
        found = checked(PROGRAMS[0], rounded, *MISTAKES[name], boids=boids)
        assert found.mistakes == [f"{name}, in single precision (f32)"], str(found)


def pixels(position, velocity):
    """A step of cornell as its course writes it."""
    boids = [(x, y, vx, vy) for (x, y), (vx, vy) in zip(position, velocity)]
    after = []
    for i, (x, y, vx, vy) in enumerate(boids):
        close_dx = close_dy = xpos = ypos = xvel = yvel = neighbours = 0.0
        for j, (ox, oy, ovx, ovy) in enumerate(boids):
            dx, dy = x - ox, y - oy
            if j == i or abs(dx) >= 40 or abs(dy) >= 40:
                continue
            squared = dx * dx + dy * dy
            if squared < 64:
                close_dx, close_dy = close_dx + dx, close_dy + dy
            elif squared < 1600:
                xpos, ypos, xvel, yvel, neighbours = xpos + ox, ypos + oy, xvel + ovx, yvel + ovy, neighbours + 1
        if neighbours > 0:
            vx = vx + (xpos / neighbours - x) * 0.0005 + (xvel / neighbours - vx) * 0.05
            vy = vy + (ypos / neighbours - y) * 0.0005 + (yvel / neighbours - vy) * 0.05
        vx, vy = vx + close_dx * 0.05, vy + close_dy * 0.05
        vx += 0.2 * (x < 100) - 0.2 * (x > 540)
        vy += 0.2 * (y < 100) - 0.2 * (y > 380)
        speed = np.sqrt(vx * vx + vy * vy)
        limited = min(max(speed, 3), 6)
        vx, vy = vx / speed * limited, vy / speed * limited
        after.append((x + vx, y + vy, vx, vy))
    after = np.array(after)
    return after[:, :2], after[:, 2:]


def headings(position, velocity):
    """A step of vicsek by complex numbers."""
    z, heading = position @ [1, 1j], velocity @ [1, 1j] / 0.03
    offset = z[None, :] - z[:, None]
    offset = (offset.real + 3.5) % 7 - 3.5 + 1j * ((offset.imag + 3.5) % 7 - 3.5)
    angle = np.angle((abs(offset) < 1) @ heading)
    velocity = 0.03 * np.stack([np.cos(angle), np.sin(angle)], 1)
    return (position + velocity) % 7, velocity


@pytest.mark.parametrize(("name", "step"), [("cornell", pixels), ("vicsek", headings)])
def test_programs_for_the_other_models_are_right(name, step):
    for boids in (8, 200):
        position, velocity = mb.reference(name, boids=boids)
        for k in range(1, 11):
            position, velocity = step(position, velocity)
            if k in (1, 2, 5, 10):
                found = mb.check(name, step=k, position=position, velocity=velocity)
                assert found, str(found)
        # A control.
        wrong = mb.check(name, step=1, position=position + 1, velocity=velocity)
        assert not wrong and wrong.mistakes == []


@pytest.mark.parametrize("name", ["agents", "cornell", "vicsek"])
def test_the_numbers_are_those_of_the_files(name):
    for boids, folder in [(8, "small"), (200, "full")]:
        for step in (0, 1, 2, 5, 10):
            file = ROOT / "reference" / name / folder / (f"step{step}.csv" if step else "start.csv")
            table = np.genfromtxt(file, delimiter=",", names=True)
            position, velocity = mb.reference(name, boids=boids, step=step)
            assert position.shape == velocity.shape == (boids, 2)
            assert (position == np.stack([table["x"], table["y"]], 1)).all()
            assert (velocity == np.stack([table["vx"], table["vy"]], 1)).all()
            if step:
                # In space, in other shapes and in lists, too.
                flat = np.zeros((boids, 1))
                assert mb.check(name, step=step, position=np.hstack([position, flat]), velocity=velocity.tolist())
            if step == 1:
                position[3, 1] += 1.1 * table["y_bound"][3]
                found = mb.check(name, step=step, position=position, velocity=velocity)
                assert not found and (found.boid, found.number, found.mistakes) == (3, "y", ["the program computes in single precision (f32)"])


def test_the_flock_itself_is_right():
    for name in ["agents", "cornell", "vicsek"]:
        flock = mb.Flock.load(ROOT / "reference" / f"{name}.toml", init=ROOT / "reference" / name / "full" / "start.csv", engine="cpu", numeric="f64")
        flock.step(2)
        assert mb.check(name, step=2, position=flock.position, velocity=flock.velocity)


def test_a_wrong_call_says_what_would_be_right():
    position, velocity = mb.reference("vicsek", boids=8)

    def call(name="vicsek", **changed):
        return mb.check(name, **({"step": 1, "position": position, "velocity": velocity} | changed))

    refused(
        {
            "unknown model 'agent', expected one of agents, cornell, netlogo, vicsek; did you mean 'agents'?": lambda: call("agent"),
            "step must be 1, 2, 5 or 10, not 3": lambda: call(step=3),
            "step must be 0 to 4294967295, not -1": lambda: call(step=-1),
            "step must be 0, 1, 2, 5 or 10, not 4": lambda: mb.reference("agents", step=4),
            "vicsek has 8 or 200 boids, not 7": lambda: call(position=position[:7], velocity=velocity[:7]),
            "agents has 8 or 200 boids, not 0": lambda: mb.reference("agents", boids=0),
            "velocity must have 8 rows like position, not 7": lambda: call(velocity=velocity[:7]),
            "position must have the shape [boids, 2] or [boids, 3], not [16]": lambda: call(position=position.ravel()),
            "position must have the shape [boids, 2] or [boids, 3], not [2, 8]": lambda: call(position=position.T),
            "position must have the shape [boids, 2] or [boids, 3], not [1]": lambda: call(position=3),
            "velocity must be an array of shape [boids, 2] or [boids, 3]": lambda: call(velocity=[[0, 0], [0]]),
        }
    )
    refused(
        {
            "name must be text, not int": lambda: call(3),
            "step must be a whole number, not float": lambda: call(step=1.0),
            "position must have the dtype real numbers, not complex128": lambda: call(position=position * 1j),
        },
        TypeError,
    )
    for odd, text in [(np.nan, "NaN"), (np.inf, "inf")]:
        found = call(position=position * odd)
        assert not found and f"whose x is {text}" in str(found), str(found)

# %% [markdown]
# # Your own rule: by a formula, and by an array
#
# What a boid requests beside separation, alignment and cohesion is a line of text, which every engine runs, or an array that
# Python works out before each step. Run it as a script, or cell by cell in an editor that knows `# %%`.

# %%
from pathlib import Path

import numpy as np

import murmuration_boids as mb

FORMULA = """
preset = "murmuration"

[terms.swirl]
strength = { default = 0.05, range = [0, 1], unit = "1/t" }
request = "strength * cross(vec3(0, 0, 1), position - home.position)"
"""
Path("swirl.toml").write_text(FORMULA)
by_formula = mb.Flock.load("swirl.toml", boids=500, engine="cpu")
by_formula.step(200)
print(by_formula.measure("milling"))

# %% [markdown]
# The same in NumPy: a velocity for each boid, by id, which `acceleration` adds to what it requests. In the flock's own numbers,
# float32 here, it has the same bits.

# %%
by_array = mb.Flock("murmuration", boids=500, engine="cpu")
home = np.array(by_array.parameters["home.position"], np.float32)
for _ in range(200):
    x, y, _ = (by_array.position - home).T
    by_array.step(acceleration=np.float32(0.05) * np.stack([-y, x, 0 * x], axis=1))
print("the same bits:", by_array.hash() == by_formula.hash())

# %% [markdown]
# A formula knows what is now, and is far faster. An array may come from anywhere: here each boid remembers how hungry it is,
# and visits the food, a disc in the middle, when it has been away for long.

# %%
flock = mb.Flock("cornell", boids=300, engine="cpu", seed=1)
low, high = flock.parameters["world.min"], flock.parameters["world.max"]
food, reach = (np.array(low) + high) / 2, 0.1 * (high[0] - low[0])
hunger = np.random.default_rng(1).uniform(0, 1, len(flock))
meals = 0
for _ in range(1000):
    way = (food - flock.position) * [1, 1, 0]
    distance = np.linalg.norm(way, axis=1, keepdims=True)
    eats = (distance[:, 0] < reach) & (hunger > 1)
    meals += eats.sum()
    hunger = np.where(eats, 0, hunger + 0.004)
    flock.step(acceleration=np.where(hunger[:, None] > 1, 0.3 * way / np.maximum(distance, 1e-9), 0))
print(f"{meals} meals of {len(flock)} boids")
flock.film("own_rule.png", steps=0, size=(640, 480), yes=True)

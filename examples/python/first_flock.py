# %% [markdown]
# # A first flock
#
# Run it as a script, or cell by cell in an editor that knows `# %%`: VS Code, Spyder, PyCharm, Jupyter with jupytext. It needs
# NumPy alone, and takes some seconds.

# %%
import numpy as np

import murmuration_boids as mb

flock = mb.Flock("vicsek", boids=600, seed=3)
print(flock)

# %% [markdown]
# At its start every boid flies its own way. As each aligns with those around it, the polarization, the length of the mean
# heading, grows towards 1.

# %%
for state in flock.run(300, every=50):
    heading = state.velocity / np.linalg.norm(state.velocity, axis=1, keepdims=True)
    print(f"step {state.step:3}   polarization {np.linalg.norm(heading.mean(axis=0)):.3f}")
print(flock.measure("polarization", "groups"))

# %% [markdown]
# Who is near whom comes as the rows of a sparse matrix: the neighbours of boid k are `indices[starts[k]:starts[k + 1]]`.

# %%
starts, indices, distances = flock.neighbours(flock.parameters["alignment.radius"])
print(f"{np.diff(starts).mean():.1f} neighbours, the nearest of all at {distances.min():.2f}")

# %% [markdown]
# Any parameter can be set while it flies. With a large error of each heading the order is lost.

# %%
flock.set("noise.angle", 150)
flock.step(300)
print(flock.measure("polarization", "groups"))

# %% [markdown]
# A picture is an array, for `PIL.Image.fromarray` or `plt.imshow`; a film of no steps is the same as a file.

# %%
print(flock.picture(size=(640, 480)).shape)
flock.set("noise.angle", 20)
flock.step(100)
flock.film("first_flock.png", steps=0, size=(640, 480), yes=True)

"""A dog learns to bring sheep home, by an evolution strategy in NumPy alone: many flocks are herded at once.

    python examples/python/shepherd.py            # about a minute; writes shepherd.png, the herding before and after

The sheep are a flock in the plane that keeps together; each flees a dog that is near, which is an array added to what it
requests. The dog is a small network: it sees itself and the sheep that is farthest off, from the middle of the flock and along
the way home, and answers with a heading (after Strömbom et al., J. R. Soc. Interface 11, 2014, whose dog was given its rules).
"""

import argparse

import numpy as np

import murmuration_boids as mb

SHEEP, HOME, CALLS, STEPS = 20, np.array([0.0, 0.0]), 120, 2
FEAR, REACH, PACE = 0.25, 9.0, 0.55
SIZES = [7, 8, 2]
RULE = {
    "flock.dimensions": 2, "world.edges": "open", "world.min": [12, -8, 0], "world.max": [28, 8, 1], "home.weight": 0,
    "separation.radius": 1.5, "separation.weight": 0.05, "alignment.radius": 3, "alignment.weight": 0.1,
    "cohesion.radius": 12, "cohesion.weight": 0.004, "motion.inertia": 0.8, "motion.min_speed": 0, "motion.max_speed": 0.25,
}


def unit(vectors):
    """Vectors of length one; zero stays."""
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-9)


def weights(genes):
    """The layers of each network: genes (dogs, numbers) as matrices, the last row of each for a constant input."""
    begin, layers = 0, []
    for inputs, outputs in zip(SIZES, SIZES[1:]):
        end = begin + (inputs + 1) * outputs
        layers.append(genes[:, begin:end].reshape(len(genes), inputs + 1, outputs))
        begin = end
    return layers


GENES = sum((inputs + 1) * outputs for inputs, outputs in zip(SIZES, SIZES[1:]))


def headings(layers, dogs, sheep):
    """Where each dog runs: dogs (count, 2), sheep (count, SHEEP, 2)."""
    middle = sheep.mean(1)
    away = sheep - middle[:, None]
    off = np.linalg.norm(away, axis=-1)
    farthest = away[np.arange(len(sheep)), off.argmax(1)]
    ahead = unit(HOME - middle)
    axes = np.stack([ahead, np.stack([-ahead[:, 1], ahead[:, 0]], 1)], 1)
    local = lambda vectors: np.einsum("kij,kj->ki", axes, vectors)
    nearest = (sheep - dogs[:, None])[np.arange(len(sheep)), np.linalg.norm(sheep - dogs[:, None], axis=-1).argmin(1)]
    state = np.concatenate([local(dogs - middle) / 8, local(farthest) / 8, local(nearest) / 8, off.max(1, keepdims=True) / 8], 1)
    for layer in layers:
        state = np.tanh(np.einsum("ki,kij->kj", np.concatenate([state, np.ones((len(state), 1))], 1), layer))
    return np.einsum("kij,ki->kj", axes, state)


def herd(genes, seeds, paths=None):
    """Each dog, genes (dogs, GENES), herds a flock of each seed: the sheep's mean distance from home at the end, (dogs, seeds)."""
    flocks = mb.Flocks("murmuration", boids=SHEEP, seeds=np.tile(seeds, len(genes)), **RULE)
    layers = [np.repeat(layer, len(seeds), 0) for layer in weights(genes)]
    dogs = np.tile([20.0, 14.0], (len(flocks), 1))
    for _ in range(CALLS):
        sheep = flocks.position[..., :2]
        dogs += PACE * headings(layers, dogs, sheep)
        flight = sheep - dogs[:, None]
        fear = FEAR * np.maximum(0, 1 - np.linalg.norm(flight, axis=-1, keepdims=True) / REACH)
        flocks.step(STEPS, acceleration=np.pad(fear * unit(flight), [(0, 0), (0, 0), (0, 1)]))
        if paths is not None:
            paths.append((sheep[0].copy(), dogs[0].copy()))
    return np.linalg.norm(flocks.position[..., :2] - HOME, axis=-1).mean(1).reshape(len(genes), len(seeds))


def learn(generations, pairs=24, seeds=5, sigma=0.3, rate=0.25, rng=np.random.default_rng(1)):
    """An evolution strategy: mirrored samples about a mean, which moves towards those that rank high (Salimans et al. 2017)."""
    mean = np.zeros(GENES)
    for generation in range(generations):
        noise = rng.normal(size=(pairs, GENES))
        noise = np.concatenate([noise, -noise])
        # The same flocks for all dogs of a generation, others for the next.
        left = herd(mean + sigma * noise, np.arange(seeds) + 1000 + generation * seeds).mean(1)
        rank = left.argsort().argsort() / (len(left) - 1) - 0.5
        mean -= rate / sigma * (rank[:, None] * noise).mean(0) * 4
        if generation % 5 == 4:
            print(f"generation {generation + 1:3}: {left.mean():5.2f} from home, the best {left.min():5.2f}")
    return mean


def drawn(paths, size=420):
    """The ways of sheep (blue) and dog (orange) as a picture: home is the ring, and time goes from light to dark."""
    canvas = np.full((size, size, 4), (251, 250, 246, 255), np.uint8)

    def spots(places, radius, colour, ring=False):
        dy, dx = np.mgrid[-60:61, -60:61]
        disc = (np.hypot(dx, dy) <= radius) & (np.hypot(dx, dy) >= ring * (radius - 1.5))
        column, row = ((places - [-6, -18]) / 40 * size).astype(int).T
        y, x = row[:, None] + dy[disc], column[:, None] + dx[disc]
        inside = (0 <= x) & (x < size) & (0 <= y) & (y < size)
        canvas[y[inside], x[inside], :3] = colour

    spots(HOME[None], 5 / 40 * size, 90, ring=True)
    for number, (sheep, dog) in enumerate(paths):
        last = number == len(paths) - 1
        for places, colour in [(sheep, (44, 82, 150)), (dog[None], (214, 96, 20))]:
            shade = 250 - (250 - np.array(colour)) * (0.25 + 0.5 * number / len(paths) + 0.25 * last)
            spots(places, 4 if last else 1.2, shade)
    canvas[:, -2:, :3] = 200
    return canvas.view(mb.Picture)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--generations", type=int, default=60)
    options = parser.parse_args()
    learned = learn(options.generations)
    # Flocks that no dog has seen.
    unseen, pictures = np.arange(40), []
    for name, genes in [("a dog that stands", np.zeros(GENES)), ("the dog that learned", learned)]:
        paths = []
        left = herd(genes[None], unseen, paths)[0]
        print(f"{name}: {left.mean():.2f} ± {left.std(ddof=1) / len(left) ** 0.5:.2f} from home, {(left < 5).sum()} of {len(left)} flocks within 5")
        pictures.append(drawn(paths))
    with open("shepherd.png", "wb") as file:
        file.write(np.hstack(pictures).view(mb.Picture)._repr_png_())


if __name__ == "__main__":
    main()

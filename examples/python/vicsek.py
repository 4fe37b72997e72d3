"""Vicsek's curve: order falls as noise grows (Vicsek et al., Phys. Rev. Lett. 75, 1995), by many flocks at once.

    python examples/python/vicsek.py            # some seconds; writes vicsek.csv beside it with --out vicsek.csv
"""

import argparse

import numpy as np

import murmuration_boids as mb


def curve(angles, boids=100, seeds=16, settle=500, samples=50, every=10):
    """The polarization at each angle of noise, in degrees either way: its mean over seeds, and the error of that."""
    flocks = mb.Flocks("vicsek", count=seeds, boids=boids)
    rows = []
    for angle in angles:
        flocks.reset()
        flocks.set("noise.angle", angle)
        flocks.step(settle)
        order = np.zeros(seeds)
        for _ in range(samples):
            flocks.step(every)
            order += flocks.measure("polarization")["polarization"] / samples
        rows.append([angle, order.mean(), order.std(ddof=1) / np.sqrt(seeds)])
    return np.array(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--boids", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=16)
    parser.add_argument("--settle", type=int, default=500)
    parser.add_argument("--samples", type=int, default=50)
    parser.add_argument("--out", help="a CSV file")
    options = parser.parse_args()
    # Vicsek's eta is the width of the noise in radians: twice the angle.
    rows = curve(np.linspace(0, 180, 10), options.boids, options.seeds, options.settle, options.samples)
    print("angle  eta   polarization")
    for angle, mean, error in rows:
        print(f"{angle:5.0f}  {np.radians(2 * angle):4.2f}  {mean:.3f} ± {error:.3f}  {'#' * round(40 * mean)}")
    if options.out:
        np.savetxt(options.out, rows, delimiter=",", header="angle,polarization,error", comments="")


if __name__ == "__main__":
    main()

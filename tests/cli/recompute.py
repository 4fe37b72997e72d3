"""Recomputes measures and standard errors by brute force from docs/measures.md and docs/studies.md alone.

Usage: recompute.py CASES.json. Prints how many numbers agreed; exits with 1 and names those that did not.
"""

import csv
import json
import sys

import numpy as np

TOLERANCE = 1e-9
TINY = 1e-12
ANY = "any"
ROOT_HALF = np.sqrt(0.5)


def unit(vectors):
    """The unit vectors, zero for zero."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)


class Flock:
    def __init__(self, case, rows):
        column = lambda *names: np.array([[float(row[name]) for name in names] for row in rows])
        self.case, self.flat = case, case["dimensions"] == 2
        self.axes = 2 if self.flat else 3
        self.x, self.v = column("x", "y", "z"), column("vx", "vy", "vz")
        self.group = column("group")[:, 0]
        self.n = len(rows)
        self.low = np.array(case["min"], float)
        self.size = np.array(case["max"], float) - self.low
        self.wraps = np.array([case["edges"] == "wrap" and not (k == 2 and self.flat) for k in range(3)])

    def nearest_image(self, offsets):
        return np.where(self.wraps, offsets - self.size * np.round(offsets / self.size), offsets)

    def centre(self, x):
        angle = 2 * np.pi * (x - self.low) / self.size
        turn = np.arctan2(np.sin(angle).sum(0), np.cos(angle).sum(0)) % (2 * np.pi)
        centre = np.where(self.wraps, self.low + self.size * turn / (2 * np.pi), x.mean(0))
        return centre

    def directions(self):
        if self.case["pull"] == 0:
            return np.array([[1.0, 0, 0], [-1.0, 0, 0]])
        flat = [1, 1, 0 if self.flat else 1]
        return unit(np.array([self.case["right_direction"], self.case["left_direction"]]) * flat)

    def order(self, chosen):
        """The measures of sums over some boids, and their centre and gyration tensor."""
        x, v, n = self.x[chosen], self.v[chosen], len(chosen)
        centre, way = self.centre(x), unit(v)
        r = self.nearest_image(x - centre)
        gyration = np.sqrt((r**2).sum() / n)
        scale = np.linalg.norm(centre) + (np.linalg.norm(self.size) if self.wraps.any() else 0)
        out = np.where(np.linalg.norm(r, axis=1)[:, None] > TINY * (scale + gyration), unit(r), 0)
        tensor = r.T @ r / n
        shares = [(way @ side >= ROOT_HALF - TINY).mean() for side in self.directions()]
        values = np.sort(np.linalg.eigvalsh(tensor))
        elongation = 0.0
        if gyration > TINY * scale:
            line = values[1] <= TINY * values[2]
            elongation = 1.0 if line else 1 - np.sqrt(values[1] / values[2])
        m = {
            "polarization": np.linalg.norm(way.sum(0)) / n,
            "milling": np.linalg.norm(np.cross(out, way).sum(0)) / n,
            "mean_speed": np.linalg.norm(v, axis=1).mean(),
            "gyration": gyration,
            "elongation": elongation,
            "share_right": shares[0],
            "share_left": shares[1],
            "angular_momentum": np.linalg.norm(np.cross(r, v).sum(0)) / n,
        }
        total = way.sum(0) if np.linalg.norm(way.sum(0)) > TINY * n else 0 * way.sum(0)
        return m, unit(total), r, tensor, gyration > TINY * np.linalg.norm(centre)

    def measures(self):
        m, heading, r, tensor, extended = self.order(np.arange(self.n))
        if heading.any():
            m["heading"] = np.degrees(np.arctan2(heading[1], heading[0]))
            m["climb"] = np.degrees(np.arcsin(np.clip(heading[2], -1, 1)))
            counts = np.array([(self.group == 1).sum(), (self.group == 2).sum()])
            if counts.any():
                sides = self.directions()
                total = counts @ sides
                balance = total @ total <= TINY * counts.sum() ** 2
                goal = sides[0] if balance else unit(total)
                m["heading_error"] = np.degrees(np.arccos(np.clip(heading @ goal, -1, 1)))
        offsets = self.nearest_image(self.x[None] - self.x[:, None])
        distance = np.linalg.norm(offsets, axis=2)
        np.fill_diagonal(distance, np.inf)
        self.neighbours(m, distance)
        self.groups(m, distance)
        self.correlation(m, distance)
        if self.n > 1 and heading.any():
            self.ranks(m, offsets, distance, heading)
        if extended:
            self.shape(m, r, tensor)
        return m

    def neighbours(self, m, distance):
        if self.n > 1:
            nearest = np.sort(distance.min(1))
            m["nearest_mean"] = nearest.mean()
            for name, tenths in [("nearest_p10", 1), ("nearest_p50", 5), ("nearest_p90", 9)]:
                m[name] = nearest[-(-tenths * self.n // 10) - 1]
        count = (distance < self.case["radius"]).sum(1)
        m["neighbours_mean"], m["neighbours_max"] = count.mean(), count.max()

    def groups(self, m, distance):
        label = np.arange(self.n)
        while True:
            near = np.where(distance < self.case["radius"], label[None], self.n).min(1)
            least = np.minimum(label, near)
            if (least == label).all():
                break
            label = least
        names, sizes = np.unique(label, return_counts=True)
        ordered = np.sort(sizes)[::-1]
        m["groups"], m["largest_group"] = len(sizes), ordered[0]
        m["split"] = float(len(ordered) > 1 and 10 * ordered[1] >= self.n)
        inside, *_ = self.order(np.flatnonzero(label == names[sizes.argmax()]))
        m["group_polarization"], m["group_milling"] = inside["polarization"], inside["milling"]

    def correlation(self, m, distance):
        side = np.ptp(self.x, axis=0)
        diagonal = np.linalg.norm(np.where(self.wraps, np.minimum(side, self.size / 2), side))
        if diagonal == 0:
            return
        first, second = np.triu_indices(self.n, 1)
        d = distance[first, second]
        at = np.minimum((d * 128 / diagonal).astype(int), 127)
        speed = np.linalg.norm(self.v, axis=1)
        heading = unit(self.v)
        cases = [("correlation_length", heading, 1.0), ("speed_correlation_length", speed[:, None], (speed**2).mean())]
        for name, value, square in cases:
            u = value - value.mean(0)
            variance = (u**2).sum() / self.n
            if variance <= 1e-9 * square:
                continue
            product = (u[first] * u[second]).sum(1)
            joined = []
            for k in range(128):
                here = at == k
                bin = np.array([here.sum(), d[here].sum(), product[here].sum()])
                if joined and 2 * joined[-1][0] < self.n:
                    joined[-1] += bin
                else:
                    joined.append(bin.astype(float))
            near, c = 0.0, variance
            for pairs, distances, products in joined:
                if pairs == 0:
                    continue
                far, next = distances / pairs, products / pairs
                if next <= 0:
                    m[name] = near + (far - near) * c / (c - next)
                    break
                near, c = far, next

    def ranks(self, m, offsets, distance, heading):
        order = np.argsort(distance, axis=1)
        isotropic = 1 / self.axes
        anisotropic = None
        for rank in range(min(16, self.n - 1)):
            u = unit(offsets[np.arange(self.n), order[:, rank]])
            moments = (u.T @ u / u.any(1).sum())[: self.axes, : self.axes]
            values, vectors = np.linalg.eigh(moments)
            gamma = (vectors[:, 0] @ heading[: self.axes]) ** 2
            if rank == 0:
                # The axis of equal least eigenvalues is any of a plane.
                tie = values[1] - values[0] < 1e-9
                m["anisotropy"] = ANY if tie else gamma
            clear = gamma > isotropic and values[0] < isotropic - 1 / np.sqrt(self.n)
            if anisotropic is None and not clear:
                anisotropic = rank
        m["anisotropy_ranks"] = float(min(16, self.n - 1) if anisotropic is None else anisotropic)

    def shape(self, m, r, tensor):
        values, vectors = np.linalg.eigh(tensor[: self.axes, : self.axes])
        if values[0] <= 1e-5 * values[-1]:
            return
        half = np.sqrt((self.axes + 2) * values)
        volume = (np.pi if self.flat else 4 / 3 * np.pi) * half.prod()
        square = ((r[:, : self.axes] @ vectors / half) ** 2).sum(1)
        m["density"] = (square < 0.25).sum() / (volume * 0.5**self.axes)
        m["density_edge"] = ((square >= 0.5625) & (square < 1)).sum() / (volume * (1 - 0.75**self.axes))
        m["aspect_1"] = np.sqrt(values[1] / values[0])
        if not self.flat:
            m["aspect_2"] = np.sqrt(values[2] / values[0])
            m["tilt"] = np.degrees(np.arccos(min(1, abs(vectors[2, 0]))))


def standard_error(samples):
    while len(samples) > 8192:
        even = len(samples) // 2 * 2
        samples = (samples[0:even:2] + samples[1:even:2]) / 2
    n = len(samples)
    if n < 2:
        return None
    if (samples == samples[0]).all():
        return 0.0
    apart = samples - samples.mean()
    tau = 0.5
    for window in range(1, n // 2 + 1):
        tau += (apart[:-window] @ apart[window:]) / (apart @ apart)
        if window >= 5 * tau:
            return np.sqrt(max(1, 2 * tau) * (apart @ apart) / (n - 1) / n)
    return None


def table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def compare(where, name, mine, text, faults):
    theirs = None if text == "" else float(text)
    if mine is ANY and theirs is not None and 0 <= theirs <= 1:
        return
    one_lacks = (mine is None) != (theirs is None)
    if one_lacks or mine is not None and abs(mine - theirs) > TOLERANCE * max(abs(mine), abs(theirs), TINY):
        faults.append(f"{where}: {name}: the program has {theirs}, the documents {mine}")


def main():
    faults, count = [], 0
    for case in json.load(open(sys.argv[1])):
        steps = {}
        for row in table(case["trajectory"]) if "trajectory" in case else []:
            if row["kind"] == "predator":
                continue
            steps.setdefault(row["step"], []).append(row)
        for row in table(case["metrics"]) if "metrics" in case else []:
            mine = Flock(case, steps[row["step"]]).measures()
            for name in row:
                if name != "step":
                    compare(f"{case['name']}, step {row['step']}", name, mine.get(name), row[name], faults)
                    count += 1
        samples = table(case["series"]) if "series" in case else []
        for row in table(case["runs"]) if "runs" in case else []:
            own = [sample for sample in samples if sample["run"] == row["run"]]
            for name in case["columns"]:
                values = np.array([float(sample[name]) for sample in own if sample[name] != ""])
                where = f"{case['name']}, run {row['run']}, {name}"
                compare(where, "sem", standard_error(values), row[f"{name}_sem"], faults)
                compare(where, "mean", values.mean(), row[f"{name}_mean"], faults)
                count += 2
    print("\n".join(faults) or f"{count} numbers agree")
    sys.exit(bool(faults) or count == 0)


main()

#!/usr/bin/env python3
"""What a clean build of the program costs, in processor seconds, and in times a fixed crate's build.

    python3 benches/weigh.py            # prints the figures
    python3 benches/weigh.py --check    # fails where the ratio is beyond its budget

Both are built from nothing with this repository's profile, one after the other, so that the ratio holds on any machine.
The lines of code of each room are held by tests/tidy/budget.rs.
"""

import argparse
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = "murmuration-boids"
# Of a known version, which Cargo.lock holds, and large enough to be measured.
FIXED = "naga"
BUDGET = 13.0


def build(package):
    """Processor and wall seconds of a package's clean build with all that it needs."""
    with tempfile.TemporaryDirectory() as target:
        before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        command = ["cargo", "build", "--locked", "--quiet", "--package", package, "--target-dir", target]
        subprocess.run(command, cwd=ROOT, check=True)
        after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - begun
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, wall


def main():
    parser = argparse.ArgumentParser(description="What a clean build of the program costs.")
    parser.add_argument("--check", action="store_true", help=f"fail beyond {BUDGET} times {FIXED}'s build")
    check = parser.parse_args().check
    (fixed, _), (program, wall) = build(FIXED), build(PROGRAM)
    ratio = program / fixed
    print(f"{PROGRAM}: {program:.0f} processor seconds, {wall:.0f} s; {FIXED}: {fixed:.0f}; ratio {ratio:.1f}")
    if check and ratio > BUDGET:
        sys.exit(f"weigh: the ratio must be at most {BUDGET}, not {ratio:.1f}")


if __name__ == "__main__":
    main()

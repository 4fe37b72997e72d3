"""A GPU that is lost: the flock raises, and goes on on another engine. A Vulkan layer that fails on demand stands before the driver."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import murmuration_boids as mb

LAYER = Path(__file__).parents[3] / "tests" / "support" / "faults" / "layer.rs"
NAME = "VK_LAYER_murmuration_faults"

LOSES = """
import os, time
import murmuration_boids as mb

words = dict(boids=300, seed=3, numeric="fixed")
flock = mb.Flock("yabi", engine="gpu", adapter="llvmpipe", backend="vulkan", **words)
if LATE:
    # Until a state was read for it.
    end = time.monotonic() + 2.5
    while time.monotonic() < end:
        flock.step(5)
flock.step(20)
reached = flock.step_count
with open(os.environ["MURMURATION_FAULT"], "w") as order:
    order.write("lose")
try:
    flock.step(2000)
    raise SystemExit("nothing was lost")
except mb.Error as error:
    print(error)
    assert "the device was lost" in str(error) and not isinstance(error, mb.UsageError)
for look in [lambda: flock.position, lambda: flock.hash()]:
    try:
        look()
        raise SystemExit("a lost flock has a state")
    except mb.Error as error:
        assert "the device was lost" in str(error)
flock.engine = "cpu"
assert flock.engine.startswith("cpu"), flock.engine
kept = flock.step_count
assert (0 < kept <= reached) if LATE else kept == 0, (kept, reached)
twin = mb.Flock("yabi", engine="cpu", **words)
twin.step(kept)
assert flock.hash() == twin.hash()
flock.engine = "gpu"
flock.step(30)
twin.step(30)
assert flock.engine.startswith("gpu") and flock.hash() == twin.hash()
"""


@pytest.mark.parametrize("late", [False, True])
def test_a_flock_goes_on_after_its_gpu(gpu, tmp_path, late):
    if sys.platform != "linux" or shutil.which("rustc") is None:
        pytest.skip("there is no layer of faults: NOT tested")
    if not any("llvmpipe" in adapter["name"] and adapter["backend"] == "vulkan" for adapter in mb.adapters()):
        pytest.skip("there is no llvmpipe: NOT tested")
    library = tmp_path / "libfaults.so"
    words = ["--edition", "2024", "--crate-type", "cdylib", "--crate-name", "faults", "-o", library, LAYER]
    subprocess.run(["rustc", *words], check=True)
    layer = dict(name=NAME, type="GLOBAL", library_path=str(library), api_version="1.3.0", implementation_version="1", description="fails")
    (tmp_path / "faults.json").write_text(json.dumps(dict(file_format_version="1.1.2", layer=layer)))
    faults = dict(VK_LAYER_PATH=str(tmp_path), VK_INSTANCE_LAYERS=NAME, MURMURATION_FAULT=str(tmp_path / "order"))
    code = LOSES.replace("LATE", str(late))
    done = subprocess.run([sys.executable, "-c", code], env=os.environ | faults, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("llvmpipe")


@pytest.mark.parametrize("numeric", ["f32", "fixed"])
def test_a_flock_changes_its_engine(gpu, numeric):
    flock = mb.Flock("yabi", boids=100, engine="gpu", numeric=numeric, threads=None)
    flock.step(10)
    before = flock.hash()
    flock.engine = "cpu"
    assert flock.hash() == before and flock.step_count == 10 and flock.engine.startswith("cpu")
    flock.step(5)
    for wrong, line in {"tpu": "engine", 3: None}.items():
        with pytest.raises((mb.UsageError, TypeError)):
            flock.engine = wrong
    double = mb.Flock("yabi", boids=20, engine="cpu", numeric="f64")
    with pytest.raises(mb.UsageError, match="numeric f64 with engine gpu"):
        double.engine = "gpu"
    assert double.step_count == 0 and double.engine.startswith("cpu")

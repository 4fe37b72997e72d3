"""A GPU that is lost: the flock raises, and goes on on another engine. A Vulkan layer that fails on demand stands before the driver."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import murmuration_boids as mb
from conftest import refused

LAYER = Path(__file__).parents[3] / "tests" / "support" / "faults" / "layer.rs"
NAME = "VK_LAYER_murmuration_faults"

LOSES = """
import os, time
import pytest
import murmuration_boids as mb

words = dict(boids=300, seed=3, numeric="fixed")
flock = mb.Flock("yabi", engine="gpu", adapter="llvmpipe", backend="vulkan", **words)
flock.record()
flock.step(3)
flock.set("separation.radius", 2.5)
# Until a state was read for it.
end = time.monotonic() + 2.5
while time.monotonic() < end:
    flock.step(5)
reached = flock.step_count
flock.set("separation.radius", 1.5)
with open(os.environ["MURMURATION_FAULT"], "w") as order:
    order.write("lose")
for call in [lambda: flock.step(2000), lambda: flock.position, lambda: flock.hash()]:
    with pytest.raises(mb.Error, match="the device was lost") as caught:
        call()
    assert not isinstance(caught.value, mb.UsageError)
assert flock.flight.last >= reached
flock.engine = "cpu"
kept = flock.step_count
assert flock.engine.startswith("cpu") and 0 < kept <= reached, (kept, reached)
twin = mb.Flock("yabi", engine="cpu", **words)
twin.step(3)
twin.set("separation.radius", 2.5)
twin.step(kept - 3)
twin.set("separation.radius", 1.5)
assert flock.hash() == twin.hash()
flock.engine = "gpu"
for one in [flock, twin]:
    one.step(30)
assert flock.engine.startswith("gpu") and flock.hash() == twin.hash()
# The flight has gone back, too, with the parameters that were set last.
flight = flock.flight
assert flight.last == max(flight.hashes) == kept + 30 and flight.changes == 2 and flight.check(engine="cpu") is None
"""


def test_a_flock_goes_on_after_its_gpu(gpu, tmp_path):
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
    done = subprocess.run([sys.executable, "-c", LOSES], env=os.environ | faults, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_flock_changes_its_engine(gpu):
    flock = mb.Flock("yabi", boids=100, engine="gpu")
    flock.step(10)
    before = flock.hash()
    flock.engine = "cpu"
    assert flock.hash() == before and flock.step_count == 10 and flock.engine.startswith("cpu")
    double = mb.Flock("yabi", boids=20, engine="cpu", numeric="f64")
    refused(
        {
            "invalid value 'tpu' for 'engine": lambda: setattr(flock, "engine", "tpu"),
            "numeric f64 cannot be used with engine gpu": lambda: setattr(double, "engine", "gpu"),
        }
    )
    assert double.step_count == 0 and double.engine.startswith("cpu")

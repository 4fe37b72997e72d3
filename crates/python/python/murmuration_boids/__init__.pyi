# The docstrings of the module describe each item, with shapes, units and errors.

from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

__version__: str

_Value: TypeAlias = bool | int | float | str | Sequence[Any] | Mapping[str, Any] | np.generic | NDArray[Any]
_Vectors: TypeAlias = NDArray[np.float32] | NDArray[np.float64]
_Path: TypeAlias = str | PathLike[str]

class Picture(NDArray[np.uint8]):
    def _repr_png_(self) -> bytes | None: ...

class Error(Exception): ...
class UsageError(Error, ValueError): ...

class State:
    @property
    def step(self) -> int: ...
    @property
    def position(self) -> _Vectors: ...
    @property
    def velocity(self) -> _Vectors: ...
    @property
    def group(self) -> NDArray[np.uint8]: ...

class Flock:
    # A parameter has a dot in its name, so it can only be given as **{"separation.radius": 3}; checkers take a dict[str, Any].
    def __init__(
        self,
        preset: str | None = None,
        *,
        boids: int | float | str | None = None,
        seed: int | str | None = None,
        engine: Literal["auto", "cpu", "gpu", "rp2040"] | None = None,
        numeric: Literal["f32", "f64", "fixed"] | None = None,
        threads: int | None = None,
        adapter: int | str | None = None,
        backend: Literal["vulkan", "metal", "dx12", "gl"] | None = None,
        kernel: Literal["plain", "shared"] | None = None,
        firmware: _Path | None = None,
        init: _Path | None = None,
        first_step: int | None = None,
        **parameters: _Value | None,
    ) -> None: ...
    @staticmethod
    def load(path: _Path, **arguments: _Value | _Path | None) -> Flock: ...
    def step(self, steps: int = 1, *, acceleration: ArrayLike | None = None) -> None: ...
    def run(self, steps: int, every: int = 1) -> Iterator[State]: ...
    @property
    def position(self) -> _Vectors: ...
    @position.setter
    def position(self, value: ArrayLike) -> None: ...
    @property
    def velocity(self) -> _Vectors: ...
    @velocity.setter
    def velocity(self, value: ArrayLike) -> None: ...
    @property
    def group(self) -> NDArray[np.uint8]: ...
    def hash(self) -> str: ...
    def measure(self, *names: str) -> dict[str, float]: ...
    @property
    def parameters(self) -> dict[str, Any]: ...
    def set(self, name: str, value: _Value) -> None: ...
    def record(self, on: bool = True) -> None: ...
    @property
    def flight(self) -> Flight | None: ...
    def neighbours(
        self, radius: float | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]: ...
    def explain(self, id: int) -> dict[str, Any]: ...
    def picture(
        self,
        look: Literal["dusk", "cones", "paper", "water"] | None = None,
        *,
        size: tuple[int, int] | str | None = None,
        colour: str | None = None,
        style: Literal["auto", "cones", "arrows"] | None = None,
        yaw: float | None = None,
        pitch: float | None = None,
        field_of_view: float | None = None,
        zoom: float | None = None,
        adapter: int | str | None = None,
        backend: Literal["vulkan", "metal", "dx12", "gl"] | None = None,
        mark_centre: bool | None = None,
        camera: _Path | None = None,
    ) -> Picture: ...
    def film(
        self,
        path: _Path,
        steps: int = 300,
        *,
        every: int | None = None,
        fps: int | None = None,
        quality: int | None = None,
        blur: int | None = None,
        trails: float | None = None,
        orbit: float | None = None,
        yes: bool | None = None,
        look: Literal["dusk", "cones", "paper", "water"] | None = None,
        size: tuple[int, int] | str | None = None,
        colour: str | None = None,
        style: Literal["auto", "cones", "arrows"] | None = None,
        yaw: float | None = None,
        pitch: float | None = None,
        field_of_view: float | None = None,
        zoom: float | None = None,
        adapter: int | str | None = None,
        backend: Literal["vulkan", "metal", "dx12", "gl"] | None = None,
        mark_centre: bool | None = None,
        camera: _Path | None = None,
    ) -> None: ...
    @property
    def step_count(self) -> int: ...
    @property
    def engine(self) -> str: ...
    @engine.setter
    def engine(self, name: Literal["auto", "cpu", "gpu", "rp2040"]) -> None: ...
    def __len__(self) -> int: ...

class Divergence:
    @property
    def step(self) -> int: ...
    @property
    def recorded(self) -> str: ...
    @property
    def repeated(self) -> str: ...

class Flight:
    @staticmethod
    def load(path: _Path) -> Flight: ...
    def save(self, path: _Path, *, yes: bool = False) -> None: ...
    def flock(
        self,
        step: int | None = None,
        *,
        engine: Literal["auto", "cpu", "gpu", "rp2040"] | None = None,
        numeric: Literal["f32", "f64", "fixed"] | None = None,
        threads: int | None = None,
        adapter: int | str | None = None,
        backend: Literal["vulkan", "metal", "dx12", "gl"] | None = None,
        kernel: Literal["plain", "shared"] | None = None,
        firmware: _Path | None = None,
    ) -> Flock: ...
    def run(
        self,
        every: int = 1,
        *,
        engine: Literal["auto", "cpu", "gpu", "rp2040"] | None = None,
        numeric: Literal["f32", "f64", "fixed"] | None = None,
        threads: int | None = None,
        adapter: int | str | None = None,
        backend: Literal["vulkan", "metal", "dx12", "gl"] | None = None,
        kernel: Literal["plain", "shared"] | None = None,
        firmware: _Path | None = None,
    ) -> Iterator[Flock]: ...
    def check(
        self,
        *,
        engine: Literal["auto", "cpu", "gpu", "rp2040"] | None = None,
        threads: int | None = None,
        adapter: int | str | None = None,
        backend: Literal["vulkan", "metal", "dx12", "gl"] | None = None,
        kernel: Literal["plain", "shared"] | None = None,
        firmware: _Path | None = None,
    ) -> Divergence | None: ...
    @property
    def first(self) -> int: ...
    @property
    def last(self) -> int: ...
    @property
    def numeric(self) -> Literal["f32", "f64", "fixed"]: ...
    @property
    def engine(self) -> str: ...
    @property
    def preset(self) -> str | None: ...
    @property
    def hashes(self) -> dict[int, str]: ...
    @property
    def changes(self) -> int: ...

class Flocks:
    def __init__(
        self,
        preset: str | None = None,
        *,
        count: int | None = None,
        seeds: Iterable[int] | None = None,
        boids: int | float | str | None = None,
        numeric: Literal["f32", "f64", "fixed"] | None = None,
        threads: int | None = None,
        **parameters: _Value | None,
    ) -> None: ...
    @staticmethod
    def load(
        path: _Path, *, count: int | None = None, seeds: Iterable[int] | None = None, **arguments: _Value | None
    ) -> Flocks: ...
    def step(self, steps: int = 1, *, acceleration: ArrayLike | None = None) -> None: ...
    @property
    def position(self) -> _Vectors: ...
    @position.setter
    def position(self, value: ArrayLike) -> None: ...
    @property
    def velocity(self) -> _Vectors: ...
    @velocity.setter
    def velocity(self, value: ArrayLike) -> None: ...
    def observe(self, nearest: int, radius: float | None = None) -> _Vectors: ...
    def reset(self, mask: ArrayLike | None = None, seeds: Iterable[int] | None = None) -> None: ...
    def measure(self, *names: str) -> dict[str, NDArray[np.float64]]: ...
    def hash(self) -> list[str]: ...
    @property
    def parameters(self) -> dict[str, Any]: ...
    def set(self, name: str, value: _Value) -> None: ...
    @property
    def seeds(self) -> NDArray[np.uint32]: ...
    @property
    def step_count(self) -> NDArray[np.uint64]: ...
    def __len__(self) -> int: ...

class Table(Mapping[str, NDArray[Any]]):
    def __getitem__(self, name: str) -> NDArray[Any]: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    # pandas.DataFrame and xarray.Dataset, which need not be installed.
    def to_pandas(self) -> Any: ...
    def to_xarray(self) -> Any: ...

class Study:
    @property
    def runs(self) -> Table: ...
    @property
    def summary(self) -> Table: ...
    @property
    def series(self) -> Table | None: ...

def sweep(
    spec: _Path | None = None,
    *,
    vary: Mapping[str, _Value] | None = None,
    columns: Sequence[str] | str | None = None,
    out: _Path | None = None,
    steps: int | None = None,
    seeds: int | Iterable[int] | None = None,
    after: int | None = None,
    every: int | None = None,
    series: bool | None = None,
    jobs: int | None = None,
    resume: bool | None = None,
    retry_failed: bool | None = None,
    preset: str | None = None,
    config: _Path | None = None,
    boids: int | float | str | None = None,
    engine: Literal["auto", "cpu", "gpu", "rp2040"] | None = None,
    numeric: Literal["f32", "f64", "fixed"] | None = None,
    threads: int | None = None,
    adapter: int | str | None = None,
    backend: Literal["vulkan", "metal", "dx12", "gl"] | None = None,
    kernel: Literal["plain", "shared"] | None = None,
    firmware: _Path | None = None,
    **parameters: _Value | None,
) -> Study: ...
class Check:
    @property
    def right(self) -> bool: ...
    @property
    def boid(self) -> int | None: ...
    @property
    def number(self) -> Literal["x", "y", "z", "vx", "vy", "vz"] | None: ...
    @property
    def computed(self) -> float | None: ...
    @property
    def expected(self) -> float | None: ...
    @property
    def bound(self) -> float | None: ...
    @property
    def mistakes(self) -> list[str]: ...
    def __bool__(self) -> bool: ...

def check(name: str, *, step: int, position: ArrayLike, velocity: ArrayLike) -> Check: ...
def reference(name: str, *, boids: int = 200, step: int = 0) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def presets() -> list[str]: ...
def adapters() -> list[dict[str, Any]]: ...

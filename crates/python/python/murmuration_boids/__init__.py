"""Boids on all cores of the CPU or on the GPU, as NumPy arrays.

>>> import murmuration_boids as mb
>>> flock = mb.Flock("murmuration", boids=10_000, seed=3)
>>> flock.step(100)
>>> flock.position.shape
(10000, 3)

Presets, parameters, measures and options have the same names as on the command line, and flocks have the same bits.
"""

from .errors import UsageError
from .native import Check, Divergence, Error, Flight, Flock, Flocks, State, __version__, adapters, check, presets, reference
from .picture import Picture
from .study import Study, Table, sweep

__all__ = [
    "Check",
    "Divergence",
    "Error",
    "Flight",
    "Flock",
    "Flocks",
    "Picture",
    "State",
    "Study",
    "Table",
    "UsageError",
    "__version__",
    "adapters",
    "check",
    "presets",
    "reference",
    "sweep",
]


def _program():
    """The command-line program, a script of the wheel."""
    import signal
    import sys

    from .native import program

    # The program handles Ctrl-C itself, and saves what is finished.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(program(sys.argv))

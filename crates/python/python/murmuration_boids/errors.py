"""The errors beside `Error`."""

from .native import Error


class UsageError(Error, ValueError):
    """A value, an option or a file is not allowed: its text names it, the value and what is allowed."""

    __module__ = "murmuration_boids"

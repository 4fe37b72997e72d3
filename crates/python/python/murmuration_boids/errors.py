"""The errors in addition to `Error`."""

from .native import Error


class UsageError(Error, ValueError):
    """An invalid value, option or file: the message names it and says what would be valid."""

    __module__ = "murmuration_boids"

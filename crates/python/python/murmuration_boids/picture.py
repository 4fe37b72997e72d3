"""Pictures: what `Flock.picture` returns."""

import numpy as np

from .native import png


class Picture(np.ndarray):
    """An array of shape (height, width, 4), uint8, that notebooks show as an image. Arrays made from pictures, by slicing
    or `np.hstack`, are shown too if they have such a shape; use `.view(mb.Picture)` if NumPy returns a plain array."""

    def _repr_png_(self):
        if self.ndim == 3 and self.shape[2] == 4 and self.dtype == np.uint8 and self.size:
            return png(np.ascontiguousarray(self))
        return None

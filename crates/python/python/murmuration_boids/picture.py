"""Pictures: what `Flock.picture` returns."""

import numpy as np

from .native import png


class Picture(np.ndarray):
    """An array (height, width, 4) uint8, which a notebook shows as a picture. What is made of pictures, by slices or
    `np.hstack`, is shown as well, if it has that shape: after `.view(mb.Picture)` where NumPy gives a plain array."""

    def _repr_png_(self):
        if self.ndim == 3 and self.shape[2] == 4 and self.dtype == np.uint8 and self.size:
            return png(np.ascontiguousarray(self))
        return None

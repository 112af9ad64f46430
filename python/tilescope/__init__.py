"""Takes the launches of a Python program's kernels and shows what they do to the GPU.

    import tilescope

    with tilescope.capture() as c:
        add[(4,)](x, y, out, n, BLOCK=256)     # Triton, Numba, CuPy or torch.compile

    c.launches[0].counters["global_load_sectors"]
    c.launches[0].view("coalescing")           # a picture, which a notebook shows
    c.open()                                   # the window

No GPU is needed: kernels are executed on tilescope's emulator, and their results are in the arrays
when the launch returns.
"""

from tilescope._capture import Capture, Launch, Picture, Source, SourceLine, capture, start
from tilescope._program import TilescopeError

__all__ = ["Capture", "Launch", "Picture", "Source", "SourceLine", "TilescopeError", "capture", "start"]

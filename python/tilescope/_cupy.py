"""CuPy: what it compiles goes to the device as PTX, with the lines of its source."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from cupy._core import _accelerator
from cupy.cuda import compiler

from tilescope._device import Device


def _sources() -> Path:
    """Where the CUDA that CuPy compiles is kept, for its lines."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(cache) / "tilescope" / "cupy"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


class Session:
    """CuPy on the emulated device, until it is closed."""

    def __init__(self, _: Device) -> None:
        self._routines = _accelerator.get_routine_accelerators()
        self._reductions = _accelerator.get_reduction_accelerators()
        # CUB's kernels are machine code inside CuPy; CuPy compiles others for the same.
        _accelerator.set_routine_accelerators([])
        _accelerator.set_reduction_accelerators([])
        self._use_ptx = compiler._use_ptx
        self._compile = compiler._compile_using_nvrtc_no_warning
        compiler._use_ptx = True
        original, folder = self._compile, _sources()

        def compile_with_lines(
            source: str, options: Any = (), arch: Any = None, filename: str = "kern.cu",
            name_expressions: Any = None, log_stream: Any = None, cache_in_memory: bool = False,
            jitify: Any = None, method: Any = None,
        ) -> Any:  # fmt: skip
            if not cache_in_memory:
                filename = str(folder / filename)  # it is written there
                options = (*options, "-lineinfo")
            return original(
                source, options, arch, filename, name_expressions, log_stream, cache_in_memory,
                jitify, method,
            )  # fmt: skip

        compiler._compile_using_nvrtc_no_warning = compile_with_lines

    def close(self) -> None:
        _accelerator.set_routine_accelerators(self._routines)
        _accelerator.set_reduction_accelerators(self._reductions)
        compiler._use_ptx = self._use_ptx
        compiler._compile_using_nvrtc_no_warning = self._compile

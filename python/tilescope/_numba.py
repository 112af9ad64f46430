"""Numba-CUDA: its kernels go to the device as PTX, with lines of Python and names."""

from __future__ import annotations

from typing import Any

from cuda.core import ObjectCode
from numba.core import types
from numba.cuda import codegen, dispatcher

from tilescope._device import Device
from tilescope._fat_binary import fat_binary
from tilescope._ptx import with_names

_ELEMENTS = {
    "bool": "u8", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
    "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
    "float16": "f16", "float32": "f32", "float64": "f64",
}  # fmt: skip


def _parameters(kernel: Any) -> list[tuple[str, str]]:
    """Name and type of each: an array is its data, and what Numba knows of it."""
    found: list[tuple[str, str]] = []
    names = kernel.py_func.__code__.co_varnames
    for name, kind in zip(names, kernel.argument_types):
        if isinstance(kind, types.Array):
            element = _ELEMENTS.get(str(kind.dtype), "u8")
            found += [(f"{name}_meminfo", "u8"), (f"{name}_parent", "u8")]
            found += [(f"{name}_items", "=i64"), (f"{name}_item_size", "=i64"), (name, element)]
            found += [(f"{name}_shape_{i}", "=i64") for i in range(kind.ndim)]
            found += [(f"{name}_stride_{i}", "=i64") for i in range(kind.ndim)]
        elif str(kind) in _ELEMENTS:
            found.append((name, "=" + _ELEMENTS[str(kind)]))
        else:
            return found  # how many parameters it is, only Numba knows
    return found


class Session:
    """Numba on the emulated device, until it is closed."""

    def __init__(self, device: Device) -> None:
        library, kernel = codegen.CUDACodeLibrary, dispatcher._Kernel
        self._get_cubin, self._get_cufunc, self._init = (
            library.get_cubin, library.get_cufunc, kernel.__init__,
        )  # fmt: skip
        get_cubin, get_cufunc, init = self._get_cubin, self._get_cufunc, self._init
        names: dict[str, list[tuple[str, str]]] = {}  # by the kernel's symbol

        def cubin_with_ptx(self: Any, cc: Any = None) -> Any:
            cubin = get_cubin(self, cc)
            texts = self.get_asm_strs(cc=cc)
            # What is linked of several parts is there only as machine code.
            if len(texts) != 1 or self._linking_files or self.needs_cudadevrt:
                return cubin
            entry = self._entry_name
            ptx = with_names(texts[0], entry, [name for name, _ in names.get(entry, [])])
            return ObjectCode.from_fatbin(fat_binary(ptx, bytes(cubin.code)))

        def described(self: Any) -> Any:
            library.get_cubin = cubin_with_ptx
            try:
                function = get_cufunc(self)
            finally:
                library.get_cubin = get_cubin
            device.describe(int(function.handle), "", names.get(self._entry_name, []))
            return function

        def init_with_lines(
            self: Any, py_func: Any, argtypes: Any, *rest: Any, **options: Any
        ) -> None:
            if not options.get("debug"):
                options["lineinfo"] = True
            init(self, py_func, argtypes, *rest, **options)
            names[self.entry_name] = _parameters(self)

        library.get_cufunc = described
        kernel.__init__ = init_with_lines

    def close(self) -> None:
        codegen.CUDACodeLibrary.get_cubin = self._get_cubin
        codegen.CUDACodeLibrary.get_cufunc = self._get_cufunc
        dispatcher._Kernel.__init__ = self._init

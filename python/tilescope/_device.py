"""The emulated device: CUDA's driver library as tilescope stands in for it, in this process.

The library's calls go over a socket to a tilescope process, which executes launches and shares the
device's memory with this process (app/runtime/protocol.h).
"""

from __future__ import annotations

import ctypes
import json
import os
import socket
import subprocess
from ctypes import byref, c_char_p, c_float, c_int, c_size_t, c_uint, c_uint64, c_void_p
from typing import Any

from tilescope import _program
from tilescope._program import TilescopeError

_ENVIRONMENT = "TILESCOPE_RUNTIME"  # runtime::kEnvironmentName
_ARENA_BEGIN = 0x2000_0000_0000  # runtime::kDeviceBegin
_ARENA_BYTES = (1 << 40) + (1 << 39)  # runtime::kArenaBytes


def is_on_device(address: int) -> bool:
    """It is in memory that the emulated device gave out."""
    return 0 <= address - _ARENA_BEGIN < _ARENA_BYTES


# CUdevice_attribute
ATTRIBUTES = {
    "max_threads_per_block": 1,
    "warp_size": 10,
    "max_registers_per_block": 12,
    "clock_rate": 13,
    "multiprocessor_count": 16,
    "memory_clock_rate": 36,
    "memory_bus_width": 37,
    "capability_major": 75,
    "capability_minor": 76,
    "max_shared_memory": 97,  # per block, where a kernel asks for it
}


class _Attribute(ctypes.Structure):  # CUlaunchAttribute
    _fields_ = [("id", c_uint), ("pad", c_uint), ("value", c_uint * 16)]


class _Launch(ctypes.Structure):  # CUlaunchConfig
    _fields_ = [
        ("grid", c_uint * 3),
        ("block", c_uint * 3),
        ("shared", c_uint),
        ("stream", c_void_p),
        ("attributes", ctypes.POINTER(_Attribute)),
        ("attribute_count", c_uint),
    ]


def load_libraries() -> None:
    """The stand-ins for CUDA's libraries: one that needs a library of the same name gets them, also
    where its own search path comes before LD_LIBRARY_PATH, as that of torch. Raises OSError."""
    for library in sorted(_program.libraries().glob("libcu*.so.*")):
        ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)


class Device:
    """The one device of this process. Made at the first capture, and there until the process ends."""

    _made: Device | None = None

    @classmethod
    def get(cls, options: list[str] | None = None) -> Device:
        """`options`: of the tilescope process, where it is started now."""
        if cls._made is None:
            cls._made = cls(options or [])
        elif options and options != cls._made.options and not cls._made.is_inherited:
            raise TilescopeError(
                "the emulated device of this process is there already and has other options: "
                "use the same ones in all captures, or start Python anew"
            )
        return cls._made

    def __init__(self, options: list[str]) -> None:
        self.options = options
        self.is_inherited = _ENVIRONMENT in os.environ  # from `tilescope exec`
        if not self.is_inherited:
            self._start(options)
        folder = _program.libraries()
        try:
            # Libraries that load CUDA's later find these under the same names.
            self._runtime = ctypes.CDLL(str(folder / "libcudart.so.13"), mode=ctypes.RTLD_GLOBAL)
            self._driver = ctypes.CDLL(str(folder / "libcuda.so.1"), mode=ctypes.RTLD_GLOBAL)
            load_libraries()
        except OSError as problem:
            raise TilescopeError(f"the stand-ins for CUDA's libraries cannot be loaded: {problem}")
        self._report = self._runtime["__cudaTilescopeReport"]
        self._report.restype = c_char_p
        self._describe = self._runtime["__cudaTilescopeDescribe"]
        self._describe.argtypes = (c_void_p, c_char_p)
        self._lend = self._runtime["__cudaTilescopeLend"]
        self._lend.argtypes = (c_uint64, c_void_p, c_size_t)
        self._lend.restype = c_uint64
        self._take_back = self._runtime["__cudaTilescopeTakeBack"]
        self._take_back.argtypes = (c_uint64, c_uint64, c_void_p, c_size_t)
        self.call("cuInit", c_uint(0))
        context = c_void_p()
        self.call("cuDevicePrimaryCtxRetain", byref(context), c_int(0))
        self._context = context
        self.attribute("warp_size")  # connects
        # Processes that this one starts have none.
        for descriptor in os.environ.pop(_ENVIRONMENT).split(","):
            os.set_inheritable(int(descriptor), False)

    def _start(self, options: list[str]) -> None:
        memory = os.memfd_create("tilescope device memory", 0)
        os.ftruncate(memory, _ARENA_BYTES)
        ours, theirs = socket.socketpair()
        words = [str(_program.program()), "serve-program", f"{theirs.fileno()},{memory}", *options]
        try:
            self._server = subprocess.Popen(
                words, pass_fds=(theirs.fileno(), memory), stdin=subprocess.DEVNULL
            )
        except OSError as problem:
            raise TilescopeError(f"{words[0]} cannot be started: {problem}")
        theirs.close()
        os.environ[_ENVIRONMENT] = f"{ours.detach()},{memory}"

    def call(self, name: str, *arguments: Any) -> None:
        """A function of the driver library. Raises TilescopeError where it gives an error."""
        error = self._driver[name](*arguments)
        if error != 0:
            text = c_char_p()
            self._driver["cuGetErrorString"](c_int(error), byref(text))
            words = text.value.decode() if text.value else f"error {error}"
            raise TilescopeError(f"{name}: {words}")

    def use(self) -> None:
        """Makes the device the thread's current one."""
        self.call("cuCtxSetCurrent", self._context)

    # ---- memory ---------------------------------------------------------------------------------

    def allocate(self, size: int) -> int:
        address = c_uint64()
        self.call("cuMemAlloc_v2", byref(address), c_size_t(size))
        return address.value

    def free(self, address: int) -> None:
        self.call("cuMemFree_v2", c_uint64(address))

    def lend(self, address: int, data: int, size: int) -> int:
        """Until take_back() kernels find an array at `address`, with the bytes that lie at `data`.
        Returns its place in the device's memory."""
        place = self._lend(address, data, size)
        if place == 0:
            raise TilescopeError("two arrays of a launch share a part of their memory")
        return place

    def take_back(self, address: int, place: int, data: int, size: int) -> None:
        """The array's bytes go to `data`."""
        self._take_back(address, place, data, size)

    # ---- kernels --------------------------------------------------------------------------------

    def attribute(self, name: str) -> int:
        value = c_int()
        self.call("cuDeviceGetAttribute", byref(value), c_int(ATTRIBUTES[name]), c_int(0))
        return value.value

    def load(self, image: bytes) -> int:
        """A module of PTX, of a cubin or of a fat binary."""
        module = c_void_p()
        self.call("cuModuleLoadData", byref(module), c_char_p(image + b"\0"))
        return module.value or 0

    def function(self, module: int, name: str) -> int:
        function = c_void_p()
        self.call("cuModuleGetFunction", byref(function), c_void_p(module), c_char_p(name.encode()))
        return function.value or 0

    def function_attribute(self, function: int, attribute: int) -> int:
        value = c_int()
        self.call("cuFuncGetAttribute", byref(value), c_int(attribute), c_void_p(function))
        return value.value

    def parameter_sizes(self, function: int) -> list[int]:
        sizes: list[int] = []
        offset, size = c_size_t(), c_size_t()
        get = self._driver["cuFuncGetParamInfo"]
        while get(c_void_p(function), c_size_t(len(sizes)), byref(offset), byref(size)) == 0:
            sizes.append(size.value)
        return sizes

    def allow_shared_memory(self, function: int, size: int) -> None:
        limit = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        self.call("cuFuncSetAttribute", c_void_p(function), c_int(limit), c_int(size))

    def describe(self, function: int, variant: str, parameters: list[tuple[str, str]]) -> None:
        """What the language calls the kernel's parameters: name and type, "f32" behind a pointer,
        "=i32" for a number."""
        lines = [variant, *(f"{name} {kind}" for name, kind in parameters)]
        self._describe(function, "\n".join(lines).encode())

    def tensor_map(
        self,
        element: int,
        address: int,
        extents: list[int],
        strides: list[int],
        box: list[int],
        swizzle: int,
        fill: int,
    ) -> bytes:
        """The 128 bytes of a CUtensorMap. The first dimension is the one without a stride."""
        rank = len(extents)
        data = ctypes.create_string_buffer(192)
        aligned = (ctypes.addressof(data) + 63) // 64 * 64
        self.call(
            "cuTensorMapEncodeTiled",
            c_void_p(aligned),
            c_uint(element),
            c_uint(rank),
            c_void_p(address),
            (c_uint64 * rank)(*extents),
            (c_uint64 * max(rank - 1, 1))(*strides),
            (c_uint * rank)(*box),
            (c_uint * rank)(*([1] * rank)),
            c_uint(0),  # not interleaved
            c_uint(swizzle),
            c_uint(2),  # the L2 cache reads 128 B
            c_uint(fill),
        )
        return ctypes.string_at(aligned, 128)

    def launch(
        self,
        function: int,
        grid: tuple[int, int, int],
        block: tuple[int, int, int],
        shared: int,
        arguments: list[bytes],
        cluster: int = 1,
        cooperative: bool = False,
    ) -> None:
        """Executes a kernel. `arguments`: the bytes of each of its parameters."""
        attributes = (_Attribute * 2)()
        count = 0
        if cluster > 1:
            attributes[count].id = 4  # CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
            attributes[count].value[0:3] = [cluster, 1, 1]
            count += 1
        if cooperative:
            attributes[count].id = 2  # CU_LAUNCH_ATTRIBUTE_COOPERATIVE
            attributes[count].value[0] = 1
            count += 1
        configuration = _Launch(
            (c_uint * 3)(*grid), (c_uint * 3)(*block), shared, None, attributes, count
        )
        buffers = [ctypes.create_string_buffer(data, max(len(data), 8)) for data in arguments]
        pointers = (c_void_p * len(buffers))(*(ctypes.addressof(buffer) for buffer in buffers))
        self.call("cuLaunchKernelEx", byref(configuration), c_void_p(function), pointers, None)
        self.synchronise()

    def synchronise(self) -> None:
        self.call("cuCtxSynchronize")

    # ---- time, as the model has it ---------------------------------------------------------------

    def event(self) -> int:
        event = c_void_p()
        self.call("cuEventCreate", byref(event), c_uint(0))
        return event.value or 0

    def record(self, event: int) -> None:
        self.call("cuEventRecord", c_void_p(event), None)

    def milliseconds(self, start: int, end: int) -> float:
        value = c_float()
        self.call("cuEventElapsedTime", byref(value), c_void_p(start), c_void_p(end))
        return value.value

    def take_over(self, library: str) -> None:
        """A loaded library with a runtime library of its own uses this device instead."""
        self._runtime["__cudaTilescopeTakeOver"](library.encode())

    # ---- captures --------------------------------------------------------------------------------

    def begin(self, folder: str) -> None:
        """From here on launches are recorded in the folder. What a kernel did wrong before, after
        which CUDA refuses every call, is forgotten."""
        self.call("cuDevicePrimaryCtxReset_v2", c_int(0))
        if self._report(f"begin {folder}".encode()) is None:
            raise TilescopeError("this tilescope takes no launches for Python: update it")

    def end(self) -> dict[str, Any]:
        """What the launches since begin() did."""
        text = self._report(b"end")
        if text is None:
            raise TilescopeError("the launches are lost: tilescope has ended")
        return json.loads(text)

"""Triton's driver for the emulated device: compiles for it, and launches on it."""

from __future__ import annotations

import struct
from typing import Any, Callable

import triton
import triton.testing
from triton.backends.compiler import GPUTarget
from triton.backends.driver import expand_signature, wrap_handle_tensordesc_impl
from triton.backends.nvidia import driver as nvidia
from triton.compiler.compiler import CompiledKernel

from tilescope._arrays import Arrays
from tilescope._device import Device
from tilescope._fat_binary import fat_binary
from tilescope._ptx import with_names

# Kernels that are compiled for a GPU of this machine have another number, and are kept apart.
_DEVICE_NUMBER = 1000

_ELEMENTS = {
    "i1": "u8", "i8": "i8", "i16": "i16", "i32": "i32", "i64": "i64",
    "u1": "u8", "u8": "u8", "u16": "u16", "u32": "u32", "u64": "u64",
    "fp16": "f16", "bf16": "bf16", "fp32": "f32", "f32": "f32", "fp64": "f64",
}  # fmt: skip
_INTEGERS = {
    "i1": "b", "i8": "b", "i16": "h", "i32": "i", "i64": "q",
    "u1": "B", "u8": "B", "u16": "H", "u32": "I", "u64": "Q",
}  # fmt: skip


def _number(value: Any, kind: str) -> bytes:
    if kind in _INTEGERS:
        code = _INTEGERS[kind]
        size = struct.calcsize(code)
        return (int(value) & ((1 << (8 * size)) - 1)).to_bytes(size, "little")
    if kind == "bf16":  # rounded to nearest, ties to even
        bits = struct.unpack("<I", struct.pack("<f", value))[0]
        return (((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16) & 0xFFFF).to_bytes(2, "little")
    return struct.pack({"fp16": "<e", "fp64": "<d"}.get(kind, "<f"), value)


class _TensorMap:
    """The 128 bytes of a CUtensorMap."""

    def __init__(self, data: bytes) -> None:
        self.data = data


class _Utils:
    """What Triton asks a driver for."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self.loading: CompiledKernel | None = None  # the kernel whose code comes next

    def get_device_properties(self, _: int) -> dict[str, int]:
        get = self._device.attribute
        return {
            "max_shared_mem": get("max_shared_memory"),
            "max_num_regs": get("max_registers_per_block"),
            "multiprocessor_count": get("multiprocessor_count"),
            "warpSize": get("warp_size"),
            "sm_clock_rate": get("clock_rate"),
            "mem_clock_rate": get("memory_clock_rate"),
            "mem_bus_width": get("memory_bus_width"),
        }

    def load_binary(
        self, name: str, code: bytes, shared: int, _: int
    ) -> tuple[int, int, int, int, int]:
        """Module, function, registers, spilled bytes, threads that fit into a block. The PTX is
        what is executed; the machine code says how many registers it needs."""
        self._device.use()
        kernel, image = self.loading, code
        if kernel is not None and "ptx" in kernel.asm:
            names = [name for name, _ in kernel._run.parameters()]
            function = getattr(kernel.src, "fn", None)
            file = function.fn.__code__.co_filename if function is not None else ""
            image = fat_binary(with_names(kernel.asm["ptx"], name, names, file), code)
        module = self._device.load(image)
        function = self._device.function(module, name)
        if shared > 48 * 1024:
            self._device.allow_shared_memory(function, shared)
        registers = self._device.function_attribute(function, 4)
        return module, function, registers, 0, self._device.attribute("max_threads_per_block")

    def unload_module(self, _: int) -> None:
        pass  # what has been launched can still be looked at

    def fill_tma_descriptor_tiled(
        self,
        address: int,
        swizzle: int,
        element_size: int,
        element_type: int,
        box: list[int],
        shape: list[int],
        strides: list[int],
        fill: int,
    ) -> _TensorMap:
        """As driver.c of Triton does it: dimensions there are in the opposite order."""
        rank = len(shape)
        return _TensorMap(
            self._device.tensor_map(
                element=element_type,
                address=address,
                extents=list(reversed(shape)),
                strides=[stride * element_size for stride in reversed(strides[: rank - 1])],
                box=list(reversed(box)),
                swizzle=swizzle,
                fill=fill,
            )
        )


class _Launcher:
    """Launches one compiled kernel."""

    def __init__(self, source: Any, metadata: Any) -> None:
        self._metadata = metadata
        self._signature = dict(source.signature)
        self._maps = getattr(metadata, "tensordesc_meta", None)
        self._source = source
        self._sizes: list[int] | None = None

    def __call__(
        self,
        x: int,
        y: int,
        z: int,
        stream: Any,
        function: int,
        packed: Any,
        launch_metadata: Any,
        enter: Callable[[Any], None] | None,
        leave: Callable[[Any], None] | None,
        *arguments: Any,
    ) -> None:
        if x * y * z == 0:
            return
        driver: Driver = triton.runtime.driver.active
        device, arrays = driver.device, driver.arrays
        device.use()
        if self._sizes is None:
            self._sizes = device.parameter_sizes(function)
            device.describe(function, self._variant(), self.parameters())
        if enter is not None:
            enter(launch_metadata)
        launch = wrap_handle_tensordesc_impl(
            lambda values: values, self._signature, self._maps, nvidia.make_tensordesc_arg
        )
        kinds = expand_signature(self._signature.values(), self._maps, "nvTmaDesc")
        values: list[bytes] = []
        _lend_descriptors(arguments, arrays)
        _pack(launch(arguments), kinds, arrays, values)
        cluster = getattr(self._metadata, "num_ctas", 1)
        scratch = self._scratch(device, x * y * z * cluster, len(values), values)
        try:
            device.launch(
                function,
                (x * cluster, y, z),
                (32 * self._metadata.num_warps, 1, 1),
                self._metadata.shared,
                values,
                cluster,
                getattr(self._metadata, "launch_cooperative_grid", False),
            )
        finally:
            arrays.take_back()
            for address in scratch:
                device.free(address)
        if leave is not None:
            leave(launch_metadata)

    def _scratch(self, device: Device, blocks: int, given: int, values: list[bytes]) -> list[int]:
        """Memory that the compiler asks for: the parameters behind the kernel's own."""
        made: list[int] = []
        sizes = [
            getattr(self._metadata, "global_scratch_size", 0),
            getattr(self._metadata, "profile_scratch_size", 0),
        ]
        assert self._sizes is not None
        for size in sizes[: len(self._sizes) - given]:
            if size > 0:
                made.append(device.allocate(size * blocks))
            values.append((made[-1] if size > 0 else 0).to_bytes(8, "little"))
        return made

    def _variant(self) -> str:
        """What tells this kernel from others that are compiled from the same function."""
        function = getattr(self._source, "fn", None)
        words = []
        for index, value in getattr(self._source, "constants", {}).items():
            place = index[0] if isinstance(index, tuple) else index
            parameter = function.params[place] if function is not None else None
            if parameter is not None and parameter.is_constexpr and not callable(value):
                words.append(f"{parameter.name}={value}")
        for name in ("num_warps", "num_stages", "num_ctas"):
            value = getattr(self._metadata, name, None)
            if value is not None and (name, value) != ("num_ctas", 1):
                words.append(f"{name}={value}")
        return " ".join(words)

    def parameters(self) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []
        for name, kind in self._signature.items():
            _name_parameters(str(name), expand_signature([kind], self._maps, "nvTmaDesc"), found)
        return [*found, ("global_scratch", "u8"), ("profile_scratch", "u8")]


def _name_parameters(name: str, kinds: Any, found: list[tuple[str, str]]) -> None:
    for i, kind in enumerate(kinds):
        own = name if i == 0 else f"{name}_{i}"
        if isinstance(kind, tuple):
            _name_parameters(own, kind, found)
        elif kind.startswith("*"):
            found.append((own, _ELEMENTS.get(kind.removeprefix("*k").removeprefix("*"), "u8")))
        elif kind != "constexpr":
            found.append((own, "=" + _ELEMENTS.get(kind, "u8")))


def _lend_descriptors(values: Any, arrays: Arrays) -> None:
    for value in values:
        if isinstance(value, tuple):
            _lend_descriptors(value, arrays)
        elif hasattr(value, "base") and hasattr(value, "strides"):
            arrays.lend(value.base)


def _pack(values: Any, kinds: Any, arrays: Arrays, packed: list[bytes]) -> None:
    """The bytes of each parameter, in order."""
    for value, kind in zip(values, kinds):
        if isinstance(kind, tuple):
            _pack(value, kind, arrays, packed)
        elif kind == "constexpr":
            continue
        elif isinstance(value, _TensorMap):
            packed.append(value.data)
        elif kind.startswith("*"):
            if hasattr(value, "data_ptr"):
                address = arrays.lend(value)
            else:
                address = int(value or 0)
            packed.append(address.to_bytes(8, "little"))
        else:
            packed.append(_number(value, kind))


class _Event:
    """As torch.cuda.Event; its time is the model's."""

    def __init__(self, device: Device, **_: Any) -> None:
        self._device = device
        self._event = device.event()

    def record(self, *_: Any) -> None:
        self._device.record(self._event)

    def synchronize(self) -> None:
        pass

    def elapsed_time(self, end: _Event) -> float:
        return self._device.milliseconds(self._event, end._event)


class _Interface:
    """The part of torch.cuda that Triton uses."""

    def __init__(self, device: Device) -> None:
        self._device = device

    def Event(self, **options: Any) -> _Event:
        return _Event(self._device, **options)

    def synchronize(self, *_: Any) -> None:
        self._device.synchronise()


class Driver(nvidia.CudaDriver):
    """Stands where Triton's driver for CUDA does, and torch takes it for that."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.arrays = Arrays(device)
        self.utils = _Utils(device)
        self.launcher_cls = _Launcher

    @classmethod
    def is_active(cls) -> bool:
        return True

    def get_current_target(self) -> GPUTarget:
        major, minor = self.get_device_capability()
        return GPUTarget("cuda", 10 * major + minor, 32)

    def get_device_capability(self, _: Any = None) -> tuple[int, int]:
        get = self.device.attribute
        return get("capability_major"), get("capability_minor")

    def get_current_device(self) -> int:
        return _DEVICE_NUMBER

    def set_current_device(self, _: int) -> None:
        pass

    def get_current_stream(self, _: int) -> int:
        return 0

    def get_active_torch_device(self) -> Any:
        import torch

        return torch.device("cuda" if torch.cuda.is_available() else "cpu")

    def get_device_interface(self) -> _Interface:
        return _Interface(self.device)

    def map_python_to_cpp_type(self, kind: str) -> str:
        return nvidia.ty_to_cpp(kind)

    def get_empty_cache_for_benchmark(self) -> Any:
        return None

    def clear_cache(self, _: Any) -> None:
        pass

    def get_benchmarker(self) -> Callable[..., Any]:
        return self.benchmark

    def benchmark(
        self, call: Callable[[], Any], *_: Any, quantiles: Any = None, **__: Any
    ) -> Any:
        """Milliseconds of one call as the time model has them: the autotuner's, and do_bench."""
        start, end = _Event(self.device), _Event(self.device)
        start.record()
        call()
        end.record()
        time = start.elapsed_time(end)
        return [time] * len(quantiles) if quantiles is not None else time


class Session:
    """Triton on the emulated device, until it is closed."""

    def __init__(self, device: Device) -> None:
        self._driver = Driver(device)
        self._before = triton.runtime.driver._active
        self._benchmark = triton.testing.do_bench
        self._handles = CompiledKernel._init_handles
        triton.runtime.driver.set_active(self._driver)
        triton.testing.do_bench = self._driver.benchmark
        utils, original = self._driver.utils, self._handles

        def init_handles(kernel: CompiledKernel) -> Any:
            utils.loading = kernel
            return original(kernel)

        CompiledKernel._init_handles = init_handles

    def close(self) -> None:
        triton.runtime.driver._active = self._before
        triton.testing.do_bench = self._benchmark
        CompiledKernel._init_handles = self._handles

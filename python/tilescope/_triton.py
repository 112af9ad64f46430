"""Triton's driver for the emulated device: compiles for it, and launches on it."""

from __future__ import annotations

import inspect
import math
from typing import Any, Callable

import triton
import triton.testing
from triton.backends.compiler import GPUTarget
from triton.backends.nvidia import driver as nvidia
from triton.compiler.compiler import CompiledKernel

from tilescope._arrays import Arrays
from tilescope._device import Device
from tilescope._fat_binary import fat_binary
from tilescope._ptx import with_names
from tilescope._triton_parameters import TENSOR_MAP, Parameter, Parameters, number

# Kernels that are compiled for a GPU of this machine have another number, and are kept apart.
_DEVICE_NUMBER = 1000
# Triton 3.4 and later ask how many threads a kernel may have.
_ASKS_FOR_THREADS = "n_max_threads" in inspect.getsource(CompiledKernel._init_handles)
_SCRATCH = ("global_scratch", "profile_scratch")  # the parameters behind the kernel's own
# Where Triton keeps the driver that is used; before 3.4 what everybody reads is that itself.
_ACTIVE = "_active" if hasattr(triton.runtime.driver, "_active") else "active"


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
    ) -> tuple[int, ...]:
        """Module, function, registers, spilled bytes, threads that fit into a block. The PTX is
        what is executed; the machine code says how many registers it needs."""
        self._device.use()
        kernel, image = self.loading, code
        if kernel is not None and "ptx" in kernel.asm:
            names = [each.name for each in _parameters(kernel.src, kernel.metadata).names()]
            source = getattr(kernel.src, "fn", None)
            file = source.fn.__code__.co_filename if source is not None else ""
            names += _SCRATCH
            image = fat_binary(with_names(kernel.asm["ptx"], name, names, file), code)
        module = self._device.load(image)
        function = self._device.function(module, name)
        if shared > 48 * 1024:
            self._device.allow_shared_memory(function, shared)
        registers = self._device.function_attribute(function, 4)
        threads = self._device.attribute("max_threads_per_block")
        return (module, function, registers, 0, *([threads] if _ASKS_FOR_THREADS else []))

    def unload_module(self, _: int) -> None:
        pass  # what has been launched can still be looked at


def _parameters(source: Any, metadata: Any) -> Parameters:
    return Parameters(dict(source.signature), getattr(metadata, "tensordesc_meta", None))


def _tensor_map(device: Device, descriptor: Any, settings: dict[str, Any]) -> bytes:
    """As driver.c of Triton makes it: CUDA has the dimensions in the opposite order."""
    if settings.get("is_im2col"):
        raise NotImplementedError("tilescope has no im2col descriptors of Triton")
    shape = list(descriptor.shape)
    if settings["fp4_padded"]:
        shape[-1] *= 2
    element = nvidia.TMA_DTYPE_DEVICE_TO_HOST[settings["elem_type"]]
    if getattr(descriptor, "round_f32_to_tf32", False):
        element = nvidia.TMA_TF32
    strides = list(descriptor.strides)[:-1]
    return device.tensor_map(
        element=element,
        address=descriptor.base.data_ptr(),
        extents=shape[::-1],
        strides=[stride * settings["elem_size"] for stride in reversed(strides)],
        box=list(settings["block_size"])[::-1],
        swizzle=settings["swizzle"],
        fill=1 if getattr(descriptor, "padding", "") == "nan" else 0,
    )


class _Launcher:
    """Launches one compiled kernel."""

    def __init__(self, source: Any, metadata: Any) -> None:
        self._metadata = metadata
        self._source = source
        self._parameters = _parameters(source, metadata)
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
            named = [(each.name, each.described) for each in self._parameters.names()]
            device.describe(function, self._variant(), named + [(name, "u8") for name in _SCRATCH])
        if enter is not None:
            enter(launch_metadata)
        cluster = math.prod(getattr(self._metadata, "cluster_dims", None) or [1])
        cluster = max(cluster, getattr(self._metadata, "num_ctas", 1))
        scratch: list[int] = []
        try:
            values = [_bytes_of(each, arrays) for each in self._lent(device, arrays, arguments)]
            values += self._scratch(device, x * y * z * cluster, len(values), scratch)
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

    def _lent(self, device: Device, arrays: Arrays, arguments: Any) -> list[Parameter]:
        def make_map(descriptor: Any, settings: dict[str, Any]) -> bytes:
            arrays.lend(descriptor.base)
            return _tensor_map(device, descriptor, settings)

        return self._parameters.of(arguments, make_map)

    def _scratch(self, device: Device, blocks: int, given: int, made: list[int]) -> list[bytes]:
        """Memory that the compiler asks for, as it is handed over."""
        assert self._sizes is not None
        values = []
        for name in _SCRATCH[: len(self._sizes) - given]:
            size = getattr(self._metadata, f"{name}_size", 0)
            if size > 0:
                made.append(device.allocate(size * blocks))
            values.append((made[-1] if size > 0 else 0).to_bytes(8, "little"))
        return values

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


def _bytes_of(parameter: Parameter, arrays: Arrays) -> bytes:
    value = parameter.value
    if parameter.kind == TENSOR_MAP:
        return bytes(value)
    if not parameter.kind.startswith("*"):
        return number(value, parameter.kind)
    address = arrays.lend(value) if hasattr(value, "data_ptr") else int(value or 0)
    return address.to_bytes(8, "little")


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
        return str(nvidia.ty_to_cpp(kind))

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
        self._before = getattr(triton.runtime.driver, _ACTIVE)
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
        setattr(triton.runtime.driver, _ACTIVE, self._before)
        triton.testing.do_bench = self._benchmark
        CompiledKernel._init_handles = self._handles

"""torch.compile: its kernels are compiled in this process and launched by Triton's driver."""

from __future__ import annotations

from torch._inductor import config

from tilescope._device import Device


class Session:
    """torch.compile on the emulated device, until it is closed."""

    def __init__(self, _: Device) -> None:
        # Other processes have no device; torch's own launcher would take machine code without PTX.
        wanted = {"compile_threads": 1, "use_static_cuda_launcher": False}
        self._patch = config.patch({name: wanted[name] for name in wanted if hasattr(config, name)})
        self._patch.__enter__()

    def close(self) -> None:
        self._patch.__exit__(None, None, None)

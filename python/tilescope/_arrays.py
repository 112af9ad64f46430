"""A program's arrays on the emulated device.

A kernel finds an array at the address that it has in this process; for the time of a launch its
bytes are in the device's memory. So addresses in an array of addresses are right, too, and each
array has bounds of its own.
"""

from __future__ import annotations

import gc
import sys
from typing import Any

from tilescope._device import Device, is_on_device

_MOST_ADDRESSES = 1 << 16  # in an array that is searched for them
_LEAST_ADDRESS = 1 << 16  # of memory, by Linux; the heap of a Python that is not PIE begins below 4 GiB


class _Storage:
    """The bytes that an array lies in: of a tensor all that its storage has."""

    def __init__(self, array: Any) -> None:
        self.place = 0  # in the device's memory
        self._gpu: Any = None
        self._host: Any = None
        if hasattr(array, "untyped_storage"):
            storage = array.untyped_storage()
            self.address: int = storage.data_ptr()
            self.size: int = storage.nbytes()
            if storage.device.type == "cuda":
                self._gpu = _as_bytes(storage)
        else:
            self.address = array.data_ptr()
            self.size = array.numel() * array.element_size()

    def lend(self, device: Device) -> None:
        if self._gpu is not None:
            self._host = self._gpu.cpu()
        data = self.address if self._gpu is None else self._host.data_ptr()
        self.place = device.lend(self.address, data, self.size)

    def take_back(self, device: Device) -> None:
        data = self.address if self._gpu is None else self._host.data_ptr()
        device.take_back(self.address, self.place, data, self.size)
        if self._gpu is not None:
            self._gpu.copy_(self._host)


def _as_bytes(storage: Any) -> Any:
    import torch

    return torch.empty(0, dtype=torch.uint8, device=storage.device).set_(storage)


class Arrays:
    """The arrays of one launch after the other."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._lent: dict[int, _Storage] = {}  # by address

    def lend(self, array: Any) -> int:
        """The address of the array's first element, where the kernel finds it."""
        if is_on_device(array.data_ptr()):
            return array.data_ptr()
        storage = _Storage(array)
        if storage.size == 0 or storage.address in self._lent:
            return array.data_ptr()
        storage.lend(self._device)
        self._lent[storage.address] = storage
        for other in _arrays_named_in(array):
            self.lend(other)
        return array.data_ptr()

    def take_back(self) -> None:
        """What the kernel wrote comes back."""
        for storage in self._lent.values():
            storage.take_back(self._device)
        self._lent.clear()


def _arrays_named_in(array: Any) -> list[Any]:
    """Tensors whose addresses are the numbers in a tensor."""
    torch = sys.modules.get("torch")
    is_list = (
        torch is not None
        and isinstance(array, torch.Tensor)
        and array.dtype in (torch.int64, torch.uint64)
        and 0 < array.numel() <= _MOST_ADDRESSES
    )
    if torch is None or not is_list:
        return []
    wanted = {value for value in array.flatten().tolist() if value >= _LEAST_ADDRESS}
    if not wanted:
        return []
    found = []
    for other in gc.get_objects():
        if issubclass(type(other), torch.Tensor) and other is not array:
            try:
                if other.data_ptr() in wanted:
                    found.append(other)
            except RuntimeError:  # a tensor without memory
                continue
    return found

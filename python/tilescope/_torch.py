"""torch's own kernels: convolutions and attention that need no cuDNN."""

from __future__ import annotations

from torch import _C

from tilescope._device import Device


class Session:
    """torch without cuDNN, which is not there, until it is closed: it has kernels of its own."""

    def __init__(self, _: Device) -> None:
        self._had_cudnn = _C._get_cudnn_enabled()
        _C._set_cudnn_enabled(False)
        # Since torch 2.5.
        self._had_attention = hasattr(_C, "_set_sdp_use_cudnn") and _C._get_cudnn_sdp_enabled()
        if self._had_attention:
            _C._set_sdp_use_cudnn(False)

    def close(self) -> None:
        _C._set_cudnn_enabled(self._had_cudnn)
        if self._had_attention:
            _C._set_sdp_use_cudnn(True)

"""The parameters of a compiled Triton kernel: which there are, and the bytes of each."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from typing import Any, Callable, Iterator

ELEMENTS = {
    "i1": "u8", "i8": "i8", "i16": "i16", "i32": "i32", "i64": "i64",
    "u1": "u8", "u8": "u8", "u16": "u16", "u32": "u32", "u64": "u64",
    "fp16": "f16", "bf16": "bf16", "fp32": "f32", "f32": "f32", "fp64": "f64",
}  # fmt: skip
_INTEGERS = {"i1": 1, "i8": 1, "i16": 2, "i32": 4, "i64": 8}
_INTEGERS |= {kind.replace("i", "u"): size for kind, size in _INTEGERS.items()}
TENSOR_MAP = "tensormap"


@dataclass
class Parameter:
    name: str
    kind: str  # "*fp32", "i32", "constexpr", TENSOR_MAP
    value: Any = None

    @property
    def described(self) -> str:
        """As Device.describe() takes its type."""
        if self.kind.startswith("*"):
            return ELEMENTS.get(self.kind.removeprefix("*k").removeprefix("*"), "u8")
        return "=" + ELEMENTS.get(self.kind, "u8")


def number(value: Any, kind: str) -> bytes:
    """In memory."""
    if kind in _INTEGERS:
        size = _INTEGERS[kind]
        return (int(value) & ((1 << (8 * size)) - 1)).to_bytes(size, "little")
    if kind == "bf16":  # rounded to nearest, ties to even
        bits: int = struct.unpack("<I", struct.pack("<f", value))[0]
        return (((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16) & 0xFFFF).to_bytes(2, "little")
    return struct.pack({"fp16": "<e", "fp64": "<d"}.get(kind, "<f"), value)


class Parameters:
    """Of a kernel with this signature: what Triton's launcher makes of its arguments.

    maps: of each tensor descriptor in order how its map is made; None: the GPU has none, and a
        descriptor is its pointer, extents and strides.
    """

    def __init__(self, signature: dict[Any, Any], maps: list[dict[str, Any]] | None) -> None:
        self._signature = signature
        self._maps = maps

    def names(self) -> list[Parameter]:
        """Without values."""
        return list(self._all(None, lambda _, __: b""))

    def of(
        self, arguments: Any, make_map: Callable[[Any, dict[str, Any]], bytes]
    ) -> list[Parameter]:
        """With the values of these arguments, one for each in the signature."""
        return list(self._all(arguments, make_map))

    def _all(self, arguments: Any, make_map: Any) -> Iterator[Parameter]:
        self._map = iter(self._maps or [])
        for i, (name, kind) in enumerate(self._signature.items()):
            value = None if arguments is None else arguments[i]
            for parameter in self._of(str(name), kind, value, make_map):
                if parameter.kind != "constexpr":
                    yield parameter

    def _of(self, name: str, kind: Any, value: Any, make_map: Any) -> Iterator[Parameter]:
        if isinstance(kind, tuple):
            for i, each in enumerate(kind):
                inner = None if value is None else value[i]
                yield from self._of(f"{name}_{i}", each, inner, make_map)
        elif kind.startswith("tensordesc"):
            yield from self._of_descriptor(name, kind, value, make_map)
        else:
            yield Parameter(name, kind, value)

    def _of_descriptor(self, name: str, kind: str, value: Any, make_map: Any) -> Iterator[Parameter]:
        found = re.match(r"tensordesc(?:_im2col)?<([^\[>]*)\[([^\]]*)\]", kind)
        assert found is not None, kind
        element = found.group(1)
        given = re.search(r",input_rank=(\d+)", kind)
        rank = int(given.group(1)) if given else found.group(2).count(",") + 1
        shape = [None] * rank if value is None else list(value.shape)
        strides = [None] * rank if value is None else list(value.strides)
        if self._maps:
            settings = next(self._map)
            made = None if value is None else make_map(value, settings)
            yield Parameter(name, TENSOR_MAP, made)
        else:
            yield Parameter(name, f"*{element}", getattr(value, "base", None))
            yield from (Parameter(f"{name}_extent_{i}", "i64", shape[i]) for i in range(rank))
            yield from (Parameter(f"{name}_step_{i}", "i64", strides[i]) for i in range(rank))
            yield Parameter(f"{name}_nan", "i1", getattr(value, "padding", "") == "nan")
            if hasattr(_descriptor(), "round_f32_to_tf32"):
                yield Parameter(f"{name}_tf32", "i1", getattr(value, "round_f32_to_tf32", False))
        yield from (Parameter(f"{name}_shape_{i}", "i32", shape[i]) for i in range(rank))
        yield from (Parameter(f"{name}_stride_{i}", "i64", strides[i]) for i in range(rank))


def _descriptor() -> Any:
    from triton.tools.tensor_descriptor import TensorDescriptor

    return TensorDescriptor

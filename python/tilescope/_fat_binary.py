"""PTX and machine code of one kernel as a fat binary, as CUDA's tools write it."""

from __future__ import annotations

import re
import struct


def _entry(kind: int, code: bytes, architecture: int) -> bytes:
    code += b"\0" * (-len(code) % 8)
    # kind, version, header bytes, bytes, packed bytes, 0, minor, major, architecture, name's offset
    # and length, flags (64 bits, made by Linux), 0, unpacked bytes
    return struct.pack(
        "<HHIQIIHHIIIQQQ", kind, 0x101, 64, len(code), 0, 0, 0, 0, architecture, 0, 0, 0x11, 0, 0
    ) + code


def fat_binary(ptx: str, cubin: bytes) -> bytes:
    """Precondition: both are for the architecture that the PTX names."""
    target = re.search(r"^\s*\.target\s+sm_(\d+)", ptx, re.MULTILINE)
    architecture = int(target.group(1)) if target else 0
    entries = _entry(1, ptx.encode() + b"\0", architecture) + _entry(2, cubin, architecture)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entries)) + entries

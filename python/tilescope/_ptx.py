"""PTX that names what the kernel's Python names."""

from __future__ import annotations

import linecache
import re
from pathlib import PurePath


def with_names(ptx: str, entry: str, names: list[str]) -> str:
    """Its parameters are called as in Python (`add_param_0` becomes `add_x_ptr`), and each new line
    of Python is in a comment behind its .loc."""
    known = {i: name for i, name in enumerate(names) if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name)}

    def named(match: re.Match[str]) -> str:
        name = known.get(int(match.group(1)))
        return match.group(0) if name is None else f"{entry}_{name}"

    ptx = re.sub(rf"\b{re.escape(entry)}_param_(\d+)\b", named, ptx)
    return _with_lines(ptx)


def _with_lines(ptx: str) -> str:
    files = dict(re.findall(r'^\s*\.file\s+(\d+)\s+"([^"]+)"', ptx, re.MULTILINE))
    before = ""

    def commented(match: re.Match[str]) -> str:
        nonlocal before
        place, file, line = match.group(1), files.get(match.group(2), ""), int(match.group(3))
        text = linecache.getline(file, line).strip() if file.endswith(".py") else ""
        words = f"{PurePath(file).name}:{line}: {text}"
        if not text or words == before:
            return match.group(0)
        before = words
        return f"{place}  // {words}"

    return re.sub(
        r"^(\s*\.loc\s+(\d+)\s+(\d+)\s+\d+(?:,[^\n/]*)?)[ \t]*(?://[^\n]*)?$",
        commented,
        ptx,
        flags=re.MULTILINE,
    )

"""PTX that names what the kernel's Python names."""

from __future__ import annotations

import linecache
import re
from pathlib import PurePath


def with_names(ptx: str, entry: str, names: list[str], file: str = "") -> str:
    """Its parameters are called as in Python (`add_param_0` becomes `add_x_ptr`), and each new line
    of Python is in a comment behind its .loc. Where a file is gone that the PTX names, it is `file`
    under another name: the cell of a notebook that is run again."""
    known = {i: name for i, name in enumerate(names) if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name)}

    def named(match: re.Match[str]) -> str:
        name = known.get(int(match.group(1)))
        return match.group(0) if name is None else f"{entry}_{name}"

    ptx = re.sub(rf"\b{re.escape(entry)}_param_(\d+)\b", named, ptx)
    return _with_lines(_with_file(ptx, file))


def _with_file(ptx: str, file: str) -> str:
    def found(match: re.Match[str]) -> str:
        is_gone = match.group(2).endswith(".py") and not linecache.getlines(match.group(2))
        return f'{match.group(1)}"{file}"' if file and is_gone else match.group(0)

    return re.sub(r'^(\s*\.file\s+\d+\s+)"([^"]+)"', found, ptx, flags=re.MULTILINE)


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

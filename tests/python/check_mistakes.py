#!/usr/bin/env python3
"""Runs the kernels of tests/python/mistakes on the emulator, each right and with its mistake: the right
one must have no finding, and the other one at the line that is marked with "here".

    python3 tests/python/check_mistakes.py --program build/release/tilescope

Kernels of a framework that is not there are skipped, aloud.
"""

import argparse
import importlib
import importlib.util
import os
import re
import sys
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILES = {  # and what they import
    "triton_mistakes": ("torch", "triton"),
    "numba_mistakes": ("numpy", "numba", "numba_cuda"),
    "cupy_mistakes": ("cupy",),
}


def marked_lines(module) -> dict:
    """Of each kernel by its name: the text of the marked line, without the mark."""
    lines, found = {}, None
    for line in Path(module.__file__).read_text().splitlines():
        named = re.match(r"(?:def|extern.* void) (\w+)\(", line)
        found = named[1] if named else found
        if line.endswith((" # here", "// here")):
            lines[found] = line.strip()
    return lines


def findings(run, mistake: bool) -> list:
    import tilescope

    with tilescope.capture() as c:
        run(mistake)
    return [(finding, launch) for launch in c.launches for finding in launch.findings]


def place(finding, launch) -> str:
    texts = [line.text.strip() for line in launch.source
             if (line.file, line.line) == (finding["file"], finding["line"])]
    return texts[0] if texts else f"{finding['file']}:{finding['line']}"


def check(run, line: str) -> str:
    """What was found right. Raises AssertionError where something is not."""
    without = findings(run, False)
    assert not without, f"the right kernel has findings: {without[0][0]['message']}"
    found = findings(run, True)
    assert found, "the mistake is not found"
    places = [place(*each) for each in found]
    assert line in places, f"found at {places[0]!r}, not at {line!r}: {found[0][0]['message']}"
    finding = found[places.index(line)][0]
    return f"{finding['kind']} at line {finding['line']}"


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    usual = os.environ.get("TILESCOPE", str(ROOT / "build/release/tilescope"))
    options.add_argument("--program", default=usual)
    os.environ["TILESCOPE"] = str(Path(options.parse_args().program).resolve())
    os.environ.setdefault("VIRTUAL_ENV", sys.prefix)
    sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests/python/mistakes")]
    warnings.simplefilter("ignore")
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for name, packages in FILES.items():
        lacks = [each for each in packages if importlib.util.find_spec(each) is None]
        if lacks:
            print(f"SKIPPED {name}: this Python has no {', '.join(lacks)}")
            counts["skipped"] += 1
            continue
        import tilescope  # before cupy  # noqa: F401

        with tilescope.capture():
            module = importlib.import_module(name)
        lines = marked_lines(module)
        for kernel, run in module.KERNELS.items():
            try:
                print(f"passed {name} {kernel}: {check(run, lines[kernel])}", flush=True)
                counts["passed"] += 1
            except Exception as problem:  # of any framework
                print(f"FAILED {name} {kernel}: {type(problem).__name__}: {problem}", flush=True)
                counts["failed"] += 1
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Which PTX instructions real kernels are made of.

    tests/kernels/census/take_census.py > tests/kernels/census/opcodes.json

compiles the sources of this folder, the corpus and the catalogue to PTX with the nvcc on the PATH
and counts every opcode. docs/ptx_coverage.md shows the counts beside what the emulator knows.
"""

import collections
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
ARCHITECTURE = "sm_90"


def sources():
    folders = [HERE, ROOT / "tests/corpus/kernels", ROOT / "kernels"]
    return [file for folder in folders for file in sorted(folder.rglob("*.cu"))]


def defines(source):
    """The catalogue's kernels need their parameters' defaults."""
    description = source.with_suffix(".json")
    if not description.exists():
        return []
    parameters = json.loads(description.read_text()).get("parameters", [])
    return ["-DTILESCOPE_PHASE(name)"] + [f"-D{p['name']}={p['default']}" for p in parameters]


def ptx_of(source):
    command = ["nvcc", "-std=c++17", f"-arch={ARCHITECTURE}", "-ptx", "-w", "-o", "-", str(source)]
    answer = subprocess.run(command + defines(source), capture_output=True, text=True)
    if answer.returncode != 0:
        sys.exit(f"{source}: {answer.stderr[:2000]}")
    return answer.stdout


def opcodes(ptx):
    for line in ptx.splitlines():
        found = re.match(r"\s*\{?\s*(?:@!?%\w+\s+)?([a-z]\w*(?:[.:]+\w+)*)[\s;]", line)
        if found:
            yield found.group(1)


def main():
    counts = collections.Counter()
    kernels = 0
    for source in sources():
        ptx = ptx_of(source)
        kernels += len(re.findall(r"\.entry\b", ptx))
        counts.update(opcodes(ptx))
    version = subprocess.run(["nvcc", "--version"], capture_output=True, text=True).stdout
    result = {
        "compiler": "nvcc " + re.search(r"V([\d.]+)", version).group(1),
        "architecture": ARCHITECTURE,
        "sources": len(sources()),
        "kernels": kernels,
        "opcodes": dict(sorted(counts.items())),
    }
    json.dump(result, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()

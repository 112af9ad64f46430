#!/usr/bin/env python3
"""Runs the examples of examples/python on the emulator, each with its own check of its results, and
compares the counters of each launch with those of `tilescope trace` of the same PTX.

    python3 tests/python/check_examples.py --program build/release/tilescope [EXAMPLE...]

An example whose packages are not there is skipped, aloud. The notebook is executed, too: each cell
has to end, with output of the kinds that the stored one has.
"""

import argparse
import importlib
import importlib.util
import json
import os
import subprocess
import sys
import time
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = {  # and what they import
    "vector_add": ("torch", "triton"),
    "softmax": ("torch", "triton"),
    "matmul": ("torch", "triton"),
    "dropout": ("torch", "triton"),
    "layer_norm": ("torch", "triton"),
    "attention": ("torch", "triton"),
    "libdevice": ("torch", "triton"),
    "grouped_matmul": ("torch", "triton"),
    "persistent_matmul": ("torch", "triton"),
    "descriptor_matmul": ("torch", "triton", "triton.tools.tensor_descriptor"),
    "numba_transpose": ("numpy", "numba", "numba_cuda"),
    "cupy_histogram": ("numpy", "cupy"),
    "torch_compile": ("torch", "triton"),
    "torch_training": ("torch",),
    "captured.ipynb": ("numpy", "torch", "triton", "numba", "numba_cuda", "nbclient", "ipykernel"),
}
WHOLE = ("torch_compile", "torch_training")  # run by `tilescope capture`, for they need a GPU when torch is imported


def traced_counters(program: str, launch) -> dict:
    words = [program, "trace", *launch.options, "--json"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if not done.stdout:
        raise AssertionError(f"trace says: {done.stderr.strip()}")
    report = json.loads(done.stdout)
    return report.get("as_written", report)["metrics"]


def check(name: str, program: str) -> str:
    """What was found right. Raises AssertionError where something is not."""
    import tilescope

    with tilescope.capture():  # before 3.4 Triton's autotuner asks for the device at once
        example = importlib.import_module(name)
    capture = example.main()
    assert capture.launches, "no launch was taken"
    compared = 0
    for launch in capture.launches:
        assert launch.complete and not launch.findings, f"problems: {launch.findings}"
        is_machine_code = launch.ptx.startswith("// machine code")  # of a library, without lines
        assert launch.source or is_machine_code, f"{launch.kernel} has no line of its source"
        if launch.left_out:
            continue
        traced = traced_counters(program, launch)
        wrong = {key: (launch.counters.get(key), traced[key]) for key in traced}
        wrong = {key: pair for key, pair in wrong.items() if pair[0] != pair[1]}
        assert not wrong, f"launch {launch.number} and trace count differently: {wrong}"
        compared += 1
    return f"{len(capture.launches)} launches, {compared} of them counted as trace does"


def check_whole(name: str, program: str) -> str:
    words = [program, "capture", "--emulate", "--quiet", sys.executable, "--", __file__]
    done = subprocess.run(
        [*words, "--program", program, name], capture_output=True, text=True, check=False
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith(("passed ", "FAILED "))]
    assert lines and lines[0].startswith("passed "), (lines or [done.stdout + done.stderr])[0]
    return lines[0].removeprefix(f"passed {name}: ").rpartition(" (")[0]


def kinds_of_output(cell) -> set:
    outputs = cell.get("outputs", [])
    kinds = {kind for each in outputs for kind in each.get("data", {each.get("name"): None})}
    return kinds - {"stderr"}


def check_notebook(name: str) -> str:
    import nbclient
    import nbformat

    folder = ROOT / "examples/python"
    os.environ["PYTHONPATH"] = os.pathsep.join(sys.path[:2])
    notebook = nbformat.read(folder / name, as_version=4)
    stored = [kinds_of_output(cell) for cell in notebook.cells]
    nbclient.NotebookClient(notebook, resources={"metadata": {"path": str(folder)}}).execute()
    pictures = 0
    for number, (cell, kinds) in enumerate(zip(notebook.cells, stored), start=1):
        found = kinds_of_output(cell)
        assert found == kinds, f"cell {number} has {sorted(found)}, not {sorted(kinds)}"
        pictures += "image/svg+xml" in found
    return f"{len(notebook.cells)} cells, {pictures} pictures"


def is_there(package: str) -> bool:
    above = package.rpartition(".")[0]
    return (not above or is_there(above)) and importlib.util.find_spec(package) is not None


def missing(packages: tuple) -> list:
    return [package for package in packages if not is_there(package)]


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    usual = os.environ.get("TILESCOPE", str(ROOT / "build/release/tilescope"))
    options.add_argument("--program", default=usual)
    options.add_argument("examples", nargs="*", default=list(EXAMPLES))
    chosen = options.parse_args()
    os.environ["TILESCOPE"] = str(Path(chosen.program).resolve())
    os.environ.setdefault("VIRTUAL_ENV", sys.prefix)
    sys.path[:0] = [str(ROOT / "python"), str(ROOT / "examples/python")]
    warnings.simplefilter("ignore")
    is_emulated = "TILESCOPE_RUNTIME" in os.environ  # by `tilescope capture`
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for name in chosen.examples:
        lacks = missing(EXAMPLES[name])
        if lacks:
            print(f"SKIPPED {name}: this Python has no {', '.join(lacks)}")
            counts["skipped"] += 1
            continue
        began = time.monotonic()
        try:
            is_whole = name in WHOLE and not is_emulated
            if name.endswith(".ipynb"):
                found = check_notebook(name)
            else:
                found = (check_whole if is_whole else check)(name, os.environ["TILESCOPE"])
        except Exception as problem:  # of any framework
            print(f"FAILED {name}: {type(problem).__name__}: {problem}")
            counts["failed"] += 1
            continue
        print(f"passed {name}: {found} ({time.monotonic() - began:.1f} s)", flush=True)
        counts["passed"] += 1
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""What "why it is not faster" promises, beside what acting on it brings.

Each pair is a kernel and a version of it, both recorded on the same GPU at the same size, in which
the model's first cause is acted on. The promise is the share of the time that the first cause is
worth (`tilescope trace --json`, "verdicts"); the gain is 1 - time of the better version over that
of the first, from the recorded runs, cold. Prints a Markdown table, worst promises last.

    docs/time_model/promised_gains.py [--tilescope PROGRAM] [--records FILE]
"""
import argparse
import concurrent.futures
import json
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# kernel, parameters that differ from its defaults; the same of the better version.
PAIRS = [
    ("copy/plain", {"LANES_DOWN": 1}, "copy/plain", {}),
    ("copy/plain", {"BLOCK_X": 1}, "copy/plain", {}),
    ("copy/plain", {"BLOCK_X": 4}, "copy/plain", {}),
    ("copy/plain", {"BLOCK_X": 8}, "copy/plain", {}),
    ("copy/plain", {"BLOCK_Y": 1}, "copy/plain", {}),
    ("copy/wide", {"BLOCK": 32}, "copy/wide", {}),
    ("copy/wide", {"VECTOR": 1}, "copy/wide", {}),
    ("copy/structures", {}, "copy/structures", {"APART": 1}),
    ("copy/structures", {"FIELDS": 16}, "copy/structures", {"APART": 1}),
    ("copy/structures", {"FIELDS": 4}, "copy/structures", {"APART": 1}),
    ("copy/offset", {}, "copy/offset", {"OFFSET": 0}),
    ("copy/offset", {"OFFSET": 4}, "copy/offset", {"OFFSET": 0}),
    ("copy/barriers", {}, "copy/barriers", {"BARRIERS": 0}),
    ("copy/barriers", {"BARRIERS": 16}, "copy/barriers", {"BARRIERS": 0}),
    ("copy/barriers", {}, "copy/barriers", {"BLOCK": 256}),
    ("copy/through_tile", {"TILE": 8}, "copy/through_tile", {}),
    ("transpose/serial", {}, "transpose/per_row", {}),
    ("transpose/per_row", {}, "transpose/naive", {}),
    ("transpose/naive", {}, "transpose/tiled", {}),
    ("transpose/one_sided", {}, "transpose/tiled", {}),
    ("transpose/tiled", {"PAD": 0}, "transpose/tiled", {}),
    ("transpose/tiled", {"PAD": 0}, "transpose/swizzled", {}),
    ("transpose/tiled", {"TILE": 16}, "transpose/tiled", {}),
    ("gemm/naive", {"LANES_DOWN": 1}, "gemm/naive", {}),
    ("gemm/naive", {}, "gemm/shared_tile", {}),
    ("gemm/naive", {}, "gemm/float4", {}),
    ("gemm/shared_tile", {"TILE": 8}, "gemm/shared_tile", {}),
    ("gemm/shared_tile", {}, "gemm/rows_per_thread", {}),
    ("gemm/shared_tile", {}, "gemm/shared_thread_tile", {}),
    ("gemm/column_tile", {}, "gemm/shared_tile", {}),
    ("gemm/column_tile", {"TILE": 8}, "gemm/shared_tile", {"TILE": 8}),
    ("gemm/transposed_b", {"PAD": 0}, "gemm/transposed_b", {}),
    ("gemm/rows_per_thread", {"ROWS": 1}, "gemm/rows_per_thread", {}),
    ("gemm/float4", {}, "gemm/thread_tile", {}),
    ("gemm/thread_tile", {}, "gemm/shared_thread_tile", {}),
    ("gemm/shared_thread_tile", {}, "gemm/transposed_a", {}),
    ("gemm/register_tile", {"STAGES": 1}, "gemm/register_tile", {}),
    ("gemm/register_tile", {"THREAD_M": 4, "THREAD_N": 4}, "gemm/register_tile", {}),
    ("gemm/tensor_core", {}, "gemm/warpgroup", {}),
    ("reduction/one_thread", {}, "reduction/grid_stride", {}),
    ("reduction/divergent", {}, "reduction/strided", {}),
    ("reduction/strided", {}, "reduction/sequential", {}),
    ("reduction/sequential", {}, "reduction/add_on_load", {}),
    ("reduction/add_on_load", {}, "reduction/last_warp", {}),
    ("reduction/last_warp", {}, "reduction/unrolled", {}),
    ("reduction/unrolled", {}, "reduction/grid_stride", {}),
    ("scan/one_thread", {}, "scan/kogge_stone", {}),
    ("scan/kogge_stone", {}, "scan/brent_kung", {}),
    ("softmax/naive", {}, "softmax/warp_per_row", {}),
    ("softmax/naive", {}, "softmax/online", {}),
    ("convolution/naive", {}, "convolution/tiled", {}),
    ("convolution/naive", {}, "convolution/coarsened", {}),
    ("histogram/global_atomics", {}, "histogram/shared_atomics", {}),
    ("histogram/shared_atomics", {}, "histogram/privatised", {}),
    ("divergence/switch", {}, "divergence/switch", {"WAYS": 1}),
    ("divergence/switch", {"WAYS": 32}, "divergence/switch", {"WAYS": 1}),
    ("divergence/switch", {"WAYS": 2}, "divergence/switch", {"WAYS": 1}),
    ("divergence/block_shape", {}, "divergence/block_shape", {"BLOCK_X": 32}),
    ("divergence/block_shape", {"BLOCK_X": 8}, "divergence/block_shape", {"BLOCK_X": 32}),
    ("divergence/trip_counts", {}, "divergence/trip_counts", {"GROUP": 32}),
    ("divergence/trip_counts", {"GROUP": 8}, "divergence/trip_counts", {"GROUP": 32}),
    ("divergence/groups", {}, "divergence/groups", {"GROUP": 32}),
    ("gather/plain", {}, "gather/plain", {"SPREAD": 1}),
    ("gather/plain", {"SPREAD": 32}, "gather/plain", {"SPREAD": 1}),
]


def defaults(tilescope):
    listed = json.loads(subprocess.run([tilescope, "list", "--json"], capture_output=True, text=True,
                                       check=True).stdout)
    return {kernel["id"]: {p["name"]: p["default"] for p in kernel["parameters"]}
            for kernel in listed["kernels"]}


def first_cause(tilescope, kernel, changes, extents, order):
    command = [tilescope, "trace", kernel, "--sample", "--no-check", "--json", "--size",
               "x".join(str(extents[name]) for name in order)]
    for name, value in changes.items():
        command += ["-p", f"{name}={value}"]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        return None
    modelled = json.loads(run.stdout).get("modelled")
    if modelled is None:
        return None
    return (modelled["verdicts"] or [{"fact": "none", "worth": 0.0}])[0]


def words(kernel, changes):
    return kernel + "".join(f" {name}={value}" for name, value in changes.items())


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--tilescope", default=str(ROOT / "build/release/tilescope"))
    arguments.add_argument("--records", default=str(ROOT / "assets/recorded/h200.json"))
    given = arguments.parse_args()
    recorded = json.loads(pathlib.Path(given.records).read_text())
    known = defaults(given.tilescope)
    times = {}
    for run in recorded["runs"]:
        if run["cold"]:
            key = (run["kernel"], json.dumps(run["parameters"], sort_keys=True),
                   json.dumps(run["extents"], sort_keys=True))
            times[key] = run["seconds"]["median"]

    def runs(kernel, changes):
        wanted = json.dumps({**known[kernel], **changes}, sort_keys=True)
        return {extents: seconds for (k, parameters, extents), seconds in times.items()
                if k == kernel and parameters == wanted}

    def row_of(pair):
        kernel, changes, better, better_changes = pair
        first = runs(kernel, changes)
        second = runs(better, better_changes)
        sizes = [extents for extents in first if extents in second]
        if not sizes:
            print(f"not recorded at one size: {words(kernel, changes)}, "
                  f"{words(better, better_changes)}", file=sys.stderr)
            return None
        extents = max(sizes, key=lambda e: first[e])  # the largest work of both
        size = json.loads(extents)
        order = [n for n in ("ROWS", "COLS", "M", "N", "K") if n in size] or list(size)
        cause = first_cause(given.tilescope, kernel, changes, size, order)
        if cause is None:
            print(f"cannot be traced: {words(kernel, changes)}", file=sys.stderr)
            return None
        gain = 1 - second[extents] / first[extents]
        return (abs(cause["worth"] - gain), words(kernel, changes), words(better, better_changes),
                "x".join(str(size[n]) for n in order), cause["fact"], cause["worth"], gain)

    with concurrent.futures.ThreadPoolExecutor(4) as several:
        rows = sorted(row for row in several.map(row_of, PAIRS) if row)
    print("| kernel | better version | size | first cause | promised | gained |")
    print("| --- | --- | --- | --- | ---: | ---: |")
    for _, kernel, better, size, fact, worth, gain in rows:
        print(f"| {kernel} | {better} | {size} | {fact} | {100 * worth:.0f} % | {100 * gain:.0f} % |")
    off = [row[0] for row in rows]
    if off:
        near = sum(o <= 0.15 for o in off)
        print(f"\n{len(off)} pairs, {near} within 15 points of the gain; difference in the mean "
              f"{100 * statistics.mean(off):.0f}, in the median {100 * statistics.median(off):.0f} points.")


if __name__ == "__main__":
    main()

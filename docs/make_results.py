#!/usr/bin/env python3
"""Writes docs/results.md from the recorded runs in assets/recorded/. Usage: docs/make_results.py"""

import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
SIZE_ORDER = {"gemm": ["M", "N", "K"], "transpose": ["ROWS", "COLS"]}


def family(run):
    return run["kernel"].split("/")[0]


def is_gemm(run):
    return family(run) == "gemm"


def size(run):
    return "×".join(f"{run['extents'][name]:,}" for name in SIZE_ORDER[family(run)])


def work(run):
    return run["flop"] if is_gemm(run) else run["bytes"]


def rate(run, seconds):
    value = work(run) / seconds["median"]
    return f"{value / 1e12:.3g} TFLOP/s" if is_gemm(run) else f"{value / 1e9:,.0f} GB/s"


def milliseconds(seconds):
    return f"{seconds * 1e3:.4g}"


def of_reference(run):
    if not run["reference"]:
        return "–"
    return f"{100 * run['reference']['median'] / run['seconds']['median']:.1f} %"


def parameters(run):
    return ", ".join(f"{name} {value}" for name, value in run["parameters"].items())


def catalogue():
    """Kernels in ladder order, with their default parameters and size."""
    kernels = {}
    for path in sorted((ROOT / "kernels").glob("*/[0-9][0-9]_*.json")):
        entry = json.loads(path.read_text())
        name = f"{path.parent.name}/{path.stem[3:]}"
        defaults = {p["name"]: p["default"] for p in entry["parameters"]}
        kernels[name] = (entry, defaults)
    return kernels


def row(run):
    error = "–" if run["max_error"] is None else f"{run['max_error']:.2g} ≤ {run['tolerance']:.2g}"
    s = run["seconds"]
    return (f"| {run['kernel']} | {size(run)} | {milliseconds(s['median'])} | {milliseconds(s['p5'])} – "
            f"{milliseconds(s['p95'])} | {rate(run, s)} | "
            f"{rate(run, run['reference']) if run['reference'] else '–'} | {of_reference(run)} | {error} |")


HEAD = ("| kernel | size | median ms | p5 – p95 ms | rate | reference | of reference | max error |\n"
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")


def default_rows(runs, kernels, kind):
    rows = []
    for name, (_, defaults) in kernels.items():
        mine = [r for r in runs if r["kernel"] == name and r["parameters"] == defaults]
        mine.sort(key=work)
        rows += [row(r) for r in mine if family(r) == kind]
    return rows


def sweep_lines(runs, name, entry, defaults):
    """One line a parameter: the rate at each of its values, the others at their defaults."""
    extents = entry["extents"]
    here = [r for r in runs if r["kernel"] == name and r["extents"] == extents]
    lines = []
    for parameter in defaults:
        others = {k: v for k, v in defaults.items() if k != parameter}
        line = sorted((r for r in here if all(r["parameters"][k] == v for k, v in others.items())),
                      key=lambda r: r["parameters"][parameter])
        if len(line) < 2:
            continue
        best = min(line, key=lambda r: r["seconds"]["median"])
        cells = []
        for r in line:
            text = f"{r['parameters'][parameter]}: {rate(r, r['seconds']).split()[0]}"
            cells.append(f"**{text}**" if r is best else text)
        unit = "TFLOP/s" if is_gemm(best) else "GB/s"
        lines.append(f"| {name} | {parameter} | {' · '.join(cells)} | {unit} |")
    return lines


def page(recorded):
    kernels = catalogue()
    runs = [r for r in recorded["runs"] if r["kernel"] in kernels]
    dates = sorted({r["date"] for r in runs})
    when = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    clocks = sorted({round(r["sm_clock_hz"] / 1e6) for r in runs if r["sm_clock_hz"]})
    out = [f"## {recorded['gpu']}", "",
           f"sm_{recorded['compute_capability']}, driver {recorded['driver']}, {recorded['compiler']}, "
           f"cuBLAS {recorded['cublas']}; {when}. {len(runs)} points, every result right. "
           f"SM clock after the samples: {', '.join(map(str, clocks))} MHz.", "",
           "Cold: the L2 is flushed before each sample. Reference, taken in turn with the kernel in the same "
           "process: cuBLAS SGEMM in strict FP32 for a GEMM, a device-to-device copy of the same bytes for a "
           "transpose. Rates: 2MNK operations, or each element read once and written once.", "",
           "### Defaults over sizes", "", HEAD]
    out += default_rows(runs, kernels, "gemm") + default_rows(runs, kernels, "transpose")
    out += ["", "### Each parameter's values, the others at their defaults, default size", "",
            "The fastest is bold; values that break a rule of the kernel are left out.", "",
            "| kernel | parameter | value: rate | |", "| --- | --- | --- | --- |"]
    for name, (entry, defaults) in kernels.items():
        out += sweep_lines(runs, name, entry, defaults)
    out += ["", "### The fastest recorded parameters at the default size", "", HEAD.replace(
        "| kernel |", "| kernel and parameters |")]
    for name, (entry, _) in kernels.items():
        here = [r for r in runs if r["kernel"] == name and r["extents"] == entry["extents"]]
        if here:
            best = min(here, key=lambda r: r["seconds"]["median"])
            out.append(row(best).replace(f"| {name} |", f"| {name}: {parameters(best)} |"))
    out += ["", "Recorded with:", "", "```"] + recorded["commands"] + ["```", ""]
    return out


def main():
    out = ["# Recorded results", "",
           "Written by `docs/make_results.py` from the files in assets/recorded/, which the program shows, "
           "marked *recorded*, where there is no GPU.", ""]
    for path in sorted((ROOT / "assets" / "recorded").glob("*.json")):
        out += page(json.loads(path.read_text()))
    (ROOT / "docs" / "results.md").write_text("\n".join(out))


if __name__ == "__main__":
    main()

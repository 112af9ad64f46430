#!/usr/bin/env python3
"""Writes docs/results.md from the recorded runs in assets/recorded/ and the published figures in
assets/published/. Usage: docs/make_results.py"""

import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
MATRIX = ["ROWS", "COLS"]
SIZE_ORDER = {"gemm": ["M", "N", "K"], "transpose": MATRIX, "copy": MATRIX, "divergence": MATRIX}


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


def figure(ladder, run):
    """A run in the ladder's unit."""
    if ladder["unit"] == "ms":
        return 1e3 * run["seconds"]["median"]
    return work(run) / run["seconds"]["median"] / 1e9


def plain(value):
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def gain(ladder, now, before):
    if not before:
        return "–"
    times = before / now if ladder["unit"] == "ms" else now / before
    return f"{plain(times) if times >= 100 else f'{times:.2f}'} ×"


def ladders(runs, kernels):
    """The published ladders with their gains, and the same steps as recorded here."""
    published = json.loads((ROOT / "assets" / "published" / "seeds.json").read_text())
    out = ["### The published ladders, and the same steps on this GPU", "",
           "Gains: over the step above, and over the first one.", ""]
    for ladder in published["ladders"]:
        extents = "×".join(str(e) for e in ladder["extents"].values())
        unit = ladder["unit"]
        out += [f"**{ladder['title']}** ({ladder['source']}; published for {ladder['gpu']}; here at {extents})", "",
                f"| step | kernel | published {unit} | gains | here {unit} | gains | of reference |",
                "| --- | --- | ---: | ---: | ---: | ---: | ---: |"]
        theirs, ours = [], []
        for step in ladder["steps"]:
            wanted = {**kernels[step["kernel"]][1], **step["parameters"]}
            run = next((r for r in runs if r["kernel"] == step["kernel"] and r["parameters"] == wanted
                        and r["extents"] == ladder["extents"]), None)
            theirs.append(step["value"])
            ours.append(figure(ladder, run) if run else None)
            gains = [f"{gain(ladder, side[-1], side[-2] if len(side) > 1 else None)}, "
                     f"{gain(ladder, side[-1], side[0] if len(side) > 1 else None)}" if side[-1] else "–"
                     for side in (theirs, ours)]
            chosen = " ".join(f"{k}={v}" for k, v in step["parameters"].items())
            out.append(f"| {step['name']} | {step['kernel']} {chosen} | {plain(step['value'])} | {gains[0]} | "
                       f"{plain(ours[-1]) if run else 'not recorded'} | {gains[1]} | "
                       f"{of_reference(run) if run else '–'} |")
        out.append("")
    return out


def camping(runs, kernels):
    """Sizes around 4,096: where writes of one column of tiles used to meet in one partition."""
    names = ["transpose/tiled", "transpose/diagonal"]
    rates = {}
    for name in names:
        for r in runs:
            if r["kernel"] == name and r["parameters"] == kernels[name][1] and 3500 < r["extents"]["ROWS"] < 4200:
                rates.setdefault(r["extents"]["ROWS"], {})[name] = r["bytes"] / r["seconds"]["median"] / 1e9
    out = ["### Partition camping", "",
           "On a GTX 280 document 004 measured 93 GB/s at 4000, 19 at multiples of 512, 35 at other multiples of 256 "
           "and 62 of 128. Here, in GB/s:", "", "| rows and columns | " + " | ".join(names) + " |",
           "| --- |" + " ---: |" * len(names)]
    out += [f"| {rows} | " + " | ".join(plain(rates[rows][n]) if n in rates[rows] else "–" for n in names) + " |"
            for rows in sorted(rates)]
    return out + [""]


def beside_libraries(runs, kernels):
    """Square sizes: our fastest recorded parameters, and what cuBLAS and a copy take in turn with them."""
    def fastest(name, extents):
        here = [r for r in runs if r["kernel"] == name and r["extents"] == extents]
        return min(here, key=lambda r: r["seconds"]["median"]) if here else None

    def gemm_table(name, kind):
        table = ["", f"{kind} GEMM, square, in TFLOP/s; the fastest recorded parameters of each size.", "",
                 f"| M = N = K | {name} | parameters | cuBLAS | of cuBLAS |",
                 "| ---: | ---: | --- | ---: | ---: |"]
        for n in (512, 1024, 2048, 4096, 8192):
            best = fastest(name, {"M": n, "N": n, "K": n})
            if best:
                table.append(f"| {n} | {work(best) / best['seconds']['median'] / 1e12:.1f} | {parameters(best)} | "
                             f"{work(best) / best['reference']['median'] / 1e12:.1f} | {of_reference(best)} |")
        return table

    out = ["### Beside the libraries"] + gemm_table("gemm/register_tile", "FP32") + gemm_table(
        "gemm/tensor_core", "bf16") + gemm_table("gemm/warpgroup", "bf16") + [
            "", "gemm/tensor_core multiplies with mma.sync, which every GPU from sm_80 on has; gemm/warpgroup and cuBLAS "
            "with Hopper's wgmma. What is left between those two is the L2: gemm/warpgroup fetches each tile by cp.async "
            "for each block, cuBLAS for the blocks of a cluster together.", ""]
    out += [ "Transpose, square, FP32, in GB/s.", "",
            "| rows = columns | transpose/tiled | transpose/swizzled | cuBLAS Sgeam | device copy |",
            "| ---: | ---: | ---: | ---: | ---: |"]
    for n in (1024, 2048, 4096, 8192, 16384):
        extents = {"ROWS": n, "COLS": n}
        tiled, swizzled = fastest("transpose/tiled", extents), fastest("transpose/swizzled", extents)
        with_other = [r for r in runs if r["extents"] == extents and r.get("other")]
        if not (tiled and swizzled and with_other):
            continue
        in_gb = lambda seconds: plain(tiled["bytes"] / seconds["median"] / 1e9)
        out.append(f"| {n} | {in_gb(tiled['seconds'])} | {in_gb(swizzled['seconds'])} | "
                   f"{in_gb(with_other[-1]['other'])} | {in_gb(with_other[-1]['reference'])} |")
    return out + [""]


def warm_and_cold(warm, cold, kernels):
    """Defaults with the L2 as the same launch left it, beside the same with the L2 flushed."""
    out = ["### What a warm L2 is worth", "",
           "Each launch finds the L2 as the one before it left it.", "",
           "| kernel | size | bytes | cold ms | warm ms | cold : warm |",
           "| --- | --- | ---: | ---: | ---: | ---: |"]
    for name, (_, defaults) in kernels.items():
        for r in sorted((r for r in warm if r["kernel"] == name and r["parameters"] == defaults), key=work):
            c = next((c for c in cold if c["kernel"] == name and c["parameters"] == defaults
                      and c["extents"] == r["extents"]), None)
            if c:
                times = [run["seconds"]["median"] for run in (c, r)]
                out.append(f"| {name} | {size(r)} | {r['bytes'] / 1e6:,.0f} MB | {milliseconds(times[0])} | "
                           f"{milliseconds(times[1])} | {times[0] / times[1]:.2f} |")
    return out


def conditions(runs):
    """What the GPU did meanwhile, in a sentence."""
    clocks = sorted({round(r["sm_clock_hz"] / 1e6) for r in runs if r["sm_clock_hz"]})
    degrees = sorted(r["temperature_celsius"] for r in runs if r.get("temperature_celsius"))
    capped = [r for r in runs if r.get("throttle_reasons")]
    text = f"SM clock after the samples: {', '.join(map(str, clocks))} MHz."
    if degrees:
        text += f" GPU temperature: {degrees[0]:.0f} to {degrees[-1]:.0f} °C."
    text += (f" {len(capped)} points had samples under a limit of the GPU "
             f"({', '.join(sorted({r['throttle_reasons'] for r in capped}))}); those samples were left out."
             if capped else " No sample was taken under a limit of the GPU.")
    return text


def page(recorded):
    kernels = catalogue()
    known = [r for r in recorded["runs"] if r["kernel"] in kernels]
    runs = [r for r in known if r["cold"]]
    dates = sorted({r["date"] for r in known})
    when = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    out = [f"## {recorded['gpu']}", "",
           f"sm_{recorded['compute_capability']}, driver {recorded['driver']}, {recorded['compiler']}, "
           f"cuBLAS {recorded['cublas']}; {when}. {len(known)} points, every result right. "
           + conditions(known), "",
           "Cold: the L2 is flushed before each sample. Reference, taken in turn with the kernel in the same "
           "process: cuBLAS for a GEMM, SGEMM in strict FP32 or bf16 operands with FP32 sums; else a "
           "device-to-device copy of the same bytes. Rates: 2MNK operations, or each element read once and "
           "written once.", ""] + ladders(runs, kernels) + beside_libraries(runs, kernels) + camping(
        runs, kernels) + [
           "### Defaults over sizes", "", HEAD]
    for kind in SIZE_ORDER:
        out += default_rows(runs, kernels, kind)
    out += [""] + warm_and_cold([r for r in known if not r["cold"]], runs, kernels)
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

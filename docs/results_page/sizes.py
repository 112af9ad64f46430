"""Tables of times: defaults over sizes, each parameter's values, the fastest, beside the libraries."""

from .recorded import (SIZE_ORDER, family, fastest, known_to, marks, milliseconds, parameters,
                       plain, rate, size, spread, unit, work)

HEAD = ("| kernel | size | n | median ms | p5 – p95 ms | known to | rate | reference | of reference | max error |\n"
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")


def row(recorded, run):
    error = "–" if run["max_error"] is None else f"{run['max_error']:.2g} ≤ {run['tolerance']:.2g}"
    reference = f"{rate(run, run['reference'])} {unit(run)}" if run["reference"] else "–"
    return (f"| {run['kernel']} | {size(run)} | {run['samples']} | "
            f"{milliseconds(run['seconds']['median'])}{marks(run)} | {spread(run)} | {known_to(run)} | "
            f"{rate(run)} {unit(run)} | {reference} | {recorded.of_reference(run)} | {error} |")


def defaults_over_sizes(recorded):
    out = ["### Defaults over sizes", "", HEAD]
    for kind in SIZE_ORDER:
        for name, entry in recorded.kernels.items():
            mine = [r for r in recorded.cold if r["kernel"] == name and r["parameters"] == entry["defaults"]]
            out += [row(recorded, r) for r in sorted(mine, key=work) if family(r) == kind]
    return out + [""]


def fastest_at_default_size(recorded):
    out = ["### The fastest recorded parameters at the default size", "",
           HEAD.replace("| kernel |", "| kernel and parameters |")]
    for name, entry in recorded.kernels.items():
        best = fastest(recorded.at(name, entry["extents"]))
        if best:
            out.append(row(recorded, best).replace(f"| {name} |", f"| {name}: {parameters(best)} |"))
    return out + [""]


def fastest_of_each_size(recorded):
    out = ["### The fastest recorded parameters of each size", "",
           HEAD.replace("| kernel |", "| kernel and parameters |")]
    for name in recorded.kernels:
        mine = [r for r in recorded.cold if r["kernel"] == name]
        of_size = {size(r): r["extents"] for r in sorted(mine, key=work)}
        for extents in of_size.values():
            best = fastest(recorded.at(name, extents))
            out.append(row(recorded, best).replace(f"| {name} |", f"| {name}: {parameters(best)} |"))
    return out + [""]


def sweep_lines(recorded, name):
    """One line a parameter: the rate at each of its values, the others at their defaults."""
    entry = recorded.kernels[name]
    here = recorded.at(name, entry["extents"])
    lines = []
    for parameter in entry["defaults"]:
        others = {k: v for k, v in entry["defaults"].items() if k != parameter}
        line = sorted((r for r in here if all(r["parameters"][k] == v for k, v in others.items())),
                      key=lambda r: r["parameters"][parameter])
        if len(line) < 2:
            continue
        best = fastest(line)
        cells = []
        for r in line:
            text = f"{r['parameters'][parameter]}: {rate(r)}{marks(r)}"
            cells.append(f"**{text}**" if r is best else text)
        lines.append(f"| {name} | {parameter} | {' · '.join(cells)} | {unit(best)} |")
    return lines


def values_of_parameters(recorded):
    out = ["### Each parameter's values, the others at their defaults, default size", "",
           "The fastest is bold; values that break a rule of the kernel are left out.", "",
           "| kernel | parameter | value: rate | |", "| --- | --- | --- | --- |"]
    for name in recorded.kernels:
        out += sweep_lines(recorded, name)
    return out + [""]


def gemm_table(recorded, name, kind):
    table = ["", f"{kind} GEMM, square, in TFLOP/s; the fastest recorded parameters of each size.", "",
             f"| M = N = K | {name} | n | parameters | cuBLAS | of cuBLAS |",
             "| ---: | ---: | ---: | --- | ---: | ---: |"]
    for n in (512, 1024, 2048, 4096, 8192):
        best = fastest(recorded.at(name, {"M": n, "N": n, "K": n}))
        if best:
            table.append(f"| {n} | {rate(best)}{marks(best)} | {best['samples']} | {parameters(best)} | "
                         f"{rate(best, best['reference'])} | {recorded.of_reference(best)} |")
    return table


def transpose_table(recorded):
    table = ["Transpose, square, FP32, in GB/s.", "",
             "| rows = columns | transpose/tiled | transpose/swizzled | cuBLAS Sgeam | device copy |",
             "| ---: | ---: | ---: | ---: | ---: |"]
    for n in (1024, 2048, 4096, 8192, 16384):
        extents = {"ROWS": n, "COLS": n}
        tiled = fastest(recorded.at("transpose/tiled", extents))
        swizzled = fastest(recorded.at("transpose/swizzled", extents))
        beside = [r for r in recorded.cold if r["extents"] == extents and r.get("other")]
        if tiled and swizzled and beside:
            table.append(f"| {n} | {rate(tiled)}{marks(tiled)} | {rate(swizzled)}{marks(swizzled)} | "
                         f"{rate(tiled, beside[-1]['other'])} | {rate(tiled, beside[-1]['reference'])} |")
    return table


def beside_libraries(recorded):
    """Square sizes: our fastest recorded parameters, and what cuBLAS and a copy take in turn with them."""
    out = ["### Beside the libraries"]
    for name, kind in (("gemm/register_tile", "FP32"), ("gemm/tensor_core", "bf16"), ("gemm/warpgroup", "bf16")):
        out += gemm_table(recorded, name, kind)
    out += ["", "gemm/tensor_core multiplies with mma.sync, which every GPU from sm_80 on has; gemm/warpgroup and "
            "cuBLAS with Hopper's wgmma. What is left between those two is the L2: gemm/warpgroup fetches each tile "
            "by cp.async for each block, cuBLAS for the blocks of a cluster together.", ""]
    return out + transpose_table(recorded) + [""]


def warm_and_cold(recorded):
    """Defaults with the L2 as the same launch left it, beside the same with the L2 flushed."""
    out = ["### What a warm L2 is worth", "",
           "Each launch finds the L2 as the one before it left it.", "",
           "| kernel | size | bytes | cold ms | n | warm ms | n | cold : warm |",
           "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |"]
    missing = []
    for name, entry in recorded.kernels.items():
        pairs = [(recorded.find(name, {}, r["extents"]), r) for r in recorded.warm
                 if r["kernel"] == name and r["parameters"] == entry["defaults"]]
        if not pairs:
            missing.append(name)
        for cold, warm in sorted((p for p in pairs if p[0]), key=lambda p: work(p[1])):
            ratio = cold["seconds"]["median"] / warm["seconds"]["median"]
            out.append(f"| {name} | {size(warm)} | {plain(warm['bytes'] / 1e6, 3)} MB | "
                       f"{milliseconds(cold['seconds']['median'])}{marks(cold)} | {cold['samples']} | "
                       f"{milliseconds(warm['seconds']['median'])}{marks(warm)} | {warm['samples']} | {ratio:.2f} |")
    if missing:
        out += ["", f"Not recorded with a warm L2: {', '.join(missing)}."]
    return out + [""]

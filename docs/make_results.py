#!/usr/bin/env python3
"""Writes docs/results.md from the recorded runs in assets/recorded/, those of some kernels on other
GPUs in results_page/ and the published figures in assets/published/; its parts are in results_page/. Usage: docs/make_results.py [--check]
--check writes nothing and fails where the page is not what would be written. Either way it fails
where a recorded result is wrong, or where a sentence of the page is no longer what the runs say."""

import json
import sys

sys.dont_write_bytecode = True
from results_page import ladders, memory, nsight, sizes  # noqa: E402
from results_page.recorded import (CAPPED, FEWEST, MOVED, ROOT, UNSETTLED, Contradiction, Recorded, all_capped,
                                   few)  # noqa: E402

PAGE = ROOT / "docs" / "results.md"


def count(number, noun):
    return f"{number} {noun}{'' if number == 1 else 's'}"


def conditions(runs):
    """What the GPU did meanwhile."""
    clocks = sorted({round(r["sm_clock_hz"] / 1e6) for r in runs if r["sm_clock_hz"]})
    degrees = sorted(r["temperature_celsius"] for r in runs if r.get("temperature_celsius"))
    text = f"SM clock after the samples: {', '.join(map(str, clocks))} MHz."
    if degrees:
        text += f" GPU temperature: {degrees[0]:.0f} to {degrees[-1]:.0f} °C."
    capped = [r for r in runs if r.get("throttle_reasons")]
    if not capped:
        return text + " No sample was taken under a limit of the GPU."
    kept = sum(map(all_capped, capped))
    reasons = ", ".join(sorted({r["throttle_reasons"] for r in capped}))
    return text + (f" {count(len(capped), 'point')} had samples under a limit of the GPU ({reasons}): of "
                   f"{len(capped) - kept} these samples were left out; of {kept} there are no others, and they were "
                   f"kept, marked {CAPPED}.")


def legend():
    return [f"{CAPPED}: every sample was taken under a limit of the GPU, so that the figure is that of a GPU held back. "
            f"{MOVED}: the SM clock moved by more than 2 % during the samples. {UNSETTLED}: the reference beside this "
            "point was more than 3 % slower than the median of all at this size, which flatters the point.", "",
            f"n: samples; p5 – p95: percentiles of them, and *known to*: the standard error of their median, both only "
            f"from {FEWEST} samples on. Fewer were taken where a launch is long, and their median's error is unknown.", ""]


def page(recorded):
    document = recorded.document
    dates = sorted({r["date"] for r in recorded.known})
    when = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    out = [f"## {document['gpu']}", "",
           f"sm_{document['compute_capability']}, driver {document['driver']}, {document['compiler']}, "
           f"cuBLAS {document['cublas']}; {when}. {len(recorded.known)} points, each result within its tolerance; "
           f"{sum(map(few, recorded.known))} have fewer than {FEWEST} samples. " + conditions(recorded.known), "",
           "Cold: the L2 is flushed before each sample. Reference, taken in turn with the kernel in the same "
           "process: cuBLAS for a GEMM, SGEMM in strict FP32 or bf16 operands with FP32 sums; else a "
           "device-to-device copy of the same bytes. Rates: 2MNK operations, or each element read once and "
           "written once.", ""] + legend()
    some = (sizes.fastest_of_each_size,)
    whole = (ladders.ladders, nsight.nsight, sizes.beside_libraries, memory.camping, memory.in_flight,
             memory.padded_and_swizzled, sizes.defaults_over_sizes, sizes.warm_and_cold,
             sizes.values_of_parameters, sizes.fastest_at_default_size)
    for part in whole if recorded.has_ladders() else some:
        out += part(recorded)
    return out + ["Recorded with:", "", "```"] + document["commands"] + ["```", ""]


def text():
    published = json.loads((ROOT / "assets" / "published" / "seeds.json").read_text())
    out = ["# Recorded results", "",
           "Written by `docs/make_results.py` from the files in assets/recorded/, which the program shows, "
           "marked *recorded*, where there is no GPU; another GPU's runs of some kernels, and later ones of the H200, "
           "are on this page alone.", ""]
    folders = (ROOT / "assets" / "recorded", ROOT / "docs" / "results_page")
    for path in [file for folder in folders for file in sorted(folder.glob("*.json"))]:
        out += page(Recorded(json.loads(path.read_text()), published))
    return "\n".join(out)


def main(arguments):
    try:
        written = text()
    except Contradiction as problem:
        return f"make_results: not what the recorded runs say: {problem}"
    if arguments == ["--check"]:
        return None if PAGE.read_text() == written else f"{PAGE} is not up to date: run docs/make_results.py"
    if arguments:
        return __doc__
    PAGE.write_text(written)
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

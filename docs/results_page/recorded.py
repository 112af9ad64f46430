"""The recorded runs of one GPU, and how a number of them is written."""

import json
import math
import pathlib
import statistics

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# The extents of each family's problem, in their order; the families that the page is mostly about first.
SIZE_ORDER = {
    file.parent.name: [extent["name"] for extent in json.loads(file.read_text())["extents"]]
    for file in sorted((ROOT / "kernels").glob("*/*.problem.json"),
                       key=lambda file: (file.parent.name not in ("gemm", "transpose", "copy", "divergence"),
                                         file.parent.name != "gemm", file.parent.name != "transpose", file))}
FEWEST = 8  # samples below which 5th and 95th percentile are but the extremes

CAPPED = "‡"  # every sample was taken under a limit of the GPU
MOVED = "§"  # the SM clock moved during the samples
UNSETTLED = "¶"  # the reference in turn was slower than it is elsewhere at this size


class Contradiction(Exception):
    """A sentence of the page that the recorded runs no longer bear out, or a wrong result."""


def holds(condition, sentence):
    """The sentence, as long as the runs say so."""
    if not condition:
        raise Contradiction(sentence)
    return sentence


# Numbers.


def plain(value, digits=4):
    """So many significant digits, never an exponent."""
    if value == 0:
        return "0"
    decimals = digits - 1 - math.floor(math.log10(abs(value)))
    text = f"{value:,.{max(decimals, 0)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def percent(part):
    return f"{100 * part:.1f} %" if part >= 0.001 else f"{plain(100 * part, 1)} %"


def change(before, after):
    """In per cent of what it was."""
    if before == 0:
        return "–"
    return f"{'−' if after < before else '+'}{plain(abs(100 * (after / before - 1)), 2)} %"


def milliseconds(seconds):
    return plain(seconds * 1e3)


def times(factor):
    return f"{plain(factor) if factor >= 100 else f'{factor:.2f}'} ×"


def dimensions(extents):
    return "×".join(f"{extent:,}" for extent in extents.values())


# Runs.


def family(run):
    return run["kernel"].split("/")[0]


def is_gemm(run):
    return family(run) == "gemm"


def size(run):
    return "×".join(f"{run['extents'][name]:,}" for name in SIZE_ORDER[family(run)])


def work(run):
    return run["flop"] if is_gemm(run) else run["bytes"]


def unit(run):
    return "TFLOP/s" if is_gemm(run) else "GB/s"


def rate(run, seconds=None):
    """Of the run, or of another that did the same work, in unit(run)."""
    value = work(run) / (seconds or run["seconds"])["median"]
    return plain(value / (1e12 if is_gemm(run) else 1e9), 3 if is_gemm(run) else 4)


def gigabytes(run):
    return run["bytes"] / run["seconds"]["median"] / 1e9


def parameters(run):
    return ", ".join(f"{name} {value}" for name, value in run["parameters"].items())


def all_capped(run):
    """Every sample was taken under a limit. Such samples are kept only where there are no others,
    so there are then as many of them as of samples."""
    return run.get("throttled_samples", 0) == run["samples"]


def clock_moved(run):
    before, after = run["sm_clock_before_hz"], run["sm_clock_hz"]
    return bool(before and after) and abs(after - before) > 0.02 * before


def few(run):
    return run["samples"] < FEWEST


def spread(run):
    if few(run):
        return "–"
    return f"{milliseconds(run['seconds']['p5'])} – {milliseconds(run['seconds']['p95'])}"


def known_to(run):
    """Standard error of the median as part of itself; the program writes 1 where it knows none."""
    error = run.get("relative_error", 0)
    if few(run) or error >= 1:
        return "unknown"
    return percent(error) if error else "0 %"


def marks(run):
    return (CAPPED if all_capped(run) else "") + (MOVED if clock_moved(run) else "")


def fastest(runs):
    return min(runs, key=lambda r: r["seconds"]["median"], default=None)


class Recorded:
    """The runs of one GPU that are of today's catalogue."""

    def __init__(self, document, published):
        self.document = document
        self.published = published
        self.kernels = catalogue()
        self.known = [r for r in document["runs"] if r["kernel"] in self.kernels]
        refuse_wrong_results(self.known)
        self.cold = [r for r in self.known if r["cold"]]
        self.warm = [r for r in self.known if not r["cold"]]
        model = document["gpu"].split()[:2]  # "NVIDIA H100" of "NVIDIA H100 80GB HBM3"
        self.device = next(d for d in json.loads((ROOT / "assets" / "devices.json").read_text())[
            "devices"] if d["name"].split()[:2] == model)
        self._references = {}
        for run in self.cold:
            if run["reference"]:
                self._references.setdefault(self._beside(run), []).append(run["reference"]["median"])

    def has_ladders(self):
        """Whether the published ladders' kernels were recorded, which most of the page is about."""
        return {"gemm/naive", "transpose/naive", "copy/plain"} <= {r["kernel"] for r in self.known}

    def find(self, kernel, chosen, extents):
        """The cold run of the kernel with these parameters, the others at their defaults."""
        wanted = {**self.kernels[kernel]["defaults"], **chosen}
        return next((r for r in self.at(kernel, extents) if r["parameters"] == wanted), None)

    def at(self, kernel, extents):
        return [r for r in self.cold if r["kernel"] == kernel and r["extents"] == extents]

    def counted(self, kernel, chosen=None):
        """The run of the default size whose counters were read; None where they were not."""
        run = self.find(kernel, chosen or {}, self.kernels[kernel]["extents"])
        return run if run and run.get("counters") else None

    @staticmethod
    def _beside(run):
        return run["reference_name"], tuple(sorted(run["extents"].items()))

    def references(self, run):
        """Medians of the run's reference in every run of its size."""
        return self._references[self._beside(run)]

    def of_reference(self, run):
        if not run["reference"]:
            return "–"
        taken = run["reference"]["median"]
        slow = run["cold"] and taken > 1.03 * statistics.median(self.references(run))
        return percent(taken / run["seconds"]["median"]) + (UNSETTLED if slow else "")

    def peak(self, run):
        """Flop/s at the clock that was measured, or the memory's bytes/s."""
        if not is_gemm(run):
            return self.device["memory_bytes_per_second"]
        lanes = self.device["multiprocessors"] * self.device["fp32_lanes_per_multiprocessor"]
        return 2 * lanes * run["sm_clock_hz"]

    def of_peak(self, run):
        return percent(work(run) / run["seconds"]["median"] / self.peak(run))


def catalogue():
    """Kernels in ladder order, with their default parameters and size."""
    kernels = {}
    for path in sorted((ROOT / "kernels").glob("*/[0-9][0-9]_*.json")):
        entry = json.loads(path.read_text())
        (problem,) = (ROOT / "kernels").glob(f"*/{entry['problem']}.problem.json")
        sizes = {size["name"]: size["default"] for size in json.loads(problem.read_text())["extents"]}
        kernels[f"{path.parent.name}/{path.stem[3:]}"] = {
            "defaults": {p["name"]: p["default"] for p in entry["parameters"]},
            "extents": sizes | entry.get("extents", {})}
    return kernels


def refuse_wrong_results(runs):
    for run in runs:
        error = run["max_error"]
        if error is not None and not error <= run["tolerance"]:  # NaN is wrong too
            raise Contradiction(f"wrong result: {run['kernel']} {parameters(run)} at {size(run)}: "
                                f"error {error}, tolerance {run['tolerance']}")

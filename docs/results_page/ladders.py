"""The published ladders, each beside the same steps as recorded here."""

import statistics

from .recorded import dimensions, holds, marks, milliseconds, percent, plain, times, work


def published_work(extents):
    """2MNK operations, or bytes of FP32 read once and written once."""
    amount = 2 if "K" in extents else 8
    for extent in extents.values():
        amount *= extent
    return amount


def in_unit(ladder, work_done, seconds):
    """A time as the ladder counts: milliseconds, or 1e9 a second."""
    return 1e3 * seconds if ladder["unit"] == "ms" else work_done / seconds / 1e9


def here(ladder, run):
    return in_unit(ladder, work(run), run["seconds"]["median"])


def faster(ladder, now, before):
    return before / now if ladder["unit"] == "ms" else now / before


def giga_per_second(ladder, value):
    """A published value as 1e9 operations or bytes a second."""
    if ladder["unit"] != "ms":
        return value
    return published_work(ladder["extents"]) / (value * 1e-3) / 1e9


class Gains:
    """Of one side of a ladder: over the published step above, and over the first step."""

    def __init__(self, ladder):
        self.ladder, self.first, self.above = ladder, None, None

    def add(self, value, stays):
        if value is None:
            return "–"
        text = "–"
        if self.first is not None:
            text = (f"{times(faster(self.ladder, value, self.above))}, "
                    f"{times(faster(self.ladder, value, self.first))}")
        if stays:
            self.first = value if self.first is None else self.first
            self.above = value
        return text


class Ladder:
    """One ladder's table. Columns that the document has nothing for are left out."""

    def __init__(self, recorded, ladder):
        self.recorded, self.ladder = recorded, ladder
        self.reference = ladder.get("reference")
        self.bounds = any("bound" in step for step in ladder["steps"])
        self.theirs, self.ours = Gains(ladder), Gains(ladder)

    def columns(self):
        reference = f"of {self.reference['name']}" if self.reference else ""
        return (["step", "kernel", f"published {self.ladder['unit']}"] +
                (["bound"] if self.bounds else []) +
                (["of peak"] if "peak" in self.ladder else []) + ([reference] if reference else []) +
                ["gains", f"here {self.ladder['unit']}", "n", "of peak", "of reference", "gains"])

    def published_cells(self, step):
        value = step.get("value")
        cells = ["–" if value is None else plain(value, 5)]
        if self.bounds:
            bound = step.get("bound")
            cells.append("–" if not bound else plain(bound) + (f" ({percent(value / bound)})" if value else ""))
        if "peak" in self.ladder:
            cells.append("–" if value is None else percent(giga_per_second(self.ladder, value) / self.ladder["peak"]))
        if self.reference:
            cells.append("–" if value is None else percent(faster(self.ladder, value, self.reference["value"])))
        return cells

    def step_row(self, step):
        run = self.recorded.find(step["kernel"], step["parameters"], self.ladder["extents"])
        value = step.get("value")
        ours = here(self.ladder, run) if run else None
        apart = step.get("reference", False)
        rung = value is not None and not apart
        gains = ["–" if apart else side.add(figure, rung)
                 for side, figure in ((self.theirs, value), (self.ours, ours))]
        chosen = " ".join(f"{k}={v}" for k, v in step["parameters"].items())
        measured = ([plain(ours) + marks(run), str(run["samples"]), self.recorded.of_peak(run),
                     self.recorded.of_reference(run)] if run else ["not recorded", "–", "–", "–"])
        name = f"*{step['name']}*" if apart else step["name"]
        return ([name, f"{step['kernel']} {chosen}".strip()] + self.published_cells(step) + gains[:1] +
                measured + gains[1:])

    def library_row(self):
        """cuBLAS, of which the document gives a figure and each GEMM here took samples in turn."""
        step = {"value": self.reference["value"]}
        last = next(r for s in reversed(self.ladder["steps"])
                    if (r := self.recorded.find(s["kernel"], s["parameters"], self.ladder["extents"])))
        medians = self.recorded.references(last)
        seconds = statistics.median(medians)
        peak = work(last) / seconds / self.recorded.peak(last)
        return ([f"*{self.reference['name']}*", ""] + self.published_cells(step) +
                ["–", plain(in_unit(self.ladder, work(last), seconds)), f"{len(medians)} runs", percent(peak),
                 percent(1), "–"])

    def rows(self):
        steps = sorted(self.ladder["steps"], key=lambda step: step.get("reference", False))
        rows = [self.step_row(step) for step in steps]
        return rows + ([self.library_row()] if self.reference and "K" in self.ladder["extents"] else [])

    def table(self):
        columns = self.columns()
        rules = ["---"] * 2 + ["---:"] * (len(columns) - 2)  # words, then numbers
        return ["| " + " | ".join(row) + " |" for row in [columns, rules] + self.rows()]


def sizes_table(recorded, ladder):
    """One kernel over sizes, beside cuBLAS."""
    lines = ["| M = N = K | published ms | cuBLAS | of cuBLAS | here ms | n | cuBLAS | of cuBLAS |",
             "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"]
    for step in ladder["steps"]:
        run = recorded.find(step["kernel"], step["parameters"], step["extents"])
        lines.append(f"| {step['name']} | {plain(step['value'])} | {plain(step['reference_ms'])} | "
                     f"{percent(step['reference_ms'] / step['value'])} | "
                     f"{milliseconds(run['seconds']['median'])}{marks(run)} | {run['samples']} | "
                     f"{milliseconds(run['reference']['median'])} | {recorded.of_reference(run)} |")
    return lines


def about_the_first(recorded):
    """What of the first ladder comes out here, and what does not."""
    def step(kernel, **chosen):
        return recorded.find(kernel, chosen, recorded.kernels[kernel]["extents"])["seconds"]["median"]

    down = step("gemm/naive", BLOCK_X=16, BLOCK_Y=16, LANES_DOWN=1)
    order = [down] + [step(f"gemm/{name}") for name in ("float4", "thread_tile", "shared_thread_tile",
                                                        "transposed_a")]
    buffered, final = step("gemm/register_buffer"), step("gemm/prefetch")
    along = step("gemm/naive", BLOCK_X=16, BLOCK_Y=16, LANES_DOWN=0)
    return holds(
        order == sorted(order, reverse=True) and final < buffered and abs(buffered / order[-1] - 1) < 0.02,
        f"The order comes out, {times(down / final)} from the first step to the last, but for the register double "
        "buffer, which changes nothing here: *What the documents saw in Nsight, and here* says why. The document's "
        "first kernel numbers the rows by threadIdx.x, so that a warp reads A down a column; the same kernel with its "
        f"lanes along a row is {times(down / along)} as fast.")


def about_tiles(recorded):
    """Why document 002's order of tile lengths turns round."""
    cube = {"M": 1024, "N": 1024, "K": 1024}
    medians = [recorded.find("gemm/shared_tile", {"TILE": tile}, cube)["seconds"]["median"]
               for tile in (32, 16, 8, 4)]
    return holds(
        medians == sorted(medians),
        "The order turns round: there 8 is best and 32 worst, here 32 is best. The document's kernel stores "
        "`temp_1[threadIdx.x][threadIdx.y]` and reads `temp_2[threadIdx.x][i]`, so that the lanes of a warp lie a row "
        "of the tile apart: with tiles of 32 all in one bank, of 16 eight a bank, of 8 two a bank, of 4 one. Emulated "
        "at 128×128×128 as issued on sm_90 it takes 720,896, 393,216, 229,376 and 262,144 wavefronts of shared memory "
        "with tiles of 32, 16, 8 and 4; gemm/shared_tile, whose lanes lie side by side, takes 102,400, 106,496, 114,688 "
        "and 229,376, and so gains by the larger tile's fewer reads of global memory. Tiles of 4 are slow in both: their "
        "blocks of 16 threads leave half of each warp empty, and with it twice the LDS and FFMA of tiles of 8. "
        + about_plain(recorded, cube))


def about_plain(recorded, cube):
    kernel = "The plain kernel is `gemm/naive` with LANES_DOWN 1 and a block for each column of C"
    run = recorded.find("gemm/naive", {"BLOCK_X": cube["M"], "BLOCK_Y": 1, "LANES_DOWN": 1}, cube)
    if run:
        return f"{kernel}, {milliseconds(run['seconds']['median'])} ms here."
    return f"{kernel}, which is not recorded; the nearest recorded point is the first step of the first ladder."


NOTES = {"Enhancing an FP32 GEMM step by step": about_the_first,
         "Tile length of the tiled GEMM, 512": about_tiles}


def ladders(recorded):
    out = ["### The published ladders, and the same steps on this GPU", "",
           "Gains: over the published step above, and over the first one; a step without a published figure (–) stands "
           "beside that order. References are in italics, and no steps. *Bound*: the document's theoretical one, and "
           "the part of it that was reached. Of peak, published: of the document's own; here: of clock × units × 2, or "
           f"of {plain(recorded.device['memory_bytes_per_second'] / 1e9)} GB/s.", ""]
    for ladder in recorded.published["ladders"]:
        kind = ladder.get("kind")
        if kind == "camping":  # has a table of its own
            continue
        where = f"published for {ladder['gpu']}" + (f", {ladder['size']}" if "size" in ladder else "")
        if kind != "sizes":
            where += f"; here at {dimensions(ladder['extents'])}"
        out += [f"**{ladder['title']}** ({ladder['source']}; {where})", ""]
        out += sizes_table(recorded, ladder) if kind == "sizes" else Ladder(recorded, ladder).table()
        out.append("")
        words = [ladder["note"]] if "note" in ladder else []
        if ladder["title"] in NOTES:
            words.append(NOTES[ladder["title"]](recorded))
        if words:
            out += [" ".join(words), ""]
    return out

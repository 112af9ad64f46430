"""What kernels that only move data show: partition camping, Little's law, banks kept apart."""

from .recorded import fastest, gigabytes, holds, marks, milliseconds, plain, rate, times, unit

CAMPING = [("naive", "transpose/naive", {}), ("tiled, PAD 0", "transpose/tiled", {"PAD": 0}),
           ("padded", "transpose/tiled", {"PAD": 1}), ("diagonal", "transpose/diagonal", {}),
           ("copy", "copy/plain", {"LANES_DOWN": 0}), ("copy, both interleaved", "copy/plain", {"LANES_DOWN": 1}),
           ("copy through the tile", "copy/through_tile", {})]


def square(rows):
    return {"ROWS": rows, "COLS": rows}


def camping(recorded):
    """Sizes around 4,096: where writes of one column of tiles used to meet in one partition."""
    sizes = sorted({r["extents"]["ROWS"] for r in recorded.cold if r["kernel"] == "transpose/tiled"
                    and r["extents"]["ROWS"] == r["extents"]["COLS"] and 3500 < r["extents"]["ROWS"] < 4200})
    published = next(l for l in recorded.published["ladders"] if l.get("kind") == "camping")
    theirs = {(s["name"], s["extents"]["ROWS"]): s["value"] for s in published["steps"]}
    names = [name for name, _, _ in CAMPING]
    out = ["### Partition camping", "",
           f"Published for the {published['gpu']} ({published['source']}): {published['note']} In GB/s; the columns "
           "without *published* are recorded here.", "",
           "| rows and columns | multiple of | published: padded | published: diagonal | " + " | ".join(names) + " |",
           "| ---: | ---: |" + " ---: |" * (2 + len(names))]
    for rows in sizes:
        found = [recorded.find(kernel, chosen, square(rows)) for _, kernel, chosen in CAMPING]
        cells = [plain(theirs[name, rows]) if (name, rows) in theirs else "–" for name in ("padded", "diagonal")]
        cells += [plain(gigabytes(r)) + marks(r) if r else "–" for r in found]
        out.append(f"| {rows:,} | {rows & -rows} | " + " | ".join(cells) + " |")
    return out + ["", about_camping(recorded, sizes), ""]


def about_camping(recorded, sizes):
    aligned = [rows for rows in sizes if rows % 32 == 0]
    others = [rows for rows in sizes if rows % 32]
    rates, ragged = ([gigabytes(recorded.find("transpose/tiled", {}, square(rows))) for rows in which]
                     for which in (aligned, others))
    diagonal = [gigabytes(recorded.find("transpose/diagonal", {}, square(rows))) for rows in aligned]
    at_others = (f"At {' and '.join(map(str, others))}, no multiples of 32, whose rows begin inside a sector or a line, it "
                 f"moves {plain(min(ragged))} to {plain(max(ragged))} GB/s."
                 if others else "All recorded sizes are multiples of 32.")
    return holds(
        max(rates) < 1.05 * min(rates) and max(diagonal) < min(rates),
        f"An H200 shows no partition camping: the padded kernel keeps {plain(min(rates))} to {plain(max(rates))} GB/s at "
        f"every multiple of 32, multiples of 512 among them, and the diagonal order only costs ({plain(min(diagonal))} "
        f"to {plain(max(diagonal))} GB/s). {at_others} A dash: not recorded.")


# Little's law.

WIDE = "copy/wide"


def pieces(run):
    p = run["parameters"]
    return p["VECTOR"], p["ITEMS"], p["BLOCK"]


def bytes_of_block(run):
    """That a block reads before it waits."""
    vector, items, block = pieces(run)
    return 4 * vector * items * block


def possible_bytes(recorded, run):
    """Under way on an SM that is full of such blocks, by its threads and blocks alone."""
    device, block = recorded.device, run["parameters"]["BLOCK"]
    blocks = min(device["max_blocks_per_multiprocessor"], device["max_threads_per_multiprocessor"] // block)
    return blocks * bytes_of_block(run)


def in_flight(recorded):
    """GB/s over bytes under way: the three curves of document 001."""
    runs = recorded.at(WIDE, recorded.kernels[WIDE]["extents"])
    cells = {}
    for run in sorted(runs, key=lambda r: (r["parameters"]["ITEMS"], r["parameters"]["BLOCK"])):
        place = possible_bytes(recorded, run), bytes_of_block(run), run["parameters"]["VECTOR"]
        text = f"{plain(gigabytes(run))}{marks(run)} ({run['parameters']['ITEMS']} × {run['parameters']['BLOCK']})"
        cells.setdefault(place, []).append(text)
    out = ["### Little's law: bytes under way", "",
           f"{WIDE} at 4,096×4,096: GB/s of each recorded ITEMS × BLOCK. A block asks for 4 · VECTOR · ITEMS · BLOCK "
           "bytes before it waits; an SM full of such blocks, by its threads and blocks, has the first column under way "
           "(with VECTOR 4 and ITEMS 8 its registers allow fewer).", "",
           "| KB an SM | KB a block | 4 bytes (VECTOR 1) | 8 bytes (VECTOR 2) | 16 bytes (VECTOR 4) |",
           "| ---: | ---: | --- | --- | --- |"]
    for under_way, block in sorted({place[:2] for place in cells}):
        columns = [" · ".join(cells.get((under_way, block, vector), ["–"])) for vector in (1, 2, 4)]
        out.append(f"| {plain(under_way / 1024)} | {plain(block / 1024)} | {' | '.join(columns)} |")
    return out + ["", about_in_flight(recorded, runs), ""]


def nanoseconds_a_block(run):
    blocks = run["extents"]["ROWS"] * run["extents"]["COLS"] * 4 / bytes_of_block(run)
    return run["seconds"]["median"] * 1e9 / blocks


def about_in_flight(recorded, runs):
    small = [r for r in runs if bytes_of_block(r) <= 512]
    each = [nanoseconds_a_block(r) for r in small]
    thin = next(r for r in runs if pieces(r) == (1, 1, 256))
    alike = [gigabytes(r) for r in runs if bytes_of_block(r) == 1024 and r is not thin]
    enough = [gigabytes(r) for r in runs if bytes_of_block(r) >= 2048 and possible_bytes(recorded, r) >= 2 ** 15]
    held = possible_bytes(recorded, thin) * recorded.device["multiprocessors"]
    latency = held / (gigabytes(thin) / 2)  # half of what moves is read
    return holds(
        max(each) < 1.1 * min(each) and gigabytes(thin) < 0.9 * min(alike) and min(enough) > 0.9 * max(enough),
        f"Two limits show. Blocks of at most 512 bytes take {plain(min(each), 2)} to {plain(max(each), 2)} ns each, "
        "whatever they bring: the GPU starts them no faster, the SMs never fill, and each doubling of the block's bytes "
        "doubles the rate, by more threads as well as by wider or more accesses. With 1 KB a block 256 threads of 4 "
        f"bytes reach {plain(gigabytes(thin))} GB/s where fewer threads with more bytes each reach {plain(min(alike))} "
        f"or more: all {recorded.device['max_threads_per_multiprocessor']:,} threads of each SM have only 8 KB under way, "
        f"and by Little's law {plain(held / 1e6, 3)} MB over {plain(gigabytes(thin) / 2)} GB/s read make "
        f"{plain(latency, 2)} ns from a thread's start to the next one's in its place. From 32 KB an SM and 2 KB a block "
        f"on nothing is gained any more ({plain(min(enough))} to {plain(max(enough))} GB/s): the memory is busy, and it "
        "no longer matters how wide an access is.")


# Padding and swizzling.


def line(name, run, best):
    share = times(best["seconds"]["median"] / run["seconds"]["median"])
    return (f"| {name} | {run['kernel']} | {run['samples']} | {milliseconds(run['seconds']['median'])}{marks(run)} | "
            f"{rate(run)} {unit(run)} | {share} |")


def padded_and_swizzled(recorded):
    """Neither, padded, swizzled: for tensor cores and for transposes."""
    tensor = recorded.kernels["gemm/tensor_core"]["extents"]
    matrix = square(4096)
    groups = [
        ("bf16 tiles of gemm/tensor_core, its other parameters at their defaults",
         [("neither", recorded.find("gemm/tensor_core", {"PAD": 0, "SWIZZLE": 0}, tensor)),
          ("padded, PAD 8", recorded.find("gemm/tensor_core", {"PAD": 8, "SWIZZLE": 0}, tensor)),
          ("swizzled", recorded.find("gemm/tensor_core", {"PAD": 0, "SWIZZLE": 1}, tensor))]),
        ("transposes of 4,096×4,096, single floats",
         [("neither", recorded.find("transpose/tiled", {"PAD": 0}, matrix)),
          ("padded, PAD 1", recorded.find("transpose/tiled", {"PAD": 1}, matrix))]),
        ("transposes of 4,096×4,096, float4",
         [("neither, SWIZZLE 0", recorded.find("transpose/swizzled", {"SWIZZLE": 0}, matrix)),
          ("swizzled", recorded.find("transpose/swizzled", {"SWIZZLE": 1}, matrix))])]
    out = ["### Banks kept apart: neither, padded, swizzled", "",
           "| shared memory | kernel | n | median ms | rate | of the group's fastest |",
           "| --- | --- | ---: | ---: | ---: | ---: |"]
    for title, rows in groups:
        best = fastest([run for _, run in rows])
        out.append(f"| **{title}** | | | | | |")
        out += [line(name, run, best) for name, run in rows]
    seconds = [[run["seconds"]["median"] for _, run in rows] for _, rows in groups]
    words = holds(
        all(group[0] == max(group) for group in seconds) and seconds[0][2] < seconds[0][1],
        "Padding and swizzling both take the conflicts away; swizzled tiles need no memory for it. Emulated on sm_90: "
        "the tensor cores' kernel takes 52,224 wavefronts for its reads of shared memory at 256×256×256, padded or "
        "swizzled 8,704; the reads of the transpose by single floats take 32 wavefronts each and then one; the "
        "transpose by float4s conflicts only in its writes, 8 wavefronts each and then one, and so loses less.")
    return out + ["", words, ""]

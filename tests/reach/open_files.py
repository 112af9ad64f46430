#!/usr/bin/env python3
"""How many of other people's CUDA files Tilescope shows sensibly, and why it does not show the rest.

    python3 tests/reach/open_files.py --program build/release/tilescope FOLDER...
            [--most N] [--jobs N] [--timeout S] [--json OUT]

Each .cu, .ptx and .cuh with a kernel below the folders is opened as a person opens it: `tilescope trace FILE --json
--sample`, no other option. A line per file says its class, the kernel that was chosen, the launch that was guessed, the
seconds, and the first line of the message; then come the shares of the classes, in all and by folder. The program is
stopped in no other way than by --timeout. A file without a kernel counts nowhere.

A share of 'right' is an upper bound: this script sees that a kernel ran, moved data with most of its threads and broke
no rule, not that the sizes are those that its author had in mind.
"""

import argparse
import collections
import concurrent.futures
import itertools
import json
import pathlib
import re

import measured_process

# In the order of the tables.
CLASSES = {
    "right": "runs without a finding; most of its threads load or store",
    "race": "runs; the findings are races or barriers: true in some public files, to be judged one by one",
    "guess": "runs, with a finding that a wrong launch explains (out of bounds, misaligned, uninitialised, endless)",
    "nothing": "runs, but nearly no thread loads or stores",
    "no buffer": "runs, and takes no buffer that could be looked at, as a kernel that prints",
    "no launch": "no launch could be made: template arguments, a parameter's type or what it leads to, a block too large",
    "header": "does not compile: a header is not found",
    "compile": "does not compile, for another reason",
    "refused": "an instruction or a feature that is not emulated",
    "slow": "was not done in time",
    "crash": "ended by a signal, or without a message",
    "no kernel": "has no kernel; not counted",
}
# A kernel that takes no buffer has no more to show than that it runs.
SENSIBLE = ("right", "no buffer")
GUESSED = {"out_of_bounds", "misaligned", "uninitialised", "endless"}
NO_KERNEL = re.compile(r"has no kernel|no __global__ function|no \.entry|has no entry")
HEADER = re.compile(r"could not open source file|header .* (is|was) not found|No such file or directory", re.I)
REFUSED = re.compile(r"not (supported|emulated)|unsupported|cudaTextureObject_t|cudaSurfaceObject_t|CUtensorMap", re.I)
NO_LAUNCH = re.compile(r"what that holds is not known|only host code knows|cannot be instantiated|template and needs its arguments"
                       r"|no instance of function template|no block of .* fits|more than a (device|block)", re.I)


def is_kernel_file(path):
    """Whether a kernel is written in it, and not only in what it includes."""
    if path.suffix not in (".cu", ".cuh", ".ptx") or not path.is_file():
        return False
    return path.suffix == ".ptx" or b"__global__" in path.read_bytes()


def files_below(folder, most):
    """All of them, or so many, evenly spaced."""
    paths = [folder] if folder.is_file() else sorted(folder.rglob("*"))
    files = [path for path in paths if is_kernel_file(path)]
    return files if most == 0 or len(files) <= most else [files[i * len(files) // most] for i in range(most)]


def in_turn(folders, most):
    """(folder, file), one of each folder after the other: what is printed so far tells of all."""
    rows = itertools.zip_longest(*([(folder, path) for path in files_below(folder, most)] for folder in folders))
    return [pair for row in rows for pair in row if pair]


def threads_that_access(document):
    """Loads and stores for each thread of the launch, those of its own stack aside; one thread's bulk copy is its
    block's."""
    threads = 1
    for extent in document["grid"] + document["block"]:
        threads *= extent
    lanes = 0
    for line in document["as_written"]["lines"] if "as_written" in document else document["lines"]:
        space = line["class"]
        if space.startswith(("global_", "generic_", "shared_", "texture", "surface")):
            lanes += line["active_lanes"]
        elif space in ("async_copy", "tensor_copy") and line["active_lanes"]:
            lanes += threads
    return lanes / threads


def message_of(stderr):
    """The lines of stderr that complain, without those that tell of the guess."""
    lines = [line for line in stderr.splitlines() if line.strip()]
    told = re.compile(r": (guessed launch|corrected after a trial|the file has \d+ kernels)")
    said = [line for line in lines if not told.search(line)]
    return [line.removeprefix("tilescope: ") for line in said]


def class_of_error(message):
    for name, pattern in (("no kernel", NO_KERNEL), ("header", HEADER), ("refused", REFUSED), ("no launch", NO_LAUNCH)):
        if pattern.search(message):
            return name
    return "compile"


def judged(status, stdout, stderr):
    """The class, and what there is to say of it."""
    lines = message_of(stderr)
    first = lines[0] if lines else ""
    if status is None:
        return "slow", first, {}
    if status < 0:
        return "crash", f"signal {-status}", {}
    try:
        document = json.loads(stdout)
    except json.JSONDecodeError:
        if not first:
            return "crash", f"exit status {status} and no message", {}
        return class_of_error(first), first, {}
    kinds = {finding["kind"] for finding in document["findings"] if not finding.get("advice")}
    if "unsupported" in kinds:
        return "refused", first, document
    if kinds & GUESSED:
        return "guess", first, document
    share = threads_that_access(document)
    if share < 1 / 64:
        has_buffer = re.search(r"--arg '?[{\w, :.]*\w+\[", stderr)
        return "nothing" if has_buffer else "no buffer", f"{share:.2g} loads and stores per thread", document
    return ("race" if kinds else "right"), first, document


def opened(program, folder, path, seconds):
    ended = measured_process.run([program, "trace", str(path), "--json", "--sample"], seconds)
    name, message, document = judged(ended.status, ended.out, ended.err)
    return {"folder": str(folder), "file": str(path), "class": name, "kernel": document.get("kernel", ""),
            "grid": document.get("grid", []), "block": document.get("block", []), "seconds": round(ended.seconds, 2),
            "processor_seconds": round(ended.of_processors, 2), "message": message, "status": ended.status,
            "findings": document.get("findings", []), "stderr": ended.err}


def line_of(result):
    extent = "x".join(map(str, result["grid"])) + " of " + "x".join(map(str, result["block"])) if result["grid"] else ""
    return f"{result['class']:9} {result['seconds']:5.1f} s ({result['processor_seconds']:4.1f})  {result['file']}  {result['kernel']}  {extent}  " \
           f"{result['message'][:160]}"


def table(results):
    """Rows by folder and a last one of all; columns by class, in files, and the shares of 'right' and of SENSIBLE."""
    by_folder = collections.defaultdict(collections.Counter)
    for result in results:
        by_folder[pathlib.Path(result["folder"]).name][result["class"]] += 1
    total = sum(by_folder.values(), collections.Counter())
    names = [name for name in CLASSES if total[name]]
    width = max(map(len, [*by_folder, "all"]))
    lines = [" " * width + "  right %  sensible %  files " + "".join(f"{name:>10}" for name in names)]
    for folder, counts in [*sorted(by_folder.items()), ("all", total)]:
        files = sum(counts.values()) - counts["no kernel"]
        right, sensible = (f"{100 * sum(counts[name] for name in names) / files:.0f}" if files else ""
                           for names in (("right",), SENSIBLE))
        lines.append(f"{folder:{width}}  {right:>7}  {sensible:>10}  {files:5} " + "".join(f"{counts[name] or '':>10}" for name in names))
    quick = sum(result["processor_seconds"] <= 10 for result in results)
    lines += ["", f"{quick} of {len(results)} took at most 10 processor seconds"]
    return "\n".join(lines + ["", *(f"{name:9}  {CLASSES[name]}" for name in names)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, type=pathlib.Path)
    parser.add_argument("folders", nargs="+", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--jobs", type=int, default=1, help="files at the same time")
    parser.add_argument("--timeout", type=float, default=30, help="processor seconds for each file")
    parser.add_argument("--only", type=pathlib.Path, metavar="LIST", help="the files named there, a line each")
    parser.add_argument("--most", type=int, default=0, help="files of each folder; 0: all")
    parser.add_argument("--json", type=pathlib.Path, metavar="OUT", help="all results, a line each, as they come")
    arguments = parser.parse_args()
    program = arguments.program.resolve()
    results = []
    out = arguments.json.open("w") if arguments.json else None
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        only = set(arguments.only.read_text().splitlines()) if arguments.only else None
        waiting = [pool.submit(opened, program, folder, path, arguments.timeout)
                   for folder, path in in_turn(arguments.folders, arguments.most if only is None else 0)
                   if only is None or str(path) in only]
        for future in concurrent.futures.as_completed(waiting):
            results.append(future.result())
            print(line_of(results[-1]), flush=True)
            if out:
                print(json.dumps(results[-1]), file=out, flush=True)
    print("\n" + table(results))


if __name__ == "__main__":
    main()

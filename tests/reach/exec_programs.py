#!/usr/bin/env python3
"""How many of other people's CUDA programs run whole without a GPU, and why the others do not.

    python3 tests/reach/exec_programs.py --program build/release/tilescope FOLDER...
            [--most N] [--only LIST] [--timeout S] [--json OUT]

A program is a .cu file with a main(), with the sources beside it that have none; or, where only a .cpp beside a .cu has
it, both. Each is compiled and run in its own folder by `tilescope exec FILE --emulate --json`, with the libraries that
its headers name. A line per program says its class, the seconds and what it printed last; then come the classes, in all
and by folder. Programs of libraries and interfaces that exec does not know (graphics, several nodes, other libraries) are
not tried.

'same' is what can be seen without a GPU: the program ended as a program that succeeds, and printed no word of failure.
"""

import argparse
import collections
import json
import pathlib
import re
import tempfile

import measured_process

# In the order of the table.
CLASSES = {
    "same": "ends with status 0, without a word of failure",
    "missing": "something that it calls is not there, and the report names it",
    "input": "a file, an argument or something else of its surroundings is missing",
    "compile": "does not compile",
    "wrong": "ends otherwise, or prints that its result is wrong",
    "slow": "was not done in time, or launches were not executed whole",
    "crash": "tilescope ended without a report",
}
MAIN = re.compile(r"^\s*(?:int|void|auto)?\s*main\s*\(", re.M)
OTHER = re.compile(
    r'#\s*include\s*[<"](?:GL/|GLFW|GLES|EGL|helper_gl|vulkan|cudaProfiler|npp|cufftXt|cusparse|cusolver|'
    r"cublasXt|cudnn|nccl|nvshmem|nvJitLink|nvml|mpi|opencv|torch|ATen|pybind|cutlass|cute/|cudla|nvjpeg|nvbench|benchmark/|gtest|"
    r"FreeImage|windows\.h|d3d|cuda_gl_interop|cuda_d3d|libpng|png\.h|jpeglib)|multi_?gpu|MPI_Init", re.I)
LIBRARIES = {"cublasLt": "-lcublasLt", "cublas": "-lcublas", "curand.h": "-lcurand", "cufft": "-lcufft"}
FAILURE = re.compile(r"\bFAIL(?:ED|URE)?\b|Test failed|\b[Ff]ailed[!.]|do(?:es)? not match|[Mm]ismatch(?:ed)?\b|"
                     r"\b(?:incorrect|wrong) (?:result|answer|value)|Error at|results? (?:is|are) (?:wrong|incorrect)")
SUCCESS = re.compile(r"PASS|pass(?:ed)?\b|SUCCESS|[Ss]uccess|[Cc]orrect\b|match|OK\b|Done")
SURROUNDINGS = re.compile(r"[Uu]sage|not found|[Cc](?:ould|an)(?: ?no|')t open|[Uu]nable to (?:open|find|load)|No such file|"
                          r"requires? (?:at least )?(?:two|2)|[Ee]rror opening", re.M)


USAGE = re.compile(r"[Uu]sage:? *\S+((?: *(?:<[^<>]+>|\[[^\[\]]+\]))+)")
NUMBER = "64"
LIMIT = 600  # wall seconds of a kernel's launches: the processor's seconds count here


def text_of(path):
    return path.read_text(errors="replace")


def programs_below(folder):
    """(first file, other files, text of all) of each program below a folder."""
    found = []
    for directory in sorted({path.parent for path in folder.rglob("*.cu")}):
        kernels = {path: text_of(path) for path in sorted(directory.glob("[!.]*.cu"))}
        others = {path: text_of(path) for path in sorted(directory.glob("[!.]*.cpp"))}
        included = {name for text in [*kernels.values(), *others.values()]
                    for name in re.findall(r'#\s*include\s*"(?:.*/)?([^"/]+)"', text)}
        mains = [path for path, text in kernels.items() if MAIN.search(text)]
        beside = [path for path, text in {**kernels, **others}.items()
                  if not MAIN.search(text) and path.name not in included]
        if not mains and any(MAIN.search(text) for text in others.values()):
            own = [path for path in kernels if path.name not in included]
            cpp_mains = [path for path, text in others.items() if MAIN.search(text)]
            if own and len(cpp_mains) == 1:
                rest = [path for path in [*beside, *cpp_mains] if path != own[0]]
                found.append((own[0], rest, "".join([*kernels.values(), *others.values()])))
            continue
        for path in mains:
            rest = beside if len(mains) == 1 else []
            texts = {**kernels, **others}
            found.append((path, rest, "".join([texts[path], *(texts[one] for one in rest)])))
    return [one for one in found if "<<<" in one[2] or "cudaLaunch" in one[2] or "cuLaunchKernel" in one[2] or "thrust" in one[2]]


def evenly(rows, most):
    return rows if most == 0 or len(rows) <= most else [rows[i * len(rows) // most] for i in range(most)]


def judged(status, text, report):
    """The class, and whether the program says itself that its result is right."""
    if status is None:
        return "slow", False
    if status == 4:
        return "compile", False
    if report is None and re.search(r"(exited with status|ended by signal) \d+[^\n]* before|Usage|usage", text):
        return "input", False
    if report is None:
        return ("missing" if status in (1, 3) and "tilescope:" in text else "crash"), False
    if any(launch["cut_short"] for launch in report["launches"]):
        return "slow", False  # beyond --limit: what it says of its results means nothing
    if report["exit_status"] == 0 and not FAILURE.search(text):
        return "same", bool(SUCCESS.search(text))
    if any(re.search(r"not (?:supported|there|emulated)|NotSupported", problem["message"]) for problem in report["host"]) \
            or any(finding["kind"] == "unsupported" for launch in report["launches"] for finding in launch["findings"]):
        return "missing", False
    return ("input" if SURROUNDINGS.search(text) else "wrong"), False


def one_run(program, first, options, arguments, seconds):
    """How it ended, and its report; None: there is none."""
    with tempfile.TemporaryDirectory() as scratch:
        out = pathlib.Path(scratch) / "report.json"
        ended = measured_process.run(
            [program, "exec", first.name, "--emulate", "--nvcc", " ".join(options), "--json", "-o", str(out),
             "--limit", str(LIMIT), "--", *arguments],
            seconds, folder=first.parent, joined=True)
        return ended, json.loads(out.read_text()) if out.exists() and ended.status is not None else None


def executed(program, folder, row, seconds):
    first, others, text = row
    options = [str(path.name) for path in others] + [flag for header, flag in LIBRARIES.items() if header in text]
    if "omp.h" in text:
        options.append("-Xcompiler -fopenmp")
    ended, report = one_run(program, first, options, [], seconds)
    wanted = USAGE.search(ended.out) if report is None else None
    if wanted:  # a person reads that, and gives small numbers
        ended, report = one_run(program, first, options, [NUMBER] * len(re.findall(r"[<\[]", wanted.group(1))), seconds)
    name, verified = judged(ended.status, ended.out, report)
    kinds = sorted({finding["kind"] for launch in (report or {"launches": []})["launches"]
                    for finding in launch["findings"]} |
                   {problem["kind"] for problem in (report or {"host": []})["host"] if problem["mistake"]})
    return {"folder": str(folder), "file": str(first), "class": name, "verified": verified,
            "status": ended.status, "seconds": round(ended.seconds, 1),
            "processor_seconds": round(ended.of_processors, 1), "kinds": kinds, "printed": ended.out[-3000:],
            "report": report}


def line_of(result):
    lines = [line for line in result["printed"].splitlines() if line.strip()]
    return f"{result['class']:8}{'+' if result['verified'] else ' '} {result['seconds']:5.1f} s ({result['processor_seconds']:4.1f})  " \
           f"{result['file']}  {','.join(result['kinds'])}  {(lines or [''])[-1][:160]}"


def table(results):
    by_folder = collections.defaultdict(collections.Counter)
    for result in results:
        by_folder[pathlib.Path(result["folder"]).name][result["class"]] += 1
    total = sum(by_folder.values(), collections.Counter())
    names = [name for name in CLASSES if total[name]]
    width = max(map(len, [*by_folder, "all"]))
    lines = [" " * width + "  same %  programs " + "".join(f"{name:>9}" for name in names)]
    for folder, counts in [*sorted(by_folder.items()), ("all", total)]:
        programs = sum(counts.values())
        lines.append(f"{folder:{width}}  {100 * counts['same'] / max(programs, 1):6.0f}  {programs:8} " +
                     "".join(f"{counts[name] or '':>9}" for name in names))
    lines += ["", f"{sum(result['verified'] for result in results)} say themselves that they are right (+)", ""]
    return "\n".join(lines + [f"{name:8}  {CLASSES[name]}" for name in names])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, type=pathlib.Path)
    parser.add_argument("folders", nargs="+", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--most", type=int, default=0, help="programs of each folder; 0: all")
    parser.add_argument("--only", type=pathlib.Path, metavar="LIST", help="the first files named there, a line each")
    parser.add_argument("--timeout", type=float, default=60, help="processor seconds for each program")
    parser.add_argument("--json", type=pathlib.Path, metavar="OUT", help="all results, a line each, as they come")
    parser.add_argument("--list", action="store_true", help="only the first files")
    arguments = parser.parse_args()
    program = str(arguments.program.resolve())
    only = set(arguments.only.read_text().splitlines()) if arguments.only else None
    out = arguments.json.open("w") if arguments.json else None
    results = []
    for folder in arguments.folders:
        rows = [row for row in programs_below(folder) if not OTHER.search(row[2])]
        for row in evenly(rows, arguments.most if only is None else 0):
            if only is not None and str(row[0]) not in only:
                continue
            if arguments.list:
                print(row[0])
                continue
            results.append(executed(program, folder, row, arguments.timeout))
            print(line_of(results[-1]), flush=True)
            if out:
                print(json.dumps(results[-1]), file=out, flush=True)
    if not arguments.list:
        print("\n" + table(results))


if __name__ == "__main__":
    main()

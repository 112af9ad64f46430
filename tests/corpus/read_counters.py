#!/usr/bin/env python3
"""Reads the hardware's counters for every launch of the corpus with Nsight Compute.

    OUT=folder tests/corpus/read_counters.py --launcher PATH [--seconds S]

runs `ncu PATH LIST...` with every list of launches once (--lists names fewer) and writes
OUT/h200_counters.json (named after the GPU): for each launch its metrics, zeros left out, and a hash
of the machine code they belong to. Copy that file to tests/corpus/; or, as a few counters differ from
run to run, and for a reading of some lists only,

    tests/corpus/read_counters.py --merge OLD.json NEW.json... > h200_counters.json

keeps the newest reading of each launch and notes under "varies" between which values such counters
lay. What this ncu or this GPU does not know is left out and listed under "skipped". The launcher
starts no kernel after --seconds; what it did not reach is listed under "missing".
"""

import argparse
import csv
import datetime
import fnmatch
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
LISTS = ["launches.json", "probes.json", "applications.json", "meeting.json", "numerics.json",
         "integers.json", "memory.json", "turns.json", "courses.json", "programs.json",
         "calls.json", "copies.json", "more.json", "everyday.json", "irregular.json", "rare.json",
         "tuners.json", "samples.json", "clusters.json", "holdout.json",
         "libraries.json", "unseen.json", "fresh.json", "pairs.json"]

# Shell patterns over the base names that `ncu --query-metrics` lists; each is read as a sum.
WANTED = [
    "smsp__inst_executed",
    "smsp__thread_inst_executed",
    "smsp__inst_executed_op_generic_*",
    "smsp__inst_executed_op_global_*",
    "smsp__inst_executed_op_ldgsts*",
    "smsp__inst_executed_op_ldsm*",
    "smsp__inst_executed_op_local_*",
    "smsp__inst_executed_op_shared*",
    "l1tex__t_requests_pipe_lsu_mem_global_op_*",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_*",
    "l1tex__t_requests_pipe_lsu_mem_local_op_*",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_*",
    "l1tex__data_pipe_lsu_wavefronts",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_*",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_*",
]
# Hits and misses depend on what else is in the cache: they are nobody's to predict here. The others
# follow from those that are read, or say nothing about the rules of docs/accuracy.md.
UNWANTED = ["*_lookup_*", "*_evict_*", "*texture*", "*surface*", "*hitrate*", "*_pred_on_any",
            "*_op_gmma", "*_op_ipa", "*_dot_alu*", "*_cmd_*", "smsp__inst_executed_op_branch",
            "smsp__inst_executed_pipe_lsu", "l1tex__data_bank_reads", "l1tex__data_bank_writes",
            "l1tex__data_bank_conflicts_pipe_lsu_mem_shared"]


def run(command, **options):
    return subprocess.run(command, text=True, capture_output=True, check=False, **options)


def find_ncu():
    found = shutil.which("ncu")
    if found:
        return found
    places = sorted(pathlib.Path("/opt/nvidia/nsight-compute").glob("*/ncu"))
    places += [pathlib.Path("/usr/local/cuda/bin/ncu")]
    for place in places:
        if place.exists():
            return str(place)
    sys.exit("read_counters.py: there is no ncu on the PATH")


def known_metrics(ncu):
    """Base names of the metrics that ncu knows for the GPU present."""
    answer = run([ncu, "--query-metrics"])
    names = re.findall(r"^\s*([a-z0-9]+__[A-Za-z0-9_.]+)\b", answer.stdout, re.MULTILINE)
    if not names:
        sys.exit(f"ncu --query-metrics listed nothing:\n{answer.stdout}\n{answer.stderr}")
    return sorted(set(name.split(".")[0] for name in names))


def is_wanted(name):
    return (any(fnmatch.fnmatch(name, good) for good in WANTED) and
            not any(fnmatch.fnmatch(name, bad) for bad in UNWANTED))


def choose_metrics(known):
    chosen, skipped = [], []
    for pattern in WANTED:
        matches = [name for name in fnmatch.filter(known, pattern) if is_wanted(name)]
        if not matches:
            skipped.append(pattern)
        chosen += matches
    return sorted(set(chosen)), skipped


def number(text):
    value = float(text.replace(",", ""))
    return int(value) if value.is_integer() else value


def read_report(text):
    """Rows of `ncu --csv --page raw`, in the order of the launches: (kernel, {metric: value})."""
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        return []
    table = csv.DictReader(io.StringIO("\n".join(lines[start:])))
    rows = []
    for row in table:
        if not (row["ID"] or "").strip().isdigit():  # the row of units
            continue
        values = {}
        for name, text_value in row.items():
            if name and "__" in name and text_value:
                try:
                    values[name] = number(text_value)
                except ValueError:
                    pass  # "n/a"
        rows.append((row["Kernel Name"], values))
    return rows


def read_launches(text):
    """What the launcher says of each launch that ran: (name, kernel, text hash, architecture)."""
    launched = re.findall(r"^\d+ (\S+) (\S+) ([0-9a-f]{16}) (sm_\d+) ok$", text, re.MULTILINE)
    gpu = re.search(r"^GPU (.+), driver (\S+)$", text, re.MULTILINE)
    compiler = re.search(r"^compiler (.+?) \(", text, re.MULTILINE)
    return launched, gpu.groups() if gpu else ("", ""), compiler.group(1) if compiler else ""


def kept(values):
    """Of all that a report says of a launch (attributes of the GPU, zeros): what is compared."""
    return {name: values[name] for name in sorted(values)
            if values[name] and name.endswith(".sum") and is_wanted(name.removesuffix(".sum"))}


def write_counters(result, file):
    """A launch a line."""
    head = {k: v for k, v in result.items() if k != "launches"}
    file.write(json.dumps(head, indent=1)[:-2] + ',\n "launches": {\n')
    lines = (f"{json.dumps(name)}: {json.dumps(launch, separators=(',', ':'))}"
             for name, launch in result["launches"].items())
    file.write(",\n".join(lines))
    file.write("\n }\n}\n")


def same_kernel(profiled, lowered):
    return re.match(r"\w+", profiled.split("::")[-1].removeprefix("void ")).group(0) in lowered


def named_launches(lists):
    return [launch["name"] for name in lists
            for launch in json.loads((HERE / name).read_text())["launches"]]


def profile(ncu, metrics, launcher, lists, seconds, out):
    report = out / "corpus"
    # Sums are what is compared. The clocks stay as they are: nothing here depends on them.
    command = [ncu, "--clock-control", "none", "--metrics", ",".join(f"{m}.sum" for m in metrics),
               "--force-overwrite", "-o", str(report), launcher,
               *(str(HERE / name) for name in lists), "--seconds", str(seconds)]
    start = time.time()
    answer = run(command)
    (out / "launcher.log").write_text(answer.stdout + answer.stderr)
    print(f"ncu took {time.time() - start:.0f} s, exit status {answer.returncode}")
    imported = run([ncu, "--import", f"{report}.ncu-rep", "--csv", "--page", "raw"])
    return command, answer.stdout, read_report(imported.stdout), imported


def merge(files):
    """The last reading, with the range of every counter that another reading has otherwise, and with
    the launches that only others have."""
    readings = [json.loads(pathlib.Path(file).read_text()) for file in files]
    merged = readings[-1]
    newest = {}
    for reading in readings:
        newest.update(reading["launches"])
    merged["launches"] = newest
    merged["missing"] = [name for name in named_launches(LISTS) if name not in newest]
    for name, launch in merged["launches"].items():
        same = [reading["launches"][name] for reading in readings
                if reading["launches"].get(name, {}).get("text") == launch["text"]]
        varies = {}
        for metric in sorted(set(metric for one in same for metric in one["metrics"])):
            values = [one["metrics"].get(metric, 0) for one in same]
            values += [value for one in same for value in one.get("varies", {}).get(metric, [])]
            if min(values) != max(values):
                varies[metric] = [min(values), max(values)]
        if varies:
            launch["varies"] = varies
    return merged


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--launcher")
    parser.add_argument("--merge", nargs="+", metavar="FILE")
    parser.add_argument("--lists", nargs="+", metavar="LIST", default=LISTS)
    parser.add_argument("--seconds", type=float, default=400)
    options = parser.parse_args()
    if options.merge:
        write_counters(merge(options.merge), sys.stdout)
        return
    if not options.launcher:
        parser.error("--launcher or --merge is needed")
    out = pathlib.Path(os.environ.get("OUT", "."))
    out.mkdir(parents=True, exist_ok=True)
    ncu = find_ncu()
    metrics, skipped = choose_metrics(known_metrics(ncu))
    print(f"{len(metrics)} metrics; unknown here: {', '.join(skipped) or 'none'}")
    command, said, rows, imported = profile(ncu, metrics, str(pathlib.Path(options.launcher).resolve()),
                                            options.lists, options.seconds, out)
    launched, (gpu, driver), compiler = read_launches(said)
    if not rows or len(rows) != len(launched):
        print(said[-3000:], imported.stdout[-1000:], imported.stderr[-1000:], sep="\n")
        sys.exit(f"{len(launched)} launches, but {len(rows)} rows in the report")
    launches = {}
    for (name, kernel, text, _), (profiled, values) in zip(launched, rows):
        if not same_kernel(profiled, kernel):
            sys.exit(f"{name}: launched {kernel}, but the report has {profiled}")
        launches[name] = {"text": text, "metrics": kept(values)}
    read = set(name for _, values in rows for name in values)
    absent = [m for m in metrics if f"{m}.sum" not in read]
    result = {
        "gpu": gpu,
        "driver": driver,
        "architecture": launched[0][3],
        "compiler": compiler,
        "ncu": run([ncu, "--version"]).stdout.strip().splitlines()[-1],
        "date": datetime.date.today().isoformat(),
        "command": " ".join(pathlib.Path(w).name if w.startswith("/") else w for w in command),
        "note": "a metric that a launch does not name was 0; varies: least and most of several readings",
        "skipped": skipped + absent,
        "missing": [name for name in named_launches(options.lists) if name not in launches],
        "launches": launches,
    }
    short = re.sub(r"[^a-z0-9]+", "_", gpu.lower().replace("nvidia", "")).strip("_") or "gpu"
    target = out / f"{short}_counters.json"
    with target.open("w") as file:
        write_counters(result, file)
    print(f"{len(launches)} launches, {len(result['missing'])} missing -> {target}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""check_headers.py BUILD: every header of app/ compiles alone, as the first line of a source.

A header of ours may come after others that it includes itself, directly or through more of ours: it
sees nothing that it would not see alone. So one source proves a chain of headers, each of which
includes the one before; and the standard library's, most of the work, are precompiled in some
combinations, of which a header gets one that it includes whole, and a chain has one for all. Headers that passed
are not compiled again while they, what they include and the compiler's options are the same. Exit
status 1: some do not compile; the compiler says why.
"""
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
APP = ROOT / "app"
INCLUDE = re.compile(r'^\s*#include\s*([<"])([^>"]+)[>"]', re.M)
MOST_PRECOMPILED = 10
# Seconds that g++ 12 takes for a header of others; a tenth for any that is not named.
SECONDS = {"string": 0.4, "vector": 0.25, "memory": 0.6, "functional": 0.5, "map": 0.25, "set": 0.2,
           "optional": 0.15, "filesystem": 0.9, "fmt/format.h": 0.6, "nlohmann/json.hpp": 2.3,
           "nlohmann/json_fwd.hpp": 0.5, "chrono": 0.5, "mutex": 0.3, "thread": 0.5, "span": 0.15,
           "future": 0.6, "stop_token": 0.5, "condition_variable": 0.5, "variant": 0.3,
           "algorithm": 0.3, "array": 0.15, "imgui.h": 0.1}


@functools.cache
def includes(header):
    """What a header of ours includes: of ours as paths, of others as names."""
    ours, others = set(), set()
    for kind, name in INCLUDE.findall((APP / header).read_text()):
        if (APP / name).exists():
            ours.add(name)
        elif kind == "<":
            others.add(name)
    return ours, others


@functools.cache
def closure(header):
    """All that it includes, also through others of ours, itself with it."""
    ours, others, wait = {header}, set(), [header]
    while wait:
        more, names = includes(wait.pop())
        others |= names
        wait += more - ours
        ours |= more
    return frozenset(ours), frozenset(others)


def seconds(names):
    return sum(SECONDS.get(name, 0.1) for name in names)


def choose_precompiled(headers):
    """Combinations that spare most: each costs its own making, and spares itself wherever it fits."""
    sets = [closure(header)[1] for header in headers]
    candidates = set(sets) | {a & b for a in sets for b in set(sets)}
    best = {i: frozenset() for i in range(len(sets))}
    chosen = []
    for _ in range(MOST_PRECOMPILED):
        def gain(candidate):
            cost = seconds(candidate)
            return sum(max(0, cost - seconds(best[i])) for i, names in enumerate(sets)
                       if candidate <= names) - 2 * cost
        found = max(sorted(candidates, key=sorted), key=gain)
        if gain(found) <= 0:
            break
        chosen.append(found)
        for i, names in enumerate(sets):
            if found <= names and seconds(found) > seconds(best[i]):
                best[i] = found
    return chosen


def options_of(build):
    """Compiler and options of each layer, by one of its sources."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["file"])
        united = re.search(r"/tilescope_(\w+)\.dir/Unity/", entry["file"])
        if "executors" in path.parts or not (united or path.is_relative_to(APP)):
            continue
        layer = united[1].removesuffix("_json") if united else path.relative_to(APP).parts[0]
        words = shlex.split(entry["command"])
        compiler = next(word for word in words if re.search(r"(\+\+|g\+\+|c\+\+)(-\d+)?$", word))
        kept, take = [], False
        for word in words[words.index(compiler) + 1:]:
            if take or re.match(r"-(I|isystem|D|W|std|f)", word):
                take = word in ("-I", "-isystem", "-D")
                kept.append(word)
        kept = [word for word in kept if word not in ("-Winvalid-pch", "-fpch-preprocess")]
        found.setdefault(layer, (compiler, kept))
    return found


def language_options(options):
    """Those that a precompiled header and its users must share."""
    return [word for word in options if re.match(r"-(std|f|Wpedantic|DFMT|DNDEBUG)", word)]


def precompile(compiler, options, names, folder):
    key = hashlib.sha256(" ".join([compiler, *options, *sorted(names)]).encode()).hexdigest()[:16]
    header = folder / f"{key}.h"
    if not header.with_suffix(".h.gch").exists():
        header.write_text("".join(f"#include <{name}>\n" for name in sorted(names)))
        part = folder / f"{key}.part"
        done = subprocess.run([compiler, *options, "-x", "c++-header", header, "-o", part])
        if done.returncode != 0:
            return None
        part.rename(header.with_suffix(".h.gch"))
    return header


def chains_of(headers, kind):
    """As few chains as there can be, each header including the one before it and of the same kind
    (Dilworth: headers matched with one that comes next, by augmenting paths)."""
    known = set(headers)
    after = {header: [] for header in headers}
    for header in headers:
        for other in sorted(closure(header)[0] & known - {header}):
            if kind(header) == kind(other) and header not in closure(other)[0]:
                after[other].append(header)
    before = {}

    def find_next(header, seen):
        for other in after[header]:
            if other in seen:
                continue
            seen.add(other)
            if other not in before or find_next(before[other], seen):
                before[other] = header
                return True
        return False

    for header in headers:
        find_next(header, set())
    following = {first: second for second, first in before.items()}
    chains = []
    for header in headers:
        if header in before:
            continue
        chain = [header]
        while chain[-1] in following:
            chain.append(following[chain[-1]])
        chains.append(chain)
    return chains


def check(chain, compiler, options, precompiled):
    command = [compiler, *options, "-fsyntax-only"]
    if precompiled is not None:
        command += ["-Winvalid-pch", "-include", str(precompiled)]
    text = "".join(f'#include "{header}"\n' for header in chain)
    done = subprocess.run([*command, "-x", "c++", "-"], input=text, text=True, capture_output=True,
                          cwd=ROOT)
    return done.returncode == 0, done.stderr


def digest(header, words):
    state = hashlib.sha256(" ".join(words).encode())
    for name in sorted(closure(header)[0]):
        state.update((APP / name).read_bytes())
    return state.hexdigest()


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    folder = build / "checked_headers"
    folder.mkdir(exist_ok=True)
    passed_file = folder / "passed.json"
    passed = json.loads(passed_file.read_text()) if passed_file.exists() else {}
    layers = options_of(build)
    compiler = layers["core"][0]
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True).stdout
    headers = sorted(str(path.relative_to(APP)) for path in APP.rglob("*.h"))
    # The headers of a chain may be of several layers: the last knows the folders of all.
    options = {header: layers.get(header.split("/")[0], layers["cli"])[1] for header in headers}
    digests = {header: digest(header, [version, *options[header]]) for header in headers}
    wait = [header for header in headers if passed.get(header) != digests[header]]
    if not wait:
        return 0
    precompilable = re.search("Free Software Foundation", version) is not None
    chosen = choose_precompiled(wait) if precompilable else []
    chosen.sort(key=seconds, reverse=True)

    @functools.cache
    def wanted(header):
        names = next((names for names in chosen if names <= closure(header)[1]), None)
        return names, tuple(language_options(options[header]))

    chains = chains_of(wait, wanted)
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        made = {want: pool.submit(precompile, compiler, want[1], want[0], folder)
                for want in sorted({wanted(header) for header in wait if wanted(header)[0]},
                                   key=lambda want: -seconds(want[0]))}
        made = {want: future.result() for want, future in made.items()}
        results = [(chain, pool.submit(check, chain, compiler, options[chain[-1]],
                                       made.get(wanted(chain[0])))) for chain in chains]
        for chain, result in results:
            compiles, said = result.result()
            if compiles:
                passed.update((header, digests[header]) for header in chain)
                continue
            wrong += 1
            print(f"does not compile alone: one of {', '.join(chain)}\n{said}", file=sys.stderr)
    for file in folder.glob("*.h*"):
        file.unlink()
    passed_file.write_text(json.dumps(passed, indent=0))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

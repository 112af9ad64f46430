#!/usr/bin/env python3
"""check_tree.py TREE GLIBC [--table]: each program and library below TREE runs with glibc GLIBC.

Fails where one needs a newer C library, or any library but those that every system has; --table
prints what each needs.
"""
import pathlib
import re
import subprocess
import sys

SYSTEM = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "ld-linux-x86-64.so.2"}


def number(version):
    return tuple(int(part) for part in version.split("."))


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main():
    tree, oldest, table = pathlib.Path(sys.argv[1]), sys.argv[2], "--table" in sys.argv
    wrong = []
    for path in sorted(path for path in tree.rglob("*") if path.is_file()):
        with path.open("rb") as file:
            if file.read(4) != b"\x7fELF":
                continue
        needed = re.findall(r"NEEDED\s+(\S+)", output("objdump", "-p", path))
        versions = re.findall(r"\(GLIBC_([0-9.]+)\)", output("objdump", "-T", path))
        newest = max(versions, key=number)
        name = path.relative_to(tree)
        if table:
            print(f"{name}  glibc {newest}  {path.stat().st_size:,} B  {' '.join(needed)}")
        if number(newest) > number(oldest):
            wrong.append(f"{name} needs glibc {newest}, not {oldest}")
        wrong += [f"{name} needs {library}" for library in needed if library not in SYSTEM]
    for each in wrong:
        print(f"tilescope: {each}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""old_glibc.py VERSION FOLDER [COMPILER]: lets the linker choose symbols of an old C library.

glibc keeps each older version of a function beside the newest, and a linker takes the newest: so a
program runs on no system older than the one that it was linked on. This writes libraries into
FOLDER that hold the names of this system's libc and libm, each in its newest version up to VERSION
(as 2.28). Linked with -LFOLDER, a program needs that version alone; what came later is missing, and
old_glibc.c has it. Nothing is said of what functions do: the system's own are called.
"""
import pathlib
import re
import subprocess
import sys


def number(version):
    return tuple(int(part) for part in version.split("."))


def symbols(library, newest):
    """(name, version, type, size) of each symbol, in its newest version that is allowed."""
    lines = subprocess.run(["readelf", "--dyn-syms", "--wide", library], check=True,
                           capture_output=True, text=True).stdout.splitlines()
    found = {}
    for line in lines:
        words = line.split()
        if len(words) < 8 or not words[0].endswith(":") or words[6] in ("UND", "ABS"):
            continue
        match = re.fullmatch(r"(\w+)@@?GLIBC_([0-9.]+)", words[7])
        if not match or number(match[2]) > newest:
            continue
        name, version = match.groups()
        if name not in found or number(found[name][0]) < number(version):
            found[name] = (version, words[3], int(words[2], 0))
    return [(name, *rest) for name, rest in sorted(found.items())]


def write_stub(library, soname, newest, folder, compiler):
    """A shared library of that soname, empty functions under the versioned names."""
    listed = symbols(library, newest)
    assembly = []
    for index, (name, version, kind, size) in enumerate(listed):
        data = kind in ("OBJECT", "TLS")
        section = {"OBJECT": ".data", "TLS": '.section .tdata,"awT",@progbits'}.get(kind, ".text")
        assembly += [section, f".globl stub_{index}",
                     f".type stub_{index}, @{'tls_object' if kind == 'TLS' else 'object' if data else 'function'}",
                     f"stub_{index}: .skip {max(size, 1) if data else 1}",
                     f".size stub_{index}, {max(size, 1) if data else 1}",
                     f".symver stub_{index}, {name}@@GLIBC_{version}"]
    assembly.append('.section .note.GNU-stack,"",@progbits')
    versions = sorted({version for _, version, _, _ in listed}, key=number)
    script = "".join(f"GLIBC_{version} {{ }};\n" for version in versions)
    source, nodes = folder / f"{soname}.s", folder / f"{soname}.map"
    source.write_text("\n".join(assembly) + "\n")
    nodes.write_text(script)
    target = folder / soname
    subprocess.run([compiler, "-shared", "-nostdlib", f"-Wl,-soname,{soname}",
                    f"-Wl,--version-script,{nodes}", "-o", target, source], check=True)
    return target


def file_of(compiler, name):
    answer = subprocess.run([compiler, f"-print-file-name={name}"], check=True, capture_output=True,
                            text=True).stdout.strip()
    return pathlib.Path(answer).resolve()


def main():
    newest, folder = number(sys.argv[1]), pathlib.Path(sys.argv[2])
    compiler = sys.argv[3] if len(sys.argv) > 3 else "cc"
    folder.mkdir(parents=True, exist_ok=True)
    libc = write_stub(file_of(compiler, "libc.so.6"), "libc.so.6", newest, folder, compiler)
    libm = write_stub(file_of(compiler, "libm.so.6"), "libm.so.6", newest, folder, compiler)
    # Before 2.34 threads and dlopen() were libraries of their own, so the program names them, too.
    parts = " ".join(str(file_of(compiler, name)) for name in ("libpthread.so.0", "libdl.so.2"))
    (folder / "libc.so").write_text(
        f"GROUP ( {libc} {file_of(compiler, 'libc_nonshared.a')} "
        f"AS_NEEDED ( {file_of(compiler, 'ld-linux-x86-64.so.2')} ) )\n")
    (folder / "libm.so").write_text(f"GROUP ( {libm} )\n")
    (folder / "options").write_text(parts + "\n")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""wheel.py TREE VERSION GLIBC FOLDER: the installed tree TREE as a wheel in FOLDER.

The package tilescope has the Python module and, in bin/ and lib/, the program; share/ goes where a
shell, a desktop and man look in an environment. GLIBC is the oldest C library that the program
runs with, as 2.28. The same tree gives the same bytes.
"""
import base64
import hashlib
import pathlib
import platform
import re
import sys
import zipfile

SOURCE = pathlib.Path(__file__).resolve().parents[1]

# pip puts the interpreter's path into the first line.
START = """#!python
import importlib.util
import os
import sys

program = os.path.join(
    importlib.util.find_spec("tilescope").submodule_search_locations[0], "bin", "tilescope")
os.execv(program, [program, *sys.argv[1:]])
"""

METADATA = """Metadata-Version: 2.1
Name: tilescope
Version: {version}
Summary: Shows what a CUDA kernel does to the GPU
License: MIT
Requires-Python: >=3.9
Classifier: Environment :: X11 Applications
Classifier: Operating System :: POSIX :: Linux
Classifier: Topic :: Software Development :: Debuggers
Provides-Extra: cuda
{requires}Description-Content-Type: text/markdown

{readme}"""


def compilers():
    """Requirements of the extra [cuda]: any bug-fix release of the versions that were tried."""
    lines = (SOURCE / "assets/cuda_packages.txt").read_text().splitlines()
    found = [re.match(r"([\w-]+)==(\d+\.\d+)\.", line) for line in lines]
    return [f'Requires-Dist: {each[1]}=={each[2]}.*; extra == "cuda"\n' for each in found if each]


def main():
    tree, version, glibc, folder = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
    name = f"tilescope-{version}"
    tag = f"py3-none-manylinux_{glibc.replace('.', '_')}_{platform.machine()}"
    files = {}  # name in the archive: (bytes, may be executed)
    for path in sorted(path for path in tree.rglob("*") if path.is_file()):
        part = path.relative_to(tree)
        if part.parts[:3] == ("lib", "tilescope", "python"):
            continue  # the wheel's own module, below
        place = f"{name}.data/data" if part.parts[0] == "share" else "tilescope"
        files[f"{place}/{part}"] = (path.read_bytes(), part.parts[0] == "bin")
    module = SOURCE / "python"
    for path in sorted(path for path in module.rglob("*") if path.is_file()):
        if "__pycache__" not in path.parts:
            files[str(path.relative_to(module))] = (path.read_bytes(), False)
    files[f"{name}.data/scripts/tilescope"] = (START.encode(), True)
    info = f"{name}.dist-info"
    readme = (SOURCE / "README.md").read_text()
    metadata = METADATA.format(version=version, requires="".join(compilers()), readme=readme)
    files[f"{info}/METADATA"] = (metadata.encode(), False)
    files[f"{info}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: tilescope\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(),
        False)
    record = ""
    for each, (data, _) in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{each},sha256={digest},{len(data)}\n"
    files[f"{info}/RECORD"] = (f"{record}{info}/RECORD,,\n".encode(), False)

    target = pathlib.Path(folder) / f"{name}-{tag}.whl"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for each, (data, runs) in files.items():
            entry = zipfile.ZipInfo(each)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if runs else 0o100644) << 16
            archive.writestr(entry, data)
    print(target)


if __name__ == "__main__":
    main()

"""Where the program tilescope is, and calls of it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path


class TilescopeError(RuntimeError):
    """Something that tilescope cannot do, with what helps."""


def program() -> Path:
    """The program: $TILESCOPE, else that of this package, else that of the source tree around it,
    else the one on $PATH."""
    named = os.environ.get("TILESCOPE")
    if named:
        return Path(named)
    package = Path(__file__).resolve().parent
    for place in (package / "bin" / "tilescope", package.parents[1] / "build/release/tilescope"):
        if os.access(place, os.X_OK):
            return place
    found = shutil.which("tilescope")
    if found is None:
        raise TilescopeError(
            "the program tilescope is not found: set TILESCOPE to its path, or add its folder to PATH"
        )
    return Path(found)


def libraries() -> Path:
    """The folder of the stand-ins for CUDA's libraries."""
    named = os.environ.get("TILESCOPE_RUNTIME_DIRECTORY")
    if named:
        return Path(named)
    folder = program().resolve().parent
    package = Path(__file__).resolve().parent  # the program may be pip's script, which has none
    places = (folder / "runtime", folder.parent / "lib" / "tilescope", package / "lib" / "tilescope")
    return next((place for place in places if place.is_dir()), places[1])


def environment() -> dict[str, str]:
    """Of the program: it finds compilers among this Python's packages, too."""
    return {"VIRTUAL_ENV": sys.prefix, **os.environ}


def run(*arguments: str | Path) -> str:
    """What the command prints. Raises TilescopeError with what it says where it fails."""
    words = [str(word) for word in (program(), *arguments)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment())
    if done.returncode not in (0, 2):  # 2: problems were found in the kernel
        raise TilescopeError(done.stderr.strip() or f"{' '.join(words)} failed")
    return done.stdout

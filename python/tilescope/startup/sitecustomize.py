"""Loaded by each Python that `tilescope exec` starts: its frameworks' launches are taken."""

import importlib.machinery
import importlib.util
import os
import sys


def _run_the_other_one() -> None:
    """The sitecustomize that this one hides."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [place for place in sys.path if os.path.abspath(place or ".") != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", sys.path)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


def _take_launches() -> None:
    if "TILESCOPE_RUNTIME" not in os.environ:
        return
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if importlib.util.find_spec("tilescope") is None:
        sys.path.append(os.path.dirname(package))
    from tilescope._frameworks import Frameworks

    Frameworks()


_run_the_other_one()
_take_launches()

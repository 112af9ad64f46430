"""Which frameworks are taken, and how, whenever they are imported."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from types import ModuleType
from typing import Any, Callable, Sequence

from tilescope._device import Device, load_libraries


class _Loader(importlib.abc.Loader):
    """Loads a module as its own loader does, and says when its library is there and when it has
    run."""

    def __init__(self, loader: Any, mapped: Callable[[str], None], ran: Callable[[], None]) -> None:
        self._loader = loader
        self._mapped = mapped
        self._ran = ran

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        module = self._loader.create_module(spec)
        if spec.origin is not None and spec.origin.endswith(".so"):
            self._mapped(spec.origin)
        return module

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        self._ran()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)


class _Finder(importlib.abc.MetaPathFinder):
    """Sees that a module is imported that has to be taken."""

    def __init__(self, frameworks: Frameworks, names: Sequence[str]) -> None:
        self._frameworks = frameworks
        self._names = set(names)

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        if name not in self._names:
            return None
        self._names.discard(name)
        if name == "torch":
            load_libraries()
            return None
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(
                spec.loader, self._frameworks.mapped, lambda: self._frameworks.ran(name)
            )
        return spec


# Modules of CuPy with a runtime library of their own.
_CUPY = (
    "cupy_backends.cuda.api.runtime",
    "cupy.cuda.cub",
    "cupy.cuda.jitify",
    "cupy.cuda.thrust",
    "cupy.random._generator_api",
)


# What takes a framework's kernels, by the module whose import shows that it is used.
_SESSIONS = {
    "triton": "_triton",
    "numba.cuda.dispatcher": "_numba",
    "cupy": "_cupy",
    "torch.backends.cudnn": "_torch",
    "torch._inductor.config": "_inductor",
}


class Frameworks:
    """The frameworks' launches go to the emulated device, until it is closed: those that are
    imported, and those that will be."""

    def __init__(self) -> None:
        self._sessions: list[Any] = []
        waits = []
        for name in ("torch", *_SESSIONS, *_CUPY):
            if name not in sys.modules:
                waits.append(name)
                continue
            module = sys.modules[name]
            if name in _CUPY and module.__file__ is not None:
                self.mapped(module.__file__)
            self.ran(name)
        self._finder = _Finder(self, waits)
        sys.meta_path.insert(0, self._finder)

    def close(self) -> None:
        sys.meta_path.remove(self._finder)
        for session in reversed(self._sessions):
            session.close()

    def mapped(self, library: str) -> None:
        Device.get().take_over(library)

    def ran(self, name: str) -> None:
        if name in _SESSIONS:
            module = importlib.import_module(f"tilescope.{_SESSIONS[name]}")
            self._sessions.append(module.Session(Device.get()))

"""A capture: the launches of a piece of a program, and what is known of each."""

from __future__ import annotations

import linecache
import re
import shutil
import subprocess
import sys
import tempfile
import weakref
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from tilescope import _program, _tables
from tilescope._device import Device
from tilescope._frameworks import Frameworks
from tilescope._program import TilescopeError


class Picture:
    """An SVG, which a notebook shows."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def _repr_svg_(self) -> str:
        # Not wider than the notebook.
        return self.svg.replace("<svg ", '<svg style="max-width: 100%; height: auto" ', 1)

    def save(self, path: str | Path) -> None:
        Path(path).write_text(self.svg, encoding="utf-8")


@dataclass(frozen=True)
class SourceLine:
    """A line of the kernel's source, with its indentation, and what its instructions did, in the
    whole grid."""

    file: str
    line: int
    text: str
    counters: dict[str, int]


class Source(list[SourceLine]):
    """Lines of a kernel's source, which a notebook shows as a table."""

    def __repr__(self) -> str:
        rows = (f"{each.line:5} {each.counters['executed']:>12,}  {each.text}" for each in self)
        return "\n".join((" line     executed", *rows))

    def _repr_html_(self) -> str:
        return _tables.of_source(self)


@dataclass(frozen=True)
class Launch:
    """The launches of one kernel with the same grid, block and shared memory: what the first one
    did."""

    number: int  # in the process, from 1
    kernel: str  # "transpose"
    symbol: str = field(repr=False)  # with all that its language says: "transpose(Array<…>)"
    entry: str = field(repr=False)  # its name in the PTX
    variant: str  # "BLOCK=128 num_warps=4"; empty where the kernel's name says it all
    count: int  # how many launches
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    static_shared_bytes: int
    dynamic_shared_bytes: int
    registers: int | None  # a thread; None: not known
    counters: dict[str, float]
    findings: list[dict[str, Any]]
    modelled_seconds: float | None
    limited_by: str
    arguments: list[dict[str, Any]]  # name, type, and value or count and file
    left_out: list[str]  # what the recorded data cannot have: a sentence each
    session: Path | None  # with the data; None: it could not be recorded
    options: list[str] = field(repr=False)  # of trace and export, for this launch with its data
    ptx: str = field(repr=False)
    instructions: list[dict[str, Any]] = field(repr=False)  # of the PTX: text, line, counters
    complete: bool  # the kernel was executed whole

    def view(
        self, name: str, theme: str = "light", line: int | None = None, **options: Any
    ) -> Picture:
        """A picture as `tilescope export --view NAME` draws it: "tiling", "coalescing", "banks",
        "divergence", "occupancy", "roofline", "pipeline", "source".

        line: of the source, whose access is shown; of several the most expensive.
        options: those of export, as whole_grid=True or part="grid".
        """
        if line is not None:
            options["line"] = self._shown_line(line)
        if name == "source":
            options.setdefault("whole_grid", True)
        return Picture(self._export("svg", "--view", name, "--theme", theme, *_words(options)))

    def open(self) -> None:
        """Opens it in the window."""
        _open(self._recorded())

    def save(self, path: str | Path) -> None:
        """As a .tilescope session; its data stays where the capture keeps it."""
        shutil.copyfile(self._recorded(), path)

    @property
    def source(self) -> Source:
        """The lines of Python, or of CUDA, that instructions come from, in order, and what all of a
        line's instructions did."""
        found: dict[tuple[str, int], dict[str, int]] = {}
        for row in self.instructions:
            counters = found.setdefault((row["file"], row["line"]), {})
            for name, value in row.items():
                if isinstance(value, int) and name not in ("line", "code_line"):
                    counters[name] = counters.get(name, 0) + value
        return Source(
            SourceLine(file, line, linecache.getline(file, line).rstrip(), counters)
            for (file, line), counters in sorted(found.items())
            if line != 0
        )

    def _shown_line(self, line: int) -> int:
        """The same line in the text that a view shows."""
        if not self.options[0].endswith(".ptx"):
            return line
        rows = [row for row in self.instructions if row["line"] == line and "sectors" in row]
        if not rows:
            raise TilescopeError(f"no instruction of line {line} accesses memory")
        return max(rows, key=lambda row: row["sectors"] + row["wavefronts"])["code_line"]

    def _export(self, ending: str, *words: str) -> str:
        with tempfile.TemporaryDirectory(prefix="tilescope-") as folder:
            file = Path(folder) / f"view.{ending}"
            self._recorded()
            _program.run("export", *self.options, *words, "-o", file)
            return file.read_text(encoding="utf-8")

    def _recorded(self) -> Path:
        if self.session is None:
            raise TilescopeError(f"the data of launch {self.number} ({self.kernel}) is not recorded")
        return self.session

    def _repr_html_(self) -> str:
        return _tables.of_launches([self])


def _words(options: dict[str, Any]) -> list[str]:
    words: list[str] = []
    for name, value in options.items():
        if value is False or value is None:
            continue
        words.append("--" + name.replace("_", "-"))
        if value is not True:
            words.append(str(value))
    return words


def _open(session: Path) -> None:
    subprocess.Popen(
        [str(_program.program()), str(session)],
        env=_program.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )


def _plain(symbol: str) -> str:
    """The function's own name, without what its language says before and behind it."""
    return re.split(r"[(<]", symbol.removeprefix("void "))[0].split("::")[-1]


def _launch(row: dict[str, Any]) -> Launch:
    modelled = row.get("modelled", {})
    ptx = row.get("ptx")
    return Launch(
        number=row["launch"],
        kernel=_plain(row["kernel"]),
        symbol=row["kernel"],
        entry=row.get("symbol", ""),
        variant=row.get("variant", ""),
        count=row["launches"],
        grid=tuple(row["grid"]),
        block=tuple(row["block"]),
        static_shared_bytes=row["static_shared_bytes"],
        dynamic_shared_bytes=row["dynamic_shared_bytes"],
        registers=row.get("registers"),
        counters=row["metrics"],
        findings=row["findings"],
        modelled_seconds=modelled.get("seconds"),
        limited_by=modelled.get("limited_by", ""),
        arguments=row.get("arguments", []),
        left_out=row.get("left_out", []),
        session=Path(row["session"]) if row.get("session") else None,
        options=row.get("options", []),
        ptx=Path(ptx).read_text(encoding="utf-8") if ptx else "",
        instructions=row["instructions"],
        complete=row["complete"] and row["cut_short"] == 0,
    )


class Capture:
    """What happened in a `with tilescope.capture()`. Its launches are there when the block ends."""

    _open: Capture | None = None  # only one at a time

    def __init__(self, options: list[str], folder: Path | None) -> None:
        self._options = options
        self.folder = folder or Path(tempfile.mkdtemp(prefix="tilescope-capture-"))
        self.folder.mkdir(parents=True, exist_ok=True)
        if folder is None:
            weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
        self._launches: list[Launch] | None = None
        self._problems: list[dict[str, Any]] = []
        self._together: Path | None = None

    def __enter__(self) -> Capture:
        if Capture._open is not None:
            raise TilescopeError("a capture is open already: captures cannot be nested")
        self._device = Device.get(self._options)
        self._frameworks = Frameworks()
        self._device.begin(str(self.folder.resolve()))
        Capture._open = self
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        Capture._open = None
        self._frameworks.close()
        report = self._device.end()
        self._launches = [_launch(row) for row in report["launches"]]
        self._problems = report["host"]
        self._together = Path(report["together"]) if report.get("together") else None
        if isinstance(error, TilescopeError) and hasattr(error, "add_note"):
            for launch in self._launches:
                for finding in launch.findings:
                    error.add_note(f"{launch.kernel}: {finding['message']}")

    @property
    def launches(self) -> list[Launch]:
        """In order; launches with the same kernel, grid and block are one."""
        if self._launches is None:
            raise TilescopeError("the launches are known when the block of capture() has ended")
        return self._launches

    @property
    def problems(self) -> list[dict[str, Any]]:
        """Mistakes outside of kernels, such as a copy past the end of an array."""
        return self._problems

    def variants(self, kernel: str) -> list[Launch]:
        """The launches of a kernel, such as those of an autotuner's configurations, the fastest by
        the time model first."""
        found = [launch for launch in self.launches if launch.kernel == kernel]
        return sorted(found, key=lambda launch: launch.modelled_seconds or float("inf"))

    def open(self) -> None:
        """Opens the launches in the window, the first four beside one another."""
        if self._together is None:
            raise TilescopeError("nothing was launched in the capture")
        _open(self._together)

    def _repr_html_(self) -> str:
        return _tables.of_launches(self.launches)


def _options(device: str, check: bool, budget: float | None, limit: float | None) -> list[str]:
    options = ["--device", device]
    if not check:
        options.append("--no-check")
    for name, value in (("--budget", budget), ("--limit", limit)):
        if value is not None:
            options += [name, str(value)]
    return options


def capture(
    device: str = "H100",
    *,
    check: bool = True,
    budget: float | None = None,
    limit: float | None = None,
    folder: str | Path | None = None,
) -> Capture:
    """The launches that follow, in `with capture() as c:`.

    device: the GPU that is emulated, by a part of its name (`tilescope list --devices`).
    check: whether races and uninitialised reads are looked for.
    budget: seconds of each launch in which its blocks are checked and counted; 5.
    limit: seconds for all launches of a kernel with the same grid and block; what is left then is
        not executed. 30.
    folder: where the launches' data goes; none: it is gone with the capture.

    The device of a process is made once: later captures have the same options.
    """
    options = _options(device, check, budget, limit)
    return Capture(options, Path(folder) if folder is not None else None)


def start(
    device: str = "H100",
    *,
    check: bool = True,
    budget: float | None = None,
    limit: float | None = None,
) -> None:
    """Makes the emulated device now, before torch is imported: torch then takes it for its GPU, and
    `device="cuda"` is emulated. A program that `tilescope capture` starts needs no call of it."""
    if "torch" in sys.modules:
        raise TilescopeError("torch is imported already: call tilescope.start() before that")
    Device.get(_options(device, check, budget, limit))

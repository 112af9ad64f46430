"""Tables of launches and of source lines, as a notebook shows them."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Sequence

if TYPE_CHECKING:
    from tilescope._capture import Launch, SourceLine


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], words: int) -> str:
    """The first `words` columns are text, the others numbers."""

    def cells(values: Sequence[str], tag: str) -> str:
        sides = ["left" if i < words else "right" for i in range(len(values))]
        return "".join(
            f'<{tag} style="text-align: {side}; white-space: pre">{html.escape(value)}</{tag}>'
            for side, value in zip(sides, values)
        )

    lines = [cells(head, "th"), *(cells(row, "td") for row in rows)]
    return "<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"


def _of_ideal(cost: int, ideal: int) -> str:
    """ "250 (2.0 ×)": so many times what would be enough."""
    times = f" ({cost / ideal:.1f} ×)" if ideal and cost * 20 >= ideal * 21 else ""
    return f"{cost:,}{times}" if cost else ""


def _costs(rows: Sequence[dict[str, int]], name: str) -> str:
    return _of_ideal(
        sum(row.get(name, 0) for row in rows), sum(row.get(f"{name}_ideal", 0) for row in rows)
    )


def of_launches(launches: Sequence[Launch]) -> str:
    head = ["kernel", "variant", "grid", "block", "launches", "warp instructions", "sectors"]
    head += ["wavefronts", "modelled", "problems"]
    rows = []
    for launch in launches:
        time = launch.modelled_seconds
        shared = [row for row in launch.instructions if not row.get("sectors")]
        rows.append([
            launch.kernel,
            launch.variant,
            " × ".join(map(str, launch.grid)),
            " × ".join(map(str, launch.block)),
            f"{launch.count:,}",
            f"{sum(row['executed'] for row in launch.instructions):,}",
            _costs(launch.instructions, "sectors"),
            _costs(shared, "wavefronts"),
            "" if time is None else f"{1e6 * time:.2f} µs",
            str(len(launch.findings)),
        ])  # fmt: skip
    return _table(head, rows, 4)


def of_source(lines: Sequence[SourceLine]) -> str:
    head = ["line", "", "warp instructions", "sectors", "wavefronts"]
    rows = []
    for line in lines:
        count = line.counters
        shared = [count] if not count.get("sectors") else []
        rows.append([
            str(line.line),
            line.text,
            f"{count.get('executed', 0):,}",
            _costs([count], "sectors"),
            _costs(shared, "wavefronts"),
        ])  # fmt: skip
    return _table(head, rows, 2)

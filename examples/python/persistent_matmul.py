"""A matrix product by as many programs as the GPU has room for: each computes one tile after the
other."""

import torch
import triton
import triton.language as tl

import tilescope


@triton.jit
def matmul_persistent(
    a_ptr, b_ptr, c_ptr, m, n, k,
    PROGRAMS: tl.constexpr, TILE: tl.constexpr, TILE_K: tl.constexpr,
):  # fmt: skip
    columns = tl.cdiv(n, TILE)
    for tile in range(tl.program_id(0), tl.cdiv(m, TILE) * columns, PROGRAMS):
        rows = (tile // columns) * TILE + tl.arange(0, TILE)
        cols = (tile % columns) * TILE + tl.arange(0, TILE)
        total = tl.zeros((TILE, TILE), dtype=tl.float32)
        for first in range(0, k, TILE_K):
            at = first + tl.arange(0, TILE_K)
            a = tl.load(a_ptr + rows[:, None] * k + at[None, :])
            b = tl.load(b_ptr + at[:, None] * n + cols[None, :])
            total = tl.dot(a, b, total)
        tl.store(c_ptr + rows[:, None] * n + cols[None, :], total.to(tl.float16))


def main() -> tilescope.Capture:
    m, n, k = 128, 192, 64
    a = torch.randn(m, k, dtype=torch.float16)
    b = torch.randn(k, n, dtype=torch.float16)
    out = torch.empty(m, n, dtype=torch.float16)
    with tilescope.capture() as c:
        matmul_persistent[(4,)](a, b, out, m, n, k, PROGRAMS=4, TILE=64, TILE_K=32)
    torch.testing.assert_close(out.float(), a.float() @ b.float(), atol=2e-2, rtol=2e-3)
    return c


if __name__ == "__main__":
    print(main().launches[0])

"""Several matrix products of different sizes in one launch: the kernel gets the addresses of the
matrices in an array, and its programs share out the tiles of all."""

import torch
import triton
import triton.language as tl

import tilescope


@triton.jit
def grouped(
    addresses_ptr, sizes_ptr, count,
    PROGRAMS: tl.constexpr, TILE: tl.constexpr, TILE_K: tl.constexpr,
):  # fmt: skip
    tile = tl.program_id(0)
    before = 0
    for problem in range(count):
        m = tl.load(sizes_ptr + 3 * problem)
        n = tl.load(sizes_ptr + 3 * problem + 1)
        k = tl.load(sizes_ptr + 3 * problem + 2)
        columns = tl.cdiv(n, TILE)
        tiles = tl.cdiv(m, TILE) * columns
        while tile >= before and tile < before + tiles:
            a_ptr = tl.load(addresses_ptr + 3 * problem).to(tl.pointer_type(tl.float16))
            b_ptr = tl.load(addresses_ptr + 3 * problem + 1).to(tl.pointer_type(tl.float16))
            c_ptr = tl.load(addresses_ptr + 3 * problem + 2).to(tl.pointer_type(tl.float16))
            rows = (tile - before) // columns * TILE + tl.arange(0, TILE)
            cols = (tile - before) % columns * TILE + tl.arange(0, TILE)
            total = tl.zeros((TILE, TILE), dtype=tl.float32)
            for first in range(0, k, TILE_K):
                at = first + tl.arange(0, TILE_K)
                a = tl.load(a_ptr + rows[:, None] * k + at[None, :])
                b = tl.load(b_ptr + at[:, None] * n + cols[None, :])
                total = tl.dot(a, b, total)
            tl.store(c_ptr + rows[:, None] * n + cols[None, :], total.to(tl.float16))
            tile += PROGRAMS
        before += tiles


def main() -> tilescope.Capture:
    shapes = [(64, 32, 64), (32, 96, 32)]
    a = [torch.randn(m, k, dtype=torch.float16) for m, n, k in shapes]
    b = [torch.randn(k, n, dtype=torch.float16) for m, n, k in shapes]
    out = [torch.empty(m, n, dtype=torch.float16) for m, n, k in shapes]
    sizes = torch.tensor(shapes, dtype=torch.int32)
    addresses = torch.tensor([[x.data_ptr() for x in each] for each in zip(a, b, out)])
    with tilescope.capture() as c:
        grouped[(3,)](addresses, sizes, len(shapes), PROGRAMS=3, TILE=32, TILE_K=32)
    for x, y, z in zip(a, b, out):
        torch.testing.assert_close(z.float(), x.float() @ y.float(), atol=2e-2, rtol=2e-3)
    return c


if __name__ == "__main__":
    print(main().launches[0])

"""A matrix product in Triton, whose tiles are visited in groups of rows; the autotuner chooses one
of two configurations by the modelled time."""

import torch
import triton
import triton.language as tl

import tilescope


def configurations() -> list[triton.Config]:
    return [
        triton.Config({"TILE_M": 32, "TILE_N": 32, "TILE_K": 32}, num_warps=2, num_stages=2),
        triton.Config({"TILE_M": 64, "TILE_N": 64, "TILE_K": 32}, num_warps=4, num_stages=3),
    ]


@triton.autotune(configs=configurations(), key=["m", "n", "k"])
@triton.jit
def matmul(
    a_ptr, b_ptr, c_ptr, m, n, k, a_row, b_row, c_row,
    TILE_M: tl.constexpr, TILE_N: tl.constexpr, TILE_K: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    tile = tl.program_id(0)
    rows, columns = tl.cdiv(m, TILE_M), tl.cdiv(n, TILE_N)
    group = tile // (GROUP * columns)
    first = group * GROUP
    height = min(rows - first, GROUP)
    row = first + (tile % (GROUP * columns)) % height
    column = (tile % (GROUP * columns)) // height

    at_m = row * TILE_M + tl.arange(0, TILE_M)
    at_n = column * TILE_N + tl.arange(0, TILE_N)
    at_k = tl.arange(0, TILE_K)
    a = a_ptr + at_m[:, None] * a_row + at_k[None, :]
    b = b_ptr + at_k[:, None] * b_row + at_n[None, :]
    total = tl.zeros((TILE_M, TILE_N), dtype=tl.float32)
    for start in range(0, k, TILE_K):
        left = k - start
        total = tl.dot(
            tl.load(a, mask=(at_m[:, None] < m) & (at_k[None, :] < left), other=0.0),
            tl.load(b, mask=(at_k[:, None] < left) & (at_n[None, :] < n), other=0.0),
            total,
        )
        a += TILE_K
        b += TILE_K * b_row
    c = c_ptr + at_m[:, None] * c_row + at_n[None, :]
    tl.store(c, total.to(tl.float16), mask=(at_m[:, None] < m) & (at_n[None, :] < n))


def main() -> tilescope.Capture:
    m, n, k = 128, 96, 64
    a = torch.randn((m, k), dtype=torch.float16)
    b = torch.randn((k, n), dtype=torch.float16)
    out = torch.empty((m, n), dtype=torch.float16)
    with tilescope.capture() as c:
        matmul[lambda meta: (triton.cdiv(m, meta["TILE_M"]) * triton.cdiv(n, meta["TILE_N"]),)](
            a, b, out, m, n, k, a.stride(0), b.stride(0), out.stride(0), GROUP=2
        )
    torch.testing.assert_close(out.float(), a.float() @ b.float(), atol=2e-2, rtol=2e-3)
    return c


if __name__ == "__main__":
    for launch in main().variants("matmul"):
        print(launch.variant, launch.modelled_seconds, launch.counters)

"""A matrix product whose tiles the tensor memory accelerator copies (descriptors, wgmma)."""

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

import tilescope


@triton.jit
def matmul_tma(a, b, out, k, TILE_M: tl.constexpr, TILE_N: tl.constexpr, TILE_K: tl.constexpr):
    row, column = tl.program_id(0) * TILE_M, tl.program_id(1) * TILE_N
    total = tl.zeros((TILE_M, TILE_N), dtype=tl.float32)
    for first in range(0, k, TILE_K):
        total = tl.dot(a.load([row, first]), b.load([first, column]), total)
    out.store([row, column], total.to(tl.float16))


def main() -> tilescope.Capture:
    m, n, k = 128, 128, 96
    tile_m, tile_n, tile_k = 64, 64, 32
    a = torch.randn(m, k, dtype=torch.float16)
    b = torch.randn(k, n, dtype=torch.float16)
    out = torch.empty(m, n, dtype=torch.float16)
    with tilescope.capture() as c:
        matmul_tma[(m // tile_m, n // tile_n)](
            TensorDescriptor.from_tensor(a, [tile_m, tile_k]),
            TensorDescriptor.from_tensor(b, [tile_k, tile_n]),
            TensorDescriptor.from_tensor(out, [tile_m, tile_n]),
            k, TILE_M=tile_m, TILE_N=tile_n, TILE_K=tile_k, num_warps=4,
        )  # fmt: skip
    torch.testing.assert_close(out.float(), a.float() @ b.float(), atol=2e-2, rtol=2e-3)
    return c


if __name__ == "__main__":
    print(main().launches[0])

"""Dropout whose mask is never stored: a seed gives the same random numbers again."""

import torch
import triton
import triton.language as tl

import tilescope


@triton.jit
def dropout(x_ptr, out_ptr, n, p, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    x = tl.load(x_ptr + at, mask=inside)
    keep = tl.rand(seed, at) > p
    tl.store(out_ptr + at, tl.where(keep, x / (1 - p), 0.0), mask=inside)


def main() -> tilescope.Capture:
    n, p = 2000, 0.25
    x = torch.rand(n) + 1
    first, second = torch.empty_like(x), torch.empty_like(x)
    grid = (triton.cdiv(n, 512),)
    with tilescope.capture() as c:
        dropout[grid](x, first, n, p, 7, BLOCK=512)
        dropout[grid](x, second, n, p, 7, BLOCK=512)
    assert torch.equal(first, second)
    kept = first != 0
    torch.testing.assert_close(first[kept], x[kept] / (1 - p))
    assert 0.2 < 1 - kept.float().mean().item() < 0.3
    return c


if __name__ == "__main__":
    print(main().launches[0])

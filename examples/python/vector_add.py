"""Vector addition in Triton."""

import torch
import triton
import triton.language as tl

import tilescope


@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    x = tl.load(x_ptr + at, mask=inside)
    y = tl.load(y_ptr + at, mask=inside)
    tl.store(out_ptr + at, x + y, mask=inside)


def main() -> tilescope.Capture:
    n = 1000
    x, y = torch.rand(n), torch.rand(n)
    out = torch.empty_like(x)
    with tilescope.capture() as c:
        add[(triton.cdiv(n, 256),)](x, y, out, n, BLOCK=256)
    torch.testing.assert_close(out, x + y)
    return c


if __name__ == "__main__":
    print(main().launches[0])

"""Layer norm, forwards and backwards: the gradients of the weights are added up in two steps."""

import torch
import triton
import triton.language as tl

import tilescope


@triton.jit
def forward(x_ptr, weight_ptr, bias_ptr, out_ptr, mean_ptr, scale_ptr, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < n
    x = tl.load(x_ptr + row * n + at, mask=inside, other=0.0)
    mean = tl.sum(x, axis=0) / n
    centred = tl.where(inside, x - mean, 0.0)
    scale = 1 / tl.sqrt(tl.sum(centred * centred, axis=0) / n + eps)
    weight = tl.load(weight_ptr + at, mask=inside)
    bias = tl.load(bias_ptr + at, mask=inside)
    tl.store(out_ptr + row * n + at, centred * scale * weight + bias, mask=inside)
    tl.store(mean_ptr + row, mean)
    tl.store(scale_ptr + row, scale)


@triton.jit
def backward(
    x_ptr, weight_ptr, grad_ptr, mean_ptr, scale_ptr, grad_x_ptr, part_weight_ptr, part_bias_ptr,
    n, BLOCK: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < n
    scale = tl.load(scale_ptr + row)
    unit = (tl.load(x_ptr + row * n + at, mask=inside, other=0.0) - tl.load(mean_ptr + row)) * scale
    unit = tl.where(inside, unit, 0.0)
    grad = tl.load(grad_ptr + row * n + at, mask=inside, other=0.0)
    weighted = grad * tl.load(weight_ptr + at, mask=inside, other=0.0)
    along = tl.sum(unit * weighted, axis=0) / n
    grad_x = (weighted - unit * along - tl.sum(weighted, axis=0) / n) * scale
    tl.store(grad_x_ptr + row * n + at, grad_x, mask=inside)
    tl.store(part_weight_ptr + row * n + at, grad * unit, mask=inside)
    tl.store(part_bias_ptr + row * n + at, grad, mask=inside)


@triton.jit
def column_sums(part_ptr, sum_ptr, rows, n, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    at = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    total = tl.zeros((COLUMNS,), dtype=tl.float32)
    for first in range(0, rows, ROWS):
        row = first + tl.arange(0, ROWS)
        inside = (row[:, None] < rows) & (at[None, :] < n)
        total += tl.sum(tl.load(part_ptr + row[:, None] * n + at[None, :], mask=inside, other=0.0), 0)
    tl.store(sum_ptr + at, total, mask=at < n)


def main() -> tilescope.Capture:
    rows, n = 16, 200
    x = torch.randn(rows, n, requires_grad=True)
    weight = torch.rand(n, requires_grad=True)
    bias = torch.rand(n, requires_grad=True)
    grad = torch.randn(rows, n)
    mean, scale = torch.empty(rows), torch.empty(rows)
    out, grad_x = torch.empty(rows, n), torch.empty(rows, n)
    part_weight, part_bias = torch.empty(rows, n), torch.empty(rows, n)
    grad_weight, grad_bias = torch.empty(n), torch.empty(n)
    block = triton.next_power_of_2(n)
    with tilescope.capture() as c:
        forward[(rows,)](x, weight, bias, out, mean, scale, n, 1e-5, BLOCK=block)
        backward[(rows,)](
            x, weight, grad, mean, scale, grad_x, part_weight, part_bias, n, BLOCK=block
        )
        grid = (triton.cdiv(n, 64),)
        column_sums[grid](part_weight, grad_weight, rows, n, ROWS=8, COLUMNS=64)
        column_sums[grid](part_bias, grad_bias, rows, n, ROWS=8, COLUMNS=64)
    right = torch.nn.functional.layer_norm(x, (n,), weight, bias)
    right.backward(grad)
    torch.testing.assert_close(out, right.detach())
    torch.testing.assert_close(grad_x, x.grad)
    torch.testing.assert_close(grad_weight, weight.grad)
    torch.testing.assert_close(grad_bias, bias.grad)
    return c


if __name__ == "__main__":
    for launch in main().launches:
        print(launch)

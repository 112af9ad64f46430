"""Kernels of Triton as a course writes them, each with one mistake where MISTAKE is 1.
The line that a finding has to name ends in "# here"."""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax(x_ptr, out_ptr, columns, BLOCK: tl.constexpr, MISTAKE: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns + MISTAKE  # one too many: in the last row it is behind the tensor
    x = tl.load(x_ptr + row * columns + at, mask=inside, other=-float("inf"))  # here
    power = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * columns + at, power / tl.sum(power, axis=0), mask=at < columns)


def run_softmax(mistake):
    x = torch.randn(4, 100)
    softmax[(4,)](x, torch.empty_like(x), 100, BLOCK=128, MISTAKE=mistake)


@triton.jit
def layer_norm(x_ptr, out_ptr, n, BLOCK: tl.constexpr, MISTAKE: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + at, mask=at < n, other=0.0)
    mean = tl.sum(x, axis=0) / n
    centred = tl.where(at < n, x - mean, 0.0)
    out = centred / tl.sqrt(tl.sum(centred * centred, axis=0) / n + 1e-5)
    if MISTAKE:
        tl.store(out_ptr + row * n + at, out)  # here
    else:
        tl.store(out_ptr + row * n + at, out, mask=at < n)


def run_layer_norm(mistake):
    x = torch.randn(3, 200)
    layer_norm[(3,)](x, torch.empty_like(x), 200, BLOCK=256, MISTAKE=mistake)


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, m, n, k, TILE: tl.constexpr, MISTAKE: tl.constexpr):
    at_m = tl.program_id(0) * TILE + tl.arange(0, TILE)
    at_n = tl.program_id(1) * TILE + tl.arange(0, TILE)
    at_k = tl.arange(0, TILE)
    total = tl.zeros((TILE, TILE), dtype=tl.float32)
    for start in range(0, k, TILE):
        a = tl.load(a_ptr + at_m[:, None] * k + start + at_k[None, :])
        if MISTAKE:  # the stride of A for B, which is narrower
            b = tl.load(b_ptr + (start + at_k[:, None]) * k + at_n[None, :])  # here
        else:
            b = tl.load(b_ptr + (start + at_k[:, None]) * n + at_n[None, :])
        total = tl.dot(a, b, total)
    tl.store(c_ptr + at_m[:, None] * n + at_n[None, :], total)


def run_matmul(mistake):
    a, b = torch.randn(64, 128).half(), torch.randn(128, 32).half()
    matmul[(2, 1)](a, b, torch.empty(64, 32), 64, 32, 128, TILE=32, MISTAKE=mistake)


@triton.jit
def attention(q_ptr, k_ptr, v_ptr, out_ptr, length, DIM: tl.constexpr, TILE: tl.constexpr,
              MISTAKE: tl.constexpr):  # fmt: skip
    rows = tl.program_id(0) * TILE + tl.arange(0, TILE)
    dim = tl.arange(0, DIM)
    inside = rows[:, None] < length
    q = tl.load(q_ptr + rows[:, None] * DIM + dim[None, :], mask=inside, other=0.0)
    greatest = tl.full((TILE,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((TILE,), dtype=tl.float32)
    out = tl.zeros((TILE, DIM), dtype=tl.float32)
    for start in range(0, length, TILE):
        keys = start + tl.arange(0, TILE)
        at = keys[:, None] * DIM + dim[None, :]
        k = tl.load(k_ptr + at, mask=keys[:, None] < length, other=0.0)
        if MISTAKE:  # the last tile of values is not whole
            v = tl.load(v_ptr + at)  # here
        else:
            v = tl.load(v_ptr + at, mask=keys[:, None] < length, other=0.0)
        scores = tl.where(keys[None, :] < length, tl.dot(q, tl.trans(k)), -float("inf"))
        new = tl.maximum(greatest, tl.max(scores, axis=1))
        power = tl.exp(scores - new[:, None])
        factor = tl.exp(greatest - new)
        total = total * factor + tl.sum(power, axis=1)
        out = out * factor[:, None] + tl.dot(power.to(v.dtype), v)
        greatest = new
    tl.store(out_ptr + rows[:, None] * DIM + dim[None, :], out / total[:, None], mask=inside)


def run_attention(mistake):
    q, k, v = (torch.randn(40, 32).half() for _ in range(3))
    attention[(2,)](q, k, v, torch.empty(40, 32), 40, DIM=32, TILE=32, MISTAKE=mistake)


@triton.jit
def dropout(x_ptr, out_ptr, n, p, seed, BLOCK: tl.constexpr, MISTAKE: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    out = tl.where(tl.rand(seed, at) > p, x / (1 - p), 0.0)
    if MISTAKE:  # one too many
        tl.store(out_ptr + at, out, mask=at <= n)  # here
    else:
        tl.store(out_ptr + at, out, mask=at < n)


def run_dropout(mistake):
    x = torch.randn(1000)
    dropout[(2,)](x, torch.empty_like(x), 1000, 0.5, 7, BLOCK=512, MISTAKE=mistake)


KERNELS = {
    "softmax": run_softmax,
    "layer_norm": run_layer_norm,
    "matmul": run_matmul,
    "attention": run_attention,
    "dropout": run_dropout,
}

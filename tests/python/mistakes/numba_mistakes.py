"""Kernels of Numba as a course writes them, each with one mistake where `mistake` is true.
The line that a finding has to name ends in "# here"."""

import numpy as np
from numba import cuda, float32, int32

BLOCK = 128
TILE = 16
PADDED = TILE + 1


def reduction(mistake):
    @cuda.jit
    def reduction(x, out):
        part = cuda.shared.array(BLOCK, float32)
        thread = cuda.threadIdx.x
        part[thread] = x[cuda.grid(1)]
        cuda.syncthreads()
        step = BLOCK // 2
        while step > 0:
            if thread < step:
                part[thread] += part[thread + step]  # here
            if not mistake:
                cuda.syncthreads()
            step //= 2
        if thread == 0:
            out[cuda.blockIdx.x] = part[0]

    reduction[4, BLOCK](np.ones(4 * BLOCK, np.float32), np.zeros(4, np.float32))


def transpose(mistake):
    @cuda.jit
    def transpose(x, out):
        tile = cuda.shared.array((TILE, PADDED), float32)
        row, column = cuda.threadIdx.y, cuda.threadIdx.x
        top, left = cuda.blockIdx.y * TILE, cuda.blockIdx.x * TILE
        tile[row, column] = x[top + row, left + column]
        if not mistake:
            cuda.syncthreads()
        out[left + row, top + column] = tile[column, row]  # here

    x = np.random.rand(32, 32).astype(np.float32)
    transpose[(2, 2), (TILE, TILE)](x, np.zeros_like(x))


def scan(mistake):
    @cuda.jit
    def scan(x, out):
        sums = cuda.shared.array(BLOCK, int32)
        thread = cuda.threadIdx.x
        sums[thread] = x[thread]
        cuda.syncthreads()
        step = 1
        while step < BLOCK:
            before = 0
            if thread >= step:
                before = sums[thread - step]
            if not mistake:
                cuda.syncthreads()
            sums[thread] += before  # here
            cuda.syncthreads()
            step *= 2
        out[thread] = sums[thread]

    scan[1, BLOCK](np.ones(BLOCK, np.int32), np.zeros(BLOCK, np.int32))


def histogram(mistake):
    @cuda.jit
    def histogram(x, out):
        counts = cuda.shared.array(BLOCK, int32)
        thread = cuda.threadIdx.x
        if not mistake:
            counts[thread] = 0
        cuda.syncthreads()
        cuda.atomic.add(counts, x[cuda.grid(1)], 1)  # here
        cuda.syncthreads()
        cuda.atomic.add(out, thread, counts[thread])

    x = np.random.randint(0, BLOCK, 4 * BLOCK).astype(np.int32)
    histogram[4, BLOCK](x, np.zeros(BLOCK, np.int32))


KERNELS = {
    "reduction": reduction,
    "transpose": transpose,
    "scan": scan,
    "histogram": histogram,
}

"""A transpose in Numba whose tile in shared memory has bank conflicts, and one without."""

import numpy as np

import tilescope

ROWS, COLUMNS, TILE = 64, 96, 32


def kernel(width: int):  # of the tile's rows
    from numba import cuda, float32

    @cuda.jit
    def transpose(source, target):
        tile = cuda.shared.array((TILE, width), float32)
        x, y = cuda.threadIdx.x, cuda.threadIdx.y
        column, row = cuda.blockIdx.x * TILE, cuda.blockIdx.y * TILE
        for i in range(y, TILE, cuda.blockDim.y):
            tile[i, x] = source[row + i, column + x]
        cuda.syncthreads()
        for i in range(y, TILE, cuda.blockDim.y):
            target[column + i, row + x] = tile[x, i]

    return transpose


def main() -> tilescope.Capture:
    source = np.random.default_rng(1).random((ROWS, COLUMNS), dtype=np.float32)
    with tilescope.capture() as c:
        for width in (TILE, TILE + 1):
            target = np.zeros((COLUMNS, ROWS), dtype=np.float32)
            kernel(width)[(COLUMNS // TILE, ROWS // TILE), (TILE, 8)](source, target)
            np.testing.assert_array_equal(target, source.T)
    return c


if __name__ == "__main__":
    for launch in main().launches:
        print(launch)

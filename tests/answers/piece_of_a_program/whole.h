// What includes the piece; no answer itself.
#pragma once
#include <cuda_runtime.h>
typedef double real;
constexpr int WIDTH = 64;
#include "kernels/piece_of_a_program.cu"
inline void halve(real* values) { halved<<<1 << 14, WIDTH>>>(values, 1 << 20); }

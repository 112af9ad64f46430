// d += a b for a 16 x 8 tile of d: a has 16 x 8 numbers, b 8 x 8, both as TF32. Lane l has of each
// matrix the numbers that the hardware wants of it; g = l / 4 and q = l % 4:
//   a[0] (g, q)   a[1] (g + 8, q)   a[2] (g, q + 4)   a[3] (g + 8, q + 4)
//   b[0] (q, g)   b[1] (q + 4, g)
//   d[0] (g, 2 q) d[1] (g, 2 q + 1) d[2] (g + 8, 2 q) d[3] (g + 8, 2 q + 1)
__device__ void multiply_add(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ unsigned as_tf32(float x) {
  unsigned bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
  return bits;
}

// c = a b, a has 16 x k numbers, b has k x 8. One warp; k is a multiple of 8.
__global__ void multiply(const float* a, const float* b, float* c, int k) {
  const int g = threadIdx.x / 4;
  const int q = threadIdx.x % 4;
  float d[4] = {0, 0, 0, 0};
  for (int k0 = 0; k0 < k; k0 += 8) {
    const unsigned a_part[4] = {
        as_tf32(a[g * k + k0 + q]), as_tf32(a[(g + 8) * k + k0 + q]),
        as_tf32(a[g * k + k0 + q + 4]), as_tf32(a[(g + 8) * k + k0 + q + 4])};
    const unsigned b_part[2] = {as_tf32(b[(k0 + g) * 8 + q]), as_tf32(b[(k0 + g) * 8 + q + 4])};
    multiply_add(d, a_part, b_part);
  }
  c[g * 8 + 2 * q] = d[0];
  c[g * 8 + 2 * q + 1] = d[1];
  c[(g + 8) * 8 + 2 * q] = d[2];
  c[(g + 8) * 8 + 2 * q + 1] = d[3];
}

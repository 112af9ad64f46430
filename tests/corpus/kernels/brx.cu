
#define CASE(n, c) case n: asm volatile("xor.b32 %0, %0, " #c ";" : "+r"(v)); asm volatile("mul.lo.u32 %0, %0, " #c ";" : "+r"(v)); out[32 + l] = v; break;

__global__ void brx_0(const unsigned* in, unsigned* out) {
  const int l = threadIdx.x;
  const int key = l<5?0:1;
  unsigned v = in[l];
  switch (key + in[64 + l]) {
    CASE(0, 3) CASE(1, 17) CASE(2, 29) CASE(3, 51) CASE(4, 77) CASE(5, 99) CASE(6, 111) CASE(7, 133)
  }
  out[l] = v;
}

__global__ void brx_1(const unsigned* in, unsigned* out) {
  const int l = threadIdx.x;
  const int key = l<27?0:1;
  unsigned v = in[l];
  switch (key + in[64 + l]) {
    CASE(0, 3) CASE(1, 17) CASE(2, 29) CASE(3, 51) CASE(4, 77) CASE(5, 99) CASE(6, 111) CASE(7, 133)
  }
  out[l] = v;
}

__global__ void brx_2(const unsigned* in, unsigned* out) {
  const int l = threadIdx.x;
  const int key = l<10?0:l<15?1:2;
  unsigned v = in[l];
  switch (key + in[64 + l]) {
    CASE(0, 3) CASE(1, 17) CASE(2, 29) CASE(3, 51) CASE(4, 77) CASE(5, 99) CASE(6, 111) CASE(7, 133)
  }
  out[l] = v;
}

__global__ void brx_3(const unsigned* in, unsigned* out) {
  const int l = threadIdx.x;
  const int key = l%3;
  unsigned v = in[l];
  switch (key + in[64 + l]) {
    CASE(0, 3) CASE(1, 17) CASE(2, 29) CASE(3, 51) CASE(4, 77) CASE(5, 99) CASE(6, 111) CASE(7, 133)
  }
  out[l] = v;
}

__global__ void brx_4(const unsigned* in, unsigned* out) {
  const int l = threadIdx.x;
  const int key = l==0?0:l==31?1:2;
  unsigned v = in[l];
  switch (key + in[64 + l]) {
    CASE(0, 3) CASE(1, 17) CASE(2, 29) CASE(3, 51) CASE(4, 77) CASE(5, 99) CASE(6, 111) CASE(7, 133)
  }
  out[l] = v;
}

__global__ void brx_5(const unsigned* in, unsigned* out) {
  const int l = threadIdx.x;
  const int key = l==31?0:l<16?1:2;
  unsigned v = in[l];
  switch (key + in[64 + l]) {
    CASE(0, 3) CASE(1, 17) CASE(2, 29) CASE(3, 51) CASE(4, 77) CASE(5, 99) CASE(6, 111) CASE(7, 133)
  }
  out[l] = v;
}

__global__ void brx_6(const unsigned* in, unsigned* out) {
  const int l = threadIdx.x;
  const int key = (l*7%11)%4;
  unsigned v = in[l];
  switch (key + in[64 + l]) {
    CASE(0, 3) CASE(1, 17) CASE(2, 29) CASE(3, 51) CASE(4, 77) CASE(5, 99) CASE(6, 111) CASE(7, 133)
  }
  out[l] = v;
}

__global__ void brx_7(const unsigned* in, unsigned* out) {
  const int l = threadIdx.x;
  const int key = l<3?0:l<10?1:l<20?2:3;
  unsigned v = in[l];
  switch (key + in[64 + l]) {
    CASE(0, 3) CASE(1, 17) CASE(2, 29) CASE(3, 51) CASE(4, 77) CASE(5, 99) CASE(6, 111) CASE(7, 133)
  }
  out[l] = v;
}

__global__ void brx_8(const unsigned* in, unsigned* out) {
  const int l = threadIdx.x;
  const int key = l>28?0:l>20?1:l>10?2:3;
  unsigned v = in[l];
  switch (key + in[64 + l]) {
    CASE(0, 3) CASE(1, 17) CASE(2, 29) CASE(3, 51) CASE(4, 77) CASE(5, 99) CASE(6, 111) CASE(7, 133)
  }
  out[l] = v;
}

__global__ void brx_9(const unsigned* in, unsigned* out) {
  const int l = threadIdx.x;
  const int key = (l*l)%5;
  unsigned v = in[l];
  switch (key + in[64 + l]) {
    CASE(0, 3) CASE(1, 17) CASE(2, 29) CASE(3, 51) CASE(4, 77) CASE(5, 99) CASE(6, 111) CASE(7, 133)
  }
  out[l] = v;
}

__global__ void brx_10(const unsigned* in, unsigned* out) {
  const int l = threadIdx.x;
  const int key = l/3%6;
  unsigned v = in[l];
  switch (key + in[64 + l]) {
    CASE(0, 3) CASE(1, 17) CASE(2, 29) CASE(3, 51) CASE(4, 77) CASE(5, 99) CASE(6, 111) CASE(7, 133)
  }
  out[l] = v;
}

__global__ void brx_11(const unsigned* in, unsigned* out) {
  const int l = threadIdx.x;
  const int key = l==5?0:l==9?1:2;
  unsigned v = in[l];
  switch (key + in[64 + l]) {
    CASE(0, 3) CASE(1, 17) CASE(2, 29) CASE(3, 51) CASE(4, 77) CASE(5, 99) CASE(6, 111) CASE(7, 133)
  }
  out[l] = v;
}

__global__ void brx_12(const unsigned* in, unsigned* out) {
  const int l = threadIdx.x;
  const int key = l<12?0:l<24?1:2;
  unsigned v = in[l];
  switch (key + in[64 + l]) {
    CASE(0, 3) CASE(1, 17) CASE(2, 29) CASE(3, 51) CASE(4, 77) CASE(5, 99) CASE(6, 111) CASE(7, 133)
  }
  out[l] = v;
}

__global__ void brx_13(const unsigned* in, unsigned* out) {
  const int l = threadIdx.x;
  const int key = l<8?0:l<24?1:2;
  unsigned v = in[l];
  switch (key + in[64 + l]) {
    CASE(0, 3) CASE(1, 17) CASE(2, 29) CASE(3, 51) CASE(4, 77) CASE(5, 99) CASE(6, 111) CASE(7, 133)
  }
  out[l] = v;
}

__global__ void brx_14(const unsigned* in, unsigned* out) {
  const int l = threadIdx.x;
  const int key = (l^(l>>2))&3;
  unsigned v = in[l];
  switch (key + in[64 + l]) {
    CASE(0, 3) CASE(1, 17) CASE(2, 29) CASE(3, 51) CASE(4, 77) CASE(5, 99) CASE(6, 111) CASE(7, 133)
  }
  out[l] = v;
}

__global__ void brx_15(const unsigned* in, unsigned* out) {
  const int l = threadIdx.x;
  const int key = l<5?3:1;
  unsigned v = in[l];
  switch (key + in[64 + l]) {
    CASE(0, 3) CASE(1, 17) CASE(2, 29) CASE(3, 51) CASE(4, 77) CASE(5, 99) CASE(6, 111) CASE(7, 133)
  }
  out[l] = v;
}

__global__ void brx_16(const unsigned* in, unsigned* out) {
  const int l = threadIdx.x;
  const int key = l<27?3:1;
  unsigned v = in[l];
  switch (key + in[64 + l]) {
    CASE(0, 3) CASE(1, 17) CASE(2, 29) CASE(3, 51) CASE(4, 77) CASE(5, 99) CASE(6, 111) CASE(7, 133)
  }
  out[l] = v;
}

__global__ void brx_17(const unsigned* in, unsigned* out) {
  const int l = threadIdx.x;
  const int key = l<16?5:2;
  unsigned v = in[l];
  switch (key + in[64 + l]) {
    CASE(0, 3) CASE(1, 17) CASE(2, 29) CASE(3, 51) CASE(4, 77) CASE(5, 99) CASE(6, 111) CASE(7, 133)
  }
  out[l] = v;
}

__global__ void brx_18(const unsigned* in, unsigned* out) {
  const int l = threadIdx.x;
  const int key = l<16?2:5;
  unsigned v = in[l];
  switch (key + in[64 + l]) {
    CASE(0, 3) CASE(1, 17) CASE(2, 29) CASE(3, 51) CASE(4, 77) CASE(5, 99) CASE(6, 111) CASE(7, 133)
  }
  out[l] = v;
}

__global__ void brx_19(const unsigned* in, unsigned* out) {
  const int l = threadIdx.x;
  const int key = l%2?4:1;
  unsigned v = in[l];
  switch (key + in[64 + l]) {
    CASE(0, 3) CASE(1, 17) CASE(2, 29) CASE(3, 51) CASE(4, 77) CASE(5, 99) CASE(6, 111) CASE(7, 133)
  }
  out[l] = v;
}

__global__ void brx_20(const unsigned* in, unsigned* out) {
  const int l = threadIdx.x;
  const int key = l%6;
  unsigned v = in[l];
  switch (key + in[64 + l]) {
    CASE(0, 3) CASE(1, 17) CASE(2, 29) CASE(3, 51) CASE(4, 77) CASE(5, 99) CASE(6, 111) CASE(7, 133)
  }
  out[l] = v;
}

__global__ void brx_21(const unsigned* in, unsigned* out) {
  const int l = threadIdx.x;
  const int key = 5-l%6;
  unsigned v = in[l];
  switch (key + in[64 + l]) {
    CASE(0, 3) CASE(1, 17) CASE(2, 29) CASE(3, 51) CASE(4, 77) CASE(5, 99) CASE(6, 111) CASE(7, 133)
  }
  out[l] = v;
}

__global__ void brx_22(const unsigned* in, unsigned* out) {
  const int l = threadIdx.x;
  const int key = l==31?0:l<16?5:2;
  unsigned v = in[l];
  switch (key + in[64 + l]) {
    CASE(0, 3) CASE(1, 17) CASE(2, 29) CASE(3, 51) CASE(4, 77) CASE(5, 99) CASE(6, 111) CASE(7, 133)
  }
  out[l] = v;
}

__global__ void brx_23(const unsigned* in, unsigned* out) {
  const int l = threadIdx.x;
  const int key = (l*5+3)%7%6;
  unsigned v = in[l];
  switch (key + in[64 + l]) {
    CASE(0, 3) CASE(1, 17) CASE(2, 29) CASE(3, 51) CASE(4, 77) CASE(5, 99) CASE(6, 111) CASE(7, 133)
  }
  out[l] = v;
}

__global__ void brx_24(const unsigned* in, unsigned* out) {
  const int l = threadIdx.x;
  const int key = (l>>1)%6;
  unsigned v = in[l];
  switch (key + in[64 + l]) {
    CASE(0, 3) CASE(1, 17) CASE(2, 29) CASE(3, 51) CASE(4, 77) CASE(5, 99) CASE(6, 111) CASE(7, 133)
  }
  out[l] = v;
}

__global__ void brx_25(const unsigned* in, unsigned* out) {
  const int l = threadIdx.x;
  const int key = 2;
  unsigned v = in[l];
  switch (key + in[64 + l]) {
    CASE(0, 3) CASE(1, 17) CASE(2, 29) CASE(3, 51) CASE(4, 77) CASE(5, 99) CASE(6, 111) CASE(7, 133)
  }
  out[l] = v;
}

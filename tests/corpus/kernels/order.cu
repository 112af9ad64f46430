
__global__ void order_0(const unsigned* in, unsigned* out) {
  const int l = threadIdx.x;
  const int key = l<5?0:1;
  const unsigned m = __match_any_sync(~0u, key);
  out[l] = __reduce_add_sync(m, in[l]);
}

__global__ void order_1(const unsigned* in, unsigned* out) {
  const int l = threadIdx.x;
  const int key = l<27?0:1;
  const unsigned m = __match_any_sync(~0u, key);
  out[l] = __reduce_add_sync(m, in[l]);
}

__global__ void order_2(const unsigned* in, unsigned* out) {
  const int l = threadIdx.x;
  const int key = l<10?0:l<15?1:2;
  const unsigned m = __match_any_sync(~0u, key);
  out[l] = __reduce_add_sync(m, in[l]);
}

__global__ void order_3(const unsigned* in, unsigned* out) {
  const int l = threadIdx.x;
  const int key = l%3;
  const unsigned m = __match_any_sync(~0u, key);
  out[l] = __reduce_add_sync(m, in[l]);
}

__global__ void order_4(const unsigned* in, unsigned* out) {
  const int l = threadIdx.x;
  const int key = l==0?0:l==31?1:2;
  const unsigned m = __match_any_sync(~0u, key);
  out[l] = __reduce_add_sync(m, in[l]);
}

__global__ void order_5(const unsigned* in, unsigned* out) {
  const int l = threadIdx.x;
  const int key = l==31?0:l<16?1:2;
  const unsigned m = __match_any_sync(~0u, key);
  out[l] = __reduce_add_sync(m, in[l]);
}

__global__ void order_6(const unsigned* in, unsigned* out) {
  const int l = threadIdx.x;
  const int key = (l*7%11)%4;
  const unsigned m = __match_any_sync(~0u, key);
  out[l] = __reduce_add_sync(m, in[l]);
}

__global__ void order_7(const unsigned* in, unsigned* out) {
  const int l = threadIdx.x;
  const int key = l<3?0:l<10?1:l<20?2:3;
  const unsigned m = __match_any_sync(~0u, key);
  out[l] = __reduce_add_sync(m, in[l]);
}

__global__ void order_8(const unsigned* in, unsigned* out) {
  const int l = threadIdx.x;
  const int key = l>28?0:l>20?1:l>10?2:3;
  const unsigned m = __match_any_sync(~0u, key);
  out[l] = __reduce_add_sync(m, in[l]);
}

__global__ void order_9(const unsigned* in, unsigned* out) {
  const int l = threadIdx.x;
  const int key = (l*l)%5;
  const unsigned m = __match_any_sync(~0u, key);
  out[l] = __reduce_add_sync(m, in[l]);
}

__global__ void order_10(const unsigned* in, unsigned* out) {
  const int l = threadIdx.x;
  const int key = l/3;
  const unsigned m = __match_any_sync(~0u, key);
  out[l] = __reduce_add_sync(m, in[l]);
}

__global__ void order_11(const unsigned* in, unsigned* out) {
  const int l = threadIdx.x;
  const int key = l==5?0:l==9?1:2;
  const unsigned m = __match_any_sync(~0u, key);
  out[l] = __reduce_add_sync(m, in[l]);
}

__global__ void order_12(const unsigned* in, unsigned* out) {
  const int l = threadIdx.x;
  const int key = l<12?0:l<24?1:2;
  const unsigned m = __match_any_sync(~0u, key);
  out[l] = __reduce_add_sync(m, in[l]);
}

__global__ void order_13(const unsigned* in, unsigned* out) {
  const int l = threadIdx.x;
  const int key = l<8?0:l<24?1:2;
  const unsigned m = __match_any_sync(~0u, key);
  out[l] = __reduce_add_sync(m, in[l]);
}

__global__ void order_14(const unsigned* in, unsigned* out) {
  const int l = threadIdx.x;
  const int key = (l^(l>>2))&3;
  const unsigned m = __match_any_sync(~0u, key);
  out[l] = __reduce_add_sync(m, in[l]);
}

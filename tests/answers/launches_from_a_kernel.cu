// Each thread launches a kernel. Launches from a kernel are not emulated, and the line has to be said:
// a clean report without the children would be a lie. (More than 2,048 children waiting at once exceed
// the default pool on a GPU, and fail there without a word.)
// trace: --kernel parents --grid 10 --block 210 --arg u8[2100]=zero
// refused: launches_from_a_kernel.cu:11
// refused: not emulated
// refused: tilescope exec
__global__ void child(unsigned char* marks, int i) { marks[i] = 1; }

__global__ void parents(unsigned char* marks) {
  child<<<1, 1>>>(marks, blockIdx.x * blockDim.x + threadIdx.x);  //@launch
}

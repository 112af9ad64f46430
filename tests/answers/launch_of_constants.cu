// The file's own launch is made of constants: one block of 24 threads and rows of 8. It stands as it
// is, with nothing out of bounds.
// trace: --sample
// launch: grid 1x1x1, block 24x1x1, width i32:8
__global__ void places(int* rows, int* columns, int width) {
  const int row = threadIdx.x / 8, column = threadIdx.x % 8;
  rows[row * width + column] = row;
  columns[row * width + column] = column;
}
int main() {
  int *rows = nullptr, *columns = nullptr;
  dim3 grid(1), block(3 * 8);
  places<<<grid, block>>>(rows, columns, 8);
}

// Classes: one for the host alone, one whose device members the kernel needs and whose host members
// must not be in the way.
#include <chrono>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

class Stopwatch {
 public:
  explicit Stopwatch(std::string name) : name_(std::move(name)), start_{std::chrono::steady_clock::now()} {}
  ~Stopwatch() { std::cout << name_ << ": " << elapsed() << " ms\n"; }
  double elapsed() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::string name_;
  std::chrono::steady_clock::time_point start_;
};

class Matrix {
 public:
  Matrix(float* data, int rows, int cols) : data_(data), rows_(rows), cols_(cols) {
    if (rows <= 0) throw std::invalid_argument("rows");
  }
  static Matrix upload(const std::vector<float>& values, int rows, int cols);
  __host__ __device__ int rows() const { return rows_; }
  __host__ __device__ int cols() const { return cols_; }
  __device__ float& at(int row, int col) { return data_[row * cols_ + col]; }
  void print(std::ostream& out) const { out << rows_ << " x " << cols_ << '\n'; }

 private:
  float* data_;
  int rows_;
  int cols_;
};

Matrix Matrix::upload(const std::vector<float>& values, int rows, int cols) {
  float* data = nullptr;
  cudaMalloc(&data, values.size() * sizeof(float));
  return Matrix(data, rows, cols);
}

static std::map<std::string, Matrix> matrices;
cudaStream_t stream;

enum class Order : int { kRows, kColumns };

__global__ void identity(Matrix matrix, Order order) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < matrix.rows() && col < matrix.cols()) {
    (order == Order::kRows ? matrix.at(row, col) : matrix.at(col, row)) = row == col ? 1.0f : 0.0f;
  }
}

int main() try {
  Stopwatch watch("identity");
  Matrix matrix = Matrix::upload(std::vector<float>(256), 16, 16);
  identity<<<dim3(1, 1), dim3(16, 16), 0, stream>>>(matrix, Order::kRows);
  matrix.print(std::cout);
} catch (const std::exception& problem) {
  std::cerr << problem.what();
  return 1;
}

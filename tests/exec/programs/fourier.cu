// cuFFT on the CPU: forward, backward, real, in two dimensions and in batches, in place.
// nvcc: -lcufft
// output: a wave is a line: 16.00 at 3, 0.00 elsewhere
// output: there and back: 0.0000
// output: real: 6 values, the first 45.0
// output: real, in place, back: 0.0000
// output: two dimensions: 12.0 at (1, 2), 0.0 elsewhere
// output: batches of 3: 6.0 15.0
// output: by types of data: 45.0, and 0.0000 back; halves: 3
// output: not a plan: 1
// output: of an older cuFFT: 12
#include <cufft.h>
#include <cufftXt.h>

#include <cmath>
#include <cstdio>
#include <vector>
int main() {
  const double pi = std::acos(-1.0);
  cufftComplex* data;
  cudaMallocManaged(&data, 64 * sizeof(cufftComplex));
  cufftHandle plan;
  cufftPlan1d(&plan, 16, CUFFT_C2C, 1);
  for (int i = 0; i < 16; ++i)
    data[i] = {float(std::cos(2 * pi * 3 * i / 16)), float(std::sin(2 * pi * 3 * i / 16))};
  cufftExecC2C(plan, data, data, CUFFT_FORWARD);
  cudaDeviceSynchronize();
  float most = 0;
  for (int i = 0; i < 16; ++i)
    if (i != 3) most = std::fmax(most, std::hypot(data[i].x, data[i].y));
  std::printf("a wave is a line: %.2f at 3, %.2f elsewhere\n", data[3].x, most);
  cufftExecC2C(plan, data, data, CUFFT_INVERSE);
  cudaDeviceSynchronize();
  most = 0;
  for (int i = 0; i < 16; ++i)
    most = std::fmax(most, std::fabs(data[i].x / 16 - float(std::cos(2 * pi * 3 * i / 16))));
  std::printf("there and back: %.4f\n", most);
  cufftDestroy(plan);

  // Ten real numbers, which have two prime factors, to six complex ones.
  cufftReal* real;
  cudaMallocManaged(&real, 2 * 12 * sizeof(cufftReal));
  for (int i = 0; i < 10; ++i) real[i] = i;
  cufftPlan1d(&plan, 10, CUFFT_R2C, 1);
  cufftExecR2C(plan, real, data);
  cudaDeviceSynchronize();
  std::printf("real: 6 values, the first %.1f\n", data[0].x);
  cufftExecR2C(plan, real, reinterpret_cast<cufftComplex*>(real));
  cufftHandle back;
  cufftPlan1d(&back, 10, CUFFT_C2R, 1);
  cufftExecC2R(back, reinterpret_cast<cufftComplex*>(real), real);
  cudaDeviceSynchronize();
  most = 0;
  for (int i = 0; i < 10; ++i) most = std::fmax(most, std::fabs(real[i] / 10 - i));
  std::printf("real, in place, back: %.4f\n", most);
  cufftDestroy(plan);
  cufftDestroy(back);

  cufftPlan2d(&plan, 3, 4, CUFFT_C2C);
  for (int y = 0; y < 3; ++y)
    for (int x = 0; x < 4; ++x) {
      const double angle = 2 * pi * (y / 3.0 + 2 * x / 4.0);
      data[y * 4 + x] = {float(std::cos(angle)), float(std::sin(angle))};
    }
  cufftExecC2C(plan, data, data, CUFFT_FORWARD);
  cudaDeviceSynchronize();
  most = 0;
  for (int i = 0; i < 12; ++i)
    if (i != 6) most = std::fmax(most, std::hypot(data[i].x, data[i].y));
  std::printf("two dimensions: %.1f at (1, 2), %.1f elsewhere\n", data[6].x, most);
  cufftDestroy(plan);

  // Of every second element.
  int n = 3, embed = 3;
  cufftPlanMany(&plan, 1, &n, &embed, 2, 6, &embed, 2, 6, CUFFT_C2C, 2);
  for (int i = 0; i < 6; ++i) data[2 * i] = {float(i + 1), 0};
  cufftExecC2C(plan, data, data, CUFFT_FORWARD);
  cudaDeviceSynchronize();
  std::printf("batches of 3: %.1f %.1f\n", data[0].x, data[6].x);
  cufftDestroy(plan);

  // As frameworks make their plans.
  long long ten = 10;
  std::size_t work = 0;
  cufftCreate(&plan);
  cufftXtMakePlanMany(plan, 1, &ten, nullptr, 1, 1, CUDA_R_64F, nullptr, 1, 1, CUDA_C_64F, 1, &work,
                      CUDA_C_64F);
  cufftCreate(&back);
  cufftXtMakePlanMany(back, 1, &ten, nullptr, 1, 1, CUDA_C_64F, nullptr, 1, 1, CUDA_R_64F, 1, &work,
                      CUDA_C_64F);
  auto* wide = reinterpret_cast<double*>(real);
  for (int i = 0; i < 10; ++i) wide[i] = i;
  cufftXtExec(plan, wide, data, CUFFT_FORWARD);
  cudaDeviceSynchronize();
  const double first = reinterpret_cast<double*>(data)[0];
  cufftXtExec(back, data, wide, CUFFT_INVERSE);
  cudaDeviceSynchronize();
  double widest = 0;
  for (int i = 0; i < 10; ++i) widest = std::fmax(widest, std::fabs(wide[i] / 10 - i));
  cufftDestroy(plan);
  cufftDestroy(back);
  cufftCreate(&plan);
  const int halves = cufftXtMakePlanMany(plan, 1, &ten, nullptr, 1, 1, CUDA_C_16F, nullptr, 1, 1,
                                         CUDA_C_16F, 1, &work, CUDA_C_16F);
  std::printf("by types of data: %.1f, and %.4f back; halves: %d\n", first, widest, halves);
  cufftDestroy(plan);
  std::printf("not a plan: %d\n", cufftExecC2C(plan, data, data, CUFFT_FORWARD));
  std::printf("of an older cuFFT: %d\n", int(CUFFT_PARSE_ERROR));
  cudaFree(data);
  cudaFree(real);
}

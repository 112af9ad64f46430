#include <cmath>
#include <cstddef>
#include <cstdint>

#include "runtime/device_access.h"

// cuRAND's host interface: numbers of the right distribution, the same in each run for a seed. They
// are not cuRAND's own.
namespace {

using Status = int;  // curandStatus_t
constexpr Status kSuccess = 0;
constexpr Status kLaunchFailure = 201;

struct Generator {
  std::uint64_t seed = 0;
  std::uint64_t offset = 0;  // numbers drawn so far
};
Generator* of(void* generator) { return static_cast<Generator*>(generator); }

// SplitMix64's finisher (Steele, Lea, Flood 2014) of seed and index.
std::uint64_t bits_at(const Generator& generator, std::uint64_t index) {
  std::uint64_t z =
      (generator.seed + 1) * 0x9e3779b97f4a7c15U + (generator.offset + index) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}
// In (0, 1], as cuRAND's.
double uniform_at(const Generator& generator, std::uint64_t index) {
  return (static_cast<double>(bits_at(generator, index) >> 11) + 1) * 0x1p-53;
}
double normal_at(const Generator& generator, std::uint64_t index) {
  const double first = uniform_at(generator, index / 2 * 2);
  const double second = uniform_at(generator, index / 2 * 2 + 1);
  const double angle = 6.283185307179586 * second;
  return std::sqrt(-2 * std::log(first)) * (index % 2 == 0 ? std::cos(angle) : std::sin(angle));
}

template <class T, class F>
Status fill(void* generator, T* to, std::size_t count, F value) {
  auto* place = static_cast<T*>(cudaTilescopePlace(to, count * sizeof(T), 1));
  if (place == nullptr) return kLaunchFailure;
  Generator& own = *of(generator);
  for (std::size_t i = 0; i < count; ++i) place[i] = static_cast<T>(value(own, i));
  own.offset += (count + 1) / 2 * 2;
  cudaTilescopeSpend(5e-6);
  return kSuccess;
}

}  // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT Status curandCreateGenerator(void** generator, int) {
  *generator = new Generator;
  return kSuccess;
}
EXPORT Status curandCreateGeneratorHost(void** generator, int) {
  *generator = new Generator;
  return kSuccess;
}
EXPORT Status curandDestroyGenerator(void* generator) {
  delete of(generator);
  return kSuccess;
}
EXPORT Status curandSetPseudoRandomGeneratorSeed(void* generator, unsigned long long seed) {
  *of(generator) = {seed, 0};
  return kSuccess;
}
EXPORT Status curandSetGeneratorOffset(void* generator, unsigned long long offset) {
  of(generator)->offset = offset;
  return kSuccess;
}
EXPORT Status curandSetGeneratorOrdering(void*, int) { return kSuccess; }
EXPORT Status curandSetQuasiRandomGeneratorDimensions(void*, unsigned) { return kSuccess; }
EXPORT Status curandSetStream(void*, void*) { return kSuccess; }
EXPORT Status curandGenerateSeeds(void*) { return kSuccess; }
EXPORT Status curandGetVersion(int* version) {
  *version = 10400;
  return kSuccess;
}
EXPORT Status curandGenerate(void* generator, unsigned* to, std::size_t count) {
  return fill(generator, to, count,
              [](const Generator& own, std::size_t i) { return bits_at(own, i) >> 32; });
}
EXPORT Status curandGenerateUniform(void* generator, float* to, std::size_t count) {
  return fill(generator, to, count, uniform_at);
}
EXPORT Status curandGenerateUniformDouble(void* generator, double* to, std::size_t count) {
  return fill(generator, to, count, uniform_at);
}
template <class T>
Status normal(void* generator, T* to, std::size_t count, double mean, double deviation,
              bool is_log) {
  return fill(generator, to, count, [&](const Generator& own, std::size_t i) {
    const double value = mean + deviation * normal_at(own, i);
    return is_log ? std::exp(value) : value;
  });
}
EXPORT Status curandGenerateNormal(void* generator, float* to, std::size_t count, float mean,
                                   float deviation) {
  return normal(generator, to, count, static_cast<double>(mean), static_cast<double>(deviation),
                false);
}
EXPORT Status curandGenerateNormalDouble(void* generator, double* to, std::size_t count,
                                         double mean, double deviation) {
  return normal(generator, to, count, mean, deviation, false);
}
EXPORT Status curandGenerateLogNormal(void* generator, float* to, std::size_t count, float mean,
                                      float deviation) {
  return normal(generator, to, count, static_cast<double>(mean), static_cast<double>(deviation),
                true);
}

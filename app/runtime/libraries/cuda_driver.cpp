#include <dlfcn.h>

#include <cstdint>

// The part of CUDA's driver library that programs of the runtime library are linked with: tensor
// maps and the texts of errors. The stand-in for the runtime library, which is in the program, has
// them.
namespace {

constexpr int kNotInitialised = 3;  // CUDA_ERROR_NOT_INITIALIZED

template <class Function>
Function* found(const char* name) {
  using Find = int(const char*, void**, unsigned long long, int*);
  auto* const find = reinterpret_cast<Find*>(::dlsym(RTLD_DEFAULT, "cudaGetDriverEntryPoint"));
  void* function = nullptr;
  if (find == nullptr || find(name, &function, 0, nullptr) != 0) return nullptr;
  return reinterpret_cast<Function*>(function);
}

template <class... Parameters>
int call(const char* name, Parameters... parameters) {
  auto* const function = found<int(Parameters...)>(name);
  return function == nullptr ? kNotInitialised : function(parameters...);
}

}  // namespace

#define TILESCOPE_DRIVER extern "C" __attribute__((visibility("default"))) int

TILESCOPE_DRIVER cuInit(unsigned flags) { return call("cuInit", flags); }
TILESCOPE_DRIVER cuDriverGetVersion(int* version) { return call("cuDriverGetVersion", version); }
TILESCOPE_DRIVER cuGetErrorString(int error, const char** text) {
  return call("cuGetErrorString", error, text);
}
TILESCOPE_DRIVER cuGetErrorName(int error, const char** text) {
  return call("cuGetErrorName", error, text);
}
TILESCOPE_DRIVER cuTensorMapEncodeTiled(void* map, std::uint32_t element, std::uint32_t rank,
                                        void* address, const std::uint64_t* extents,
                                        const std::uint64_t* strides, const std::uint32_t* box,
                                        const std::uint32_t* steps, std::uint32_t interleave,
                                        std::uint32_t swizzle, std::uint32_t promotion,
                                        std::uint32_t fill) {
  return call("cuTensorMapEncodeTiled", map, element, rank, address, extents, strides, box, steps,
              interleave, swizzle, promotion, fill);
}
TILESCOPE_DRIVER cuTensorMapEncodeIm2col(void* map, std::uint32_t element, std::uint32_t rank,
                                         void* address, const std::uint64_t* extents,
                                         const std::uint64_t* strides, const int* lower,
                                         const int* upper, std::uint32_t channels,
                                         std::uint32_t pixels, const std::uint32_t* steps,
                                         std::uint32_t interleave, std::uint32_t swizzle,
                                         std::uint32_t promotion, std::uint32_t fill) {
  return call("cuTensorMapEncodeIm2col", map, element, rank, address, extents, strides, lower,
              upper, channels, pixels, steps, interleave, swizzle, promotion, fill);
}

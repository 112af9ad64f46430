// What CUDA's samples check calls with, and how they choose a GPU.
#ifndef TILESCOPE_HELPER_CUDA
#define TILESCOPE_HELPER_CUDA
#include <cuda_runtime.h>
#include <helper_string.h>

inline const char* _cudaGetErrorEnum(cudaError_t error) { return cudaGetErrorName(error); }
template <class T>
inline std::string tilescope_name_of(T status) {
  return std::to_string(static_cast<long>(status));
}
inline std::string tilescope_name_of(cudaError_t error) { return cudaGetErrorName(error); }
template <class T>
void check(T status, const char* call, const char* file, int line) {
  if (static_cast<long>(status) == 0) return;
  fprintf(stderr, "CUDA error at %s:%d code=%ld(%s) \"%s\" \n", file, line,
          static_cast<long>(status), tilescope_name_of(status).c_str(), call);
  exit(EXIT_FAILURE);
}
#define checkCudaErrors(call) check((call), #call, __FILE__, __LINE__)
inline void __getLastCudaError(const char* message, const char* file, int line) {
  const cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s(%i) : getLastCudaError() CUDA error : %s : (%d) %s.\n", file, line, message,
          static_cast<int>(error), cudaGetErrorString(error));
  exit(EXIT_FAILURE);
}
#define getLastCudaError(message) __getLastCudaError(message, __FILE__, __LINE__)
inline void __printLastCudaError(const char* message, const char* file, int line) {
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess)
    fprintf(stderr, "%s(%i) : %s : (%d) %s.\n", file, line, message, static_cast<int>(error),
            cudaGetErrorString(error));
}
#define printLastCudaError(message) __printLastCudaError(message, __FILE__, __LINE__)
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif
inline int ftoi(float value) { return static_cast<int>(value < 0 ? value - 0.5f : value + 0.5f); }

// CUDA C++ Programming Guide, "Arithmetic Instructions": lanes for 32-bit floating point.
inline int _ConvertSMVer2Cores(int major, int minor) {
  if (major == 6) return minor == 0 ? 64 : 128;
  if (major == 7) return 64;
  if (major == 8) return minor == 0 ? 64 : 128;
  return 128;
}
inline const char* _ConvertSMVer2ArchName(int major, int minor) {
  switch (major) {
    case 7:
      return minor == 5 ? "Turing" : "Volta";
    case 8:
      return minor == 9 ? "Ada" : "Ampere";
    case 9:
      return "Hopper";
    case 10:
    case 12:
      return "Blackwell";
    default:
      return "Graphics Device";
  }
}
inline int gpuGetMaxGflopsDeviceId() {
  int best = 0, most = -1, devices = 0;
  checkCudaErrors(cudaGetDeviceCount(&devices));
  for (int device = 0; device < devices; ++device) {
    int processors = 0;
    checkCudaErrors(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    if (processors > most) best = device;
    most = MAX(processors, most);
  }
  return best;
}
inline int gpuDeviceInit(int device) {
  int devices = 0;
  checkCudaErrors(cudaGetDeviceCount(&devices));
  if (devices == 0) exit(EXIT_FAILURE);
  if (device < 0) device = 0;
  if (device >= devices) return -device;
  checkCudaErrors(cudaSetDevice(device));
  return device;
}
inline int findCudaDevice(int count, const char** arguments) {
  int device = checkCmdLineFlag(count, arguments, "device")
                   ? gpuDeviceInit(getCmdLineArgumentInt(count, arguments, "device"))
                   : gpuGetMaxGflopsDeviceId();
  if (device < 0) exit(EXIT_FAILURE);
  checkCudaErrors(cudaSetDevice(device));
  cudaDeviceProp properties;
  checkCudaErrors(cudaGetDeviceProperties(&properties, device));
  printf("GPU Device %d: \"%s\" with compute capability %d.%d\n\n", device,
         _ConvertSMVer2ArchName(properties.major, properties.minor), properties.major,
         properties.minor);
  return device;
}
inline bool checkCudaCapabilities(int major, int minor) {
  int device = 0;
  checkCudaErrors(cudaGetDevice(&device));
  cudaDeviceProp properties;
  checkCudaErrors(cudaGetDeviceProperties(&properties, device));
  return properties.major > major || (properties.major == major && properties.minor >= minor);
}
#endif

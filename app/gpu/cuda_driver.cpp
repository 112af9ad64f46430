#include "gpu/cuda_driver.h"

#include <fmt/format.h>

#include <utility>

namespace tilescope {

#define TILESCOPE_TEXT_OF(name) #name
#define TILESCOPE_SYMBOL(name) TILESCOPE_TEXT_OF(name)

Result<CudaDriver> CudaDriver::load() {
  Result<SharedLibrary> library = SharedLibrary::open({"libcuda.so.1"});
  if (!library) return library.error();
  CudaDriver driver(*std::move(library));
  const char* missing = nullptr;
#define TILESCOPE_FIND(name) \
  if (!driver.library_.find(TILESCOPE_SYMBOL(name), &driver.name)) missing = TILESCOPE_SYMBOL(name);
  TILESCOPE_DRIVER_FUNCTIONS(TILESCOPE_FIND)
#undef TILESCOPE_FIND
  if (missing != nullptr) {
    return Error{ErrorCode::kMachine,
                 fmt::format("the NVIDIA driver is too old: libcuda.so.1 lacks {}", missing),
                 "Install a newer driver",
                 {}};
  }
  (void)driver.library_.find("cuFuncGetParamInfo", &driver.cuFuncGetParamInfo);
  if (Status started = driver.check(driver.cuInit(0), "start CUDA"); !started) {
    return started.error();
  }
  return driver;
}

Status CudaDriver::check(CUresult result, std::string_view what) const {
  if (result == CUDA_SUCCESS) return ok_status();
  const char* name = nullptr;
  const char* words = nullptr;
  cuGetErrorName(result, &name);
  cuGetErrorString(result, &words);
  return Error{ErrorCode::kMachine,
               fmt::format("cannot {}: {} ({})", what, words != nullptr ? words : "unknown error",
                           name != nullptr ? name : std::to_string(result)),
               "",
               {}};
}

const char* fault_in_words(CUresult result) {
  switch (result) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
      return "reads or writes an address outside its buffers (illegal address)";
    case CUDA_ERROR_MISALIGNED_ADDRESS:
      return "uses an address that is no multiple of the access's size (misaligned address)";
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
      return "executes an illegal instruction or a trap";
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
      return "uses an address of the wrong memory space";
    case CUDA_ERROR_INVALID_PC:
      return "jumps to an address that is no code";
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
      return "overflows the stack or corrupts it";
    case CUDA_ERROR_ASSERT:
      return "fails an assert()";
    case CUDA_ERROR_LAUNCH_TIMEOUT:
      return "runs longer than the display's watchdog allows";
    case CUDA_ERROR_LAUNCH_FAILED:
      return "faults (for example an access outside its shared memory)";
    default:
      return nullptr;
  }
}

}  // namespace tilescope

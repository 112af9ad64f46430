#include <dlfcn.h>

#include "runtime/driver_calls.h"

// CUDA's driver library, as programs are linked with it or load it: each function is that of the
// stand-in for the runtime library, which is in the program too. A call goes there by a jump, so
// that the program's own address is the caller's.
namespace {

using tilescope::runtime::Error;

constexpr Error kNotInitialised = 3;  // CUDA_ERROR_NOT_INITIALIZED

template <class Function>
Function* found(const char* name) {
  using Find = void*(const char*);
  auto* const find = reinterpret_cast<Find*>(::dlsym(RTLD_DEFAULT, "__cudaDriverEntryPoint"));
  return find == nullptr ? nullptr : reinterpret_cast<Function*>(find(name));
}

[[maybe_unused]] Error missing(const char* name) {
  using Tell = Error(const char*);
  auto* const tell = reinterpret_cast<Tell*>(::dlsym(RTLD_DEFAULT, "__cudaMissingDriverCall"));
  return tell == nullptr ? kNotInitialised : tell(name);
}

}  // namespace

using namespace tilescope::runtime::driver;

#define DRIVER_CALL(name, parameters, arguments)                            \
  extern "C" __attribute__((visibility("default"))) Error name parameters { \
    static auto* const target = found<Error parameters>(#name);             \
    return target == nullptr ? kNotInitialised : target arguments;          \
  }
#include "runtime/driver_calls.inc"
#undef DRIVER_CALL

#define MISSING(name)                                             \
  extern "C" __attribute__((visibility("default"))) Error name(); \
  Error name() { return missing(#name); }
#include "runtime/driver_missing.inc"
#undef MISSING

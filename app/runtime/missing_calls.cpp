#include "runtime/missing_calls.h"

#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "runtime/program_state.h"

// What of CUDA's runtime library is not here: each function is named once when it is called, and
// gives cudaErrorNotSupported.
namespace tilescope::runtime {

Error missing(const char* name) {
  static std::mutex mutex;
  static std::set<std::string_view> named;
  const std::scoped_lock lock(mutex);
  if (named.insert(name).second) {
    const std::string_view text(name);
    Connection::get().ask_bytes(Call::kMissing, std::as_bytes(std::span(text.data(), text.size())));
  }
  return finish(kNotSupported, name);
}

}  // namespace tilescope::runtime

#define MISSING(name)                                                 \
  extern "C" __attribute__((weak, visibility("default"))) int name(); \
  int name() { return tilescope::runtime::missing(#name); }
#include "runtime/missing.inc"
#undef MISSING

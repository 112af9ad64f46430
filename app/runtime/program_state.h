#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "runtime/connection.h"

namespace tilescope::runtime {

// A fat binary that the program has registered.
struct Module {
  const void* fat_binary = nullptr;
  std::uint32_t id = 0;
  bool is_loaded = false;
};

// A kernel, as the program knows it by the address of its host function. What cudaKernel_t and
// cudaFunction_t point to.
struct Function {
  Module* module = nullptr;
  std::string name;
  FunctionReply facts;
  std::vector<ParameterPlace> parameters;
  std::uint32_t parameter_bytes = 0;
  std::uint64_t shared_limit = 0;
  int shared_carveout = -1;
  Error error = kSuccess;  // why it cannot be launched
  bool is_resolved = false;
};

struct Variable {
  Module* module = nullptr;
  std::string name;
  void** managed = nullptr;  // the program's pointer to it
  Range range;
  bool is_resolved = false;
};

struct Graph;

struct Stream {
  std::uint64_t id = 0;
  unsigned flags = 0;
  int priority = 0;
  Graph* graph = nullptr;  // that its work is captured into
  bool must_join =
      false;  // it came to the capture by an event, and no stream of it has waited since
};

struct Event {
  double seconds = 0;  // modelled, since the program began
  std::uint64_t stream = 0;
  bool was_recorded = false;
  bool is_timed = true;
  Graph* graph = nullptr;  // it was recorded in a capture: a stream that waits for it joins
};

// What the library remembers of the program. Guarded by `mutex` where no word says otherwise.
struct ProgramState {
  static ProgramState& get();

  std::recursive_mutex mutex;
  std::map<const void*, Function> functions;  // by host function; nodes never move
  std::map<const void*, Variable> variables;  // by host variable
  std::atomic<double> modelled_seconds{0};    // of all launches so far
  std::atomic<Error> sticky{kSuccess};        // a kernel has failed: no call succeeds any more
  std::atomic<std::uint64_t> next_stream{16};
  std::set<Stream*> streams;
  std::string printed;  // by kernels, not yet shown

  // By the host function's address or by a handle that it was given for it; nullptr: neither.
  Function* find(const void* function);
  // Asks for what a launch needs to know, once.
  Error resolve(Function& function);
  Error resolve(Variable& variable);
  void load(Module& module);
  void show_printed();
};

// Whether it is one, wrapped by nvcc or not; and the fat binary that the program executes and,
// where it was linked, those that it was linked from: they have the PTX.
[[nodiscard]] bool is_fat_binary(const void* image);
[[nodiscard]] std::vector<std::byte> all_bytes_of(const void* fat_binary);

// The end of every call: remembers an error for cudaGetLastError. `is_launch`: by <<< >>>, whose
// value is not looked at.
Error finish(Error error, const char* name, bool is_launch = false);
Error last_error(bool forget);
// Whether this thread has had work done by the runtime library, not only asked what there is: then
// the device's own context is current, unless another one is.
[[nodiscard]] bool has_used_runtime();

// What `finish` is given in a call of that name, and the address that it was called from.
#define TILESCOPE_CALLER reinterpret_cast<std::uint64_t>(__builtin_return_address(0))

// Waits for the device; what kernels printed is shown.
Error synchronise(std::uint64_t stream, bool all);

[[nodiscard]] std::uint64_t stream_id(const void* stream);

#define TILESCOPE_EXPORT extern "C" __attribute__((visibility("default")))

}  // namespace tilescope::runtime

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "runtime/program_state.h"

// What the program's language can ask of tilescope beyond CUDA (python/tilescope/_device.py).
namespace tilescope::runtime {
namespace {

std::span<const std::byte> bytes_of(const char* text) {
  return std::as_bytes(std::span(text, std::strlen(text)));
}

}  // namespace
}  // namespace tilescope::runtime

using namespace tilescope::runtime;

// Call::kReport. The text is valid until the thread's next call; null: there is no answer.
extern "C" __attribute__((visibility("default"))) const char* __cudaTilescopeReport(
    const char* request) {
  thread_local std::string text;
  const auto reply = Connection::get().ask_bytes(Call::kReport, bytes_of(request));
  if (reply.error != kSuccess) return nullptr;
  text.assign(reinterpret_cast<const char*>(reply.bytes.data()), reply.bytes.size());
  return text.c_str();
}

// Call::kLend: the bytes at `data` are the array's at `address`. Returns where they are in the
// arena; 0: some of it is lent already.
extern "C" __attribute__((visibility("default"))) std::uint64_t __cudaTilescopeLend(
    std::uint64_t address, const void* data, std::size_t bytes) {
  const auto reply = Connection::get().ask(Call::kLend, Range{address, bytes});
  if (reply.error != kSuccess) return 0;
  const auto place = reply.head<Range>().begin;
  std::memcpy(Connection::get().inside(place), data, bytes);
  return place;
}

// The array's bytes go to `data`, and it is lent no longer.
extern "C" __attribute__((visibility("default"))) void __cudaTilescopeTakeBack(
    std::uint64_t address, std::uint64_t place, void* data, std::size_t bytes) {
  std::memcpy(data, Connection::get().inside(place), bytes);
  Connection::get().ask(Call::kFree, FreeRequest{address, Freeing::kLent});
}

// Call::kDescribe of a CUfunction.
extern "C" __attribute__((visibility("default"))) int __cudaTilescopeDescribe(void* function,
                                                                              const char* text) {
  const Function* known = ProgramState::get().find(function);
  if (known == nullptr) return kInvalidResourceHandle;
  const DescribeRequest request{known->facts.function};
  return Connection::get().ask(Call::kDescribe, request, bytes_of(text)).error;
}

#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/cuda_abi.h"
#include "runtime/protocol.h"

namespace tilescope::runtime {

// The way to the tilescope process that runs this program, opened by the first call. Where there is
// none, the program was started by itself: it is told how to be run, and ends.
class Connection {
 public:
  struct Reply {
    Error error = kSuccess;
    std::vector<std::byte> bytes;
    // The structure at the beginning of the bytes; zeros where they are fewer.
    template <class T>
    [[nodiscard]] T head() const {
      T value{};
      __builtin_memcpy(&value, bytes.data(),
                       bytes.size() < sizeof value ? bytes.size() : sizeof value);
      return value;
    }
    // The i-th of the structures that follow `offset` bytes.
    template <class T>
    [[nodiscard]] T at(std::size_t offset, std::size_t i) const {
      T value{};
      const std::size_t from = offset + i * sizeof value;
      if (from + sizeof value <= bytes.size())
        __builtin_memcpy(&value, bytes.data() + from, sizeof value);
      return value;
    }
  };

  static Connection& get();
  Connection();  // of get() alone

  // Sends a structure and what follows it, and waits for the answer. Thread-safe.
  template <class T>
  Reply ask(Call call, const T& head, std::span<const std::byte> rest = {}) {
    return ask_bytes(call, {reinterpret_cast<const std::byte*>(&head), sizeof head}, rest);
  }
  Reply ask_bytes(Call call, std::span<const std::byte> head, std::span<const std::byte> rest = {});
  template <class T>
  Reply ask_about(Call call, const T& head, std::string_view name) {
    return ask(call, head, std::as_bytes(std::span(name.data(), name.size())));
  }

  [[nodiscard]] const DeviceFacts& device() const { return device_; }
  // Where this library reads and writes a byte of the arena; the program's own address is closed
  // for what only the device may touch.
  [[nodiscard]] std::byte* inside(std::uint64_t address) const {
    return alias_ + (address - kDeviceBegin);
  }
  [[nodiscard]] int memory() const { return memory_; }

 private:
  void map_arena();

  int socket_ = -1;
  int memory_ = -1;
  std::byte* alias_ = nullptr;
  DeviceFacts device_;
};

// What the function of that name gives that the first library of the program exports: the stand-ins
// for several releases are in each program, and share what they remember.
[[nodiscard]] void* first_loaded(const char* name);

// Opens or closes pages of the arena to the program.
void open_pages(const Range& range);
void close_pages(const Range& range);

// Ends the program after a message on stderr.
[[noreturn]] void give_up(const char* message);

// From here on a read or write of memory that the program may not touch is explained.
void explain_faults();

}  // namespace tilescope::runtime

#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "core/dim3.h"

namespace tilescope {

// What a thread has asked CUDA's device runtime to do after the launch.
struct DeviceWork {
  enum class Kind : std::uint8_t { kLaunch, kCopy, kSet };
  Kind kind = Kind::kLaunch;
  std::uint64_t stream = 0;    // 0: the block's own; kTailStream; else a handle
  std::uint32_t function = 0;  // kLaunch: of the module
  Dim3 grid;
  Dim3 block;
  std::uint32_t shared_bytes = 0;
  std::vector<std::byte> parameters;
  std::uint64_t to = 0;  // kCopy, kSet: device addresses
  std::uint64_t from = 0;
  std::uint64_t bytes = 0;
  std::uint8_t value = 0;  // kSet

  static constexpr std::uint64_t kTailStream = 3;  // cudaStreamTailLaunch
  [[nodiscard]] bool is_tail() const { return stream == kTailStream; }
};

// The device work of a launch, in the order of its blocks, whatever worker executes them.
// Thread-safe.
class DeviceWorkLog {
 public:
  void add(std::uint64_t block, DeviceWork work);
  // A new handle for a stream or an event.
  [[nodiscard]] std::uint64_t make_handle();
  [[nodiscard]] std::vector<DeviceWork> take();

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, std::vector<DeviceWork>> work_;  // by block
  std::uint64_t handles_ = 0;
};

}  // namespace tilescope

#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/result.h"
#include "gpu/gpu_device.h"

namespace tilescope {

// GPU memory with a guard of known bytes before and behind it, because the GPU itself faults only
// on addresses far outside: its pages are 2 MiB. The data starts 256-byte aligned.
class DeviceBuffer {
 public:
  static constexpr std::size_t kGuardBytes = std::size_t{64} << 10;

  [[nodiscard]] static Result<DeviceBuffer> allocate(const GpuDevice& gpu, std::uint64_t bytes);
  ~DeviceBuffer();
  DeviceBuffer(DeviceBuffer&& other) noexcept;
  DeviceBuffer& operator=(DeviceBuffer&&) = delete;

  [[nodiscard]] CUdeviceptr data() const { return base_ + kGuardBytes; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

  // Wait for the stream first. Queued ones say so.
  [[nodiscard]] Status upload(std::span<const std::byte> from) const;
  [[nodiscard]] Status download(std::span<std::byte> to) const;
  [[nodiscard]] Status queue_set(std::uint8_t byte) const;
  [[nodiscard]] Status queue_copy_from(const DeviceBuffer& other) const;

  // Where something was written outside ("4 bytes after its end"), nearest first; nullopt: nowhere.
  // The guards are set up again then.
  [[nodiscard]] Result<std::optional<std::string>> damage() const;

 private:
  DeviceBuffer(const GpuDevice& gpu, CUdeviceptr base, std::uint64_t bytes)
      : gpu_(&gpu), base_(base), bytes_(bytes) {}
  [[nodiscard]] Status set_guards() const;

  const GpuDevice* gpu_;
  CUdeviceptr base_;
  std::uint64_t bytes_;
};

}  // namespace tilescope

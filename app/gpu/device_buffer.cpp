#include "gpu/device_buffer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/quantity.h"

namespace tilescope {
namespace {

constexpr std::byte kGuard{0xa5};

bool is_damaged(std::byte byte) { return byte != kGuard; }

}  // namespace

Result<DeviceBuffer> DeviceBuffer::allocate(const GpuDevice& gpu, std::uint64_t bytes) {
  const CudaDriver& driver = gpu.driver();
  CUdeviceptr base = 0;
  const CUresult result = driver.cuMemAlloc(&base, bytes + 2 * kGuardBytes);
  if (result == CUDA_ERROR_OUT_OF_MEMORY) {
    std::size_t free = 0;
    std::size_t total = 0;
    driver.cuMemGetInfo(&free, &total);
    return Error{ErrorCode::kMachine,
                 fmt::format("the GPU's memory is full: {} more are needed, {} of {} are free",
                             format(static_cast<double>(bytes), Unit::kBytes),
                             format(static_cast<double>(free), Unit::kBytes),
                             format(static_cast<double>(total), Unit::kBytes)),
                 "Use a smaller size, or end what else uses the GPU",
                 {}};
  }
  if (Status s = driver.check(result, "allocate GPU memory"); !s) return s.error();
  DeviceBuffer buffer(gpu, base, bytes);
  if (Status s = buffer.set_guards(); !s) return s.error();
  return buffer;
}

DeviceBuffer::DeviceBuffer(DeviceBuffer&& other) noexcept
    : gpu_(other.gpu_), base_(std::exchange(other.base_, 0)), bytes_(other.bytes_) {}

DeviceBuffer::~DeviceBuffer() {
  if (base_ != 0) gpu_->driver().cuMemFree(base_);
}

Status DeviceBuffer::upload(std::span<const std::byte> from) const {
  assert(from.size() <= bytes_);
  const CudaDriver& driver = gpu_->driver();
  return driver.check(driver.cuMemcpyHtoD(data(), from.data(), from.size()), "copy to the GPU");
}

Status DeviceBuffer::download(std::span<std::byte> to) const {
  assert(to.size() <= bytes_);
  const CudaDriver& driver = gpu_->driver();
  return driver.check(driver.cuMemcpyDtoH(to.data(), data(), to.size()), "copy from the GPU");
}

Status DeviceBuffer::queue_set(std::uint8_t byte) const {
  if (bytes_ == 0) return ok_status();
  const CudaDriver& driver = gpu_->driver();
  return driver.check(driver.cuMemsetD8Async(data(), byte, bytes_, gpu_->stream()),
                      "set GPU memory");
}

Status DeviceBuffer::queue_copy_from(const DeviceBuffer& other) const {
  if (bytes_ == 0) return ok_status();
  const CudaDriver& driver = gpu_->driver();
  const std::uint64_t bytes = std::min(bytes_, other.bytes_);
  return driver.check(driver.cuMemcpyDtoDAsync(data(), other.data(), bytes, gpu_->stream()),
                      "copy on the GPU");
}

Status DeviceBuffer::set_guards() const {
  const CudaDriver& driver = gpu_->driver();
  for (const CUdeviceptr guard : {base_, data() + bytes_}) {
    const CUresult set = driver.cuMemsetD8Async(guard, std::to_integer<unsigned char>(kGuard),
                                                kGuardBytes, gpu_->stream());
    if (Status s = driver.check(set, "set GPU memory"); !s) return s;
  }
  return ok_status();
}

Result<std::optional<std::string>> DeviceBuffer::damage() const {
  const CudaDriver& driver = gpu_->driver();
  std::vector<std::byte> before(kGuardBytes);
  std::vector<std::byte> after(kGuardBytes);
  for (const CUresult copied : {driver.cuMemcpyDtoH(before.data(), base_, kGuardBytes),
                                driver.cuMemcpyDtoH(after.data(), data() + bytes_, kGuardBytes)}) {
    if (Status s = driver.check(copied, "copy from the GPU"); !s) return s.error();
  }
  const auto first_after = std::find_if(after.begin(), after.end(), is_damaged) - after.begin();
  const auto last_before = std::find_if(before.rbegin(), before.rend(), is_damaged);
  const bool is_after = static_cast<std::size_t>(first_after) < kGuardBytes;
  const bool is_before = last_before != before.rend();
  if (!is_after && !is_before) return std::optional<std::string>();
  if (Status s = set_guards(); !s) return s.error();
  if (is_after) return std::optional(fmt::format("{} bytes after its end", first_after));
  return std::optional(fmt::format("{} bytes before its start", last_before - before.rbegin() + 1));
}

}  // namespace tilescope

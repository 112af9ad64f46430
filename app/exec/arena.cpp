#include "exec/arena.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "runtime/protocol.h"

namespace tilescope {
namespace {

using runtime::kArenaBytes;
using runtime::kDeviceBegin;

Error refused(const char* what) {
  return Error{ErrorCode::kMachine,
               fmt::format("no memory for the device that the program sees: {}: {}", what,
                           std::generic_category().message(errno)),
               "Lift the limit on address space (ulimit -v unlimited)",
               {}};
}

}  // namespace

Result<Arena> Arena::make() {
  FileDescriptor file(::memfd_create("tilescope device memory", 0));
  if (!file.is_open()) return refused("memfd_create");
  if (::ftruncate(file.get(), static_cast<off_t>(kArenaBytes)) != 0) return refused("ftruncate");
  return of(std::move(file));
}

Result<Arena> Arena::of(FileDescriptor file) {
  Arena arena;
  arena.file_ = std::move(file);
  void* data = ::mmap(nullptr, kArenaBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                      arena.file(), 0);
  if (data == MAP_FAILED) return refused("mmap");
  arena.data_ = static_cast<std::byte*>(data);
  return arena;
}

Arena::Arena(Arena&& other) noexcept
    : file_(std::move(other.file_)), data_(std::exchange(other.data_, nullptr)) {}

Arena::~Arena() {
  if (data_ != nullptr) ::munmap(data_, kArenaBytes);
}

std::uint64_t Arena::address_of(const std::byte* byte) const {
  return kDeviceBegin + static_cast<std::uint64_t>(byte - data_);
}

std::byte* Arena::at(std::uint64_t address) const { return data_ + (address - kDeviceBegin); }

bool Arena::holds(std::uint64_t address) { return address - kDeviceBegin < kArenaBytes; }

void Arena::release(std::uint64_t address, std::uint64_t bytes) const {
  constexpr std::uint64_t kPage = 4096;
  const std::uint64_t first = (address - kDeviceBegin + kPage - 1) / kPage * kPage;
  const std::uint64_t end = (address - kDeviceBegin + bytes) / kPage * kPage;
  if (end > first) {
    ::fallocate(file(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(first),
                static_cast<off_t>(end - first));
  }
}

Arena::Copy::Copy(const Arena& arena) {
  void* data = ::mmap(nullptr, kArenaBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE,
                      arena.file(), 0);
  if (data != MAP_FAILED) data_ = static_cast<std::byte*>(data);
}

Arena::Copy::~Copy() {
  if (data_ != nullptr) ::munmap(data_, kArenaBytes);
}

std::byte* Arena::Copy::at(std::uint64_t address) const { return data_ + (address - kDeviceBegin); }

}  // namespace tilescope

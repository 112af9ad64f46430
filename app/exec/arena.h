#pragma once
#include <cstddef>
#include <cstdint>

#include "core/file.h"
#include "core/result.h"

namespace tilescope {

// The memory of the device that a program is shown: a file in memory, mapped here and in the
// program (runtime/protocol.h). What nobody touches takes no memory.
class Arena {
 public:
  // kMachine: the system gives no such file, or not so much address space.
  [[nodiscard]] static Result<Arena> make();
  // On a file that the traced program made. Precondition: it has runtime::kArenaBytes.
  [[nodiscard]] static Result<Arena> of(FileDescriptor file);
  ~Arena();
  Arena(Arena&& other) noexcept;
  Arena& operator=(Arena&&) = delete;

  [[nodiscard]] int file() const { return file_.get(); }
  // Where the byte of a device address lies here. Precondition: it is in the arena.
  [[nodiscard]] std::byte* at(std::uint64_t address) const;
  // The device address of a byte that lies here.
  [[nodiscard]] std::uint64_t address_of(const std::byte* byte) const;
  [[nodiscard]] static bool holds(std::uint64_t address);

  // A copy of all of it, made page by page as it is written to: what is done there is seen by
  // nobody, and gone with it.
  class Copy {
   public:
    explicit Copy(const Arena& arena);
    ~Copy();
    Copy(const Copy&) = delete;
    Copy& operator=(const Copy&) = delete;
    [[nodiscard]] bool is_mapped() const { return data_ != nullptr; }
    [[nodiscard]] std::byte* at(std::uint64_t address) const;

   private:
    std::byte* data_ = nullptr;
  };

  // Gives the memory of whole pages back; they hold zeros then.
  void release(std::uint64_t address, std::uint64_t bytes) const;

 private:
  Arena() = default;
  FileDescriptor file_;
  std::byte* data_ = nullptr;
};

}  // namespace tilescope

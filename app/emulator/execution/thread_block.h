#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "emulator/code.h"
#include "emulator/execution/async_copies.h"
#include "emulator/execution/barriers.h"
#include "emulator/execution/execution_context.h"
#include "emulator/execution/observer.h"
#include "emulator/execution/warp.h"
#include "emulator/launch.h"

namespace tilescope {

// A block of threads and all that it owns on a multiprocessor: warps with their registers and local
// memories, shared memory, parameters, barriers, copies under way. One object serves block after
// block of a launch. The memories stay where they are: the warps and the context point into them.
class ThreadBlock {
 public:
  struct Setup {
    const Code& code;
    const Launch& launch;
    const MemoryMap& memory;
    FindingLog& findings;
    TraceSink* sink = nullptr;
    PrintLog* prints = nullptr;
    DeviceWorkLog* device_work = nullptr;
  };
  explicit ThreadBlock(const Setup& setup);
  ThreadBlock(const ThreadBlock&) = delete;
  ThreadBlock& operator=(const ThreadBlock&) = delete;

  // Block `linear_block` of the grid begins: memories as at the launch, each warp before the
  // kernel's first instruction. Precondition: context().arguments are known.
  void start(std::uint64_t linear_block);
  // The observers see the instructions that they need, of so many, and their accesses, after the
  // sink does.
  void watch(std::size_t instructions);
  // From the next start() on it is this one of a cluster of several.
  void join(Cluster& cluster, std::uint32_t rank);

  [[nodiscard]] const Code& code() const { return code_; }
  [[nodiscard]] const Launch& launch() const { return launch_; }
  [[nodiscard]] std::vector<Warp>& warps() { return warps_; }
  [[nodiscard]] const std::vector<Warp>& warps() const { return warps_; }
  [[nodiscard]] Barriers& barriers() { return barriers_; }
  [[nodiscard]] const Barriers& barriers() const { return barriers_; }
  [[nodiscard]] ExecutionContext& context() { return context_; }
  [[nodiscard]] const ExecutionContext& context() const { return context_; }
  [[nodiscard]] Observers& observers() { return observers_; }
  // Memory that it takes on this machine.
  [[nodiscard]] std::uint64_t held_bytes() const;

 private:
  void make_warps();
  void make_context(const Setup& setup);
  void set_parameters();
  void fill_start_registers();
  void fill_registers_of_block();
  [[nodiscard]] std::uint32_t value_of(SpecialValue special, const Warp& warp, unsigned lane,
                                       const Dim3& thread) const;

  const Code& code_;
  const Launch& launch_;
  ExecutionContext context_;
  Observers observers_;
  std::vector<std::byte> register_storage_;
  std::byte* registers_ = nullptr;  // aligned
  std::vector<std::byte> start_registers_;
  std::vector<std::byte> local_storage_;
  std::vector<std::byte> shared_;
  std::vector<std::byte> parameters_;
  std::uint32_t reserved_shared_ = 0;  // where the reserved KiB begins, when the code names it
  std::vector<Warp> warps_;
  Barriers barriers_;
  PendingWords pending_;
  BulkTransfers transfers_;
};

// Lanes of a block's warp, and the instruction that they are at.
struct LanesAt {
  const Warp* warp = nullptr;
  std::uint32_t instruction = 0;
  std::uint32_t lanes = 0;
};
[[nodiscard]] LanesAt lanes_at(const Code& code, const Warp& warp, const Split& split);
// The first of the lanes: "thread (3,0,0)".
[[nodiscard]] std::string thread_text(const ThreadBlock& block, const LanesAt& at);
// Adds a finding of the first of the lanes; `other`: whom it concerns too.
void report_at(const ThreadBlock& block, const LanesAt& at, FindingKind kind, std::string message,
               const LanesAt* other = nullptr);

}  // namespace tilescope

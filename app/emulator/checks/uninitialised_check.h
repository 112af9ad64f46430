#pragma once
#include <cstdint>
#include <map>
#include <utility>
#include <variant>
#include <vector>

#include "emulator/checks/checked_block.h"
#include "emulator/checks/copy_check.h"
#include "emulator/checks/race_check.h"
#include "emulator/checks/undefined_values.h"

namespace tilescope {

// A value that a shuffle took from a lane which took no part in it.
struct TakenValue {
  std::uint32_t instruction = 0;  // the shuffle
  std::uint32_t thread = 0;       // that took it
  std::uint32_t from = 0;         // lane
  std::uint32_t members = 0;      // the thread's mask
};

// A read of memory that nobody had written. In shared memory, whether that is a mistake of its
// own or a race with a write that comes too late is known only when all threads have come to a
// barrier.
struct UnwrittenRead {
  AccessStamp stamp;
  MemorySpace space = MemorySpace::kShared;
  std::uint64_t offset = 0;   // of global memory: the address
  std::uint32_t bytes = 0;    // of the access
  std::uint64_t missing = 0;  // bit i: byte offset + i
};

// A register that was read before anything had been written to it.
struct UnsetRead {
  std::uint32_t instruction = 0;
  std::uint32_t thread = 0;
};

// How a thread has come by an undefined value, and whether it has used it.
struct UndefinedSource {
  static constexpr std::uint32_t kUnused = 0xffffffff;
  enum class Verdict : std::uint8_t {
    kOpen,
    kMistake,    // to be reported once the value is used
    kExplained,  // by something else, which has been reported
  };
  std::variant<TakenValue, UnwrittenRead, UnsetRead> what;
  Verdict verdict = Verdict::kOpen;
  std::uint32_t use = kUnused;  // the first instruction that does
};

// Finds uses of undefined values: of registers, shared and local memory that nobody has written,
// and of what a shuffle takes from a lane that gives nothing. Who only has such a value has done
// nothing wrong yet; it is followed from register to register, and through memory, until something
// depends on it.
class UninitialisedCheck final : public BlockObserver {
 public:
  UninitialisedCheck(CheckedBlock& block, CopyReports& copies, const RaceCheck& races);

  [[nodiscard]] StepEvents needs(std::uint32_t instruction) const override;
  void on_block_begin(std::vector<Warp>& warps) override;
  void before(const WarpStep& step) override;
  void after(const WarpStep& step) override;
  void on_skip(const WarpStep& skipped) override;
  void on_code_block_end(std::uint32_t block, std::uint32_t lanes, const Warp& warp) override;
  void inspect(ObservedAccess& access) override;
  void on_transfer(const BulkTransfers::Copy& copy) override;
  void on_peer_store(const Finding::Other& by, std::uint64_t offset, unsigned bytes) override;
  void on_library_store(unsigned lane, MemorySpace space, std::uint64_t offset,
                        unsigned bytes) override;
  void on_release(std::uint32_t barrier, bool whole) override;
  void on_block_end() override { judge_reads(); }

 private:
  // A bulk copy that was issued since the last barrier of the whole block.
  struct Issue {
    std::uint64_t to = 0;
    std::uint64_t bytes = 0;
    Finding::Other issuer;
  };
  static constexpr std::size_t kMostIssues = 4096;

  [[nodiscard]] UndefinedValues::Step step_of(const WarpStep& step) const;
  // Rows of InstructionNotes::unset_rows that the instruction reads, or writes.
  void note_unset(const WarpStep& step);
  [[nodiscard]] std::uint32_t* written_lanes(std::uint32_t warp, std::uint32_t row);
  void read_unset(const WarpStep& step, unsigned lane);
  void follow_shuffle(const WarpStep& step);
  void check_shared(const CheckedAccess& access, std::uint32_t lanes);
  void check_local(const CheckedAccess& access, std::uint32_t lanes);
  void check_global(const CheckedAccess& access, std::uint32_t lanes);
  // `kept`: the value has only been stored, in global memory.
  void note_uses(const std::vector<UndefinedValues::Use>& uses, const UndefinedValues::Step& step,
                 bool kept = false);
  void note_use(UndefinedValues::Set origins, std::uint32_t thread, std::uint32_t instruction,
                bool kept = false);
  void read_unwritten(const CheckedAccess& access, unsigned lane, UnwrittenRead read);
  void keep_undefined(WrittenBytes& written, const CheckedAccess& access, unsigned lane,
                      std::uint64_t offset);
  void judge_reads();
  [[nodiscard]] UndefinedSource::Verdict judge(const UnwrittenRead& read);
  void report_used(const UndefinedSource& source);
  void report_taken(const TakenValue& value, std::uint32_t use);
  void report_read(const UnwrittenRead& read, std::uint32_t use);
  void report_unset(const UnsetRead& read, std::uint32_t use);
  // While any register is undefined, this sees every instruction.
  void follow_as_needed();

  CheckedBlock& block_;
  CopyReports& copies_;
  const RaceCheck& races_;
  std::vector<WrittenBytes> local_written_;  // by thread
  UndefinedValues undefined_;
  // By the instruction that brought the value in and the thread that it came to.
  std::map<std::pair<std::uint32_t, std::uint32_t>, UndefinedSource> sources_;
  std::vector<std::uint8_t> names_unset_;     // by instruction: such a row
  std::vector<std::uint32_t> unset_written_;  // by warp and unset row: lanes that have written it
  bool follows_global_ = false;               // some of it may be unwritten
  bool open_reads_ = false;                   // of sources_, some are
  std::vector<Issue> issues_;
};

}  // namespace tilescope

#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/dim3.h"
#include "emulator/micro_operation.h"
#include "emulator/warp_access.h"
#include "ptx/data_type.h"

namespace tilescope {

// What an operation does with its rows: some it writes, the other used ones it reads.
struct RowUse {
  std::uint8_t used = 0;           // bit i: MicroOp::row[i] means something
  std::uint8_t written = 0;        // of those
  std::uint8_t extra_written = 0;  // the first so many of the further rows are written
  bool updates_extra = false;      // ... after they were read
  Operation operation = Operation::kNothing;
  Modifier mode = Modifier::kEq;  // OperationKey::comparison
  bool transposes = false;        // ldmatrix, stmatrix: .trans
};

inline constexpr std::uint32_t kNoBlock = 0xffffffff;

// How a basic block ends.
enum class EndKind : std::uint8_t {
  kFall,         // into the next block, without an instruction
  kBranch,       // to `target` for the lanes of the guard, else on
  kIndexed,      // brx.idx: targets[first + index]
  kCall,         // `target` is the callee's first block
  kCallAddress,  // the callee's address stands in row[0]; lanes that differ call in `target`, a
                 // copy
  kReturn,
  kExit,
  kBarrier,  // may wait; then the next block
  kYield,    // lets other warps run; then the next block. last.flags: only while row[0] does not
             // hold for every lane; who sleeps goes to `target`, to look again
  kGiveWay,  // YIELD of machine code: the warp's other lanes first; then the next block
  kPause,    // the block's other warps first, come as far as they can; then the next block
  kTrap,     // the kernel stops itself: trap, or a failed assert
  kStop,     // an instruction that cannot be executed
};
[[nodiscard]] constexpr bool is_stop(EndKind kind) {
  return kind == EndKind::kTrap || kind == EndKind::kStop;
}

enum class BarrierKind : std::uint8_t {
  kSync,
  kArrive,
  kReduceAnd,
  kReduceOr,
  kReducePopc,
  kWarp,
  kExchange,       // before an instruction that the lanes in row[0] execute together
  kClusterArrive,  // barrier.cluster
  kClusterWait,
  kConvergence,  // BSYNC of machine code: barrier last.immediate; WARPSYNC: the lanes in row[0]
};

// A basic block: micro-operations begin .. end, then its end.
struct CodeBlock {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  EndKind kind = EndKind::kFall;
  BarrierKind barrier = BarrierKind::kSync;
  bool aligned = true;           // bar.sync; barrier.sync without .aligned is not
  bool polls = false;            // has an atomic or a load that may wait for another thread
  bool has_instruction = false;  // false for kFall
  std::uint32_t target = kNoBlock;
  std::uint32_t next = kNoBlock;
  std::uint32_t reconvergence = kNoBlock;  // first block that every path from here reaches
  std::uint32_t first_target = 0;          // kIndexed: into Code::targets
  std::uint32_t target_count = 0;
  bool enters_frame = false;            // a call of a function with a frame
  std::uint32_t saves = kNoBlock;       // ... by one: its rows, in Code::frames
  std::uint32_t instruction_count = 0;  // warp instructions per execution, its end included
  MicroOp last;                         // guard, rows and static index of the ending instruction

  // Nothing but a return or an exit.
  [[nodiscard]] bool only_leaves() const {
    return begin == end && last.guard == 0 && (kind == EndKind::kExit || kind == EndKind::kReturn);
  }
};

// A value that the block's start puts into a row.
enum class SpecialValue : std::uint8_t {
  kTidX,
  kTidY,
  kTidZ,
  kNtidX,
  kNtidY,
  kNtidZ,
  kCtaidX,
  kCtaidY,
  kCtaidZ,
  kNctaidX,
  kNctaidY,
  kNctaidZ,
  kLaneid,
  kWarpid,
  kNwarpid,
  kLanemaskEq,
  kLanemaskLe,
  kLanemaskLt,
  kLanemaskGe,
  kLanemaskGt,
  kSmid,
  kNsmid,
  kGridid,
  kDynamicSharedBytes,
  kTotalSharedBytes,
  kZero,
  kClusterIdX,
  kClusterIdY,
  kClusterIdZ,
  kNclusterIdX,
  kNclusterIdY,
  kNclusterIdZ,
  kClusterCtaidX,
  kClusterCtaidY,
  kClusterCtaidZ,
  kClusterNctaidX,
  kClusterNctaidY,
  kClusterNctaidZ,
  kClusterRank,
  kClusterSize,
  kFrame,  // where the lane's frame begins in its local memory; calls move it
  // The last KiB of shared memory, which CUDA keeps for itself and for cooperative groups.
  kReservedShared,
  kReservedSharedOfGroups,
  kReservedSharedEnd,
  kGridWorkspaceHigh,  // Launch::grid_workspace
  kGridWorkspaceLow,
};
inline constexpr std::uint32_t kReservedSharedBytes = 1024;
struct SpecialRow {
  SpecialValue value = SpecialValue::kZero;
  std::uint32_t row = 0;
  bool wide = false;
};

struct ConstantRow {
  std::uint64_t bits = 0;
  std::uint32_t row = 0;
  bool wide = false;
};

// A variable's place in its space.
struct PlacedVariable {
  std::string name;  // as people wrote it: "tile", not "_ZZ4gemmE4tile"
  std::uint32_t offset = 0;
  std::uint64_t bytes = 0;
  DataType type = DataType::kB8;
  std::uint32_t variable = 0;          // in the PTX module
  std::vector<std::uint64_t> extents;  // {32, 33} of float tile[32][33]; empty: not known
  std::uint64_t element_bytes = 0;     // 0: not known
};

// A module's .global variable: memory of its own at a fixed device address.
struct GlobalVariable {
  std::string name;
  DataType type = DataType::kB8;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::vector<std::byte> image;
};

// Rows of one function, as byte offsets: what a call must keep when the function may run again
// before it has come back.
struct FrameRows {
  std::uint32_t predicates = 0, predicates_end = 0;
  std::uint32_t wide = 0, wide_end = 0;
  std::uint32_t narrow = 0, narrow_end = 0;
};

// A kernel and the functions it calls, ready to run.
struct Code {
  std::vector<MicroOp> ops;
  std::vector<RowUse> uses;            // parallel to ops
  std::vector<CodeBlock> blocks;       // the entry's first block is 0
  std::vector<RowUse> last_uses;       // of CodeBlock::last
  std::vector<std::uint32_t> targets;  // of indexed branches
  std::vector<std::uint32_t> rows;     // further operands of wide instructions
  std::vector<SpecialRow> specials;
  std::vector<ConstantRow> constants;
  std::uint32_t register_bytes = 0;  // register file of one warp
  std::uint32_t sites = 0;           // memory instructions
  std::uint32_t local_bytes = 0;     // per lane
  // Functions that may call themselves, or that are called through pointers, keep their variables
  // in frames of one size: the last part of local memory.
  std::uint32_t frame_start = 0;
  std::uint32_t frame_bytes = 0;
  std::uint32_t frame_row = 0;  // of SpecialValue::kFrame
  std::vector<FrameRows> frames;
  std::vector<std::uint32_t>
      function_blocks;  // first block by function; kNoBlock: cannot be called
  std::uint32_t parameter_bytes = 0;
  // By function of the module, 0: it is no kernel. Empty: the code launches no kernels.
  std::vector<std::uint32_t> kernel_parameter_bytes;
  std::uint32_t static_shared_bytes = 0;  // dynamic shared memory follows, aligned
  std::uint32_t dynamic_shared_offset = 0;
  Dim3 cluster;  // blocks that run together; without clusters, each alone
  bool explicit_cluster = false;
  bool uses_async_copies = false;
  bool writes_surfaces = false;
  bool converges_at_barriers = false;  // machine code: lanes that part meet only there
  std::vector<PlacedVariable> shared_variables;
  std::vector<PlacedVariable> local_variables;
  std::vector<std::byte> constant_image;
  std::vector<PlacedVariable> constant_variables;  // in the image; names are symbols
  std::vector<GlobalVariable> globals;
  std::vector<std::string> messages;  // why an instruction is unsupported; MicroOp::immediate
};

// Calls f(row, writes) for every row that an operation names; reads come first.
template <class F>
void for_each_row(const Code& code, const MicroOp& op, const RowUse& use, F f) {
  if (op.guard != 0) f(op.guard, false);
  const std::uint32_t extras = op.extra == kNoBlock ? 0 : op.extra_count;
  for (const bool writes : {false, true}) {
    for (std::size_t i = 0; i < op.row.size(); ++i) {
      if (((use.used >> i) & 1u) != 0 && (((use.written >> i) & 1u) != 0) == writes) {
        f(op.row[i], writes);
      }
    }
    for (std::uint32_t i = 0; i < extras; ++i) {
      const bool written = i < use.extra_written;
      if (written == writes || (written && use.updates_extra)) f(code.rows[op.extra + i], writes);
    }
  }
}

}  // namespace tilescope

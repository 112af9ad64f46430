#include "gpu/counter_names.h"

namespace tilescope {

// The stall reasons are warps that wait for this in an average cycle in which an instruction
// issues, so that they add up to the latency of an instruction (Nsight Compute, Warp State).
const std::vector<ProfileCounter>& profile_counters() {
  static const std::vector<ProfileCounter> counters = {
#define TILESCOPE_STALL(reason, words)                                                     \
  {"smsp__average_warps_issue_stalled_" reason "_per_issue_active.ratio", "stalls", words, \
   "cycles an instruction"}
      TILESCOPE_STALL("long_scoreboard", "waits for global or local memory (long scoreboard)"),
      TILESCOPE_STALL("short_scoreboard", "waits for shared memory (short scoreboard)"),
      TILESCOPE_STALL("lg_throttle", "queue to global memory full (LG throttle)"),
      TILESCOPE_STALL("mio_throttle", "queue to shared memory full (MIO throttle)"),
      TILESCOPE_STALL("barrier", "waits at a barrier"),
      TILESCOPE_STALL("wait", "fixed latency of the instruction before (wait)"),
      TILESCOPE_STALL("math_pipe_throttle", "arithmetic unit busy (math pipe throttle)"),
      TILESCOPE_STALL("not_selected", "ready, but another warp was chosen (not selected)"),
      TILESCOPE_STALL("no_instruction", "waits for its instruction (no instruction)"),
      TILESCOPE_STALL("membar", "waits at a memory fence (membar)"),
      TILESCOPE_STALL("branch_resolving", "waits for a branch's target (branch resolving)"),
      TILESCOPE_STALL("dispatch_stall", "the dispatcher holds back (dispatch stall)"),
      TILESCOPE_STALL("drain", "stores leave after exit (drain)"),
#undef TILESCOPE_STALL
      {"sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active", "pipes",
       "FP32 multiply-add pipe", "%"},
      {"sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active", "pipes", "integer pipe", "%"},
      {"sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active", "pipes", "load/store pipe",
       "%"},
      {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", "pipes", "tensor pipe",
       "%"},
      {"sm__throughput.avg.pct_of_peak_sustained_elapsed", "pipes",
       "busiest unit of the SM (SM throughput)", "%"},
      {"smsp__issue_active.avg.pct_of_peak_sustained_active", "pipes", "issue slots used", "%"},
      {"sm__warps_active.avg.pct_of_peak_sustained_active", "occupancy", "warps resident", "%"},
      {"smsp__inst_executed.sum", "occupancy", "warp instructions", ""},
      {"dram__bytes_read.sum", "memory", "read from DRAM", "B"},
      {"dram__bytes_write.sum", "memory", "written to DRAM", "B"},
      {"lts__t_bytes.sum", "memory", "through the L2", "B"},
      {"l1tex__t_sector_hit_rate.pct", "memory", "sectors found in L1", "%"},
      {"lts__t_sector_hit_rate.pct", "memory", "sectors found in the L2", "%"},
  };
  return counters;
}

}  // namespace tilescope

#include "analysis/counters.h"

namespace tilescope {
namespace {

using Metrics = std::map<std::string, std::uint64_t>;

// What one instruction adds under Nsight Compute's names.
class InstructionMetrics {
 public:
  InstructionMetrics(const StaticInstruction& instruction, std::uint64_t executed,
                     const AccessCounters& counters, Metrics* metrics)
      : instruction_(instruction), executed_(executed), counters_(counters), metrics_(*metrics) {}

  void add() {
    switch (instruction_.access) {
      case AccessKind::kLoad:
        add_plain("ld");
        break;
      case AccessKind::kStore:
        add_plain("st");
        break;
      case AccessKind::kAsyncCopy:
        add_executed("ldgsts");
        add_global("ld");
        add_conflicts("ldgsts");
        break;
      case AccessKind::kLdmatrix:
        add_executed("ldsm");
        add_shared("ld");
        break;
      case AccessKind::kStmatrix:
        add_executed("shared_stsm");
        add_shared("st");
        break;
      case AccessKind::kAtomic:
        add_atomic();
        break;
      case AccessKind::kNone:
        break;
    }
  }

 private:
  // Through a generic address: where the lanes turned out to point.
  [[nodiscard]] bool is_shared() const {
    if (instruction_.space == MemorySpace::kGeneric) return counters_.wavefronts != 0;
    return instruction_.space == MemorySpace::kShared;
  }
  [[nodiscard]] bool is_global() const {
    if (instruction_.space == MemorySpace::kGeneric) return counters_.global_requests != 0;
    return instruction_.space == MemorySpace::kGlobal;
  }
  [[nodiscard]] bool is_local() const {
    if (instruction_.space == MemorySpace::kGeneric) return counters_.local_requests != 0;
    return instruction_.space == MemorySpace::kLocal;
  }

  void add_plain(const std::string& op) {
    if (instruction_.space == MemorySpace::kGeneric) {
      add_executed("generic_" + op);
    } else if (is_global()) {
      add_executed("global_" + op);
    } else if (is_shared()) {
      add_executed("shared_" + op);
    } else if (is_local()) {
      add_executed("local_" + op);
    }
    if (is_global()) add_global(op);
    if (is_local()) add_local(op);
    if (is_shared()) add_shared(op);
  }

  void add_atomic() {
    const bool reduces = instruction_.variant == AccessVariant::kReduction;
    if (instruction_.space == MemorySpace::kShared) {
      add_executed("shared_atom");
    } else {
      add_executed(reduces && instruction_.space == MemorySpace::kGlobal ? "global_red"
                                                                         : "generic_atom");
    }
    if (is_global()) add_global(reduces ? "red" : "atom");
    if (is_shared()) add_shared("atom");
    if (instruction_.space == MemorySpace::kGeneric) add_looking_for_shared();
  }

  // A generic atomic goes through the pipe of shared memory also where it turns out to be on global
  // memory (measured on an H200).
  void add_looking_for_shared() {
    const bool two =
        instruction_.variant == AccessVariant::kCompareAndSwap || instruction_.bytes_per_lane == 8;
    metrics_["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"] +=
        counters_.global_requests * (two ? 2 : 1);
  }

  void add_executed(const std::string& op) {
    metrics_["smsp__inst_executed_op_" + op + ".sum"] += executed_;
  }
  void add_global(const std::string& op) {
    metrics_["l1tex__t_requests_pipe_lsu_mem_global_op_" + op + ".sum"] +=
        counters_.global_requests;
    metrics_["l1tex__t_sectors_pipe_lsu_mem_global_op_" + op + ".sum"] +=
        counters_.sectors - counters_.local_sectors;
  }
  void add_local(const std::string& op) {
    metrics_["l1tex__t_requests_pipe_lsu_mem_local_op_" + op + ".sum"] += counters_.local_requests;
    metrics_["l1tex__t_sectors_pipe_lsu_mem_local_op_" + op + ".sum"] += counters_.local_sectors;
  }
  void add_shared(const std::string& op) {
    metrics_["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_" + op + ".sum"] +=
        counters_.wavefronts;
    add_conflicts(op);
  }
  void add_conflicts(const std::string& op) {
    const bool two_a_step = instruction_.variant == AccessVariant::kCompareAndSwap;
    metrics_["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_" + op + ".sum"] +=
        (counters_.wavefronts - counters_.wavefronts_ideal) / (two_a_step ? 2 : 1);
  }

  const StaticInstruction& instruction_;
  std::uint64_t executed_;
  const AccessCounters& counters_;
  Metrics& metrics_;
};

// A kernel without shared loads has none of them, and says so.
Metrics zeros() {
  Metrics metrics;
  for (const char* op : {"global_ld", "global_st", "global_red", "generic_ld", "generic_st",
                         "generic_atom", "shared_ld", "shared_st", "shared_atom", "shared_stsm",
                         "ldsm", "ldgsts", "local_ld", "local_st"}) {
    metrics[std::string("smsp__inst_executed_op_") + op + ".sum"] = 0;
  }
  for (const char* op : {"ld", "st", "red", "atom"}) {
    for (const char* what : {"requests", "sectors"}) {
      metrics[std::string("l1tex__t_") + what + "_pipe_lsu_mem_global_op_" + op + ".sum"] = 0;
    }
  }
  for (const char* op : {"ld", "st"}) {
    for (const char* what : {"requests", "sectors"}) {
      metrics[std::string("l1tex__t_") + what + "_pipe_lsu_mem_local_op_" + op + ".sum"] = 0;
    }
  }
  for (const char* op : {"ld", "st", "atom"}) {
    metrics[std::string("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_") + op + ".sum"] = 0;
  }
  for (const char* op : {"ld", "st", "atom", "ldgsts"}) {
    metrics[std::string("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_") + op + ".sum"] = 0;
  }
  return metrics;
}

}  // namespace

std::vector<std::string> metric_names() {
  std::vector<std::string> names;
  for (const auto& [name, zero] : zeros()) names.push_back(name);
  return names;
}

std::map<std::string, std::uint64_t> metrics_of(const Program& program,
                                                const LaunchCounters& counters) {
  Metrics metrics = zeros();
  for (std::size_t i = 0; i < program.instructions().size(); ++i) {
    InstructionMetrics(program.instructions()[i], counters.executed.warps[i],
                       counters.by_instruction[i], &metrics)
        .add();
  }
  // Of the PTX alone nobody knows how many instructions the machine makes of it.
  if (program.is_machine_code()) {
    std::uint64_t& executed = metrics["smsp__inst_executed.sum"];
    std::uint64_t& threads = metrics["smsp__thread_inst_executed.sum"];
    std::uint64_t& lanes = metrics["smsp__thread_inst_executed_pred_on.sum"];
    for (std::size_t i = 0; i < program.instructions().size(); ++i) {
      if (!program.instructions()[i].counts) continue;
      executed += counters.executed.warps[i];
      threads += counters.executed.threads[i];
      lanes += counters.executed.lanes[i];
    }
  }
  return metrics;
}

std::map<std::string, std::uint64_t> metrics_that_depend_on_turns(const Program& program,
                                                                  const LaunchCounters& counters) {
  if (counters.other_turns == nullptr) return {};
  Metrics others = metrics_of(program, *counters.other_turns);
  for (const auto& [name, value] : metrics_of(program, counters)) {
    if (others.at(name) == value) others.erase(name);
  }
  return others;
}

}  // namespace tilescope

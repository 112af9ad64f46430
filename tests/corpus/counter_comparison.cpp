#include "counter_comparison.h"

#include "analysis/memory/launch_memory.h"
#include "analysis/study/kernel_study.h"
#include "kernel_text.h"

namespace tilescope {
const std::vector<std::string>& compared_metrics() {
  static const std::vector<std::string> names = {
      "smsp__inst_executed.sum",
      "smsp__thread_inst_executed.sum",
      "smsp__inst_executed_op_global_ld.sum",
      "smsp__inst_executed_op_global_st.sum",
      "smsp__inst_executed_op_global_red.sum",
      "smsp__inst_executed_op_generic_ld.sum",
      "smsp__inst_executed_op_generic_st.sum",
      "smsp__inst_executed_op_generic_atom.sum",
      "smsp__inst_executed_op_shared_ld.sum",
      "smsp__inst_executed_op_shared_st.sum",
      "smsp__inst_executed_op_shared_atom.sum",
      "smsp__inst_executed_op_shared_stsm.sum",
      "smsp__inst_executed_op_ldsm.sum",
      "smsp__inst_executed_op_ldgsts.sum",
      "smsp__inst_executed_op_local_ld.sum",
      "smsp__inst_executed_op_local_st.sum",
      "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum",
      "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum",
      "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
      "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
      "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
      "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
      "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
      "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
      "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
      "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
      "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
      "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
      "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
      "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
      "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
      "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
      "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
      "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum",
      "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum",
  };
  return names;
}

Result<std::shared_ptr<const KernelStudy>> study_of(const CorpusLaunch& launch,
                                                    CompiledKernel compiled) {
  auto study = std::make_shared<KernelStudy>();
  study->instance = launch.instance;
  auto program = decode_ptx(compiled.ptx, compiled.kernel, launch.instance.source);
  if (!program) return std::move(program).error();
  study->program = *std::move(program);
  study->compiled = std::make_shared<const CompiledKernel>(std::move(compiled));
  auto memory = make_launch_memory(launch.instance, nullptr);
  if (!memory) return std::move(memory).error();
  study->memory = std::make_shared<const DeviceMemory>(std::move(memory->memory));
  study->launch = {launch.instance.grid, launch.instance.block,
                   launch.instance.dynamic_shared_bytes, std::move(memory->arguments)};
  return std::shared_ptr<const KernelStudy>(std::move(study));
}

Result<CounterComparison> compare_counters(const CorpusLaunch& launch,
                                           const RecordedLaunch& recorded) {
  auto compiled = compile({launch.instance, kRecordedCapability, true}, {});
  if (!compiled) return std::move(compiled).error();
  return compare_counters(launch, *std::move(compiled), recorded);
}

Result<CounterComparison> compare_counters(const CorpusLaunch& launch, CompiledKernel code,
                                           const RecordedLaunch& recorded) {
  CounterComparison comparison;
  comparison.same_code = hash_of_text(code.cubin, code.kernel) == recorded.text;
  if (!comparison.same_code) return comparison;
  auto study = study_of(launch, std::move(code));
  if (!study) return std::move(study).error();
  auto issued = with_machine_code(*study, {});
  if (!issued) return std::move(issued).error();
  auto run = run_issued_grid(**issued, 1, {});
  if (!run) return std::move(run).error();
  if (!run->emulation.findings.empty()) {
    comparison.finding = run->emulation.findings.front().message;
  }
  if (!run->emulation.complete) return comparison;
  const auto counted = metrics_of(*(*issued)->issued, run->counters);
  for (const std::string& metric : compared_metrics()) {
    const std::uint64_t emulated = counted.at(metric);
    const auto found = recorded.metrics.find(metric);
    const std::uint64_t measured = found == recorded.metrics.end() ? 0 : found->second;
    comparison.compared += emulated != 0 || measured != 0 ? 1 : 0;
    const auto range = recorded.varies.find(metric);
    if (range != recorded.varies.end() && emulated >= range->second.first &&
        emulated <= range->second.second) {
      continue;
    }
    if (emulated != measured) comparison.differences.push_back({metric, measured, emulated});
  }
  return comparison;
}

}  // namespace tilescope

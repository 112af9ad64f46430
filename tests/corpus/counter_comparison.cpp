#include "counter_comparison.h"

#include "analysis/study/issued_study.h"
#include "analysis/study/kernel_study.h"
#include "kernel_text.h"

namespace tilescope {
namespace {

constexpr int kRecordedCapability = 90;

Result<std::shared_ptr<const KernelStudy>> issued_study(const CorpusLaunch& launch) {
  StudyRequest request;
  request.instance = launch.instance;
  request.compute_capability = kRecordedCapability;
  auto study = prepare_study(request, {});
  if (!study) return study;
  auto compiled = compile({launch.instance, kRecordedCapability, true}, {});
  if (!compiled) return std::move(compiled).error();
  auto with_cubin = std::make_shared<KernelStudy>(**study);
  with_cubin->compiled = std::make_shared<const CompiledKernel>(*std::move(compiled));
  return std::shared_ptr<const KernelStudy>(std::move(with_cubin));
}

}  // namespace

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

Result<CounterComparison> compare_counters(const CorpusLaunch& launch,
                                           const RecordedLaunch& recorded) {
  CounterComparison comparison;
  auto study = issued_study(launch);
  if (!study) return std::move(study).error();
  const CompiledKernel& compiled = *(*study)->compiled;
  comparison.same_code = hash_of_text(compiled.cubin, compiled.kernel) == recorded.text;
  if (!comparison.same_code) return comparison;
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

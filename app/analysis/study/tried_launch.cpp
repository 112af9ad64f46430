#include "analysis/study/tried_launch.h"

#include <charconv>
#include <utility>

#include "analysis/occupancy/occupancy.h"
#include "analysis/study/kernel_study.h"
#include "core/number_text.h"
#include "kernel/compile/compile.h"
#include "kernel/launch/file_launch.h"
#include "kernel/launch/tensor_shape.h"
#include "kernel/launch/texture_shape.h"

namespace tilescope {
namespace {

// For a trial that begins after is_late().
const TrialLimits kLate{.accesses = TrialLimits{}.accesses / 3};
// Accesses that all trials of a launch may take together, for a picture is waited for: what to go
// by, and what never to exceed.
constexpr std::uint64_t kAllWork = 3 * TrialLimits{}.accesses;
constexpr std::uint64_t kMostWork = 5 * TrialLimits{}.accesses;

}  // namespace

TriedLaunch::TriedLaunch(const LaunchToTry& launch, const std::stop_token& stop)
    : guess(launch.guess), form(launch.guess), launch_(launch), stop_(stop) {
  if (!launch.file.path.ends_with(".ptx")) {
    host = find_launch_site(launch.file.source, guess.kernel.substr(0, guess.kernel.find('<')));
  }
}

namespace {

bool has_buffer(const ArgumentForm& argument) {
  const std::string text = argument.text();
  return argument.is_buffer || is_texture_text(text) || is_tensor_text(text);
}

void add_buffers_behind(ArgumentForm& argument, std::vector<ArgumentForm*>* all) {
  const auto count = parse_number<std::uint64_t>(argument.count).value_or(0);
  for (std::uint64_t i = 0; i < count && !argument.behind.empty(); ++i) {
    for (ArgumentForm& member : argument.behind) {
      if (!member.is_buffer) continue;
      all->push_back(&member);
      add_buffers_behind(member, all);
    }
  }
}

}  // namespace

std::vector<ArgumentForm*> TriedLaunch::buffers() {
  std::vector<ArgumentForm*> all;
  for (ArgumentForm& argument : form.arguments) {
    if (has_buffer(argument)) all.push_back(&argument);
  }
  for (ArgumentForm& argument : form.arguments) add_buffers_behind(argument, &all);
  return all;
}

Result<TrialRun> TriedLaunch::observe() {
  follow_others(&form);
  auto text = launch_text(form);
  if (!text) return text.error();
  text->defines = launch_.defines;
  StudyRequest request;
  auto instance = launch_file(launch_.file, *text);
  if (!instance) return std::move(instance).error();
  request.instance = *std::move(instance);
  request.compute_capability = launch_.device.compute_capability;
  request.inputs = &inputs_;
  if (std::exchange(compiles_machine_code_, false)) {
    const auto made = compile({request.instance, request.compute_capability, true}, stop_);
    if (made) resources_ = made->resources;
  }
  block_ = request.instance.block;
  const auto study = prepare_study(request, stop_);
  if (!study) return study.error();
  auto observed = run_trial(**study, is_late() ? kLate : TrialLimits{}, stop_);
  if (observed) work_ += observed->work;
  return observed;
}

bool TriedLaunch::exceeds_registers(const Dim3& block) const {
  if (resources_.registers == 0) return false;
  OccupancyRequest request;
  request.threads_per_block = static_cast<int>(block.count());
  request.registers_per_thread = resources_.registers;
  const auto fit = occupancy(launch_.device, request);
  return fit && fit->blocks_per_multiprocessor == 0;
}

bool TriedLaunch::keeps(const LaunchForm& before, const Better& is_better, TrialRun* observed) {
  auto after = observe();
  if (after && is_better(*after)) {
    *observed = *std::move(after);
    return true;
  }
  form = before;
  return false;
}

bool TriedLaunch::is_late() const { return work_ > kAllWork; }
bool TriedLaunch::is_over() const { return work_ > kMostWork; }

}  // namespace tilescope

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "analysis/memory/launch_memory.h"
#include "analysis/study/launch_trial.h"
#include "analysis/study/trial_run.h"
#include "core/dim3.h"
#include "core/result.h"
#include "kernel/compile/compile.h"
#include "kernel/host/launch_site.h"
#include "kernel/launch/launch_form.h"

namespace tilescope {

// A guessed launch while it is corrected: what was guessed, what it is now, and how that runs.
class TriedLaunch {
 public:
  // Both outlive it.
  TriedLaunch(const LaunchToTry& launch, const std::stop_token& stop);

  LaunchForm guess;
  LaunchForm form;
  LaunchSite host;  // what the file's own launch says stays

  [[nodiscard]] const LaunchToTry& to_try() const { return launch_; }
  [[nodiscard]] const std::stop_token& stop() const { return stop_; }

  // The buffers of the form, in the order of TrialRun::touched.
  [[nodiscard]] std::vector<ArgumentForm*> buffers();

  // Emulates some blocks of the form. Errors: as of compile() and emulate().
  Result<TrialRun> observe();

  // These belong to the form that was observed last.
  [[nodiscard]] const Dim3& block() const { return block_; }
  // Whether a block of so many threads has more registers than an SM. False where no machine code
  // was made.
  [[nodiscard]] bool exceeds_registers(const Dim3& block) const;

  using Better = std::function<bool(const TrialRun&)>;
  // Whether the form as it is now runs, and better; then that is observed, else the form is what it
  // was before.
  bool keeps(const LaunchForm& before, const Better& is_better, TrialRun* observed);

  // Whether all trials together were as much work as a person waits for.
  [[nodiscard]] bool is_late() const;
  // Whether that is long gone: a launch that is known to be wrong is corrected a little longer.
  [[nodiscard]] bool is_over() const;

 private:
  const LaunchToTry& launch_;
  const std::stop_token& stop_;
  std::uint64_t work_ = 0;  // of all trials together
  bool compiles_machine_code_ = launch_.with_machine_code;
  KernelResources resources_;  // of the machine code, where it was made
  Dim3 block_;
  InputCache inputs_;
};

}  // namespace tilescope

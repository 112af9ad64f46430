#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/device_table.h"
#include "core/job_pool.h"
#include "kernel/catalogue/catalogue.h"
#include "kernel/compile/compile.h"

namespace tilescope {

// The places of a slider in the order in which they are compiled ahead: the present one's
// neighbours first, upwards before downwards, then on to both ends. The present one is compiled by
// the study, and comes last.
[[nodiscard]] std::vector<std::size_t> order_ahead(std::size_t count, std::size_t present);

// Compiles in the background what a slider may reach next, so that the disk's cache has it when a
// person gets there: PTX for the picture, the cubin for a measurement. One slider at a time; what
// was planned for another is dropped, and a compiler that runs for it is stopped.
class CompileAhead {
 public:
  static constexpr std::size_t kMostVariants = 64;  // of one slider, nearest first

  // One legal value of the slider.
  struct Variant {
    std::int64_t value = 0;
    KernelInstance instance;
  };
  // What the slider is of, and where it stands.
  struct Plan {
    std::string parameter;
    std::vector<Variant> variants;  // by value
    std::int64_t present = 0;
    int compute_capability = 90;
  };

  explicit CompileAhead(unsigned threads);  // 0: nothing is compiled ahead
  ~CompileAhead();
  CompileAhead(const CompileAhead&) = delete;
  CompileAhead& operator=(const CompileAhead&) = delete;

  // Goes on with what is missing where only the present value changed, else begins anew.
  void follow(Plan plan);
  // Nothing more is compiled; what is ready is forgotten.
  void drop();

  // Where a parameter's slider stands compiled, as it is planned now.
  [[nodiscard]] bool ready(const std::string& parameter, std::int64_t value) const;
  [[nodiscard]] bool working() const { return !pool_.idle(); }
  // Whether a value became ready since the last call.
  [[nodiscard]] bool take_news();

 private:
  struct Work;  // shared with the jobs
  static bool compile_next(Work& work, const std::stop_token& stop);

  unsigned threads_;
  std::shared_ptr<Work> work_;  // nullptr: nothing is planned
  JobPool pool_;                // last: its jobs end before the rest goes
};

struct Variant;

// Plans what is compiled ahead of a person, for the active variant: all that one slider may reach
// next, and when nothing else is to be done the next values of all sliders. UI thread.
class LookAhead {
 public:
  // The numbers of threads that compile; `around_threads` 0: look_around() does nothing.
  LookAhead(const Catalogue& catalogue, unsigned ahead_threads, unsigned around_threads);

  // What this parameter's slider may reach next, from where the variant stands.
  void look_ahead(const Variant& variant, const DeviceModel& device, const std::string& parameter);
  // The next values of all sliders.
  void look_around(const Variant& variant, const DeviceModel& device);
  [[nodiscard]] bool may_look_around() const { return around_threads_ > 0 && !ahead_.working(); }
  void stop_looking_around();
  // Another kernel: what was planned ahead is dropped.
  void drop();

  // Whether the variant with another value of this parameter was compiled ahead.
  [[nodiscard]] bool compiled(const Variant& variant, const std::string& parameter,
                              std::int64_t value) const;
  [[nodiscard]] bool take_news() { return ahead_.take_news(); }
  [[nodiscard]] const CompileAhead& ahead() const { return ahead_; }
  [[nodiscard]] const CompileAhead& around() const { return around_; }

 private:
  struct Of {  // what is compiled ahead belongs to this
    const CatalogueEntry* entry = nullptr;
    std::optional<std::string> edited;
    ParameterSet parameters;
    ParameterSet extents;
    std::string parameter;
    const DeviceModel* device = nullptr;
    friend bool operator==(const Of&, const Of&) = default;
  };
  [[nodiscard]] static Of of(const Variant& variant, const DeviceModel& device,
                             const std::string& parameter);
  [[nodiscard]] std::vector<CompileAhead::Variant> alternatives(const Variant& variant,
                                                                const DeviceModel& device,
                                                                const ParameterSpec& spec) const;

  const Catalogue& catalogue_;
  unsigned around_threads_;
  Of ahead_of_;
  CompileAhead ahead_;
  Of around_of_;
  CompileAhead around_;
};

}  // namespace tilescope

#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/job_pool.h"
#include "kernel/compile.h"

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

  explicit CompileAhead(unsigned threads);
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

}  // namespace tilescope

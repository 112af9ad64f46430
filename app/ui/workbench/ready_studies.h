#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/device_table.h"
#include "core/job_pool.h"
#include "ui/workbench/study_jobs.h"
#include "ui/workbench/variant.h"

namespace tilescope {

// Studies of launches that may be shown next, computed in the background: what is asked for first
// is computed first. UI thread.
class ReadyStudies {
 public:
  // A launch with what computes it.
  struct Wanted {
    Variant variant;
    StudyRequest request;
    View view = View::kTiling;  // in which it will be shown
    const DeviceModel* device = nullptr;
  };
  // What is known of `known` is taken over; what was ready and is not wanted is forgotten.
  void want(std::vector<Wanted> wanted, const std::vector<Variant>& known, JobPool& pool);
  // At frame start. True when something came.
  bool take(JobPool& pool);

  // With a study that has a trace and the resources of its machine code; nullptr: not yet.
  [[nodiscard]] const Variant* find(const Variant& wanted) const;

 private:
  struct Entry {
    Variant variant;
    bool complete = false;  // but for the whole grid
  };
  std::vector<Entry> entries_;
  std::uint64_t next_request_ = 1;
  std::shared_ptr<StudyMailbox> mailbox_ = std::make_shared<StudyMailbox>();
};

}  // namespace tilescope

// How a Workbench takes what was computed for its variants (ui/workbench/workbench.h).
#include <utility>

#include "analysis/moment.h"
#include "kernel/same_instance.h"
#include "session/variant_instance.h"
#include "ui/workbench/study_jobs.h"
#include "ui/workbench/workbench.h"

namespace tilescope {
namespace {

// What a person marked, in the trace of changed parameters.
TimeMarks same_moments(const KernelStudy& from, TimeMarks marks, const KernelStudy& to,
                       std::uint32_t warp) {
  const auto move = [&](std::optional<std::uint32_t>& event) {
    if (event) event = same_moment(from, *event, to, warp);
  };
  move(marks.loop_in);
  move(marks.loop_out);
  for (std::optional<std::uint32_t>& bookmark : marks.bookmarks) move(bookmark);
  return marks;
}

// However it is edited.
bool same_kernel(const KernelInstance& a, const KernelInstance& b) {
  return a.file_name == b.file_name && a.kernel == b.kernel;
}

// Where the variant stands in a study that took the place of `before` (nullptr: of none), and what
// a person marked there. `first`: first_look() of this study.
void stand_in(const KernelStudy* before, const KernelStudy& now, const Selection& first,
              Variant* variant) {
  Selection& selection = variant->selection;
  const auto put = [&] { variant->put = selection = first; };
  if (variant->placed) {
    keep_inside(now, &selection, &variant->marks);
    variant->placed = false;
  } else if (before == nullptr || !same_kernel(before->instance, now.instance)) {
    put();
    variant->marks = {};
  } else if (before->trace != now.trace) {
    // Where nobody has moved, it goes on standing where most is to be seen.
    if (variant->put == selection) {
      put();
    } else {
      selection.event = same_moment(*before, selection.event, now, selection.warp);
    }
    variant->marks = same_moments(*before, variant->marks, now, selection.warp);
  }
}

// Those of a person's that went into the code, as one text.
std::string headers_of(const KernelStudy& study) {
  return program_text("", study.compiled != nullptr ? study.compiled->included.get() : nullptr);
}

}  // namespace

Variant* Workbench::waiting_for(int index, std::uint64_t request) {
  if (static_cast<std::size_t>(index) >= variants_.size()) return nullptr;
  Variant& variant = variants_[static_cast<std::size_t>(index)];
  return variant.request == request ? &variant : nullptr;
}

bool Workbench::take_stages() {
  bool changed = false;
  for (auto& stages : mailbox_->stages.take()) {
    Variant* variant = waiting_for(stages.variant, stages.request);
    if (variant == nullptr) continue;
    variant->alternatives =
        std::make_shared<const std::vector<PipelineAlternative>>(std::move(stages.alternatives));
    changed = true;
  }
  return changed;
}

bool Workbench::take_studies() {
  using Stage = StudyMailbox::Stage;
  bool changed = false;
  for (auto& arrived : mailbox_->studies.take()) {
    Variant* variant = waiting_for(arrived.variant, arrived.request);
    if (variant == nullptr) continue;
    changed = true;
    if (arrived.stage != Stage::kComplaint) variant->study_pending = false;
    if (arrived.stage == Stage::kGridUnderWay) variant->grid_pending = true;
    if (arrived.stage == Stage::kGridDone) variant->grid_pending = false;
    if (arrived.study) {
      adopt(arrived.variant, *std::move(arrived.study), std::move(arrived.prepared), arrived.first);
      if (arrived.stage == Stage::kWithResources) request_rest(arrived.variant);
    } else if (arrived.study.error().code != ErrorCode::kCancelled) {
      variant->error = arrived.study.error();
      variant->errors = std::move(arrived.errors);
    }
  }
  return changed;
}

void Workbench::adopt(int index, std::shared_ptr<const KernelStudy> study,
                      std::shared_ptr<const PreparedStudy> prepared, const Selection& first) {
  Variant& variant = variants_[static_cast<std::size_t>(index)];
  variant.error.reset();
  variant.errors.clear();
  const std::shared_ptr<const KernelStudy> before = std::exchange(variant.study, std::move(study));
  const KernelStudy& now = *variant.study;
  variant.prepared = std::move(prepared);
  VariantDocument moved = document_of(variant);
  // What comes later for the same request has the same trace: nothing moves.
  stand_in(before.get(), now, first, &variant);
  if (!(moved.selection == variant.selection) || !(moved.marks == variant.marks)) {
    moves_.push_back(
        {static_cast<std::size_t>(index), std::move(moved), variant.selection, variant.marks});
  }
  if (before == nullptr || !same_instance(before->instance, now.instance) ||
      headers_of(*before) != headers_of(now)) {
    variant.measured.reset();
    variant.measure_error.reset();
    variant.reading = {};
  }
  if (const auto early = early_.find(index); early != early_.end()) {
    if (early->second.first == variant.request) {
      show_answer(std::move(early->second.second), &variant);
    }
    early_.erase(early);
  }
}

// What follows a study that is complete but for the whole grid.
void Workbench::request_rest(int index) {
  const Variant& variant = variants_[static_cast<std::size_t>(index)];
  if (!variant.study->counters->whole_grid || !variant.study->verification) request_grid(index);
  if (settings_.measure && variant.measure_request != variant.request) request_measurement(index);
}

}  // namespace tilescope

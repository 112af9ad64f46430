// What windows left behind that were not closed, or closed unsaved.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "kernel/parameter_values.h"
#include "ui/desk/desk.h"
#include "ui/desk/session.h"
#include "ui/desk/session_names.h"

namespace tilescope {
namespace {

std::string kernels_in(const Document& document) {
  std::string text;
  std::set<std::string> shown;
  for (const VariantDocument& variant : document.variants) {
    if (variant.is_own()) shown.insert(variant.file);
    if (variant.has_kernel()) text += (text.empty() ? "" : ", ") + title_of(variant);
  }
  const std::size_t all = document.own_kernels != nullptr ? document.own_kernels->size() : 0;
  const std::size_t more = all - std::min(all, shown.size());
  if (more > 0) text += fmt::format(", and {} more of your kernels", more);
  return text;
}

}  // namespace

void Session::open_slot(Desk& desk, AutosaveSlot slot, const char* why_ended,
                        const char* why_died) {
  Result<LoadedSession> loaded = read_session(slot.file(), names_of(desk), true);
  if (!loaded) {
    notices_.push_back({to_string(loaded.error()), true});
    return;
  }
  const Recovery recovery = loaded->recovery.value_or(Recovery{});
  for (const VariantDocument& variant : loaded->document.variants) {
    if (variant.allowed && variant.text() != nullptr) desk.bench.trusted().add(*variant.text());
  }
  if (loaded->document.own_kernels != nullptr) {
    for (const OwnKernelDocument& own : *loaded->document.own_kernels) {
      if (own.allowed) desk.bench.trusted().add(*own.text());
    }
  }
  const std::string kernels = kernels_in(loaded->document);
  show(desk, *std::move(loaded), recovery.path);
  clean_next_ = recovery.saved;
  if (!recovery.saved) {
    saved_ = Document{};  // whatever stands in the file, it is not this
    saved_measured_.reset();
    if (!recovery.path.empty()) {
      if (auto file = read_session(recovery.path, names_of(desk))) {
        saved_ = file->document;
        saved_measured_ = file->document.measured;
      }
    }
    started_ = Document{};
    kept_ = Document{};
  }
  notices_.push_back({(recovery.ended ? why_ended : why_died) + kernels + ".", false, true});
  replaced_ = std::move(slot);
}

void Session::recover(Desk& desk) {
  if (!keep_) return;
  left_ = AutosaveSlot::left_behind(folder_);
  if (left_.empty()) return;
  AutosaveSlot slot = std::move(left_.front());
  left_.erase(left_.begin());
  open_slot(desk, std::move(slot), "Opened as it was left, not saved in a file: ",
            "The program ended without being closed; this is what was open: ");
}

void Session::open_left_behind(Desk& desk) {
  if (left_.empty()) return;
  writer_.wait();
  AutosaveSlot slot = std::move(left_.front());
  left_.erase(left_.begin());
  set_aside(desk);
  open_slot(desk, std::move(slot), "Opened as it was left, not saved in a file: ",
            "A window ended without being closed; this is what it showed: ");
}

void Session::discard_left_behind() {
  if (left_.empty()) return;
  writer_.wait();
  std::move(left_.front()).discard();
  left_.erase(left_.begin());
}

void Session::discard_recovered(Desk& desk) {
  saved_ = history_.present();  // nothing is to be kept of it
  if (replaced_) std::move(*replaced_).discard();
  replaced_.reset();
  if (path_.empty() || !open(desk, path_).ok()) make_new(desk);
}

}  // namespace tilescope

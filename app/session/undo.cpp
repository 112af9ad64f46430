#include "session/undo.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "core/conditions.h"
#include "scene/views.h"
#include "session/scene.h"

namespace tilescope {
namespace {

constexpr double kSoonSeconds = 1;

std::string letter(std::size_t variant) {
  return std::string(1, static_cast<char>('A' + std::min<std::size_t>(variant, 25)));
}

std::string difference(const ParameterSet& before, const ParameterSet& after) {
  std::string text;
  for (const auto& [name, value] : after) {
    const auto old = before.find(name);
    if (old != before.end() && old->second == value) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
  }
  return text;
}

std::string names_of(const ParameterSet& before, const ParameterSet& after) {
  std::string text;
  for (const auto& [name, value] : after) {
    const auto old = before.find(name);
    if (old == before.end() || old->second != value) text += name + " ";
  }
  return text;
}

// The first that is another one.
std::string changed_factor(const GemmFactors& before, const GemmFactors& after) {
  return factor_of(before, "alpha") != factor_of(after, "alpha") ? "alpha" : "beta";
}

// Of the marks in time.
Change marks_change(const TimeMarks& before, const TimeMarks& after) {
  for (std::size_t i = 0; i < after.bookmarks.size(); ++i) {
    if (before.bookmarks[i] == after.bookmarks[i]) continue;
    return {fmt::format("bookmark {}{}", i, after.bookmarks[i] ? "" : " removed"), "bookmark"};
  }
  return {after.loop_in || after.loop_out ? "loop" : "loop removed", "loop"};
}

Change selection_change(const VariantDocument& before, const VariantDocument& after) {
  const Selection& a = before.selection;
  const Selection& b = after.selection;
  if (a.block != b.block) return {fmt::format("block {}", b.block), "block"};
  if (a.line != b.line) {
    return {b.line == 0 ? "line released" : fmt::format("line {}", b.line), "line"};
  }
  if (a.lane != b.lane) return {fmt::format("lane {}", b.lane), "lane"};
  if (a.warp != b.warp) return {fmt::format("warp {}", b.warp), "warp"};
  return {"moment", "time", Change::Joins::kAlways};
}

Change variant_change(const VariantDocument& before, const VariantDocument& after,
                      const std::string& which) {
  if (before.kernel != after.kernel || before.file != after.file) {
    return {"kernel " + title_of(after), "kernel"};
  }
  if (!same_text(before.edited, after.edited) || !same_text(before.original, after.original)) {
    const bool reverted = after.edited == nullptr && before.edited != nullptr;
    return {(reverted ? "source as it was, " : "source of ") + title_of(after), "source " + which,
            reverted ? Change::Joins::kNo : Change::Joins::kWithinASecond};
  }
  if (before.parameters != after.parameters) {
    return {difference(before.parameters, after.parameters),
            "parameters " + names_of(before.parameters, after.parameters)};
  }
  if (before.extents != after.extents) {
    return {"size " + difference(before.extents, after.extents), "size"};
  }
  if (before.factors != after.factors) {
    const std::string name = changed_factor(before.factors, after.factors);
    return {fmt::format("{} {}", name, factor_of(after.factors, name)), "factor " + name};
  }
  if (before.gpu != after.gpu) {
    return {after.gpu.empty() ? "the usual GPU" : short_gpu(after.gpu), "GPU " + which};
  }
  if (!(before.launch == after.launch)) {
    return {"launch of " + title_of(after), "launch " + which, Change::Joins::kWithinASecond};
  }
  if (!(before.marks == after.marks)) return marks_change(before.marks, after.marks);
  if (!(before.selection == after.selection)) return selection_change(before, after);
  return {"zoom", "zoom " + which, Change::Joins::kWithinASecond};
}

// Of the list of own kernels, as far as no variant shows it; nullopt: nothing.
std::optional<Change> own_kernels_change(const Document& before, const Document& after) {
  if (before.own_kernels == after.own_kernels || before.own_kernels == nullptr) return std::nullopt;
  static const OwnKernels kNone;
  const OwnKernels& now = after.own_kernels != nullptr ? *after.own_kernels : kNone;
  for (const OwnKernelDocument& old : *before.own_kernels) {
    const auto own = find_own_kernel(now, old.file);
    if (own == now.end()) return Change{old.name + " removed", "kernel removed"};
    // One that is typed in takes another name as a part of that.
    if (own->name != old.name && same_text(own->text(), old.text())) {
      return Change{fmt::format("{} renamed to {}", old.name, own->name), "kernel renamed"};
    }
  }
  return std::nullopt;
}

// Of the lecture's list; precondition: they differ.
Change scenes_change(const SharedScenes& before, const SharedScenes& after) {
  static const Scenes kNone;
  const Scenes& old = before != nullptr ? *before : kNone;
  const Scenes& now = after != nullptr ? *after : kNone;
  const std::size_t shared = std::min(old.size(), now.size());
  std::size_t first = 0;
  while (first < shared && old[first] == now[first]) ++first;
  if (now.size() > old.size()) return {"scene " + now[first].name + " added", "scenes"};
  if (now.size() < old.size()) return {"scene " + old[first].name + " removed", "scenes"};
  const NamedScene& a = old[first];
  const NamedScene& b = now[first];
  const std::string key = fmt::format("scene {} ", first);
  if (a.scene == b.scene) {
    if (a.name != b.name) return {"scene renamed to " + b.name, key + "name"};
    return {"note of scene " + b.name, key + "note", Change::Joins::kWithinASecond};
  }
  const bool moved = first + 1 < shared && old[first + 1] == b;
  return {"scene " + b.name + (moved || a.name != b.name ? " moved" : " replaced"), "scenes"};
}

Change settings_change(const ViewSettings& before, const ViewSettings& after) {
  if (before.heat != after.heat) return {after.heat ? "heat shown" : "heat hidden", "heat"};
  if (before.device != after.device) return {"device of occupancy", "device"};
  if (before.compare_base != after.compare_base) return {"base of compare", "base"};
  if (before.steps_off != after.steps_off) return {"steps of the ladder", "steps"};
  return {"setting of a view", "setting", Change::Joins::kWithinASecond};
}

Change interface_change(const Document& before, const Document& after) {
  if (before.latencies != after.latencies) {
    return {"latencies", "latencies", Change::Joins::kWithinASecond};
  }
  if (before.theme != after.theme) {
    return {fmt::format("theme {}", name_of(after.theme)), "theme"};
  }
  if (before.text_scale != after.text_scale)
    return {"size of text", "text", Change::Joins::kWithinASecond};
  if (before.lecture != after.lecture) {
    return {after.lecture ? "lecture mode" : "lecture mode left", "lecture"};
  }
  if (before.reduce_motion != after.reduce_motion) return {"reduced motion", "motion"};
  if (before.heat_column != after.heat_column) {
    return {fmt::format("{} beside the source", name_of(after.heat_column)), "heat column"};
  }
  if (before.cold_l2 != after.cold_l2) {
    return {after.cold_l2 ? "cold L2" : "warm L2", "l2"};
  }
  if (before.as_issued != after.as_issued) {
    return {after.as_issued ? "counts as issued" : "counts as written", "counts"};
  }
  for (const auto& [title, open] : after.panels) {
    const auto old = before.panels.find(title);
    if (old == before.panels.end() || old->second != open) {
      return {title + (open ? " opened" : " closed"), "panel"};
    }
  }
  if (!same_own_kernels(before.own_kernels, after.own_kernels)) {
    return {"your kernels", "your kernels"};
  }
  if (!same_scenes(before.scenes, after.scenes)) {
    return scenes_change(before.scenes, after.scenes);
  }
  return {"notes", "notes", Change::Joins::kWithinASecond};
}

bool is_movement(const Change& change) { return change.joins == Change::Joins::kAlways; }

std::size_t text_bytes(const SharedText& text, const SharedText& elsewhere) {
  return text == nullptr || text == elsewhere ? 0 : text->size();
}

// Of the texts that this document does not share with the one after it.
std::size_t own_bytes(const Document& document, const Document& next) {
  std::size_t bytes = text_bytes(document.notes, next.notes);
  if (document.own_kernels != nullptr && document.own_kernels != next.own_kernels) {
    std::set<const std::string*> elsewhere;
    if (next.own_kernels != nullptr) {
      for (const OwnKernelDocument& own : *next.own_kernels) {
        elsewhere.insert({own.original.get(), own.edited.get()});
      }
    }
    for (const OwnKernelDocument& own : *document.own_kernels) {
      for (const SharedText& text : {own.original, own.edited}) {
        if (!elsewhere.contains(text.get())) bytes += text_bytes(text, nullptr);
      }
    }
  }
  for (std::size_t i = 0; i < document.variants.size(); ++i) {
    const VariantDocument* same = i < next.variants.size() ? &next.variants[i] : nullptr;
    bytes += text_bytes(document.variants[i].edited, same ? same->edited : nullptr);
    bytes += text_bytes(document.variants[i].original, same ? same->original : nullptr);
  }
  return bytes;
}

}  // namespace

Change change_between(const Document& before, const Document& after) {
  // What is removed or renamed changes the variants that show it.
  if (auto change = own_kernels_change(before, after)) return *std::move(change);
  const std::size_t old_count = before.variants.size();
  const std::size_t count = after.variants.size();
  if (count > old_count) return {"variant " + letter(count - 1) + " added", "variants"};
  if (count < old_count) {
    std::size_t closed = 0;
    while (closed < count && before.variants[closed] == after.variants[closed]) ++closed;
    return {"variant " + letter(closed) + " closed", "variants"};
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (before.variants[i] == after.variants[i]) continue;
    return variant_change(before.variants[i], after.variants[i], letter(i));
  }
  if (before.active != after.active) {
    return {"variant " + letter(static_cast<std::size_t>(after.active)), "active"};
  }
  if (before.view != after.view) {
    return {"view " + std::string(title_of(after.view)), "view"};
  }
  if (!(before.settings == after.settings)) return settings_change(before.settings, after.settings);
  return interface_change(before, after);
}

void UndoHistory::start(Document document) {
  present_ = std::move(document);
  undo_.clear();
  redo_.clear();
  holding_ = false;
}

void UndoHistory::observe(const Document& document, double seconds, bool held) {
  if (!held) holding_ = false;
  if (same_content(present_, document)) {
    present_.arrangement = document.arrangement;
    return;
  }
  if (holding_ && !undo_.empty()) {  // one movement of the hand
    Step& step = undo_.back();
    if (same_content(step.document, document)) {
      undo_.pop_back();
      holding_ = false;
    } else {
      step.change = change_between(step.document, document);
      step.seconds = seconds;
    }
    present_ = document;
    return;
  }
  Change change = change_between(present_, document);
  if (is_movement(change) && !redo_.empty()) {
    present_ = document;
    return;
  }
  redo_.clear();
  const Step* last = undo_.empty() ? nullptr : &undo_.back();
  const bool same_key = last != nullptr && last->change.key == change.key;
  const bool soon = same_key && seconds - last->seconds < kSoonSeconds;
  if (same_key &&
      (is_movement(change) || (change.joins == Change::Joins::kWithinASecond && soon))) {
    undo_.back().seconds = seconds;
    if (same_content(undo_.back().document, document)) undo_.pop_back();
  } else {
    undo_.push_back({std::move(present_), std::move(change), seconds});
    holding_ = held;
  }
  present_ = document;
  forget_oldest();
}

void UndoHistory::forget_oldest() {
  std::size_t bytes = 0;
  const Document* next = &present_;
  std::size_t kept = 0;
  for (auto step = undo_.rbegin(); step != undo_.rend() && kept < kMostUndoSteps; ++step) {
    bytes += own_bytes(step->document, *next);
    if (bytes > kMostUndoBytes) break;
    next = &step->document;
    ++kept;
  }
  while (undo_.size() > std::max<std::size_t>(kept, 1)) undo_.pop_front();
}

const std::string* UndoHistory::undo_name() const {
  return undo_.empty() ? nullptr : &undo_.back().change.name;
}

const std::string* UndoHistory::redo_name() const {
  return redo_.empty() ? nullptr : &redo_.back().change.name;
}

std::optional<Document> UndoHistory::undo() {
  if (undo_.empty()) return std::nullopt;
  Step step = std::move(undo_.back());
  undo_.pop_back();
  std::swap(present_, step.document);
  redo_.push_back(std::move(step));
  holding_ = false;
  return present_;
}

std::optional<Document> UndoHistory::redo() {
  if (redo_.empty()) return std::nullopt;
  Step step = std::move(redo_.back());
  redo_.pop_back();
  std::swap(present_, step.document);
  undo_.push_back(std::move(step));
  holding_ = false;
  return present_;
}

}  // namespace tilescope

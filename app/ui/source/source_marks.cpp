#include "ui/source/source_marks.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/study/guessed_findings.h"
#include "emulator/finding_place.h"
#include "ui/workbench/workbench.h"

namespace tilescope {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    at = end + 1;
  }
  return lines;
}

std::string text_of(const Dim3& index) {
  return fmt::format("({},{},{})", index.x, index.y, index.z);
}

std::string describe(const Finding& finding, const FindingPlaces& places, const Variant& variant) {
  const Program& program = *variant.study->program;
  std::string words =
      fmt::format("{}: {}.\nThread {} of block {}", words_of(finding.kind),
                  message_of(finding, variant), text_of(finding.thread), text_of(finding.block));
  if (finding.other) {
    words += fmt::format("; the other is thread {} of block {}", text_of(finding.other->thread),
                         text_of(finding.other->block));
    const std::uint32_t other = finding.other->instruction;
    const std::uint32_t line = other < program.instructions().size() ? places.line_of(other) : 0;
    if (line != 0) words += fmt::format(", line {}", line);
  }
  const std::string calls = describe_calls(places.of(finding.instruction));
  return words + (calls.empty() ? "." : fmt::format(".\nAt {}.", calls));
}

bool same_file(const std::string& a, const std::string& b) {
  return a.empty() || a == b || a.ends_with("/" + b) || b.ends_with("/" + a);
}

}  // namespace

LineMap::LineMap(std::string_view before, std::string_view now) {
  if (before == now) return;
  same_ = false;
  const std::vector<std::string_view> a = lines_of(before);
  const std::vector<std::string_view> b = lines_of(now);
  const std::size_t least = std::min(a.size(), b.size());
  std::size_t head = 0;
  while (head < least && a[head] == b[head]) ++head;
  std::size_t tail = 0;
  while (tail < least - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  head_ = static_cast<std::uint32_t>(head);
  tail_ = static_cast<std::uint32_t>(tail);
  lines_before_ = static_cast<std::uint32_t>(a.size());
  lines_now_ = static_cast<std::uint32_t>(b.size());
}

std::uint32_t LineMap::now(std::uint32_t before) const {
  if (same_ || before <= head_) return before;
  return before + tail_ > lines_before_ ? before + lines_now_ - lines_before_ : 0;
}

std::uint32_t LineMap::before(std::uint32_t now) const {
  if (same_ || now <= head_) return now;
  return now + tail_ > lines_now_ ? now + lines_before_ - lines_now_ : 0;
}

std::string message_of(const Finding& finding, const Variant& variant) {
  const bool may_be_guess = variant.own && variant.own->is_made_up &&
                            may_come_from_launch(finding.kind, variant.study->instance);
  return finding.message + (may_be_guess ? kMayBeGuess : "");
}

ColourRole colour_of(const SourceMark& mark) {
  return mark.is_advice() ? ColourRole::kDim : ColourRole::kExcess;
}

std::string words_of(FindingKind kind) {
  if (is_advice(kind)) return "advice";
  std::string words(name_of(kind));
  std::ranges::replace(words, '_', ' ');
  return words;
}

void SourceMarks::update(const Variant& variant) {
  const std::string error = variant.error ? to_string(*variant.error) : std::string();
  const bool is_made_up = variant.own && variant.own->is_made_up;
  if (study_ == variant.study && request_ == variant.request && error_ == error &&
      is_made_up_ == is_made_up) {
    return;
  }
  is_made_up_ = is_made_up;
  study_ = variant.study;
  request_ = variant.request;
  error_ = error;
  ++version;
  source.clear();
  ptx.clear();
  lines = {};
  if (!variant.has_kernel()) return;
  const KernelStudy* study = variant.study.get();
  if (study != nullptr) lines = LineMap(study->instance.source, variant.shown_source());
  std::vector<Error> errors = variant.errors;
  if (errors.empty() && variant.error) errors.push_back(*variant.error);
  const std::string own = variant.own ? variant.own->file.path : variant.file_name();
  for (const Error& wrong : errors) {
    if (wrong.place.line <= 0 || !same_file(wrong.place.file, own)) continue;
    std::string words = wrong.message + ".";
    if (!wrong.remedy.empty()) words += "\n" + wrong.remedy + ".";
    source.push_back(
        {static_cast<std::uint32_t>(wrong.place.line), wrong.place.column, std::move(words), {}});
  }
  if (study == nullptr || study->program == nullptr) return;
  const FindingPlaces places(*study->program);
  for (const Finding& finding : study->findings) {
    if (finding.instruction >= study->program->instructions().size()) continue;
    const std::string words = describe(finding, places, variant);
    const std::uint32_t in_ptx = study->program->instructions()[finding.instruction].ptx_line;
    const std::uint32_t line = lines.now(places.line_of(finding.instruction));
    if (line != 0) source.push_back({line, 0, words, finding});
    ptx.push_back({in_ptx, 0, words, finding});
  }
}

std::size_t count_problems(const std::vector<SourceMark>& marks) {
  return static_cast<std::size_t>(
      std::ranges::count_if(marks, [](const SourceMark& mark) { return !mark.is_advice(); }));
}

}  // namespace tilescope

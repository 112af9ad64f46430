#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/study/kernel_study.h"
#include "scene/drawing/canvas.h"

namespace tilescope {

struct Variant;

// Which line of a text was which of another: the same above the first change and below the last
// one. Lines count from 1; 0 stands for a line that the other text does not have.
class LineMap {
 public:
  LineMap() = default;  // of a text to itself
  LineMap(std::string_view before, std::string_view now);
  [[nodiscard]] std::uint32_t now(std::uint32_t before) const;
  [[nodiscard]] std::uint32_t before(std::uint32_t now) const;

 private:
  bool same_ = true;
  std::uint32_t head_ = 0;  // lines that are the same from the top on
  std::uint32_t tail_ = 0;  // and from the end
  std::uint32_t lines_before_ = 0;
  std::uint32_t lines_now_ = 0;
};

// What is underlined in a text: an error of the compiler, or a finding of the emulator.
struct SourceMark {
  std::uint32_t line = 0;
  int column = 0;                  // 1-based; 0: the whole line
  std::string words;               // what is wrong, and what to do
  std::optional<Finding> finding;  // none: an error

  [[nodiscard]] bool is_advice() const { return finding && tilescope::is_advice(finding->kind); }
};
[[nodiscard]] ColourRole colour_of(const SourceMark& mark);
[[nodiscard]] std::size_t count_problems(const std::vector<SourceMark>& marks);  // no advice

// The marks of a variant, by line of its text as it stands, made anew when study, error or text
// changed.
struct SourceMarks {
  std::vector<SourceMark> source;
  std::vector<SourceMark> ptx;
  LineMap lines;         // from the text that the study was made of to the one that stands
  unsigned version = 0;  // counts the changes

  void update(const Variant& variant);

 private:
  std::shared_ptr<const KernelStudy> study_;
  std::uint64_t request_ = 0;
  std::string error_;
  bool is_made_up_ = false;  // OwnKernel::is_made_up
};

// What a finding says, and whether the guessed launch of the variant may be its cause.
[[nodiscard]] std::string message_of(const Finding& finding, const Variant& variant);

// "shared_race" as a person says it: "shared race"; "advice" where it is no mistake.
[[nodiscard]] std::string words_of(FindingKind kind);

}  // namespace tilescope

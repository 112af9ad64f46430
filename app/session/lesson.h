#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/word_search.h"
#include "kernel/catalogue/problem.h"
#include "session/lesson_expression.h"
#include "session/lesson_text.h"

namespace tilescope {

inline constexpr std::string_view kChartView = "chart";  // of a scene; no View of the window
inline constexpr double kRightWithin = 0.03;             // of the number that a question asks for
inline constexpr std::size_t kMostStepWords = 120;       // that are shown in a step

// A launch that a lesson speaks of: a kernel of the catalogue or a file, with what is set.
struct LessonLaunch {
  std::string name;          // "padded", as expressions and scenes call it
  std::string kernel;        // "transpose/tiled", or the path of a file
  ParameterSet values = {};  // of parameters and sizes; the others are the kernel's defaults
  int line = 0;
};

// A number of the lesson's own, that the reader turns and expressions name.
struct LessonNumber {
  std::string name;  // "processors"
  double from = 0;
  double to = 1;
  double value = 0;    // where it stands at first; from <= value <= to
  bool whole = false;  // 1, 2, 3 and nothing between
  int line = 0;
};
// A value of it, as it is written beside its slider.
[[nodiscard]] std::string number_words(const LessonNumber& number, double value);
using LessonNumbers = std::map<std::string, double, std::less<>>;

// Of a chart: its expression over the number that the chart is over.
struct LessonCurve {
  std::string name;
  LessonExpression value;
  int line = 0;
};
// Of a chart: two values that do not depend on that number.
struct LessonDot {
  std::string name;
  LessonExpression y;
  LessonExpression x;
  int line = 0;
};

// Where in the time of the traced block a scene is.
struct SceneTime {
  enum class Kind : std::uint8_t {
    kTelling,  // where the view shows most, or at the first access of the scene's line
    kShare,    // of the chosen warp's instructions, `value` in percent
    kStep,     // `value`: a step of the main loop, from 0
  };
  Kind kind = Kind::kTelling;
  double value = 0;
};

// What the window moves to.
struct LessonScene {
  std::string view;         // "banks"
  std::string launch;       // LessonLaunch::name
  std::string source_line;  // text that one line of the kernel has; empty: no line is chosen
  std::optional<std::uint32_t> warp;
  std::optional<int> lane;
  std::optional<std::pair<std::uint32_t, std::uint32_t>> block;  // x, y
  SceneTime time;
  float zoom = 1;         // of Tiling's matrices or Pipeline's time
  float centre_x = 0.5F;  // of Tiling's matrices, 0..1
  float centre_y = 0.5F;
  std::vector<std::pair<std::string, std::int64_t>> settings;  // of the view
  std::string control;  // a parameter or number that the person may turn here; empty: none
  // Of the view "chart", which covers that of the launch.
  std::string over;  // the number that runs from left to right
  std::vector<LessonCurve> curves;
  std::vector<LessonDot> dots;
  LessonNumbers numbers;  // that are set here, until another scene sets them
  int line = 0;

  [[nodiscard]] bool is_chart() const { return view == kChartView; }
};

struct LessonClaim {
  LessonExpression condition;
  int line = 0;
};

// Asked before the rest of its step is shown.
struct LessonQuestion {
  LessonParagraph words;
  // To be found out with the picture; else predicted, and the picture comes with the answer.
  bool is_trial = false;
  struct Choice {
    LessonParagraph words;
    bool right = false;
  };
  std::vector<Choice> choices;                  // empty: a number is asked for
  std::optional<LessonExpression> number = {};  // then this one
  int line = 0;
};

struct LessonStep {
  std::string title;
  std::optional<LessonScene> scene = {};  // absent: the one before stays
  std::vector<LessonParagraph> text = {};
  std::optional<LessonQuestion> question = {};
  std::optional<LessonScene> answer_scene = {};  // once it is answered; absent: the scene stays
  std::vector<LessonParagraph> answer = {};      // likewise
  std::vector<LessonClaim> claims = {};
  std::vector<std::string> notes = {};  // of the speaker, a paragraph each
  int line = 0;
};

// "bank_conflicts" of "lessons/04_bank_conflicts.md" and of "lessons/04_bank_conflicts.zh.md": the
// number is its place in the list.
[[nodiscard]] std::string lesson_name(const std::filesystem::path& file);
// "zh" of the second; empty of the first.
[[nodiscard]] std::string lesson_language(const std::filesystem::path& file);

// A lesson as its Markdown file has it (docs/writing_a_lesson.md).
struct Lesson {
  std::string name;  // of the file, without number and ending: "bank_conflicts"
  std::filesystem::path file;
  std::string language;  // "zh" of a translation; empty: as it was written, in English
  std::string title;
  std::string understand;  // what the reader will understand, one sentence
  int minutes = 0;
  std::vector<std::string> first;  // names of the lessons to know before
  std::vector<LessonLaunch> launches;
  std::vector<LessonNumber> numbers;
  std::vector<LessonStep> steps;

  [[nodiscard]] const LessonLaunch* launch(std::string_view launch_name) const;  // nullptr: none
  [[nodiscard]] const LessonNumber* number(std::string_view number_name) const;  // nullptr: none
};
// What a search finds the lesson by.
[[nodiscard]] SearchedText searched_text(const Lesson& lesson);
// Words of the step that are shown: of its text, its question and its answer.
[[nodiscard]] std::size_t words_of(const LessonStep& step);
// The scene that a step or its answer is shown in: its own, else the last one before it. nullptr:
// there is none yet.
[[nodiscard]] const LessonScene* scene_at(const Lesson& lesson, std::size_t step, bool answered);

// What expressions mean that name no launch, and how the lesson's numbers stand.
struct LessonPlace {
  std::string launch;
  LessonNumbers numbers;
};
// Of a step, before or behind its answer. Precondition: it has a scene.
[[nodiscard]] LessonPlace place_at(const Lesson& lesson, std::size_t step, bool answered);

}  // namespace tilescope

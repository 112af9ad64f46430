#include "session/lesson_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/number_text.h"
#include "core/text.h"
#include "kernel/catalogue/parameter_values.h"
#include "session/lesson_text.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string>& fields_of_a_step() {
  static const std::vector<std::string> fields{"show",  "line", "select", "time",  "zoom",
                                               "set",   "over", "curve",  "dot",   "control",
                                               "claim", "ask",  "try",    "answer"};
  return fields;
}

const std::vector<std::string>& fields_of_a_head() {
  static const std::vector<std::string> fields{"title", "understand",  "minutes",
                                               "first", "launch NAME", "number NAME"};
  return fields;
}

std::vector<std::string_view> split_at(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    if (const auto part = trimmed(text.substr(0, end)); !part.empty()) parts.push_back(part);
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// "show" of "show: banks of tiled"; empty: the line is no field.
std::string_view field_of(std::string_view line) {
  std::size_t end = 0;
  while (end < line.size() && line[end] >= 'a' && line[end] <= 'z') ++end;
  const bool is_field = end > 0 && line.substr(end).starts_with(':') &&
                        (line.size() == end + 1 || line[end + 1] == ' ');
  return is_field ? line.substr(0, end) : std::string_view();
}

// Reads line by line.
class LessonReader {
 public:
  // `whole`: a lesson; else the texts of a translation.
  LessonReader(const fs::path& file, bool whole) : whole_(whole) {
    lesson_.file = file;
    lesson_.name = lesson_name(file);
    lesson_.language = lesson_language(file);
  }

  Status take(std::string_view line) {
    ++line_;
    const std::string_view words = trimmed(line);
    if (where_ == Where::kStart) {
      if (words.empty()) return ok_status();
      if (words != "---") {
        return wrong("a lesson begins with a head between two lines of ---",
                     "Write ---, then title:, understand: and minutes:, then ---");
      }
      where_ = Where::kHead;
      return ok_status();
    }
    if (where_ == Where::kHead) return take_head(words);
    if (line.starts_with("## ")) return begin_step(trimmed(line.substr(3)));
    if (words.empty()) return end_paragraph();
    if (lesson_.steps.empty()) {
      return wrong("text before the first step", "Begin a step with '## Heading'");
    }
    return take_line(words);
  }

  Result<Lesson> finish() && {
    if (Status ended = end_step(); !ended) return std::move(ended).error();
    if (where_ != Where::kSteps) {
      return wrong("the head does not end", "Close it with a line of ---");
    }
    if (lesson_.steps.empty()) return wrong("no step", "Begin a step with '## Heading'");
    return std::move(lesson_);
  }

 private:
  enum class Where : std::uint8_t { kStart, kHead, kSteps };

  [[nodiscard]] Error wrong(std::string message, std::string remedy) const {
    return {
        ErrorCode::kUsage, std::move(message), std::move(remedy), {lesson_.file.string(), line_}};
  }
  LessonStep& step() { return lesson_.steps.back(); }
  // Of the part that is being read: before the answer or behind it.
  std::optional<LessonScene>& scene() {
    return step().question ? step().answer_scene : step().scene;
  }

  Status take_head(std::string_view words) {
    if (words.empty()) return ok_status();
    if (words == "---") {
      where_ = Where::kSteps;
      for (const auto& [name, is_there] : {std::pair("title", !lesson_.title.empty()),
                                           std::pair("understand", !lesson_.understand.empty()),
                                           std::pair("minutes", lesson_.minutes > 0 || !whole_)}) {
        if (!is_there) {
          return wrong(fmt::format("the head has no '{}:'", name), "Write it above this line");
        }
      }
      return ok_status();
    }
    const std::size_t colon = words.find(':');
    const std::string name(trimmed(words.substr(0, colon)));
    const std::string_view value =
        colon == std::string_view::npos ? std::string_view() : trimmed(words.substr(colon + 1));
    if (value.empty()) {
      return wrong(fmt::format("'{}' is no field with a value", words), "Write 'name: value'");
    }
    if (!whole_ && name != "title" && name != "understand") {
      return wrong(fmt::format("a translation's head has no field '{}'", name),
                   "Write title: and understand: alone; the rest is the lesson's");
    }
    if (Status plain = without_values("the head", value); !plain) return plain;
    if (name.starts_with("launch ")) return take_launch(trimmed(name.substr(7)), value);
    if (name.starts_with("number ")) return take_number(trimmed(name.substr(7)), value);
    if (name == "title") {
      lesson_.title = value;
    } else if (name == "understand") {
      lesson_.understand = value;
    } else if (name == "minutes") {
      lesson_.minutes = parse_number<int>(value).value_or(0);
      if (lesson_.minutes < 1) return wrong("'minutes' is a whole number", "Write 'minutes: 10'");
    } else if (name == "first") {
      for (const std::string_view each : split_at(value, ',')) lesson_.first.emplace_back(each);
    } else {
      return wrong(fmt::format("a head has no field '{}'", name),
                   did_you_mean(name, fields_of_a_head()));
    }
    return ok_status();
  }

  // "transpose/tiled with PAD = 1, ROWS = 1024"
  Status take_launch(std::string_view name, std::string_view value) {
    if (name.empty() || lesson_.launch(name) != nullptr) {
      return wrong(fmt::format("the launch '{}' is there twice or has no name", name),
                   "Give each launch a name of its own");
    }
    const std::size_t with = value.find(" with ");
    LessonLaunch launch{.name = std::string(name),
                        .kernel = std::string(trimmed(value.substr(0, with))),
                        .line = line_};
    if (with != std::string_view::npos) {
      auto values = parse_values(value.substr(with + 6));
      if (!values) {
        return wrong(fmt::format("'{}' are no settings", value.substr(with + 6)),
                     "Write 'with PAD = 1, ROWS = 1024'");
      }
      launch.values = *std::move(values);
    }
    lesson_.launches.push_back(std::move(launch));
    return ok_status();
  }

  // "0.9, from 0 to 1"
  Status take_number(std::string_view name, std::string_view value) {
    const auto words = split_at(value, ' ');
    const auto at = [&](std::size_t i) { return parse_number<double>(words[i]); };
    const bool has_form = words.size() == 5 && words[0].ends_with(',') && words[1] == "from" &&
                          words[3] == "to" && at(2) && at(4);
    const auto first =
        has_form ? parse_number<double>(words[0].substr(0, words[0].size() - 1)) : std::nullopt;
    if (!first || *at(2) >= *at(4) || *first < *at(2) || *first > *at(4)) {
      return wrong(fmt::format("'{}' is no number with its range", value),
                   "Write 'number share: 0.9, from 0 to 1'");
    }
    if (name.empty() || lesson_.number(name) != nullptr || lesson_.launch(name) != nullptr) {
      return wrong(fmt::format("'{}' is there twice or has no name", name),
                   "Give each number and launch a name of its own");
    }
    lesson_.numbers.push_back({.name = std::string(name),
                               .from = *at(2),
                               .to = *at(4),
                               .value = *first,
                               .whole = value.find('.') == std::string_view::npos,
                               .line = line_});
    return ok_status();
  }

  Status begin_step(std::string_view title) {
    if (Status ended = end_step(); !ended) return ended;
    if (title.empty()) return wrong("a step without a heading", "Write '## Heading'");
    if (Status plain = without_values("a heading", title); !plain) return plain;
    lesson_.steps.push_back({.title = std::string(title), .line = line_});
    return ok_status();
  }

  Status end_step() {
    if (Status ended = end_paragraph(); !ended) return ended;
    if (lesson_.steps.empty()) return ok_status();
    const LessonStep& last = step();
    const auto wrong_here = [&](std::string message, std::string remedy) {
      return Error{ErrorCode::kUsage,
                   std::move(message),
                   std::move(remedy),
                   {lesson_.file.string(), last.line}};
    };
    if (last.text.empty()) {
      return wrong_here(fmt::format("the step '{}' has no text", last.title), "Write a sentence");
    }
    if (whole_ && scene_at(lesson_, lesson_.steps.size() - 1, false) == nullptr) {
      return wrong_here("the first step shows nothing", "Write 'show: VIEW of LAUNCH'");
    }
    for (const std::optional<LessonScene>* each : {&last.scene, &last.answer_scene}) {
      const bool is_chart = each->has_value() && (*each)->is_chart();
      if (is_chart && ((*each)->over.empty() || (*each)->curves.empty())) {
        return wrong_here(fmt::format("the chart of '{}' has no curve over a number", last.title),
                          "Write 'over: NUMBER' and 'curve: NAME = EXPRESSION' below 'show:'");
      }
    }
    if (last.question) {
      const LessonQuestion& question = *last.question;
      const auto right = std::ranges::count_if(question.choices, &LessonQuestion::Choice::right);
      const bool is_choice = question.choices.size() > 1 && right == 1 && !question.number;
      const bool is_number = question.choices.empty() && (question.number || !whole_);
      if (!is_choice && !is_number) {
        return wrong_here(
            fmt::format("the question of '{}' has no one right answer", last.title),
            "Give two or more choices, one of them '- [x]', or one 'answer: EXPRESSION'");
      }
      if (last.answer.empty()) {
        return wrong_here(fmt::format("nothing explains the answer in '{}'", last.title),
                          "Write a sentence below the question");
      }
    }
    if (const std::size_t words = words_of(last); words > kMostStepWords) {
      return wrong_here(fmt::format("the step '{}' has {} words; {} are the most", last.title,
                                    words, kMostStepWords),
                        "Cut it, or make two steps");
    }
    return ok_status();
  }

  Status take_line(std::string_view words) {
    if (words.starts_with('>')) {
      return take_note(trimmed(words.substr(1)));
    }
    if (words.starts_with("- [")) return take_choice(words);
    const std::string_view field = field_of(words);
    // "time: the rest waits" goes on with a sentence; what belongs to a scene stands below it.
    static constexpr std::array<std::string_view, 5> kEndsParagraph{"show", "claim", "ask", "try",
                                                                    "answer"};
    if (!field.empty() &&
        (paragraph_.empty() || std::ranges::find(kEndsParagraph, field) != kEndsParagraph.end())) {
      if (Status ended = end_paragraph(); !ended) return ended;
      const std::string_view value = trimmed(words.substr(field.size() + 1));
      if (value.empty()) {
        return wrong(fmt::format("'{}:' is empty", field), "Write a value, or remove the line");
      }
      return take_field(std::string(field), value);
    }
    if (paragraph_.empty()) paragraph_line_ = line_;
    if (!paragraph_.empty()) paragraph_ += '\n';
    paragraph_ += words;
    in_note_ = false;
    return ok_status();
  }

  // Of what is shown as it is written.
  Status without_values(std::string_view what, std::string_view words) const {
    if (words.find("{{") == std::string_view::npos) return ok_status();
    return wrong(fmt::format("{} shows no values: '{}'", what, words),
                 "Move {{expression}} into the step's text");
  }

  Status take_note(std::string_view words) {
    if (Status plain = without_values("a note", words); !plain) return plain;
    std::vector<std::string>& notes = step().notes;
    if (!in_note_) notes.emplace_back();
    in_note_ = true;
    if (!notes.back().empty()) notes.back() += ' ';
    notes.back() += words;
    return ok_status();
  }

  Status end_paragraph() {
    in_note_ = false;
    if (paragraph_.empty()) return ok_status();
    const std::string text = std::exchange(paragraph_, {});
    auto runs = read_paragraph(text, lesson_.file, paragraph_line_);
    if (!runs) return std::move(runs).error();
    (step().question ? step().answer : step().text).push_back(*std::move(runs));
    return ok_status();
  }

  Status take_choice(std::string_view words) {
    if (Status ended = end_paragraph(); !ended) return ended;
    const bool right = words.starts_with("- [x] ");
    if (!step().question || (!right && !words.starts_with("- [ ] "))) {
      return wrong("a choice stands below 'ask:' and begins with '- [ ] ' or '- [x] '",
                   "Write the question first");
    }
    auto runs = read_paragraph(trimmed(words.substr(6)), lesson_.file, line_);
    if (!runs) return std::move(runs).error();
    step().question->choices.push_back({*std::move(runs), right});
    return ok_status();
  }

  Status take_field(const std::string& field, std::string_view value) {
    if (!whole_ && field != "ask" && field != "try") {
      return wrong(fmt::format("'{}:' in a translation", field),
                   "Leave it out: scenes, numbers and claims are the lesson's");
    }
    if (field == "claim" || field == "answer") return take_expression(field, value);
    if (field == "ask" || field == "try") {
      if (step().question) return wrong("a second question", "Ask one in a step");
      step().question.emplace();
      step().question->is_trial = field == "try";
      step().question->line = line_;
      auto words = read_paragraph(value, lesson_.file, line_);
      if (!words) return std::move(words).error();
      step().question->words = *std::move(words);
      return ok_status();
    }
    if (field == "show") return begin_scene(value);
    if (std::ranges::find(fields_of_a_step(), field) == fields_of_a_step().end()) {
      return wrong(fmt::format("a step has no field '{}'", field),
                   did_you_mean(field, fields_of_a_step()));
    }
    if (!scene()) {
      return wrong(fmt::format("'{}:' without a scene", field),
                   "Write 'show: VIEW of LAUNCH' above it");
    }
    return take_scene_field(*scene(), field, value);
  }

  Status take_expression(const std::string& field, std::string_view value) {
    auto expression = LessonExpression::parse(value);
    if (!expression) {
      return wrong(fmt::format("{}: {} at column {}", field, expression.error().message,
                               expression.error().place.column),
                   "See docs/writing_a_lesson.md for what an expression may hold");
    }
    if (field == "claim") {
      if (!expression->compares()) {
        return wrong("a claim compares two values", "Write 'claim: a / b >= 8'");
      }
      step().claims.push_back({*std::move(expression), line_});
      return ok_status();
    }
    if (!step().question || step().question->number || expression->compares()) {
      return wrong("'answer:' gives the number that one 'ask:' asks for",
                   "Write it once, below the question");
    }
    step().question->number = *std::move(expression);
    return ok_status();
  }

  Status begin_scene(std::string_view value) {
    const std::size_t of = value.find(" of ");
    if (of == std::string_view::npos) {
      return wrong(fmt::format("'{}' is no view of a launch", value),
                   "Write 'show: banks of padded'");
    }
    if (scene()) return wrong("a second scene", "Show one, and one more below the question");
    LessonScene fresh;
    fresh.view = trimmed(value.substr(0, of));
    fresh.launch = trimmed(value.substr(of + 4));
    fresh.line = line_;
    if (lesson_.launch(fresh.launch) == nullptr) {
      std::vector<std::string> names;
      for (const LessonLaunch& launch : lesson_.launches) names.push_back(launch.name);
      return wrong(fmt::format("the head names no launch '{}'", fresh.launch),
                   did_you_mean(fresh.launch, names));
    }
    scene() = std::move(fresh);
    return ok_status();
  }

  Status take_scene_field(LessonScene& fresh, const std::string& field, std::string_view value) {
    if (field == "line") {
      fresh.source_line = value;
    } else if (field == "control") {
      fresh.control = value;
    } else if (field == "over" || field == "curve" || field == "dot") {
      return take_chart_field(fresh, field, value);
    } else if (field == "select") {
      return take_selection(fresh, value);
    } else if (field == "time") {
      return take_time(fresh, value);
    } else if (field == "zoom") {
      return take_zoom(fresh, value);
    } else if (fresh.is_chart()) {
      return take_numbers(fresh, value);
    } else {
      const auto values = parse_values(value);
      if (!values) {
        return wrong(fmt::format("'{}' are no settings", value), "Write 'set: heat = 1'");
      }
      fresh.settings.assign(values->begin(), values->end());
    }
    return ok_status();
  }

  [[nodiscard]] Error no_number(std::string_view name) const {
    std::vector<std::string> names;
    for (const LessonNumber& each : lesson_.numbers) names.push_back(each.name);
    return wrong(fmt::format("the head has no number '{}'", name), did_you_mean(name, names));
  }

  // "share = 0.5, processors = 16"
  Status take_numbers(LessonScene& fresh, std::string_view value) {
    for (const std::string_view part : split_at(value, ',')) {
      const std::size_t equals = part.find('=');
      const std::string_view name = trimmed(part.substr(0, equals));
      const LessonNumber* number = lesson_.number(name);
      if (number == nullptr) return no_number(name);
      const auto to = equals == std::string_view::npos
                          ? std::nullopt
                          : parse_number<double>(trimmed(part.substr(equals + 1)));
      if (!to || *to < number->from || *to > number->to) {
        return wrong(fmt::format("'{}' sets no value of its range", part),
                     fmt::format("Write '{} = {}'", name, number->value));
      }
      fresh.numbers[number->name] = *to;
    }
    return ok_status();
  }

  Result<LessonExpression> chart_value(std::string_view text) const {
    auto value = LessonExpression::parse(trimmed(text));
    if (value && !value->compares()) return value;
    return wrong(fmt::format("'{}' is no expression with a value{}", trimmed(text),
                             value ? "" : ": " + value.error().message),
                 "See docs/writing_a_lesson.md for what an expression may hold");
  }

  // "processors", "Amdahl = 1 / (1 - share + share / n) as times", "64 blocks = y at x"
  Status take_chart_field(LessonScene& fresh, const std::string& field, std::string_view value) {
    if (!fresh.is_chart()) {
      return wrong(fmt::format("'{}:' is of a chart", field), "Write 'show: chart of LAUNCH'");
    }
    if (field == "over") {
      if (lesson_.number(value) == nullptr) return no_number(value);
      fresh.over = value;
      return ok_status();
    }
    const std::size_t equals = value.find(" = ");
    const std::size_t at = value.rfind(" at ");
    const bool is_dot = field == "dot";
    if (equals == std::string_view::npos ||
        (is_dot && (at == std::string_view::npos || at < equals))) {
      return wrong(fmt::format("'{}' is no {}", value, field),
                   is_dot ? "Write 'dot: NAME = EXPRESSION at EXPRESSION'"
                          : "Write 'curve: NAME = EXPRESSION'");
    }
    const std::string name(trimmed(value.substr(0, equals)));
    auto y = chart_value(value.substr(equals + 3, is_dot ? at - equals - 3 : at));
    if (!is_dot) y = chart_value(value.substr(equals + 3));
    if (!y) return std::move(y).error();
    if (!is_dot) {
      fresh.curves.push_back({name, *std::move(y), line_});
      return ok_status();
    }
    auto x = chart_value(value.substr(at + 4));
    if (!x) return std::move(x).error();
    fresh.dots.push_back({name, *std::move(y), *std::move(x), line_});
    return ok_status();
  }

  // "warp 0, lane 5, block 3 2"
  Status take_selection(LessonScene& fresh, std::string_view value) {
    for (const std::string_view part : split_at(value, ',')) {
      const auto words = split_at(part, ' ');
      std::vector<std::uint32_t> numbers;
      for (std::size_t i = 1; i < words.size(); ++i) {
        if (const auto number = parse_number<std::uint32_t>(words[i])) numbers.push_back(*number);
      }
      const bool whole = numbers.size() + 1 == words.size();
      if (whole && words[0] == "warp" && numbers.size() == 1) {
        fresh.warp = numbers[0];
      } else if (whole && words[0] == "lane" && numbers.size() == 1 && numbers[0] < 32) {
        fresh.lane = static_cast<int>(numbers[0]);
      } else if (whole && words[0] == "block" && numbers.size() == 2) {
        fresh.block = {numbers[0], numbers[1]};
      } else {
        return wrong(fmt::format("'{}' selects nothing", part),
                     "Write 'select: warp 0, lane 5, block 3 2'; lanes are 0 to 31");
      }
    }
    return ok_status();
  }

  // "40 %" or "step 2"
  Status take_time(LessonScene& fresh, std::string_view value) {
    const auto words = split_at(value, ' ');
    if (words.size() == 2 && words[1] == "%") {
      if (const auto share = parse_number<double>(words[0]);
          share && *share >= 0 && *share <= 100) {
        fresh.time = {SceneTime::Kind::kShare, *share};
        return ok_status();
      }
    }
    if (words.size() == 2 && words[0] == "step") {
      if (const auto number = parse_number<std::uint32_t>(words[1])) {
        fresh.time = {SceneTime::Kind::kStep, static_cast<double>(*number)};
        return ok_status();
      }
    }
    return wrong(fmt::format("'{}' is no time", value), "Write 'time: 40 %' or 'time: step 2'");
  }

  // "4" or "4 at 0.5 0.25"
  Status take_zoom(LessonScene& fresh, std::string_view value) {
    const auto words = split_at(value, ' ');
    const auto number = [&](std::size_t word) { return parse_number<float>(words[word]); };
    const bool places = words.size() == 4 && words[1] == "at" && number(2) && number(3);
    if ((words.size() != 1 && !places) || !number(0) || *number(0) <= 0) {
      return wrong(fmt::format("'{}' is no zoom", value),
                   "Write 'zoom: 4' or 'zoom: 4 at 0.5 0.5'");
    }
    fresh.zoom = *number(0);
    if (places) {
      fresh.centre_x = *number(2);
      fresh.centre_y = *number(3);
    }
    return ok_status();
  }

  Lesson lesson_;
  bool whole_;
  Where where_ = Where::kStart;
  int line_ = 0;
  std::string paragraph_;
  int paragraph_line_ = 0;
  bool in_note_ = false;
};

Result<Lesson> read_lines(std::string_view text, LessonReader reader) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (Status taken = reader.take(text.substr(0, end)); !taken) return std::move(taken).error();
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return std::move(reader).finish();
}

}  // namespace

Result<Lesson> parse_lesson(std::string_view text, const fs::path& file) {
  return read_lines(text, LessonReader(file, /*whole=*/true));
}

Result<Lesson> parse_lesson_texts(std::string_view text, const fs::path& file) {
  return read_lines(text, LessonReader(file, /*whole=*/false));
}

}  // namespace tilescope

#include "session/lesson_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "analysis/study/kernel_study.h"
#include "core/quantity.h"
#include "scene/model/prepared.h"
#include "session/document.h"
#include "session/lesson_chart.h"
#include "session/lesson_launch.h"
#include "session/lesson_text.h"

namespace tilescope {
namespace {

class Checker {
 public:
  Checker(const Lesson& lesson, const LessonCheck& against) : lesson_(lesson), against_(against) {}

  std::vector<Error> check() && {
    for (const std::string& name : lesson_.first) {
      if (against_.library.find(name) != nullptr) continue;
      wrong(1, {ErrorCode::kUsage,
                fmt::format("there is no lesson '{}' to know first", name),
                "See 'tilescope lesson list'",
                {}});
    }
    for (const LessonLaunch& launch : lesson_.launches) {
      const auto variant = variant_of(lesson_, launch, catalogue(), device());
      if (!variant) problems_.push_back(variant.error());
    }
    if (!problems_.empty()) return std::move(problems_);  // all else would fail by the same
    for (std::size_t i = 0; i < lesson_.steps.size(); ++i) check_step(i);
    for (const LessonUse& use : expressions_of(lesson_)) check_use(use);
    std::ranges::stable_sort(problems_, {}, [](const Error& error) { return error.place.line; });
    return std::move(problems_);
  }

 private:
  [[nodiscard]] const Catalogue& catalogue() const { return against_.figures.catalogue(); }
  [[nodiscard]] const DeviceModel& device() const { return against_.figures.device(); }

  void wrong(int line, Error error) {
    if (error.place.file.empty() || error.place.file != lesson_.file.string()) {
      error = at_line(lesson_, line, std::move(error));
    }
    problems_.push_back(std::move(error));
  }

  void check_step(std::size_t index) {
    const LessonStep& step = lesson_.steps[index];
    for (const std::optional<LessonScene>* scene : {&step.scene, &step.answer_scene}) {
      if (!scene->has_value()) continue;
      check_scene(**scene);
      if ((*scene)->is_chart()) check_chart(**scene, index, scene == &step.answer_scene);
    }
    for (const auto* text : {&step.text, &step.answer}) {
      for (const LessonParagraph& paragraph : *text) check_terms(paragraph);
    }
    if (!step.question) return;
    check_terms(step.question->words);
    std::set<std::string> choices;
    for (const LessonQuestion::Choice& choice : step.question->choices) {
      const std::string words = text_of(lesson_, choice.words, place_at(lesson_, index, true),
                                        against_.figures, against_.known);
      if (!choices.insert(words).second) {
        wrong(step.question->line, {ErrorCode::kUsage,
                                    fmt::format("two choices read '{}'", words),
                                    "Change one of them",
                                    {}});
      }
    }
  }

  void check_terms(const LessonParagraph& paragraph) {
    for (const LessonRun& run : paragraph) {
      if (run.kind != LessonRun::Kind::kTerm || against_.glossary.find(term_of(run)) != nullptr) {
        continue;
      }
      wrong(run.line, {ErrorCode::kUsage,
                       fmt::format("the glossary has no term '{}'", term_of(run)),
                       "See 'tilescope explain', or write it without brackets",
                       {}});
    }
  }

  void check_scene(const LessonScene& scene) {
    auto variant = variant_of(lesson_, scene, catalogue(), device());
    if (!variant) return wrong(scene.line, variant.error());
    auto instance = instance_of(*variant, catalogue(), device());
    if (!instance) return wrong(scene.line, instance.error());
    StudyRequest request;
    request.instance = *std::move(instance);
    request.compute_capability = device().compute_capability;
    request.block = variant->selection.block;
    const auto study = study_block(request, {});
    if (!study) return wrong(scene.line, study.error());
    const Selection selection = selection_of(scene, variant->selection, **study, *prepare(**study));
    if (selection.line == 0 || executes(**study, selection)) return;
    wrong(scene.line, {ErrorCode::kUsage,
                       fmt::format("warp {} of this block never executes the line '{}'",
                                   selection.warp, scene.source_line),
                       "Choose another line, block or warp",
                       {}});
  }

  void check_chart(const LessonScene& scene, std::size_t index, bool answered) {
    const LessonPlace place = place_at(lesson_, index, answered);
    const auto chart = lesson_chart(lesson_, scene, place, against_.figures, against_.known);
    if (!chart) wrong(scene.line, chart.error());
  }

  static bool executes(const KernelStudy& study, const Selection& selection) {
    const auto& instructions = study.program->instructions();
    for (const TraceEvent& event : study.trace->events) {
      if (event.warp == selection.warp &&
          instructions[event.instruction].outermost.line == selection.line) {
        return true;
      }
    }
    return false;
  }

  void check_use(const LessonUse& use) {
    if (!use.expression->compares()) {
      const auto value =
          against_.figures.value(lesson_, use.place, *use.expression, against_.known);
      if (!value) wrong(use.line, explained(use, value.error()));
      return;
    }
    const auto compared =
        against_.figures.compare(lesson_, use.place, *use.expression, against_.known);
    if (!compared) return wrong(use.line, explained(use, compared.error()));
    if (!compared->has_value() || (*compared)->holds) return;
    wrong(use.line, {ErrorCode::kUsage,
                     fmt::format("the claim '{}' does not hold: {} against {}",
                                 use.expression->text(), (*compared)->left, (*compared)->right),
                     "Change the claim and the text that rests on it",
                     {}});
  }

  // With the expression in front.
  static Error explained(const LessonUse& use, Error error) {
    error.message = fmt::format("{{{{{}}}}}: {}", use.expression->text(), error.message);
    return error;
  }

  const Lesson& lesson_;
  const LessonCheck& against_;
  std::vector<Error> problems_;
};

}  // namespace

std::vector<Error> check_lesson(const Lesson& lesson, const LessonCheck& against) {
  return Checker(lesson, against).check();
}

std::string text_of(const Lesson& lesson, const LessonParagraph& paragraph,
                    const LessonPlace& place, LessonFigures& figures,
                    const KnownMeasurements& known) {
  std::string text;
  for (const LessonRun& run : paragraph) {
    if (run.kind != LessonRun::Kind::kValue) {
      text += run.text;
      continue;
    }
    const auto value = figures.value(lesson, place, run.value, known);
    if (!value || !value->has_value()) {
      text += "–";
      continue;
    }
    text += run.value.written(**value);
    if ((*value)->source) text += fmt::format(" {}", marker_of(*(*value)->source));
  }
  return text;
}

}  // namespace tilescope

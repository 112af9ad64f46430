#include "ui/state/learn.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/device_table.h"
#include "core/number_text.h"
#include "core/text.h"
#include "kernel/launch/instance.h"
#include "session/lesson_chart.h"
#include "session/lesson_launch.h"
#include "session/lesson_library.h"
#include "session/session_file.h"
#include "ui/drawing/fonts.h"
#include "ui/state/session.h"
#include "ui/state/window_state.h"
#include "ui/workbench/variant.h"
#include "ui/workbench/workbench.h"

namespace tilescope {
Learn::Learn(Workbench& workbench, const RecordedLibrary& recorded)
    : recorded_(recorded),
      library_(load_lessons(lesson_folders())),
      figures_(
          workbench.catalogue(), workbench.device_model(Source::kRecorded),
          [this, &workbench](const std::string& tag, JobPool::Work work) {
            workbench.submit(
                tag, std::move(work),
                prepared_ == step_ ? JobPool::Priority::kUrgent : JobPool::Priority::kBackground);
          },
          /*workers=*/1, kept_figures_here()) {}

KnownMeasurements Learn::known() const { return {recorded_}; }

const std::optional<TaughtTerm>& Learn::taught(const GlossaryEntry& term,
                                               const Glossary& glossary) {
  const auto known = taught_.find(&term);
  if (known != taught_.end()) return known->second;
  return taught_.emplace(&term, taught_term(term, glossary, library_)).first->second;
}

std::string language_words(std::string_view language) {
  if (language.empty()) return "English";
  return language == "zh" ? "中文 (Chinese)" : std::string(language);
}

namespace {

constexpr const char* kNoWideFont =
    "No font with Chinese characters is installed (apt-get install fonts-noto-cjk): the lesson is "
    "shown in English.";

bool can_show(const WindowState& state, const Lesson& lesson) {
  if (state.fonts.has_wide_characters()) return true;
  for (std::size_t i = 0; i < lesson.title.size(); ++i) {
    if (wide_character(lesson.title, i) > 0) return false;
  }
  return true;
}

// The glossary's terms that the paragraphs have, each once, in order.
std::vector<const GlossaryEntry*> terms_in(const std::vector<LessonParagraph>& paragraphs,
                                           const Glossary& glossary) {
  std::vector<const GlossaryEntry*> terms;
  for (const LessonParagraph& paragraph : paragraphs) {
    for (const LessonRun& run : paragraph) {
      if (run.kind != LessonRun::Kind::kTerm) continue;
      const GlossaryEntry* term = glossary.find(term_of(run));
      if (term != nullptr && std::ranges::find(terms, term) == terms.end()) terms.push_back(term);
    }
  }
  return terms;
}

}  // namespace

const Lesson& Learn::in_language(const WindowState& state, const Lesson& lesson) const {
  const Lesson& other = *library_.find(lesson.name, state.preferences.language);
  return can_show(state, other) ? other : lesson;
}

void Learn::speak(WindowState& state, const std::string& language) {
  state.preferences.language = language;
  if (lesson_ == nullptr) return;
  open(state, std::string(lesson_->name), static_cast<int>(step_));
}

bool Learn::open(WindowState& state, const std::string& name, std::optional<int> step) {
  const Lesson* wanted = library_.find(name, state.preferences.language);
  if (wanted == nullptr) return false;
  const bool is_shown = can_show(state, *wanted);
  if (!is_shown) wanted = library_.find(name);
  state.practice.leave(state);
  state.presentation.leave(state);
  page_ = Page::kNone;
  if (lesson_ == nullptr) {
    state.session.hold(state);
    own_ = tilescope::scene_of(document_of(state, state.session.history().present()));
  }
  std::vector<Session::Notice>& notices = state.session.notices();
  std::erase_if(notices, [](const Session::Notice& old) { return old.words == kNoWideFont; });
  if (!is_shown) notices.push_back({kNoWideFont});
  lesson_ = std::make_unique<Lesson>(*wanted);
  const auto last = static_cast<int>(lesson_->steps.size()) - 1;
  const auto seen = progress_.find(name);
  const int resumed = seen != progress_.end() && seen->second <= last ? seen->second - 1 : 0;
  step_ = static_cast<std::size_t>(std::clamp(step.value_or(resumed), 0, last));
  answers_.assign(lesson_->steps.size(), std::nullopt);
  shown_.clear();
  broken_.clear();
  typed_.clear();
  show_scene(state);
  return true;
}

void Learn::leave(WindowState& state) {
  if (lesson_ == nullptr) return;
  drop();
  state.session.give_back(state);
  state.workbench.make_ready({});
}

void Learn::drop() {
  motion_.stop();  // it asks the lesson where to go
  lesson_.reset();
  own_ = {};
}

void Learn::turn(WindowState& state, int by) {
  if (lesson_ == nullptr) return;
  if (by > 0 && asks()) return reveal(state, {});
  if (by > 0 && is_last()) {
    const auto& lessons = library_.lessons;
    const auto own = std::ranges::find(lessons, lesson_->name, &Lesson::name);
    if (own != lessons.end() && own + 1 != lessons.end())
      chosen_row_ = static_cast<std::size_t>(own + 1 - lessons.begin());
    leave(state);
    page_ = Page::kLessons;
    return;
  }
  if (by < 0 && step_ == 0) return;
  step_ = by > 0 ? step_ + 1 : step_ - 1;
  typed_.clear();
  revealed_ = false;
  show_scene(state);
}

const Learn::Answer* Learn::answer() const {
  return lesson_ != nullptr && answers_[step_] ? &*answers_[step_] : nullptr;
}

bool Learn::asks() const {
  return lesson_ != nullptr && step().question.has_value() && !answers_[step_];
}

void Learn::choose(WindowState& state, std::size_t choice) {
  if (!asks() || choice >= step().question->choices.size()) return;
  reveal(state, {.choice = choice, .right = step().question->choices[choice].right});
}

void Learn::take_number(WindowState& state) {
  if (!asks() || !step().question->number) return;
  const std::string words(trimmed(typed_));
  const auto number = parse_number<double>(words);
  if (!number) return;
  const LessonPlace here = place(true);
  const KnownMeasurements measurements = known();
  const auto value = figures_.value(*lesson_, here, *step().question->number, measurements);
  const bool is_known = value && value->has_value();
  const bool right =
      is_known && std::abs(*number - (*value)->number) <= kRightWithin * std::abs((*value)->number);
  reveal(state, {.number = words, .right = right});
}

void Learn::reveal(WindowState& state, Answer answer) {
  answers_[step_] = std::move(answer);
  revealed_ = true;
  if (step().answer_scene) show_scene(state);
  state.frame_wanted = true;
}

const LessonScene* Learn::scene() const {
  return lesson_ != nullptr ? scene_at(*lesson_, step_, answers_[step_].has_value()) : nullptr;
}

LessonPlace Learn::place(bool after_answer) const {
  LessonPlace here = place_at(*lesson_, step_, after_answer);
  here.numbers = numbers_;
  return here;
}

void Learn::turn_number(WindowState& state, const LessonNumber& number, double value) {
  value = std::clamp(number.whole ? std::round(value) : value, number.from, number.to);
  if (numbers_[number.name] == value) return;
  numbers_[number.name] = value;
  shown_.clear();
  if (chart_) chart_axis_ = chart_->y;
  chart_.reset();
  state.frame_wanted = true;
}

std::vector<const GlossaryEntry*> Learn::terms(const Glossary& glossary) const {
  constexpr std::size_t kMost = 3;
  std::vector<const GlossaryEntry*> terms = terms_in(step().text, glossary);
  if (!asks()) {
    for (const GlossaryEntry* term : terms_in(step().answer, glossary)) {
      if (std::ranges::find(terms, term) == terms.end()) terms.push_back(term);
    }
  }
  terms.resize(std::min(terms.size(), kMost));
  return terms;
}

const GlossaryEntry* Learn::nearest_term(const Glossary& glossary) const {
  if (const auto own = terms(glossary); !own.empty()) return own.front();
  for (std::size_t i = step_; i-- > 0;) {
    const auto before = terms_in(lesson_->steps[i].text, glossary);
    if (!before.empty()) return before.front();
  }
  return nullptr;
}

const CurveChart* Learn::chart() {
  const LessonScene* shown_scene = scene();
  if (shown_scene == nullptr || !shown_scene->is_chart()) return nullptr;
  if (!chart_) {
    const LessonPlace here = place(answers_[step_].has_value());
    const KnownMeasurements measurements = known();
    auto chart = lesson_chart(*lesson_, *shown_scene, here, figures_, measurements);
    if (chart && *chart) chart_ = *std::move(*chart);
    if (chart_ && chart_axis_) keep_y_axis(&*chart_, *chart_axis_);
  }
  return chart_ ? &*chart_ : nullptr;
}

void Learn::show_scene(WindowState& state) {
  motion_.stop();
  const LessonScene& wanted = *scene();
  LessonNumbers numbers = place_at(*lesson_, step_, answers_[step_].has_value()).numbers;
  if (numbers != numbers_) shown_.clear();
  numbers_ = std::move(numbers);
  chart_.reset();
  chart_axis_.reset();
  prepared_ = step_;
  int& seen = progress_[lesson_->name];
  seen = std::max(seen, static_cast<int>(step_) + 1);
  auto scene = scene_of(state, wanted);
  if (!scene) {
    state.note = to_string(scene.error());
    return;
  }
  look_ahead(state, *scene);
  motion_.show(state, *scene,
               [&wanted](const Selection& selection, const KernelStudy& study,
                         const PreparedStudy& prepared) {
                 return selection_of(wanted, selection, study, prepared);
               });
}

Result<Scene> Learn::scene_of(const WindowState& state, const LessonScene& wanted) const {
  const Workbench& workbench = state.workbench;
  auto variant = variant_of(*lesson_, wanted, workbench.catalogue(), workbench.device_model());
  if (!variant) return variant.error();
  return Scene{.variants = {*std::move(variant)},
               .view = view_of(wanted),
               .settings = settings_of(wanted),
               .heat_column = state.heat_column,
               .control = wanted.is_chart() ? "" : wanted.control};
}

namespace {

// Whether all of it is computed, or being shown.
bool is_known(Workbench& workbench, const Scene& scene) {
  return std::ranges::all_of(scene.variants, [&](const VariantDocument& document) {
    const Variant wanted = variant_of(document, workbench.catalogue());
    const bool is_shown = std::ranges::any_of(workbench.variants(), [&](const Variant& variant) {
      return same_request(variant, wanted);
    });
    return is_shown || workbench.ready(document) != nullptr;
  });
}

}  // namespace

// What the answer shows and the next step are computed; the step before and the person's own are
// kept where they are known.
void Learn::look_ahead(WindowState& state, const Scene& now) const {
  std::vector<Scene> scenes;
  const auto add = [&](std::size_t step, bool answered, bool computes) {
    if (step >= lesson_->steps.size()) return;  // before the first: there is none so far behind
    auto scene = scene_of(state, *scene_at(*lesson_, step, answered));
    if (scene && (computes || is_known(state.workbench, *scene)))
      scenes.push_back(*std::move(scene));
  };
  if (asks()) add(step_, true, true);
  add(step_ + 1, false, true);
  add(step_ + 1, true, false);
  add(step_ - 1, true, false);
  if (is_known(state.workbench, own_)) scenes.push_back(own_);
  std::vector<const Scene*> next;
  for (const Scene& scene : scenes) next.push_back(&scene);
  make_ready(state, now, next);
}

void Learn::step_aside(const WindowState& state) {
  if (page_ == Page::kNone) {
    below_ = {};
    return;
  }
  const Variant& active = state.workbench.active();
  const Below now{page_,
                  active.own                ? active.own->file.path
                  : active.entry != nullptr ? active.entry->id
                                            : std::string(),
                  state.raise.value_or(state.view)};
  if (now.page == below_.page && now != below_) page_ = Page::kNone;
  below_ = now;
}

void Learn::update(WindowState& state) {
  step_aside(state);
  if (lesson_ == nullptr) return;
  motion_.update(state);
  while (prepared_ < lesson_->steps.size() && figures_.prepare(*lesson_, prepared_)) {
    for (const LessonUse& use : expressions_of(*lesson_)) {  // once, for what keeps them
      if (use.step == prepared_)
        (void)figures_.value(*lesson_, use.place, *use.expression, known());
    }
    ++prepared_;
  }
}

namespace {

// "emulated from the compiled kernel: naive.sectors_per_store"
std::string about(const LessonValue& value, const LessonExpression& expression) {
  std::string words;
  if (!value.source) {
    words = "As set, or of the GPU's datasheet";
  } else {
    switch (*value.source) {
      case Source::kEmulated:
        words = "Emulated: counted while the compiled kernel ran on the CPU";
        break;
      case Source::kModelled:
        words = "Modelled: an estimate";
        break;
      case Source::kRecorded:
        words = "Recorded: measured earlier";
        break;
      case Source::kMeasured:
        words = "Measured here";
        break;
    }
  }
  if (!value.gpu.empty()) words += " on " + value.gpu;
  return words + ".\n" + expression.text();
}

}  // namespace

const Learn::Shown& Learn::shown(const LessonExpression& expression, bool after_answer) {
  static const Shown kComputing{"…", std::nullopt, "This number is being computed."};
  const auto known_value = shown_.find(&expression);
  if (known_value != shown_.end()) return known_value->second;
  const LessonPlace here = place(after_answer);
  const KnownMeasurements measurements = known();
  const auto value = figures_.value(*lesson_, here, expression, measurements);
  if (value && !value->has_value()) return kComputing;
  Shown result{"–", std::nullopt, {}};
  if (value) {
    result = {expression.written(**value), (*value)->source, about(**value, expression)};
  } else {
    result.about = to_string(value.error());
  }
  return shown_.emplace(&expression, std::move(result)).first->second;
}

std::vector<std::string> Learn::broken_claims() {
  if (lesson_ == nullptr) return {};
  if (const auto known_claims = broken_.find(step_); known_claims != broken_.end()) {
    return known_claims->second;
  }
  const LessonPlace here = place_at(*lesson_, step_, true);  // however the numbers are turned
  const KnownMeasurements measurements = known();
  std::vector<std::string> broken;
  for (const LessonClaim& claim : step().claims) {
    const auto compared = figures_.compare(*lesson_, here, claim.condition, measurements);
    if (!compared) continue;  // the text shows that its value cannot be had
    if (!compared->has_value()) return {};
    if ((*compared)->holds) continue;
    broken.push_back(fmt::format("This step says {}, but here it is {} and {}.",
                                 claim.condition.text(), (*compared)->left, (*compared)->right));
  }
  return broken_.emplace(step_, std::move(broken)).first->second;
}

}  // namespace tilescope

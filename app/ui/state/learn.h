#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"
#include "scene/curves/curve_chart.h"
#include "scene/view/view.h"
#include "session/lesson.h"
#include "session/lesson_figures.h"
#include "session/lesson_library.h"
#include "session/scene.h"
#include "session/taught_term.h"
#include "ui/state/scene_motion.h"

namespace tilescope {

struct WindowState;
class RecordedLibrary;
class Workbench;

// "English" of "", "中文 (Chinese)" of "zh"
[[nodiscard]] std::string language_words(std::string_view language);

// How far a person came in each lesson, by its name: the number of steps that were seen.
using LessonProgress = std::map<std::string, int>;

// The lessons in the window: the list, and the one that is open, whose scenes the window shows.
// What the person had is put aside meanwhile (Session::hold()). UI thread.
class Learn {
 public:
  // A page over the whole window.
  enum class Page : std::uint8_t {
    kNone,
    kStart,    // the three doors of a first start
    kLessons,  // the list
    kExercises,
  };

  Learn(Workbench& workbench, const RecordedLibrary& recorded);

  [[nodiscard]] const LessonLibrary& library() const { return library_; }
  [[nodiscard]] Page page() const { return page_; }
  [[nodiscard]] bool lists() const { return page_ == Page::kLessons || page_ == Page::kExercises; }
  void show_page(Page page) { page_ = page; }
  // The row of the list that Enter opens.
  [[nodiscard]] std::size_t& chosen_row() { return chosen_row_; }
  [[nodiscard]] const LessonProgress& progress() const { return progress_; }
  void remember(LessonProgress progress) { progress_ = std::move(progress); }

  // The step that teaches a term of the glossary, found once; nullopt: none does.
  [[nodiscard]] const std::optional<TaughtTerm>& taught(const GlossaryEntry& term,
                                                        const Glossary& glossary);

  // The lesson's translation into the language that is set, where it can be shown; else itself.
  [[nodiscard]] const Lesson& in_language(const WindowState& state, const Lesson& lesson) const;
  // Sets the language; an open lesson goes on in it.
  void speak(WindowState& state, const std::string& language);

  // Opens a lesson at a step from 0, or where the person left it. false: there is none of this
  // name.
  bool open(WindowState& state, const std::string& name, std::optional<int> step = {});
  // Gives the person's own state back.
  void leave(WindowState& state);
  // Without giving anything back: another document takes the window.
  void drop();

  // The open lesson and where it stands; nullptr: none is open.
  [[nodiscard]] const Lesson* lesson() const { return lesson_.get(); }
  [[nodiscard]] std::size_t step_index() const { return step_; }
  [[nodiscard]] const LessonStep& step() const { return lesson_->steps[step_]; }
  [[nodiscard]] bool is_last() const { return step_ + 1 == lesson_->steps.size(); }

  // On, or back by -1. A question that waits is answered for the person first; past the last step
  // the list of lessons comes.
  void turn(WindowState& state, int by);

  // What was answered in a step.
  struct Answer {
    std::optional<std::size_t> choice = {};  // absent: a number, or nothing was answered
    std::string number = {};                 // as it was typed
    bool right = false;
  };
  // Of the present step; nullptr: not yet, or it asks nothing.
  [[nodiscard]] const Answer* answer() const;
  [[nodiscard]] bool asks() const;  // a question waits
  // The view is covered: what it shows would answer the question.
  [[nodiscard]] bool veils() const { return asks() && !step().question->is_trial; }
  // Once after an answer: what it shows has come below the question.
  [[nodiscard]] bool take_revealed() { return std::exchange(revealed_, false); }
  void choose(WindowState& state, std::size_t choice);
  // What is typed for a number, and whether it is one. Right is what differs by less than 3 %.
  [[nodiscard]] std::string& typed() { return typed_; }
  void take_number(WindowState& state);

  // The glossary's terms that the step's text has, each once, in order: the first few.
  [[nodiscard]] std::vector<const GlossaryEntry*> terms(const Glossary& glossary) const;
  // The first of them, or of the nearest step before that has one; nullptr: none has.
  [[nodiscard]] const GlossaryEntry* nearest_term(const Glossary& glossary) const;

  [[nodiscard]] bool shows_notes() const { return shows_notes_; }
  void toggle_notes() { shows_notes_ = !shows_notes_; }

  // The scene in place; nullptr: none. Its launch is what expressions without a name mean.
  [[nodiscard]] const LessonScene* scene() const;
  // A value as the text shows it: `words` is "…" while it is computed, "–" where it cannot be had.
  struct Shown {
    std::string words;
    std::optional<Source> source;
    std::string about;  // for a tooltip
  };
  [[nodiscard]] const Shown& shown(const LessonExpression& expression, bool after_answer);
  // How the lesson's own numbers stand, and turning one: kept within its range.
  [[nodiscard]] const LessonNumbers& numbers() const { return numbers_; }
  void turn_number(WindowState& state, const LessonNumber& number, double value);
  // The chart that covers the view; nullptr: the scene has none, or it is being computed.
  [[nodiscard]] const CurveChart* chart();

  // The claims of the step that do not hold here, in words; they hold where the lesson was checked.
  [[nodiscard]] std::vector<std::string> broken_claims();

  // Once a frame: brings the scene's time and place once its block is traced. Closes the page where
  // the person has brought another kernel or view below it: it is what they want to see.
  void update(WindowState& state);

 private:
  void show_scene(WindowState& state);
  // The scenes that may come next, and the person's own for when the lesson ends.
  void look_ahead(WindowState& state, const Scene& now) const;
  // As the window shows it. An error has the lesson's file and line.
  [[nodiscard]] Result<Scene> scene_of(const WindowState& state, const LessonScene& wanted) const;
  void reveal(WindowState& state, Answer answer);
  [[nodiscard]] KnownMeasurements known() const;
  [[nodiscard]] LessonPlace place(bool after_answer) const;

  const RecordedLibrary& recorded_;
  LessonLibrary library_;
  LessonFigures figures_;
  std::map<const GlossaryEntry*, std::optional<TaughtTerm>> taught_;
  LessonProgress progress_;
  Page page_ = Page::kNone;
  // What the window shows below the page, and the page that it was noted for.
  struct Below {
    Page page = Page::kNone;
    std::string kernel;  // catalogue id, or the file of a person's own
    View view = View::kTiling;
    friend bool operator==(const Below&, const Below&) = default;
  };
  Below below_;
  void step_aside(const WindowState& state);
  std::size_t chosen_row_ = 0;
  std::unique_ptr<const Lesson> lesson_;
  std::size_t step_ = 0;
  // The numbers of the steps from step_ to before this one are known; those of this one are being
  // computed, before all else where it is the step in sight.
  std::size_t prepared_ = 0;
  std::vector<std::optional<Answer>> answers_;              // by step
  std::map<const LessonExpression*, Shown> shown_;          // of the lesson, once they are known
  std::map<std::size_t, std::vector<std::string>> broken_;  // by step, likewise
  LessonNumbers numbers_;                       // of the scene, as the person turned them
  std::optional<CurveChart> chart_;             // of the scene with these numbers
  std::optional<CurveChart::Axis> chart_axis_;  // its y axis before they were turned
  std::string typed_;
  bool shows_notes_ = false;
  bool revealed_ = false;  // take_revealed()
  SceneMotion motion_;
  Scene own_;  // of the person, while a lesson is open
};

}  // namespace tilescope

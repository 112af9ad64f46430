#include "session/lesson_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "core/quantity.h"
#include "export/page_figure.h"
#include "export/page_template.h"
#include "export/picture_page.h"
#include "scene/curves/curve_chart.h"
#include "scene/drawing/pen.h"
#include "session/lesson_chart.h"
#include "session/lesson_launch.h"
#include "session/lesson_text.h"
#include "session/studied_view.h"

namespace tilescope {
namespace {

constexpr float kWidth = kPageWidth;  // px of a picture
constexpr float kHeight = kPageHeight;
constexpr float kChartHeight = 400;
constexpr int kTurns = 11;  // places of a number's slider

std::string language_of(const Lesson& lesson) {
  return lesson.language.empty() ? "en" : lesson.language;
}

// Where the slider of a number can stand: evenly on its chart's axis, where the lesson's scenes set
// it, and where it stands now.
std::vector<double> turns_of(const Lesson& lesson, const LessonNumber& number, double now) {
  const CurveChart::Axis range{number.name, number.from, number.to, {}};
  std::vector<double> turns;
  for (int i = 0; i < kTurns; ++i) {
    const double value = range.value_at(static_cast<double>(i) / (kTurns - 1));
    turns.push_back(number.whole ? std::round(value) : value);
  }
  turns.push_back(now);
  for (const LessonStep& step : lesson.steps) {
    for (const std::optional<LessonScene>* scene : {&step.scene, &step.answer_scene}) {
      if (!*scene) continue;
      const auto set = (*scene)->numbers.find(number.name);
      if (set != (*scene)->numbers.end()) turns.push_back(set->second);
    }
  }
  std::ranges::sort(turns);
  const auto twice = std::ranges::unique(turns);
  turns.erase(twice.begin(), twice.end());
  return turns;
}

class Writer {
 public:
  Writer(const LessonPageRequest& request, const PageTemplate& with)
      : request_(request),
        with_(with),
        lesson_(*request.languages.front()),
        tools_{request.figures.catalogue(), request.figures.device(), request.devices,
               request.known, request.workers} {}

  Result<std::string> write() {
    std::string body;
    if (request_.languages.size() > 1) body += language_choice();
    body += spoken("lead", [&](const Lesson& lesson) {
      return Gaps{{"title", html_text(lesson.title)},
                  {"understand", html_text(lesson.understand)},
                  {"minutes", std::to_string(lesson_.minutes)}};
    });
    for (std::size_t i = 0; i < lesson_.steps.size(); ++i) {
      if (request_.progress) request_.progress(i, lesson_.steps.size());
      auto step = step_html(i);
      if (!step) return step;
      body += *step;
    }
    body += terms_html();
    return html_of({.title = lesson_.title,
                    .language = language_of(lesson_),
                    .description = lesson_.understand,
                    .body = body},
                   with_);
  }

 private:
  using Gaps = std::vector<std::pair<std::string, std::string>>;

  [[nodiscard]] std::string fill(std::string_view block, const Gaps& gaps) const {
    return with_.fill(block, {gaps.begin(), gaps.end()});
  }

  // The block once for each language, in its own words where the template has them.
  template <typename GapsOf>
  std::string spoken(const std::string& block, const GapsOf& gaps_of) {
    std::string html;
    for (const Lesson* lesson : request_.languages) {
      html += in_language(*lesson, fill(block_of(block, *lesson), gaps_of(*lesson)));
    }
    return html;
  }
  [[nodiscard]] std::string in_language(const Lesson& lesson, const std::string& html) const {
    if (request_.languages.size() == 1) return html + "\n";
    return fill("spoken", {{"language", language_of(lesson)}, {"html", html}});
  }

  // The same inside of a line, of a block without gaps.
  [[nodiscard]] std::string spoken_words(const std::string& block) const {
    if (request_.languages.size() == 1) return fill(block_of(block, lesson_), {});
    std::string html;
    for (const Lesson* lesson : request_.languages) {
      html += fill("spoken words", {{"language", language_of(*lesson)},
                                    {"html", fill(block_of(block, *lesson), {})}});
    }
    return html;
  }
  [[nodiscard]] std::string block_of(const std::string& block, const Lesson& lesson) const {
    const std::string own = block + " " + language_of(lesson);
    return with_.has(own) ? own : block;
  }

  [[nodiscard]] std::string language_choice() const {
    std::string choices;
    for (const Lesson* lesson : request_.languages) {
      const std::string own = "language " + language_of(*lesson);
      choices += fill("language choice",
                      {{"language", language_of(*lesson)},
                       {"name", with_.has(own) ? fill(own, {}) : language_of(*lesson)}});
    }
    return fill("languages", {{"choices", choices}});
  }

  // Whether values stand out, with their marks: in a choice that would give the answer away.
  enum class Values : bool { kPlain, kMarked };

  std::string run_html(const Lesson& lesson, const LessonRun& run, const LessonPlace& place,
                       Values values) {
    switch (run.kind) {
      case LessonRun::Kind::kPlain:
        return html_text(run.text);
      case LessonRun::Kind::kStrong:
        return "<strong>" + html_text(run.text) + "</strong>";
      case LessonRun::Kind::kCode:
        return "<code>" + html_text(run.text) + "</code>";
      case LessonRun::Kind::kTerm:
        return term_html(run);
      case LessonRun::Kind::kValue:
        return value_html(lesson, run.value, place, values);
    }
    return {};
  }

  std::string term_html(const LessonRun& run) {
    const GlossaryEntry* entry = request_.glossary.find(term_of(run));
    if (entry == nullptr) return html_text(run.text);
    const auto known = std::ranges::find(terms_, entry);
    const auto index = static_cast<std::size_t>(known - terms_.begin());
    if (known == terms_.end()) terms_.push_back(entry);
    return fill("term", {{"index", std::to_string(index)},
                         {"short", html_text(short_definition(*entry))},
                         {"term", html_text(run.text)}});
  }

  std::string value_html(const Lesson& lesson, const LessonExpression& expression,
                         const LessonPlace& place, Values values) {
    const auto value = request_.figures.value(lesson, place, expression, request_.known);
    if (!value || !value->has_value()) return "–";
    if (values == Values::kPlain) return html_text(expression.written(**value));
    const std::string mark = (*value)->source ? mark_html(*(*value)->source) : std::string();
    const std::string words = expression.written(**value);
    const std::string turned = turned_words(lesson, expression, place, words);
    if (turned.empty()) return fill("value", {{"value", html_text(words)}, {"mark", mark}});
    return fill("turned value", {{"figure", turning_->figure},
                                 {"values", html_text(turned)},
                                 {"value", html_text(words)},
                                 {"mark", mark}});
  }

  // What a value is at each place of the sliders that it depends on: "1.5 ×|2 ×". Empty: at all
  // places the same.
  std::string turned_words(const Lesson& lesson, const LessonExpression& expression,
                           LessonPlace place, const std::string& now) {
    if (!turning_) return {};
    std::string all;
    bool same = true;
    for (const LessonNumbers& turn : turning_->places) {
      for (const auto& [name, number] : turn) place.numbers[name] = number;
      const auto value = request_.figures.value(lesson, place, expression, request_.known);
      const std::string words =
          value && value->has_value() ? expression.written(**value) : std::string("–");
      same = same && words == now;
      if (!all.empty()) all += '|';
      all += words;
    }
    return same ? std::string() : all;
  }

  std::string runs_html(const Lesson& lesson, const LessonParagraph& paragraph,
                        const LessonPlace& place, Values values = Values::kMarked) {
    std::string html;
    for (const LessonRun& run : paragraph) html += run_html(lesson, run, place, values);
    return html;
  }

  std::string text_html(const Lesson& lesson, const std::vector<LessonParagraph>& text,
                        const LessonPlace& place) {
    std::string html;
    for (const LessonParagraph& paragraph : text) {
      html += "<p>" + runs_html(lesson, paragraph, place) + "</p>\n";
    }
    return html;
  }

  // A number that a chart turns.
  struct Turned {
    const LessonNumber* number = nullptr;
    std::vector<double> turns;  // at the places of its slider
  };
  // What a chart turns, the number that it is over last.
  [[nodiscard]] std::vector<Turned> turned_by(const LessonScene& scene,
                                              const LessonPlace& place) const {
    std::vector<Turned> turned;
    for (const std::string* name : {&scene.control, &scene.over}) {
      const LessonNumber* number = lesson_.number(*name);
      if (number == nullptr || (name == &scene.control && scene.control == scene.over)) continue;
      turned.push_back({number, turns_of(lesson_, *number, place.numbers.at(*name))});
    }
    return turned;
  }
  // At each place of their sliders, the last one's fastest.
  [[nodiscard]] static std::vector<LessonNumbers> places_of(const std::vector<Turned>& turned) {
    std::vector<LessonNumbers> places(1);
    for (const Turned& each : turned) {
      std::vector<LessonNumbers> more;
      for (const LessonNumbers& before : places) {
        for (const double turn : each.turns) {
          more.push_back(before);
          more.back()[each.number->name] = turn;
        }
      }
      places = std::move(more);
    }
    return places;
  }

  // The sliders of a step's chart, which values of its text follow.
  struct Turning {
    std::string figure;  // its id
    std::vector<LessonNumbers> places;
  };
  [[nodiscard]] std::optional<Turning> turning_of(std::size_t index, bool answered) const {
    const LessonScene* scene = scene_at(lesson_, index, answered);
    if (scene == nullptr || !scene->is_chart()) return std::nullopt;
    if (!answered && hides_picture(lesson_.steps[index])) return std::nullopt;
    const auto known = std::ranges::find(shown_, scene, &Shown::scene);
    const LessonPlace place = place_at(lesson_, index, answered);
    return Turning{known != shown_.end() ? known->id : figure_id(index, answered),
                   places_of(turned_by(*scene, place))};
  }
  static std::string figure_id(std::size_t index, bool answered) {
    return fmt::format("p{}{}", index + 1, answered ? "a" : "");
  }

  // Whether the answer comes with the picture that would give it away.
  static bool hides_picture(const LessonStep& step) {
    return step.question.has_value() && !step.question->is_trial;
  }

  Result<std::string> step_html(std::size_t index) {
    const LessonStep& step = lesson_.steps[index];
    const LessonPlace before = place_at(lesson_, index, false);
    const LessonPlace after = place_at(lesson_, index, true);
    turning_ = turning_of(index, false);
    std::string parts = spoken("step text", [&](const Lesson& lesson) {
      return Gaps{{"number", std::to_string(index + 1)},
                  {"all", std::to_string(lesson_.steps.size())},
                  {"title", html_text(lesson.steps[index].title)},
                  {"text", text_html(lesson, lesson.steps[index].text, before)}};
    });
    if (!hides_picture(step)) {
      auto figure = scene_html(index, false);
      if (!figure) return figure;
      parts += *figure;
    }
    if (step.question) {
      turning_.reset();
      parts += question_html(index, before, after);
      turning_ = turning_of(index, true);
      std::string answer = spoken("answer text", [&](const Lesson& lesson) {
        return Gaps{{"text", text_html(lesson, lesson.steps[index].answer, after)}};
      });
      if (hides_picture(step) || step.answer_scene) {
        auto figure = scene_html(index, true);
        if (!figure) return figure;
        answer += *figure;
      }
      parts += fill("answer", {{"words", spoken_words("answer words")}, {"answer", answer}});
    }
    if (request_.with_notes && !step.notes.empty()) parts += notes_html(index);
    return fill("step", {{"number", std::to_string(index + 1)}, {"parts", parts}});
  }

  std::string notes_html(std::size_t index) {
    return spoken("notes", [&](const Lesson& lesson) {
      std::string notes;
      for (const std::string& note : lesson.steps[index].notes) {
        notes += "<p>" + html_text(note) + "</p>\n";
      }
      return Gaps{{"notes", notes}};
    });
  }

  std::string question_html(std::size_t index, const LessonPlace& before,
                            const LessonPlace& after) {
    const bool is_trial = lesson_.steps[index].question->is_trial;
    return spoken(is_trial ? "trial" : "prediction", [&](const Lesson& lesson) {
      const LessonQuestion& question = *lesson.steps[index].question;
      const std::string id = fmt::format("q{}{}", index + 1, language_of(lesson));
      std::string choices;
      for (const LessonQuestion::Choice& choice : question.choices) {
        choices +=
            fill("choice", {{"name", id},
                            {"right", choice.right ? "right" : "other"},
                            {"words", runs_html(lesson, choice.words, after, Values::kPlain)}});
      }
      if (question.number) {
        const auto value = request_.figures.value(lesson, after, *question.number, request_.known);
        const double answer = value && value->has_value() ? (*value)->number : std::nan("");
        choices += fill("number", {{"name", id},
                                   {"answer", fmt::format("{}", answer)},
                                   {"tolerance", fmt::format("{}", kRightWithin)}});
      }
      return Gaps{{"question", runs_html(lesson, question.words, before)}, {"choices", choices}};
    });
  }

  std::string terms_html() {
    if (terms_.empty()) return {};
    std::string list;
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      list += fill("definition", {{"index", std::to_string(i)},
                                  {"term", html_text(terms_[i]->term)},
                                  {"definition", html_text(terms_[i]->definition)}});
    }
    return fill("terms", {{"words", spoken_words("terms words")}, {"list", list}});
  }

  // The scene's picture; where it is that of an earlier step, a link there.
  Result<std::string> scene_html(std::size_t index, bool answered) {
    const LessonScene* scene = scene_at(lesson_, index, answered);
    const auto known = std::ranges::find(shown_, scene, &Shown::scene);
    if (known != shown_.end()) {
      return spoken("same picture", [&](const Lesson&) {
        return Gaps{{"id", known->id}, {"number", std::to_string(known->step + 1)}};
      });
    }
    const std::string id = figure_id(index, answered);
    shown_.push_back({scene, id, index});
    return scene->is_chart() ? chart_html(id, *scene, place_at(lesson_, index, answered))
                             : picture_html(id, *scene);
  }

  Result<std::string> picture_html(const std::string& id, const LessonScene& scene) {
    auto variant = variant_of(lesson_, scene, tools_.catalogue, tools_.device);
    if (!variant) return std::move(variant).error();
    std::vector<VariantDocument> variants{*variant};
    PictureFrames frames;
    frames.moments = 1;
    const CatalogueEntry* entry = tools_.catalogue.find(variant->kernel);
    if (!scene.control.empty() && entry != nullptr) {
      const auto spec = std::ranges::find(entry->parameters, scene.control, &ParameterSpec::name);
      TurnedVariants turned = turned_variants(*variant, *spec, tools_);
      frames.parameter = scene.control;
      frames.values.clear();
      for (const std::int64_t value : turned.values) frames.values.push_back(std::to_string(value));
      frames.at = turned.at;
      variants = std::move(turned.variants);
    }
    frames.picture = [&](std::size_t value) { return picture(scene, variants[value]); };
    auto figure = figure_of(id, frames, FigureWords::kCaption, with_);
    if (!figure) return at_line(lesson_, scene.line, std::move(figure).error());
    return std::move(figure->made.html);
  }

  Result<KeptPicture> picture(const LessonScene& scene, const VariantDocument& variant) {
    auto studied = studied_view(variant, view_of(scene), settings_of(scene), tools_, request_.stop);
    if (!studied) return std::move(studied).error();
    auto kept = std::make_shared<StudiedView>(*std::move(studied));
    ViewContext& context = kept->context;
    context.selection =
        selection_of(scene, variant.selection, *context.study, *kept->variants.front().prepared);
    PictureRequest request;
    request.view = view_of(scene);
    request.context = context;
    request.width = kWidth;
    request.height = kHeight;
    return KeptPicture{std::move(request), std::move(kept)};
  }

  // With a slider for each number that the chart turns.
  Result<std::string> chart_html(const std::string& id, const LessonScene& scene,
                                 LessonPlace place) {
    const std::vector<Turned> turned = turned_by(scene, place);
    std::vector<FigureAxis> axes;
    for (const auto& [number, turns] : turned) {
      // The step's text may change where the curves do not.
      FigureAxis axis{.name = number->name, .values = {}, .at = 0, .stays = true};
      for (const double turn : turns) {
        if (turn == place.numbers.at(number->name)) axis.at = axis.values.size();
        axis.values.push_back(number_words(*number, turn));
      }
      axes.push_back(std::move(axis));
    }
    std::vector<CurveChart> charts;
    for (const LessonNumbers& numbers : places_of(turned)) {
      for (const auto& [name, value] : numbers) place.numbers[name] = value;
      auto chart = lesson_chart(lesson_, scene, place, request_.figures, request_.known);
      if (!chart) return std::move(chart).error();
      if (!chart->has_value()) {
        return Error{
            ErrorCode::kKernel, "a number of the chart is not computed", "", {"", scene.line, 0}};
      }
      charts.push_back(**std::move(chart));
    }
    fit_y_axis(charts);
    PageFigure figure(id, "Chart over " + scene.over, kWidth, kChartHeight);
    for (std::size_t i = 0; i < charts.size(); ++i) {
      std::string control;
      if (turned.size() > 1) {
        control = fmt::format("{} {}; ", axes.front().name,
                              axes.front().values[i / axes.back().values.size()]);
      }
      figure.add(chart_frame(charts[i], control));
    }
    return figure.make(std::move(axes), with_).html;
  }

  // `control`: how what it does not run over stands, in words before the others.
  static FigureFrame chart_frame(const CurveChart& chart, const std::string& control) {
    FigureFrame frame;
    frame.draw = [&chart](Canvas& canvas, Theme theme) {
      Pen pen(canvas, DrawingStyle{.theme = theme, .on_paper = true});
      draw_curve_chart(pen, {16, 12, kWidth - 32, kChartHeight - 24}, chart);
    };
    std::string words = fmt::format("{}{} {}", control, chart.x.name, chart.x.words(chart.at));
    for (const CurveChart::Curve& curve : chart.curves) {
      words += fmt::format("; {}: {}", curve.name, chart.y.words(curve.now));
    }
    for (const CurveChart::Dot& dot : chart.dots) {
      words += fmt::format("; {}: {} {}", dot.name, chart.y.words(dot.y), name_of(dot.source));
    }
    frame.alternative = words;
    frame.caption = html_text(words);
    return frame;
  }

  struct Shown {
    const LessonScene* scene = nullptr;
    std::string id;
    std::size_t step = 0;
  };

  const LessonPageRequest& request_;
  const PageTemplate& with_;
  const Lesson& lesson_;
  StudyTools tools_;
  std::vector<const GlossaryEntry*> terms_;  // in the order in which the text has them
  std::vector<Shown> shown_;
  std::optional<Turning> turning_;  // of the text that is being written
};

}  // namespace

Result<std::string> lesson_page(const LessonPageRequest& request) {
  const auto with = PageTemplate::load_shipped();
  if (!with) return with.error();
  return Writer(request, *with).write();
}

}  // namespace tilescope

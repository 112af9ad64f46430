#include "cli/lesson_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/parser/command_line.h"
#include "core/file.h"
#include "core/parallel.h"
#include "core/text.h"
#include "export/export_view.h"
#include "session/glossary.h"
#include "session/lesson.h"
#include "session/lesson_chart.h"
#include "session/lesson_check.h"
#include "session/lesson_library.h"
#include "session/lesson_page.h"
#include "session/lesson_text.h"
#include "store/recorded_library.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

// Lessons need these. The GPU is the recorded one, so that a lesson has the same numbers on every
// machine.
struct LessonTools {
  Resources resources;
  RecordedLibrary recorded;
  Glossary glossary;
  LessonLibrary library;

  static Result<std::unique_ptr<LessonTools>> load();
};

Result<std::unique_ptr<LessonTools>> LessonTools::load() {
  auto resources = load_resources();
  if (!resources) return std::move(resources).error();
  auto recorded = RecordedLibrary::load_shipped(resources->catalogue);
  if (!recorded) return std::move(recorded).error();
  auto glossary = Glossary::load_shipped();
  if (!glossary) return std::move(glossary).error();
  return std::make_unique<LessonTools>(LessonTools{*std::move(resources), *std::move(recorded),
                                                   *std::move(glossary),
                                                   load_lessons(lesson_folders())});
}

constexpr int kRecordedCapability = 90;

LessonFigures figures_of(const LessonTools& tools) {
  return {tools.resources.catalogue, *find_device(tools.resources.devices, kRecordedCapability),
          run_now, processor_count()};
}

int list_lessons(bool as_json) {
  const LessonLibrary library = load_lessons(lesson_folders());
  nlohmann::json rows = nlohmann::json::array();
  for (const Lesson& lesson : library.lessons) {
    if (as_json) {
      rows.push_back({{"name", lesson.name},
                      {"title", lesson.title},
                      {"understand", lesson.understand},
                      {"minutes", lesson.minutes},
                      {"first", lesson.first},
                      {"steps", lesson.steps.size()},
                      {"file", lesson.file.string()}});
      continue;
    }
    print_out("{:<24} {}\n{:<24} {} min, {} steps{}\n{:<24} {}\n\n", lesson.name, lesson.title, "",
              lesson.minutes, lesson.steps.size(),
              lesson.first.empty() ? "" : fmt::format("; first: {}", joined(lesson.first)), "",
              lesson.understand);
  }
  if (as_json) print_out("{}\n", nlohmann::json{{"lessons", rows}}.dump(2));
  int status = 0;
  for (const Error& problem : library.problems) status = report(problem);
  return status;
}

// A file, or the name of a lesson.
Result<Lesson> named_lesson(const std::string& name, const LessonLibrary& library,
                            const std::string& language = "") {
  std::error_code ignored;
  if (fs::is_regular_file(name, ignored)) return read_lesson(name);
  if (language == "en") return named_lesson(name, library);
  const Lesson* lesson = library.find(name, language);
  if (lesson != nullptr && lesson->language != language) {
    const std::vector<std::string> there = library.languages();
    return usage(fmt::format("there is no translation of {} into '{}'", name, language),
                 there.empty() ? "Leave out --language"
                               : fmt::format("Some lessons are there in {}", joined(there)));
  }
  if (lesson != nullptr) return *lesson;
  return library.why_not(name);
}

int check_lessons(const std::vector<std::string>& names) {
  end_at_signals();
  const auto tools = LessonTools::load();
  if (!tools) return report(tools.error());
  LessonFigures figures = figures_of(**tools);
  const KnownMeasurements known{(*tools)->recorded};
  int status = 0;
  std::vector<Lesson> lessons;
  if (names.empty()) {
    lessons = (*tools)->library.lessons;
    const auto& more = (*tools)->library.translations;
    lessons.insert(lessons.end(), more.begin(), more.end());
    for (const Error& problem : (*tools)->library.problems) status = report(problem);
  }
  for (const std::string& name : names) {
    auto lesson = named_lesson(name, (*tools)->library);
    if (lesson) {
      lessons.push_back(*std::move(lesson));
    } else {
      status = report(lesson.error());
    }
  }
  for (const Lesson& lesson : lessons) {
    const std::vector<Error> problems =
        check_lesson(lesson, {figures, known, (*tools)->glossary, (*tools)->library});
    for (const Error& problem : problems) status = report(problem);
    if (!problems.empty()) continue;
    const std::size_t uses = expressions_of(lesson).size();
    const std::string name = lesson.name + (lesson.language.empty() ? "" : " " + lesson.language);
    print_out("{}: {}, {} and claims hold\n", name, counted(lesson.steps.size(), "step"),
              counted(uses, "value"));
  }
  return status;
}

class LessonPrinter {
 public:
  LessonPrinter(const Lesson& lesson, LessonFigures& figures, const KnownMeasurements& known,
                bool with_notes)
      : lesson_(lesson), figures_(figures), known_(known), with_notes_(with_notes) {}

  void print() {
    print_out("{}\n\n", lesson_.title);
    print_paragraph("", lesson_.understand);
    for (std::size_t i = 0; i < lesson_.steps.size(); ++i) print_step(i);
  }

 private:
  void print_text(const std::vector<LessonParagraph>& text, const LessonPlace& place) {
    for (const LessonParagraph& paragraph : text) {
      print_paragraph("", text_of(lesson_, paragraph, place, figures_, known_));
      print_out("\n");
    }
  }

  // The curves at a few values of their number.
  void print_chart(const std::optional<LessonScene>& scene, const LessonPlace& place) {
    if (!scene || !scene->is_chart()) return;
    const auto found = lesson_chart(lesson_, *scene, place, figures_, known_);
    if (!found || !found->has_value()) return;
    const CurveChart& chart = **found;
    for (const CurveChart::Curve& curve : chart.curves) {
      std::vector<std::string> values;
      for (std::size_t i = 0; i < curve.points.size(); i += (curve.points.size() - 1) / 4) {
        values.push_back(fmt::format("{}: {}", chart.x.words(curve.points[i].first),
                                     chart.y.words(curve.points[i].second)));
      }
      print_paragraph(
          "  ~ ", fmt::format("{} over {}: {}", curve.name, chart.x.name, fmt::join(values, ", ")));
    }
    for (const CurveChart::Dot& dot : chart.dots) {
      print_paragraph(
          "  ~ ", fmt::format("{}: {} {}", dot.name, chart.y.words(dot.y), marker_of(dot.source)));
    }
    print_out("\n");
  }

  void print_step(std::size_t index) {
    const LessonStep& step = lesson_.steps[index];
    const LessonPlace before = place_at(lesson_, index, false);
    const LessonPlace after = place_at(lesson_, index, true);
    print_out("\n{}. {}   [{} of {}]\n\n", index + 1, step.title,
              scene_at(lesson_, index, false)->view, before.launch);
    print_text(step.text, before);
    print_chart(step.scene, before);
    if (step.question) {
      print_paragraph("? ", text_of(lesson_, step.question->words, before, figures_, known_));
      for (const LessonQuestion::Choice& choice : step.question->choices) {
        print_paragraph(choice.right ? "  (x) " : "  ( ) ",
                        text_of(lesson_, choice.words, after, figures_, known_));
      }
      if (step.question->number) {
        const LessonRun answer{.kind = LessonRun::Kind::kValue,
                               .text = step.question->number->text(),
                               .value = *step.question->number};
        print_paragraph("  ", text_of(lesson_, {answer}, after, figures_, known_));
      }
      print_out("\n");
    }
    print_text(step.answer, after);
    print_chart(step.answer_scene, after);
    if (!with_notes_) return;
    for (const std::string& note : step.notes) {
      print_paragraph("  > ", note);
      print_out("\n");
    }
  }

  const Lesson& lesson_;
  LessonFigures& figures_;
  const KnownMeasurements& known_;
  bool with_notes_;
};

int show_lesson(const std::string& name, const std::string& language, bool with_notes) {
  end_at_signals();
  const auto tools = LessonTools::load();
  if (!tools) return report(tools.error());
  const auto lesson = named_lesson(name, (*tools)->library, language);
  if (!lesson) return report(lesson.error());
  LessonFigures figures = figures_of(**tools);
  const KnownMeasurements known{(*tools)->recorded};
  LessonPrinter(*lesson, figures, known, with_notes).print();
  return 0;
}

struct LessonExport {
  std::string name;
  std::string output;
  std::string language;  // of a translation; empty: all that there are
  bool with_notes = false;
};

// The lesson and its translations, or the one that was asked for.
Result<std::vector<Lesson>> exported_languages(const LessonExport& wanted,
                                               const LessonLibrary& library) {
  auto first = named_lesson(wanted.name, library, wanted.language);
  if (!first) return std::move(first).error();
  std::vector<Lesson> languages{*std::move(first)};
  if (!wanted.language.empty()) return languages;
  for (const Lesson& each : library.translations) {
    if (each.name == wanted.name && library.find(wanted.name) != nullptr) languages.push_back(each);
  }
  return languages;
}

int export_lesson(const LessonExport& wanted) {
  end_at_signals();
  if (fs::path(wanted.output).extension() != ".html") {
    return report(usage(fmt::format("'{}' is not the name of a page", wanted.output),
                        "Use a file name ending in .html"));
  }
  if (Status there = check_folder_of(wanted.output); !there) return report(there.error());
  const auto tools = LessonTools::load();
  if (!tools) return report(tools.error());
  const auto languages = exported_languages(wanted, (*tools)->library);
  if (!languages) return report(languages.error());
  LessonFigures figures = figures_of(**tools);
  const KnownMeasurements known{(*tools)->recorded};
  LessonPageRequest request{.languages = {},
                            .with_notes = wanted.with_notes,
                            .figures = figures,
                            .known = known,
                            .glossary = (*tools)->glossary,
                            .devices = (*tools)->resources.devices,
                            .workers = processor_count()};
  for (const Lesson& lesson : *languages) request.languages.push_back(&lesson);
  const auto page = lesson_page(request);
  if (!page) return report(page.error());
  if (Status written = write_file(wanted.output, *page); !written) return report(written.error());
  print_out("{}: {}\n", wanted.output, file_size_text(wanted.output));
  return 0;
}

void add_lesson_export(CommandOptions command, CommandContext& context) {
  CommandOptions page = command.add_subcommand(
      "export", "a lesson as a page: one .html file with its pictures, without network or server");
  auto wanted = std::make_shared<LessonExport>();
  page.add_option("name", wanted->name, "a lesson's name, or a file").required();
  page.add_option("-o,--output", wanted->output, "a file ending in .html").required();
  page.add_option("--language", wanted->language,
                  "en, or of a translation: zh; default: all, and the reader chooses");
  page.add_flag("--notes", wanted->with_notes, "with the speaker's notes, folded");
  page.callback([wanted, &context] { context.status = export_lesson(*wanted); });
}

}  // namespace

void add_lesson_command(CommandOptions app, CommandContext& context) {
  CommandOptions command = app.add_subcommand(
      "lesson", "the lessons: list them, check what they say, print one or export it as a page");
  command.require_subcommand(1, 1);
  CommandOptions list = command.add_subcommand("list", "all lessons, with what each explains");
  auto json = std::make_shared<bool>(false);
  list.add_flag("--json", *json, "output JSON");
  list.callback([json, &context] { context.status = list_lessons(*json); });
  CommandOptions check = command.add_subcommand(
      "check", "evaluate every number, claim and scene of lessons; 1 where one is wrong");
  auto files = std::make_shared<std::vector<std::string>>();
  check.add_option("file", *files, "Markdown files or names of lessons; without any, all lessons");
  check.callback([files, &context] { context.status = check_lessons(*files); });
  add_lesson_export(command, context);
  CommandOptions show = command.add_subcommand("show", "a lesson as text, with its numbers");
  auto name = std::make_shared<std::string>();
  show.add_option("name", *name, "a lesson's name, or a file").required();
  auto notes = std::make_shared<bool>(false);
  show.add_flag("--notes", *notes, "print the speaker's notes too");
  auto language = std::make_shared<std::string>();
  show.add_option("--language", *language, "of a translation: zh; without it as it was written");
  show.callback([name, language, notes, &context] {
    context.status = show_lesson(*name, *language, *notes);
  });
}

}  // namespace tilescope

#include "cli/explain_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/parser/command_line.h"
#include "core/text.h"
#include "session/glossary.h"
#include "session/lesson_library.h"
#include "session/taught_term.h"

namespace tilescope {
namespace {

constexpr std::size_t kMostEntries = 5;  // that are printed whole

nlohmann::json json_of(const GlossaryEntry& entry, const std::optional<TaughtTerm>& taught) {
  nlohmann::json fields = {{"term", entry.term},      {"group", entry.group},
                           {"also", entry.also},      {"definition", entry.definition},
                           {"unit", entry.unit},      {"counted", entry.counted},
                           {"metrics", entry.metrics}};
  if (entry.example) {
    fields["try"] = {{"view", entry.example->view},
                     {"kernel", entry.example->kernel},
                     {"parameters", entry.example->parameters}};
  }
  if (taught) fields["lesson"] = {{"name", taught->lesson->name}, {"step", taught->step + 1}};
  return fields;
}

void print_entry(const GlossaryEntry& entry, const std::optional<TaughtTerm>& taught) {
  print_out("{}   [{}]\n", entry.term, entry.group);
  print_paragraph("    ", entry.definition);
  if (!entry.unit.empty()) print_paragraph("    unit:     ", entry.unit);
  if (!entry.counted.empty()) print_paragraph("    counted:  ", entry.counted);
  if (!entry.metrics.empty()) {
    print_paragraph("    metric:   ", fmt::format("{}", fmt::join(entry.metrics, ", ")));
  }
  if (!entry.also.empty()) {
    print_paragraph("    also:     ", fmt::format("{}", fmt::join(entry.also, ", ")));
  }
  if (entry.example) print_out("    try:      {}\n", words_of(*entry.example));
  if (taught) print_out("    lesson:   {} ({})\n", taught->lesson->name, words_of(*taught));
  print_out("\n");
}

void print_all(const Glossary& glossary) {
  std::string group;
  std::string terms;
  const auto print_group = [&] {
    if (!terms.empty()) print_paragraph("    ", terms);
    terms.clear();
  };
  for (const GlossaryEntry& entry : glossary.entries()) {
    if (entry.group != group) {
      print_group();
      group = entry.group;
      print_out("{}\n", group);
    }
    terms += (terms.empty() ? "" : ", ") + entry.term;
  }
  print_group();
  print_out("\nOne of them: tilescope explain bank conflict\n");
}

Error unknown_term(const Glossary& glossary, const std::string& words) {
  std::vector<std::string> names;
  for (const GlossaryEntry& entry : glossary.entries()) {
    names.push_back(entry.term);
    names.insert(names.end(), entry.also.begin(), entry.also.end());
  }
  const std::string nearest = did_you_mean(words, names);
  return usage(
      fmt::format("the glossary has no term '{}'", words),
      nearest.starts_with("Did you mean") ? nearest : "See all terms with 'tilescope explain'");
}

int explain(const std::vector<std::string>& typed, bool as_json) {
  const auto glossary = Glossary::load_shipped();
  if (!glossary) return report(glossary.error());
  const std::string words = fmt::format("{}", fmt::join(typed, " "));
  std::vector<const GlossaryEntry*> found;
  if (typed.empty()) {
    for (const GlossaryEntry& entry : glossary->entries()) found.push_back(&entry);
  } else {
    found = glossary->search(words);
    if (found.empty()) return report(unknown_term(*glossary, words));
  }
  const LessonLibrary lessons = load_lessons(lesson_folders());
  if (as_json) {
    nlohmann::json terms = nlohmann::json::array();
    for (const GlossaryEntry* entry : found) {
      terms.push_back(json_of(*entry, taught_term(*entry, *glossary, lessons)));
    }
    print_out("{}\n", nlohmann::json{{"terms", terms}}.dump(2));
    return 0;
  }
  if (typed.empty()) {
    print_all(*glossary);
    return 0;
  }
  const std::size_t whole =
      glossary->find(words) != nullptr ? 1 : std::min(kMostEntries, found.size());
  for (std::size_t i = 0; i < whole; ++i) {
    print_entry(*found[i], taught_term(*found[i], *glossary, lessons));
  }
  std::vector<std::string> more;
  for (std::size_t i = whole; i < found.size(); ++i) more.push_back(found[i]->term);
  if (!more.empty()) print_paragraph("See also: ", fmt::format("{}", fmt::join(more, ", ")));
  return 0;
}

}  // namespace

void add_explain_command(CommandOptions app, CommandContext& context) {
  CommandOptions command =
      app.add_subcommand("explain", "what a term or a counter means, and how it is counted here");
  auto words = std::make_shared<std::vector<std::string>>();
  command.add_option("term", *words,
                     "a term, another name for it, a metric of Nsight Compute, or words to search "
                     "for; without it all terms are listed");
  auto json = std::make_shared<bool>(false);
  command.add_flag("--json", *json, "output JSON");
  command.callback([words, json, &context] { context.status = explain(*words, *json); });
}

}  // namespace tilescope

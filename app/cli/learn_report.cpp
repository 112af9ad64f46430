#include "cli/learn_report.h"

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "scene/views.h"

namespace tilescope {

void print_result(const Exercise& exercise, const ExerciseResult& result) {
  print_out("{}   [{}]\n\n", exercise.title, exercise.name);
  for (const ExerciseRow& row : result.rows) {
    std::string found = row.found;
    if (!row.wanted.empty() && !row.holds) found += fmt::format(", must be {}", row.wanted);
    print_out("  {} {}{}\n", row.holds ? "✓" : "✗", row.says,
              found.empty() ? "" : fmt::format(": {}", found));
    if (!row.why.empty()) print_paragraph("      ", row.why);
  }
  print_out("\n");
}

nlohmann::json result_json(const Exercise& exercise, const ExerciseResult& result) {
  nlohmann::json rows = nlohmann::json::array();
  for (const ExerciseRow& row : result.rows) {
    nlohmann::json fields = {{"says", row.says},   {"holds", row.holds}, {"wanted", row.wanted},
                             {"found", row.found}, {"why", row.why},     {"line", row.line}};
    if (row.view) fields["view"] = name_of(*row.view);
    rows.push_back(std::move(fields));
  }
  return {{"exercise", exercise.name},
          {"passes", result.passes()},
          {"seconds", result.seconds},
          {"checks", std::move(rows)}};
}

}  // namespace tilescope

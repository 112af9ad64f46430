#include "export/numbers_file.h"

#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "export/provenance.h"
#include "scene/view/drawn_numbers.h"
#include "scene/views.h"

namespace tilescope {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view kSchema = "tilescope-numbers-1";

// As many digits as bring back the same double.
std::string number_text(double value) {
  std::array<char, 32> digits{};
  const auto [end, failure] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  return {digits.data(), end};
}

std::string field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

void add_row(std::string& csv, std::initializer_list<std::string_view> fields) {
  bool first = true;
  for (const std::string_view text : fields) {
    if (!first) csv += ',';
    csv += field(text);
    first = false;
  }
  csv += "\r\n";
}

// What `--view` and the caption say, then where it comes from.
std::vector<std::pair<std::string_view, std::string>> about(const PictureRequest& request) {
  std::vector<std::pair<std::string_view, std::string>> facts = {
      {"view", name_of(request)},
      {"title", title_of(request)},
      {"sentence", plain(sentence_of(request))}};
  for (auto& fact : provenance_of(request).facts()) facts.push_back(std::move(fact));
  return facts;
}

ordered_json json_of(const DrawnNumber& number) {
  ordered_json row = {{"part", number.part}, {"item", number.item},
                      {"name", number.name}, {"value", number.value},
                      {"unit", number.unit}, {"source", name_of(number.source)}};
  if (number.line != 0) row["line"] = number.line;
  return row;
}

std::string dumped(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace

std::vector<DrawnNumber> numbers_of(const PictureRequest& request) {
  if (request.page) {
    return numbers_of(page_request(request, request.context));
  }
  if (request.is_of_study()) return numbers_of(request.view, request.context);
  NumberList list;
  if (request.chart) {
    add_rate_numbers(list, *request.chart);
  } else {
    add_tuned_numbers(list, *request.tuned);
  }
  return list.take();
}

std::string csv_of(const PictureRequest& request) {
  std::string csv;
  add_row(csv, {"part", "item", "name", "value", "unit", "source", "line"});
  for (const auto& [name, value] : about(request))
    add_row(csv, {"about", "", name, value, "", "", ""});
  for (const DrawnNumber& number : numbers_of(request)) {
    add_row(csv, {number.part, number.item, number.name, number_text(number.value), number.unit,
                  name_of(number.source), number.line == 0 ? "" : std::to_string(number.line)});
  }
  return csv;
}

std::string json_of(const PictureRequest& request) {
  std::string text = "{\n\"schema\": " + dumped(kSchema) + ",\n";
  for (const auto& [name, value] : about(request)) {
    text += dumped(name) + ": " + dumped(value) + ",\n";
  }
  const auto values = [&](std::string_view name, const ParameterSet& set) {
    text += dumped(name) + ": " + dumped(set) + ",\n";
  };
  const auto sets = [&](const auto& of) {
    values("parameter_values", of.parameters);
    values("size_values", of.extents);
  };
  if (request.chart) {
    sets(*request.chart);
  } else if (request.tuned) {
    sets(*request.tuned);
  } else {
    sets(request.context.study->instance);
  }
  text += "\"numbers\": [";
  std::string_view before = "\n";
  for (const DrawnNumber& number : numbers_of(request)) {
    text.append(before).append(dumped(json_of(number)));
    before = ",\n";
  }
  return text + "\n]\n}\n";
}

}  // namespace tilescope

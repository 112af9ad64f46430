#include "session/exercise.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <system_error>
#include <utility>

#include "core/buffer_recipe.h"
#include "core/file.h"
#include "core/json_document.h"
#include "core/paths.h"
#include "core/quantity.h"
#include "core/text.h"
#include "scene/views.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using Node = JsonDocument::Node;

constexpr std::uintmax_t kMostTextBytes = std::uintmax_t{1} << 20;
constexpr std::int64_t kMostSeeds = 16;
constexpr std::size_t kCommentWidth = 90;

// "02_padded_tile" -> "padded_tile"
std::string without_number(const std::string& name) {
  const std::size_t digits = name.find_first_not_of("0123456789");
  const bool numbered = digits != std::string::npos && digits > 0 && name[digits] == '_';
  return numbered ? name.substr(digits + 1) : name;
}

LessonExpression read_expression(const Node& node, std::string_view text) {
  auto expression = LessonExpression::parse(text);
  if (expression) return *std::move(expression);
  node.fail(fmt::format("'{}': {}", text, expression.error().message), expression.error().remedy);
  return {};
}

ExerciseClaim read_claim(const Node& node) {
  node.allow_only({"says", "holds"});
  ExerciseClaim claim;
  claim.says = node["says"].text();
  const Node holds = node["holds"];
  claim.holds = read_expression(holds, holds.text());
  if (!claim.holds.text().empty() && !claim.holds.compares()) {
    holds.fail("it compares nothing", "Write a condition: sectors_per_load == 4");
  }
  return claim;
}

ExerciseHint read_hint(const Node& node) {
  ExerciseHint hint;
  const std::string text = node.text();
  std::string_view rest = text;
  for (;;) {
    const std::size_t open = rest.find("{{");
    hint.words.emplace_back(rest.substr(0, open));
    if (open == std::string_view::npos) return hint;
    const std::size_t close = rest.find("}}", open);
    if (close == std::string_view::npos) {
      node.fail("'{{' has no '}}'", "Close the expression");
      return hint;
    }
    hint.values.push_back(read_expression(node, trimmed(rest.substr(open + 2, close - open - 2))));
    rest.remove_prefix(close + 2);
  }
}

// An expression over the sizes, as text.
std::string read_size(const Node& node, const ParameterSet& size) {
  std::string text = node.text();
  if (text.empty()) return text;
  if (const auto value = evaluate_expression(text, size); !value) {
    node.fail(fmt::format("'{}': {}", text, value.error().message), value.error().remedy);
  }
  return text;
}

ExerciseArgument read_argument(const Node& node, const ParameterSet& size) {
  node.allow_only({"name", "type", "elements", "rows", "cols", "fill", "value"});
  ExerciseArgument argument;
  argument.name = node["name"].text();
  argument.type = node["type"].text();
  const auto type = parse_element_type(argument.type);
  if (!type && !argument.type.empty()) node["type"].fail(type.error().message);
  if (const Node value = node.find("value"); value.exists()) {
    const bool is_float = argument.type == "f32" || argument.type == "f64";
    argument.value = is_float ? value.text() : read_size(value, size);
    return argument;
  }
  if (const Node rows = node.find("rows"); rows.exists()) {
    argument.rows = read_size(rows, size);
    argument.cols = read_size(node["cols"], size);
  } else {
    argument.elements = read_size(node["elements"], size);
  }
  const Node fill = node.find("fill");
  argument.fill = fill.exists() ? fill.text() : "zero";
  return argument;
}

std::vector<ParameterSet> read_sizes(const Node& node) {
  std::vector<ParameterSet> sizes;
  for (const Node& each : node.elements()) {
    sizes.push_back(each.integers());
    for (const auto& [name, value] : sizes.back()) {
      if (value < 1) each.fail(fmt::format("{} is {}", name, value), "A size is 1 or more");
    }
  }
  if (sizes.size() < 2) {
    node.fail("it has fewer than two sizes",
              "Give the one that claims count, and a ragged one that no block divides");
  }
  return sizes;
}

Exercise read(const Node& root) {
  root.allow_only({"title", "lesson", "task", "kernel", "grid", "block", "shared_bytes", "sizes",
                   "seeds", "tolerance", "arguments", "claims", "hints", "view", "start_compiles"});
  Exercise exercise;
  exercise.title = root["title"].text();
  if (const Node lesson = root.find("lesson"); lesson.exists()) exercise.lesson = lesson.text();
  for (const Node& each : root["task"].elements()) exercise.task.push_back(each.text());
  exercise.kernel = root["kernel"].text();
  exercise.grid = root["grid"].text();
  exercise.block = root["block"].text();
  if (const Node shared = root.find("shared_bytes"); shared.exists()) {
    exercise.shared_bytes = shared.text();
  }
  exercise.sizes = read_sizes(root["sizes"]);
  if (const Node seeds = root.find("seeds"); seeds.exists()) {
    exercise.seeds = static_cast<int>(std::clamp<std::int64_t>(seeds.integer(), 1, kMostSeeds));
  }
  if (const Node tolerance = root.find("tolerance"); tolerance.exists()) {
    exercise.tolerance = tolerance.number();
  }
  const ParameterSet size = exercise.sizes.empty() ? ParameterSet{} : exercise.sizes.front();
  for (const Node& each : root["arguments"].elements()) {
    exercise.arguments.push_back(read_argument(each, size));
  }
  for (const Node& each : root["claims"].elements()) exercise.claims.push_back(read_claim(each));
  for (const Node& each : root["hints"].elements()) exercise.hints.push_back(read_hint(each));
  if (const Node view = root["view"]; view.exists()) {
    if (const auto parsed = parse_view(view.text())) {
      exercise.view = *parsed;
    } else {
      std::vector<std::string> names;
      for (const ViewDescriptor& each : view_descriptors()) names.emplace_back(each.name);
      view.fail(fmt::format("there is no view {}", view.text()), did_you_mean(view.text(), names));
    }
  }
  if (const Node compiles = root.find("start_compiles"); compiles.exists()) {
    exercise.start_compiles = compiles.boolean();
  }
  return exercise;
}

// Folders in it, by name.
std::vector<fs::path> folders_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.is_directory(ignored)) found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

// The value of an expression over the sizes; macros of the file stay.
Result<std::string> with_sizes(const std::string& text, const ParameterSet& size) {
  auto expression = Expression::parse(text);
  if (!expression) return std::move(expression).error();
  return expression->text_with(size);
}

// "ceil_div(n, 32), rows": each part with the sizes in it.
Result<std::string> extent_with_sizes(const std::string& text, const ParameterSet& size) {
  std::string all;
  int depth = 0;
  std::string part;
  for (const char c : text + ",") {
    if (c == ',' && depth == 0) {
      const auto filled = with_sizes(part, size);
      if (!filled) return filled;
      all += (all.empty() ? "" : ", ") + *filled;
      part.clear();
      continue;
    }
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    part += c;
  }
  return all;
}

Result<std::string> argument_text(const ExerciseArgument& argument, const ParameterSet& size,
                                  int seed) {
  if (!argument.value.empty()) {
    if (argument.type == "f32" || argument.type == "f64") {
      return fmt::format("{}:{}", argument.type, argument.value);
    }
    const auto value = evaluate_expression(argument.value, size);
    if (!value) return value.error();
    return fmt::format("{}:{}", argument.type, *value);
  }
  std::string extent;
  for (const std::string* each : {&argument.elements, &argument.rows, &argument.cols}) {
    if (each->empty()) continue;
    const auto value = evaluate_expression(*each, size);
    if (!value) return value.error();
    extent += (extent.empty() ? "" : "x") + std::to_string(*value);
  }
  std::string fill = argument.fill;
  if (fill == "random") fill += fmt::format(":{}", seed);
  return fmt::format("{}[{}]={}", argument.type, extent, fill);
}

}  // namespace

SearchedText searched_text(const Exercise& exercise) {
  std::string more = exercise.topic;
  for (const std::string& paragraph : exercise.task) more += " " + paragraph;
  return {exercise.title, {exercise.name}, more};
}

fs::path Exercise::file(std::string_view which) const { return folder / which; }

Result<Exercise> read_exercise(const fs::path& folder) {
  auto exercise = load_json_file(folder / "exercise.json", "an exercise",
                                 "docs/exercises.md says what it has", read);
  if (!exercise) return exercise;
  exercise->folder = folder;
  exercise->name = without_number(folder.filename().string());
  const fs::path topic = folder.parent_path().filename();
  exercise->topic = without_number(topic.string());
  exercise->place = topic / (folder.filename().string() + ".cu");
  return exercise;
}

const Exercise* ExerciseLibrary::find(std::string_view name) const {
  const auto found = std::ranges::find(exercises, name, &Exercise::name);
  return found != exercises.end() ? &*found : nullptr;
}

ExerciseLibrary load_exercises(const std::vector<fs::path>& folders) {
  ExerciseLibrary library;
  for (const fs::path& folder : folders) {
    for (const fs::path& topic : folders_in(folder)) {
      for (const fs::path& each : folders_in(topic)) {
        if (!is_there(each / "exercise.json")) continue;
        auto exercise = read_exercise(each);
        if (!exercise) {
          library.problems.push_back(exercise.error());
        } else if (const Exercise* same = library.find(exercise->name)) {
          library.problems.push_back({ErrorCode::kUsage,
                                      fmt::format("another exercise has the name {}: {}",
                                                  exercise->name, same->folder.string()),
                                      "Rename one of the two folders",
                                      {each.string(), 0, 0}});
        } else {
          library.exercises.push_back(*std::move(exercise));
        }
      }
    }
  }
  return library;
}

std::vector<fs::path> exercise_folders() {
  return {resource_directory() / "assets" / "exercises", data_directory() / "exercise_sources"};
}

Result<LaunchText> launch_of(const Exercise& exercise, const ParameterSet& size, int seed) {
  LaunchText launch;
  launch.kernel = exercise.kernel;
  auto grid = extent_with_sizes(exercise.grid, size);
  if (!grid) return std::move(grid).error();
  auto block = extent_with_sizes(exercise.block, size);
  if (!block) return std::move(block).error();
  launch.grid = *std::move(grid);
  launch.block = *std::move(block);
  if (!exercise.shared_bytes.empty()) {
    auto shared = with_sizes(exercise.shared_bytes, size);
    if (!shared) return std::move(shared).error();
    launch.dynamic_shared = *std::move(shared);
  }
  int buffer = 0;
  for (const ExerciseArgument& argument : exercise.arguments) {
    // Each buffer has numbers of its own.
    auto text = argument_text(argument, size, seed + 100 * buffer++);
    if (!text) return std::move(text).error();
    launch.arguments.push_back(*std::move(text));
  }
  return launch;
}

Result<KernelInstance> instance_of(const Exercise& exercise, const KernelFile& file,
                                   const ParameterSet& size, int seed) {
  auto launch = launch_of(exercise, size, seed);
  if (!launch) return std::move(launch).error();
  auto instance = launch_file(file, *launch);
  if (instance) {
    instance->title = exercise.name;
    instance->extents = size;
  }
  return instance;
}

Result<KernelInstance> reference_of(const Exercise& exercise, const ParameterSet& size, int seed) {
  const auto file = read_kernel_file(exercise.file("reference.cu").string());
  if (!file) return file.error();
  auto launch = launch_of(exercise, size, seed);
  if (!launch) return std::move(launch).error();
  launch->kernel = "reference";
  launch->grid = launch->block = "1";
  launch->dynamic_shared.clear();
  return launch_file(*file, *launch);
}

std::string size_words(const ParameterSet& size) {
  std::vector<std::string> words;
  for (const auto& [name, value] : size) {
    words.push_back(fmt::format("{} = {}", name, format_count(static_cast<std::uint64_t>(value))));
  }
  return joined(words, ", ");
}

Result<std::string> first_text(const Exercise& exercise) {
  const fs::path file = exercise.file("start.cu");
  const auto start = read_file(file, kMostTextBytes);
  if (!start) {
    return Error{
        ErrorCode::kMachine, "cannot be read", "An exercise has a start.cu", {file.string(), 0, 0}};
  }
  std::string text = fmt::format("// {}\n//\n", exercise.title);
  for (const std::string& paragraph : exercise.task) {
    std::string line;
    std::istringstream words(paragraph);
    for (std::string word; words >> word;) {
      if (!line.empty() && line.size() + 1 + word.size() > kCommentWidth) {
        text += fmt::format("// {}\n", line);
        line.clear();
      }
      line += (line.empty() ? "" : " ") + word;
    }
    text += fmt::format("// {}\n//\n", line);
  }
  return text + fmt::format("// Check it: tilescope learn {}\n\n{}", exercise.name, *start);
}

}  // namespace tilescope

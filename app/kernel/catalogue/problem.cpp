#include "kernel/catalogue/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "core/text.h"
#include "kernel/catalogue/argument_json.h"

namespace tilescope {
namespace {

using Node = JsonDocument::Node;

constexpr std::int64_t kLargestExtent = 1'000'000'000;  // kernels count rows and columns in an int
constexpr std::size_t kMostExtents = 4;

// "MxNxK", and a size of it.
std::string size_remedy(const Problem& problem) {
  const std::vector<std::string> names = extent_names(problem);
  if (names.size() <= 1) return "Give a whole number, e.g. 4096";
  std::string example;
  for (const ExtentSpec& extent : problem->extents) {
    example += fmt::format("{}{}", example.empty() ? "" : "x", extent.default_value);
  }
  return fmt::format("Give {}, e.g. {}, or one number for all", fmt::join(names, "x"), example);
}

// Turns the members of the document into the problem's, checking each.
class ProblemReader {
 public:
  ProblemReader(ProblemSpec& spec, Node root) : spec_(spec), root_(std::move(root)) {}

  void read() {
    root_.allow_only({"title", "result", "extents", "parameters", "buffers", "rate", "flop",
                      "bytes", "reference", "tolerance"});
    spec_.title = root_["title"].text();
    spec_.result = root_["result"].text();
    read_extents();
    if (const Node parameters = root_.find("parameters"); parameters.exists()) {
      for (const Node& name : parameters.elements()) spec_.parameters.push_back(name.text());
    }
    for (const ExtentSpec& extent : spec_.extents) names_.push_back(extent.name);
    names_.insert(names_.end(), spec_.parameters.begin(), spec_.parameters.end());
    read_reference();
    for (const Node& node : root_["buffers"].elements()) read_one_buffer(node);
    read_work();
  }

 private:
  void read_extents() {
    const Node list = root_["extents"];
    for (const Node& node : list.elements()) {
      node.allow_only({"name", "label", "meaning", "default"});
      ExtentSpec extent{node["name"].text(), node["label"].text(), node["meaning"].text(),
                        node["default"].integer()};
      if (!is_identifier(extent.name)) node["name"].fail("must be the name of a size");
      if (extent.default_value < 1) node["default"].fail("must be 1 or more");
      spec_.extents.push_back(std::move(extent));
    }
    if (spec_.extents.empty() || spec_.extents.size() > kMostExtents) {
      list.fail(fmt::format("must hold 1 to {} sizes", kMostExtents));
    }
  }

  void read_reference() {
    const Node node = root_["reference"];
    if (node.find("kernel").exists()) {
      node.allow_only({"kernel"});
      spec_.reference = ReferenceKind::kKernel;
      spec_.reference_kernel = node["kernel"].text();
      return;
    }
    constexpr std::array<std::pair<std::string_view, ReferenceKind>, 4> kKinds{{
        {"product", ReferenceKind::kProduct},
        {"transpose", ReferenceKind::kTranspose},
        {"copy", ReferenceKind::kCopy},
        {"elements", ReferenceKind::kElements},
    }};
    node.allow_only({"is"});
    const std::string name = node["is"].text();
    std::vector<std::string> known;
    for (const auto& [kind_name, kind] : kKinds) {
      known.emplace_back(kind_name);
      if (name == kind_name) spec_.reference = kind;
    }
    if (spec_.reference == ReferenceKind::kNone) {
      node["is"].fail(fmt::format("there is no reference {}", name), did_you_mean(name, known));
    }
  }

  void read_one_buffer(const Node& node) {
    node.allow_only(
        {"name", "type", "matrix", "elements", "fill", "seed", "written", "accumulates"});
    ArgumentTemplate buffer = read_buffer(node, {}, &names_);
    buffer.buffer = buffer.name;
    if (const Node when = node.find("accumulates"); when.exists()) {
      buffer.accumulates = when.text();
    }
    buffer.role = role_of(buffer);
    spec_.buffers.push_back(std::move(buffer));
  }

  [[nodiscard]] Role role_of(const ArgumentTemplate& buffer) const {
    if (spec_.multiplies() && buffer.name == "A") return Role::kA;
    if (spec_.multiplies() && buffer.name == "B") return Role::kB;
    if (spec_.multiplies() && buffer.name == "C") return Role::kC;
    return buffer.written ? Role::kOut : Role::kIn;
  }

  void read_work() {
    const std::string rate = root_["rate"].text();
    if (rate != "flop" && rate != "bytes") root_["rate"].fail("must be flop or bytes");
    spec_.rated_in_flop = rate == "flop";
    const auto given = [&](const char* key, std::string& into) {
      if (const Node node = root_.find(key); node.exists()) into = read_expression(node, &names_);
    };
    given("flop", spec_.flop);
    given("bytes", spec_.bytes);
    given("tolerance", spec_.tolerance);
    if (spec_.rated_in_flop && spec_.flop.empty()) root_["rate"].fail("flop needs an expression");
  }

  ProblemSpec& spec_;
  Node root_;
  std::vector<std::string> names_;  // that expressions may name
};

}  // namespace

Problem::Problem() {
  static const auto kNothing = std::make_shared<const ProblemSpec>();
  spec_ = kNothing;
}

Problem::Problem(ProblemSpec spec) : spec_(std::make_shared<const ProblemSpec>(std::move(spec))) {}

std::vector<std::string> extent_names(const Problem& problem) {
  std::vector<std::string> names;
  for (const ExtentSpec& extent : problem->extents) names.push_back(extent.name);
  return names;
}

std::string size_text(const Problem& problem, const ParameterSet& extents) {
  std::string text;
  for (const ExtentSpec& each : problem->extents) {
    const auto extent = extents.find(each.name);
    if (extent == extents.end()) continue;
    text += fmt::format("{}{}", text.empty() ? "" : "x", extent->second);
  }
  return text;
}

Result<ParameterSet> parse_size(const Problem& problem, std::string_view text) {
  const std::vector<std::string> names = extent_names(problem);
  const Error unclear{ErrorCode::kUsage,
                      fmt::format("\"{}\" is no size", text.substr(0, 64)),
                      size_remedy(problem),
                      {}};
  std::vector<std::int64_t> numbers;
  while (numbers.size() <= names.size()) {
    std::int64_t number = 0;
    const auto [end, problem_code] =
        std::from_chars(text.data(), text.data() + text.size(), number);
    const bool too_large = problem_code == std::errc::result_out_of_range;
    if (problem_code != std::errc{} && !too_large) return unclear;
    if (too_large || number < 1 || number > kLargestExtent) {
      return Error{ErrorCode::kUsage, "an extent must lie between 1 and 1,000,000,000", "", {}};
    }
    numbers.push_back(number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty()) break;
    if (text.front() != 'x' && text.front() != 'X') return unclear;
    text.remove_prefix(1);
  }
  if (!text.empty() || (numbers.size() != 1 && numbers.size() != names.size())) return unclear;

  ParameterSet extents;
  for (std::size_t i = 0; i < names.size(); ++i) {
    extents[names[i]] = numbers[numbers.size() == 1 ? 0 : i];
  }
  return extents;
}

Result<Problem> load_problem(const std::filesystem::path& json_file) {
  Result<std::string> text = read_catalogue_file(json_file);
  if (!text) return std::move(text).error();
  ProblemSpec spec;
  const std::string file_name = json_file.filename().string();
  spec.name = file_name.substr(0, file_name.find('.'));
  spec.file = json_file;
  JsonDocument document(std::move(text).value(), json_file);
  ProblemReader(spec, document.root()).read();
  if (document.mistake()) return *document.mistake();
  return Problem(std::move(spec));
}

}  // namespace tilescope

#include "kernel/catalogue/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <iterator>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/text.h"
#include "kernel/catalogue/expression.h"
#include "core/json_document.h"
#include "kernel/text/declarations.h"

namespace tilescope {
namespace {

constexpr std::int64_t kLargestExtent = 1'000'000'000;  // kernels count rows and columns in an int

// NN_idea.json
bool is_entry(const std::filesystem::path& path) {
  const std::string stem = path.stem().string();
  const std::size_t digits = stem.find_first_not_of("0123456789");
  return path.extension() == ".json" && digits != std::string::npos && digits >= 1 && digits <= 4 &&
         stem[digits] == '_' && stem.size() > digits + 1;
}

Result<std::vector<std::filesystem::path>> entry_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code problem;
  std::filesystem::recursive_directory_iterator walk(folder, problem);
  const std::filesystem::recursive_directory_iterator end;
  while (!problem && walk != end) {
    if (is_entry(walk->path())) files.push_back(walk->path());
    walk.increment(problem);
  }
  if (problem) {
    return Error{ErrorCode::kMachine,
                 fmt::format("cannot read the folder of kernels: {}", problem.message()),
                 "",
                 {folder.string(), 0, 0}};
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

const CatalogueEntry* Catalogue::find(std::string_view id) const {
  const auto found = std::ranges::find(entries, id, &CatalogueEntry::id);
  return found == entries.end() ? nullptr : &*found;
}

Result<Catalogue> load_catalogue(const std::vector<std::filesystem::path>& folders) {
  Catalogue catalogue;
  for (const std::filesystem::path& folder : folders) {
    Result<std::vector<std::filesystem::path>> files = entry_files(folder);
    if (!files) return std::move(files).error();
    for (const std::filesystem::path& file : *files) {
      Result<CatalogueEntry> entry = load_entry(file);
      if (!entry) return std::move(entry).error();
      if (const CatalogueEntry* same = catalogue.find(entry->id)) {
        return Error{
            ErrorCode::kUsage,
            fmt::format("{} is there already, from {}", entry->id, same->source_file.string()),
            "Give one of the two another name",
            {file.string(), 0, 0}};
      }
      catalogue.entries.push_back(std::move(entry).value());
    }
  }
  std::ranges::sort(catalogue.entries, {}, [](const CatalogueEntry& entry) {
    return std::tie(entry.family, entry.step, entry.id);
  });
  return catalogue;
}

std::string size_text(const ParameterSet& extents) {
  std::string text;
  for (const char* name : {"M", "N", "K", "ROWS", "COLS"}) {
    const auto extent = extents.find(name);
    if (extent == extents.end()) continue;
    text += fmt::format("{}{}", text.empty() ? "" : "x", extent->second);
  }
  return text;
}

Result<ParameterSet> parse_size(Problem problem, std::string_view text) {
  const std::vector<std::string> names = extent_names(problem);
  const Error unclear{ErrorCode::kUsage,
                      fmt::format("\"{}\" is not a size", text.substr(0, 64)),
                      problem == Problem::kGemm
                          ? "Give N for a square GEMM or MxNxK, e.g. 2048x2048x1024"
                          : "Give N for a square matrix or ROWSxCOLS, e.g. 4096x1024",
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

namespace {

constexpr std::array<std::pair<std::string_view, Problem>, 4> kProblems{{
    {"gemm", Problem::kGemm},
    {"transpose", Problem::kTranspose},
    {"copy", Problem::kCopy},
    {"elementwise", Problem::kElementwise},
}};

using Node = JsonDocument::Node;

constexpr std::uintmax_t kLargestFile = 1 << 20;
constexpr std::int64_t kMostValues = 1024;  // that a slider may offer
constexpr std::size_t kMostParameters = 16;

Result<std::string> read_text(const std::filesystem::path& path) {
  std::error_code problem;
  const std::uintmax_t size = std::filesystem::file_size(path, problem);
  std::ifstream file(path, std::ios::binary);
  if (problem || !file) return Error{ErrorCode::kMachine, "cannot read the file", "", {path, 0, 0}};
  if (size > kLargestFile) {
    return Error{ErrorCode::kUsage, "larger than 1 MiB", "", {path, 0, 0}};
  }
  return std::string(std::istreambuf_iterator<char>(file), {});
}

bool is_identifier(std::string_view name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && letter(name.front()) &&
         std::ranges::all_of(name, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

bool occurs_as_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const bool starts = at == 0 || !is_identifier(fmt::format("_{}", text[at - 1]));
    const std::size_t end = at + word.size();
    if (starts && (end == text.size() || !is_identifier(fmt::format("_{}", text[end]))))
      return true;
  }
  return false;
}

// Turns the members of the document into the entry's, checking each.
class EntryReader {
 public:
  EntryReader(CatalogueEntry& entry, Node root) : entry_(entry), root_(std::move(root)) {}

  void read() {
    root_.allow_only({"title", "idea", "seeds", "watch", "problem", "kernel", "parameters", "rules",
                      "launch", "arguments", "phases", "extents", "reference"});
    entry_.title = root_["title"].text();
    entry_.idea = root_["idea"].text();
    for (const Node& seed : root_["seeds"].elements()) entry_.seeds.push_back(seed.text());
    read_problem();
    read_kernel();
    read_extents();
    read_parameters();
    read_watch();
    read_rules();
    read_launch();
    read_arguments();
    read_reference();
    for (const auto& [phase, name] : root_["phases"].members()) entry_.phases[phase] = name.text();
  }

 private:
  void read_problem() {
    const std::string name = root_["problem"].text();
    std::vector<std::string> known;
    for (const auto& [known_name, problem] : kProblems) {
      known.emplace_back(known_name);
      if (name == known_name) {
        entry_.problem = problem;
        return;
      }
    }
    root_["problem"].fail(fmt::format("there is no problem {}", name), did_you_mean(name, known));
  }

  void read_reference() {
    if (entry_.problem == Problem::kElementwise) {
      entry_.reference = expression(root_["reference"], {"in", "row", "col"});
    } else if (const Node given = root_.find("reference"); given.exists()) {
      given.fail("only an elementwise problem has a reference of its own");
    }
  }

  void read_kernel() {
    const Node node = root_["kernel"];
    entry_.kernel = node.text();
    const std::vector<std::string> kernels = find_kernels(entry_.source);
    if (std::ranges::find(kernels, entry_.kernel) == kernels.end()) {
      node.fail(fmt::format("the .cu file has no kernel {}", entry_.kernel),
                did_you_mean(entry_.kernel, kernels));
    }
  }

  void read_extents() {
    const std::vector<std::string> names = extent_names(entry_.problem);
    const Node extents = root_["extents"];
    for (const auto& [name, node] : extents.members()) {
      if (std::ranges::find(names, name) == names.end()) {
        node.fail("the problem has no such extent", did_you_mean(name, names));
      }
    }
    for (const std::string& name : names) {
      entry_.default_extents[name] = extents[name].integer();
      if (entry_.default_extents[name] < 1) extents[name].fail("must be 1 or more");
    }
  }

  void read_parameters() {
    const std::vector<Node> nodes = root_["parameters"].elements();
    if (nodes.size() > kMostParameters) root_["parameters"].fail("more than 16 parameters");
    for (const Node& node : nodes) {
      node.allow_only({"name", "meaning", "unit", "default", "values", "range"});
      ParameterSpec parameter;
      parameter.name = node["name"].text();
      parameter.meaning = node["meaning"].text();
      parameter.unit = node["unit"].text();
      parameter.default_value = node["default"].integer();
      parameter.values = read_values(node);
      check_name(node["name"], parameter.name);
      if (std::ranges::find(parameter.values, parameter.default_value) == parameter.values.end()) {
        node["default"].fail(fmt::format("{} is not among the values", parameter.default_value));
      }
      entry_.parameters.push_back(std::move(parameter));
    }
  }

  void check_name(const Node& node, const std::string& name) {
    const auto same = [&](const auto& other) { return other.name == name; };
    if (!is_identifier(name)) {
      node.fail("must be the name of a macro");
    } else if (std::ranges::any_of(entry_.parameters, same)) {
      node.fail(fmt::format("{} is given twice", name));
    } else if (entry_.default_extents.contains(name) ||
               std::ranges::find(device_limit_names(), name) != device_limit_names().end()) {
      node.fail(fmt::format("{} already names an extent or a limit of the device", name));
    } else if (!occurs_as_word(entry_.source, name)) {
      node.fail(fmt::format("{} does not occur in the .cu file", name));
    }
  }

  static std::vector<std::int64_t> read_values(const Node& parameter) {
    std::vector<std::int64_t> values;
    const Node list = parameter.find("values");
    const Node range = parameter.find("range");
    if (list.exists() == range.exists()) {
      parameter.fail(R"(needs either "values": [a, b, c] or "range": [first, last])");
      return values;
    }
    if (list.exists()) {
      for (const Node& value : list.elements()) values.push_back(value.integer());
      if (values.empty()) list.fail("must hold at least one value");
      if (std::ranges::adjacent_find(values, std::greater_equal{}) != values.end()) {
        list.fail("must ascend");
      }
      return values;
    }
    const std::vector<Node> ends = range.elements();
    if (ends.size() != 2) {
      range.fail("must be [first, last]");
      return values;
    }
    const std::int64_t first = ends[0].integer();
    const std::int64_t last = ends[1].integer();
    std::int64_t length = 0;
    if (__builtin_sub_overflow(last, first, &length) || length < 0 || length >= kMostValues) {
      range.fail(fmt::format("must ascend and hold at most {} values", kMostValues));
      return values;
    }
    for (std::int64_t i = 0; i <= length; ++i) values.push_back(first + i);
    return values;
  }

  // Which views there are is not known here.
  void read_watch() {
    const Node list = root_.find("watch");
    if (!list.exists()) return;
    for (const Node& node : list.elements()) {
      node.allow_only({"view", "words", "parameters"});
      Watch watch;
      watch.view = node["view"].text();
      watch.words = node["words"].text();
      if (const Node values = node.find("parameters"); values.exists()) {
        for (const auto& [name, value] : values.members()) {
          watch.parameters[name] = value.integer();
          check_offered(value, name, watch.parameters[name]);
        }
      }
      entry_.watch.push_back(std::move(watch));
    }
  }

  void check_offered(const Node& node, const std::string& name, std::int64_t value) const {
    const auto spec = std::ranges::find(entry_.parameters, name, &ParameterSpec::name);
    if (spec == entry_.parameters.end()) {
      node.fail(fmt::format("there is no parameter {}", name));
    } else if (std::ranges::find(spec->values, value) == spec->values.end()) {
      node.fail(fmt::format("{} cannot be {}", name, value));
    }
  }

  void read_rules() {
    for (const Node& node : root_["rules"].elements()) {
      node.allow_only({"condition", "message"});
      entry_.rules.push_back(
          {expression(node["condition"], device_limit_names()), node["message"].text()});
    }
  }

  void read_launch() {
    const Node launch = root_["launch"];
    launch.allow_only({"grid", "block", "dynamic_shared_bytes"});
    read_three(launch["grid"], entry_.grid);
    read_three(launch["block"], entry_.block);
    entry_.dynamic_shared_bytes = expression(launch["dynamic_shared_bytes"]);
  }

  void read_three(const Node& node, std::string (&into)[3]) {
    const std::vector<Node> axes = node.elements();
    if (axes.size() != 3) node.fail("must hold three expressions: x, y and z");
    for (std::size_t i = 0; i < 3 && i < axes.size(); ++i) into[i] = expression(axes[i]);
  }

  void read_arguments() {
    for (const Node& node : root_["arguments"].elements()) {
      entry_.arguments.push_back(node.find("role").exists() ? read_pointer(node)
                                                            : read_scalar(node));
    }
  }

  ArgumentTemplate read_pointer(const Node& node) {
    node.allow_only({"name", "role", "type", "matrix", "written", "fill", "seed"});
    ArgumentTemplate argument;
    argument.name = node["name"].text();
    argument.type = element_type(node["type"]);
    argument.is_pointer = true;
    argument.role = role(node["role"]);
    const Node matrix = node["matrix"];
    matrix.allow_only({"rows", "cols", "leading"});
    argument.matrix = {expression(matrix["rows"]), expression(matrix["cols"]),
                       expression(matrix["leading"])};
    if (node.find("written").exists()) argument.written = node["written"].boolean();
    argument.fill = fill(node["fill"]);
    if (node.find("seed").exists()) {
      const std::int64_t seed = node["seed"].integer();
      if (seed < 0) node["seed"].fail("must not be negative");
      argument.seed = static_cast<std::uint64_t>(seed);
    }
    return argument;
  }

  ArgumentTemplate read_scalar(const Node& node) {
    node.allow_only({"name", "type", "value"});
    ArgumentTemplate argument;
    argument.name = node["name"].text();
    argument.type = element_type(node["type"]);
    const Node value = node["value"];
    argument.value = value.text();
    double number = 0;
    const char* end = argument.value.data() + argument.value.size();
    const auto [read, problem] = std::from_chars(argument.value.data(), end, number);
    const bool decimal = problem == std::errc{} && read == end && !argument.value.empty();
    if (!decimal) argument.value = expression(value);
    return argument;
  }

  static ElementType element_type(const Node& node) {
    const std::string name = node.text();
    const Result<ElementType> type = parse_element_type(name);
    if (!type) node.fail(type.error().message, type.error().remedy);
    return type ? *type : ElementType::kF32;
  }

  [[nodiscard]] Role role(const Node& node) const {
    const std::string name = node.text();
    const bool gemm = entry_.problem == Problem::kGemm;
    if (gemm && name == "A") return Role::kA;
    if (gemm && name == "B") return Role::kB;
    if (gemm && name == "C") return Role::kC;
    if (!gemm && name == "in") return Role::kIn;
    if (!gemm && name == "out") return Role::kOut;
    node.fail(fmt::format("the problem has no role {}", name),
              gemm ? "It is one of A, B, C" : "It is one of in, out");
    return Role::kNone;
  }

  static Fill fill(const Node& node) {
    const std::string name = node.text();
    if (name == "zero") return Fill::kZero;
    if (name == "iota") return Fill::kIota;
    if (name == "ramp") return Fill::kRamp;
    if (name == "random") return Fill::kRandom;
    node.fail(fmt::format("there is no fill {}", name),
              did_you_mean(name, {"zero", "iota", "ramp", "random"}));
    return Fill::kZero;
  }

  // The text of an expression that can be parsed and names only what exists.
  [[nodiscard]] std::string expression(const Node& node,
                                       const std::vector<std::string>& further_names = {}) const {
    std::string text = node.text();
    if (!node.exists()) return text;
    const Result<Expression> parsed = Expression::parse(text);
    if (!parsed) {
      node.fail(parsed.error().message);
      return text;
    }
    std::vector<std::string> names;
    for (const ParameterSpec& parameter : entry_.parameters) names.push_back(parameter.name);
    for (const auto& [extent, value] : entry_.default_extents) names.push_back(extent);
    std::ranges::copy(further_names, std::back_inserter(names));
    for (const std::string& name : parsed->variables()) {
      if (std::ranges::find(names, name) != names.end()) continue;
      node.fail(fmt::format("{} is no parameter and no extent", name), did_you_mean(name, names));
    }
    return text;
  }

  CatalogueEntry& entry_;
  Node root_;
};

}  // namespace

Result<CatalogueEntry> load_entry(const std::filesystem::path& json_file) {
  Result<std::string> text = read_text(json_file);
  if (!text) return std::move(text).error();

  CatalogueEntry entry;
  entry.source_file = json_file;
  entry.source_file.replace_extension(".cu");
  Result<std::string> source = read_text(entry.source_file);
  if (!source) return std::move(source).error();
  entry.source = std::move(source).value();

  const std::string stem = json_file.stem().string();  // NN_idea
  const std::size_t dash = stem.find('_');
  std::from_chars(stem.data(), stem.data() + dash, entry.step);
  entry.family = json_file.parent_path().filename().string();
  entry.id = entry.family + "/" + stem.substr(dash + 1);

  JsonDocument document(std::move(text).value(), json_file);
  EntryReader(entry, document.root()).read();
  if (document.mistake()) return *document.mistake();
  return entry;
}

std::vector<std::string> extent_names(Problem problem) {
  if (problem == Problem::kGemm) return {"M", "N", "K"};
  return {"ROWS", "COLS"};
}

const std::vector<std::string>& device_limit_names() {
  static const std::vector<std::string> names = {
      "compute_capability",           "max_threads_per_block", "shared_bytes_per_block",
      "shared_bytes_per_block_optin", "registers_per_block",   "multiprocessors"};
  return names;
}

}  // namespace tilescope

#include "kernel/catalogue/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/json_document.h"
#include "core/number_text.h"
#include "core/text.h"
#include "kernel/catalogue/argument_json.h"
#include "kernel/text/declarations.h"

namespace tilescope {
namespace {

// NN_idea.json
bool is_entry(const std::filesystem::path& path) {
  const std::string stem = path.stem().string();
  const std::size_t digits = stem.find_first_not_of("0123456789");
  return path.extension() == ".json" && digits != std::string::npos && digits >= 1 && digits <= 4 &&
         stem[digits] == '_' && stem.size() > digits + 1;
}

// NAME.problem.json
bool is_problem(const std::filesystem::path& path) {
  const std::filesystem::path stem = path.stem();
  return path.extension() == ".json" && stem.extension() == ".problem" && stem.stem() != "";
}

struct CatalogueFiles {
  std::vector<std::filesystem::path> problems;
  std::vector<std::filesystem::path> entries;
};

Status find_files(const std::filesystem::path& folder, CatalogueFiles* files) {
  std::error_code problem;
  std::filesystem::recursive_directory_iterator walk(folder, problem);
  const std::filesystem::recursive_directory_iterator end;
  while (!problem && walk != end) {
    if (is_problem(walk->path())) files->problems.push_back(walk->path());
    if (is_entry(walk->path())) files->entries.push_back(walk->path());
    walk.increment(problem);
  }
  if (problem) {
    return Error{ErrorCode::kMachine,
                 fmt::format("cannot read the folder of kernels: {}", problem.message()),
                 "",
                 {folder.string(), 0, 0}};
  }
  return ok_status();
}

// Reads NN_idea.json and the NN_idea.cu beside it.
[[nodiscard]] Result<CatalogueEntry> load_entry(const std::filesystem::path& json_file,
                                                const std::vector<Problem>& problems);

Error given_twice(const std::string& what, const std::filesystem::path& first,
                  const std::filesystem::path& second) {
  return {ErrorCode::kUsage,
          fmt::format("{} is there already, from {}", what, first.string()),
          "Give one of the two another name",
          {second.string(), 0, 0}};
}

Status load_problems(const std::vector<std::filesystem::path>& files, Catalogue* catalogue) {
  for (const std::filesystem::path& file : files) {
    Result<Problem> problem = load_problem(file);
    if (!problem) return std::move(problem).error();
    const auto same = std::ranges::find(catalogue->problems, *problem);
    if (same != catalogue->problems.end()) {
      return given_twice("the problem " + (*problem)->name, (*same)->file, file);
    }
    catalogue->problems.push_back(*std::move(problem));
  }
  std::ranges::sort(catalogue->problems, {}, [](const Problem& problem) { return problem->name; });
  return ok_status();
}

bool writes(const CatalogueEntry& entry, const std::string& buffer) {
  return std::ranges::any_of(entry.arguments, [&](const ArgumentTemplate& argument) {
    return argument.written && argument.buffer == buffer;
  });
}

// Why this kernel cannot say what another one must write; empty: it can.
std::string why_no_reference(const CatalogueEntry& reference, const CatalogueEntry& of) {
  if (reference.id == of.id) return fmt::format("{} cannot be its own reference", of.id);
  for (const ArgumentTemplate& argument : of.arguments) {
    if (!argument.written || writes(reference, argument.buffer)) continue;
    return fmt::format("{} writes no {}, which {} writes", reference.id, argument.buffer, of.id);
  }
  for (const std::string& name : of.problem->parameters) {
    const auto own = std::ranges::find(of.parameters, name, &ParameterSpec::name);
    const auto other = std::ranges::find(reference.parameters, name, &ParameterSpec::name);
    for (const std::int64_t value : own->values) {
      if (std::ranges::find(other->values, value) != other->values.end()) continue;
      return fmt::format("{} does not offer {} {}, as {} does", reference.id, name, value, of.id);
    }
  }
  return "";
}

// Gives each entry the kernel that says what comes out.
Status find_references(Catalogue* catalogue) {
  std::map<std::string, std::shared_ptr<const CatalogueEntry>> references;
  for (CatalogueEntry& entry : catalogue->entries) {
    if (entry.problem->reference != ReferenceKind::kKernel) continue;
    const bool own = !entry.reference_id.empty();
    const std::string& id = own ? entry.reference_id : entry.problem->reference_kernel;
    std::filesystem::path file = entry.source_file;
    file.replace_extension(".json");
    const CatalogueEntry* found = catalogue->find(id);
    if (found == nullptr || found->problem != entry.problem) {
      return Error{ErrorCode::kUsage,
                   fmt::format("no kernel {} solves the problem {}", id, entry.problem->name),
                   "The reference must be a kernel of the same problem",
                   {own ? file.string() : entry.problem->file.string(), 0, 0}};
    }
    if (const std::string why = why_no_reference(*found, entry); !why.empty()) {
      return Error{ErrorCode::kUsage,
                   why,
                   "A kernel may name another one as its \"reference\"",
                   {file.string(), 0, 0}};
    }
    std::shared_ptr<const CatalogueEntry>& reference = references[id];
    if (reference == nullptr) {
      auto copy = std::make_shared<CatalogueEntry>(*found);
      copy->reference_entry = nullptr;
      reference = std::move(copy);
    }
    entry.reference_entry = reference;
  }
  return ok_status();
}

}  // namespace

const CatalogueEntry* Catalogue::find(std::string_view id) const {
  const auto found = std::ranges::find(entries, id, &CatalogueEntry::id);
  return found == entries.end() ? nullptr : &*found;
}

Result<Catalogue> load_catalogue(const std::vector<std::filesystem::path>& folders) {
  Catalogue catalogue;
  CatalogueFiles files;
  for (const std::filesystem::path& folder : folders) {
    if (Status found = find_files(folder, &files); !found) return found.error();
  }
  std::ranges::sort(files.problems);
  std::ranges::sort(files.entries);
  if (Status loaded = load_problems(files.problems, &catalogue); !loaded) return loaded.error();
  for (const std::filesystem::path& file : files.entries) {
    Result<CatalogueEntry> entry = load_entry(file, catalogue.problems);
    if (!entry) return std::move(entry).error();
    if (const CatalogueEntry* same = catalogue.find(entry->id)) {
      return given_twice(entry->id, same->source_file, file);
    }
    catalogue.entries.push_back(std::move(entry).value());
  }
  std::ranges::sort(catalogue.entries, {}, [](const CatalogueEntry& entry) {
    return std::tie(entry.family, entry.step, entry.id);
  });
  if (Status found = find_references(&catalogue); !found) return found.error();
  return catalogue;
}

namespace {

using Node = JsonDocument::Node;

constexpr std::int64_t kMostValues = 1024;  // that a slider may offer
constexpr std::size_t kMostParameters = 16;

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
  EntryReader(CatalogueEntry& entry, const std::vector<Problem>& problems, Node root)
      : entry_(entry), problems_(problems), root_(std::move(root)) {}

  void read() {
    root_.allow_only({"title", "idea", "seeds", "watch", "problem", "kernel", "parameters", "rules",
                      "launch", "arguments", "phases", "extents", "reference", "arithmetic"});
    entry_.title = root_["title"].text();
    entry_.idea = root_["idea"].text();
    for (const Node& seed : optional_list("seeds")) entry_.seeds.push_back(seed.text());
    read_problem();
    read_kernel();
    read_extents();
    read_parameters();
    read_watch();
    read_rules();
    read_launch();
    read_arguments();
    read_reference();
    read_arithmetic();
    for (const auto& [phase, name] : root_["phases"].members()) entry_.phases[phase] = name.text();
  }

 private:
  [[nodiscard]] std::vector<Node> optional_list(std::string_view key) const {
    const Node list = root_.find(key);
    return list.exists() ? list.elements() : std::vector<Node>();
  }

  void read_problem() {
    const std::string name = root_["problem"].text();
    std::vector<std::string> known;
    for (const Problem& problem : problems_) {
      known.push_back(problem->name);
      if (name == problem->name) entry_.problem = problem;
    }
    if (entry_.problem->name.empty()) {
      root_["problem"].fail(fmt::format("there is no problem {}", name), did_you_mean(name, known));
    }
  }

  void read_arithmetic() {
    const Node given = root_.find("arithmetic");
    if (given.exists()) {
      entry_.arithmetic = given.text();
      return;
    }
    const auto operand = std::ranges::find_if(entry_.arguments, [](const ArgumentTemplate& each) {
      return each.role == Role::kA || each.role == Role::kIn;
    });
    if (operand != entry_.arguments.end()) entry_.arithmetic = name_of(operand->type);
  }

  void read_reference() {
    const Node given = root_.find("reference");
    if (entry_.problem->reference == ReferenceKind::kElements) {
      const auto input = std::ranges::find(entry_.arguments, Role::kIn, &ArgumentTemplate::role);
      const bool has_input = input != entry_.arguments.end();
      if (!has_input) root_["arguments"].fail("an elementwise reference needs an input");
      entry_.reference = expression(root_["reference"],
                                    {has_input ? input->buffer : std::string("in"), "row", "col"});
    } else if (given.exists() && entry_.problem->reference == ReferenceKind::kKernel) {
      given.allow_only({"kernel"});
      entry_.reference_id = given["kernel"].text();
    } else if (given.exists()) {
      given.fail(fmt::format("the problem {} says what must come out", entry_.problem->name));
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
    for (const ExtentSpec& extent : entry_.problem->extents) {
      entry_.default_extents[extent.name] = extent.default_value;
    }
    const Node extents = root_.find("extents");
    if (!extents.exists()) return;
    const std::vector<std::string> names = extent_names(entry_.problem);
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
    for (const std::string& name : entry_.problem->parameters) {
      if (std::ranges::find(entry_.parameters, name, &ParameterSpec::name) !=
          entry_.parameters.end())
        continue;
      root_["parameters"].fail(
          fmt::format("the problem {} needs a parameter {}", entry_.problem->name, name));
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
    for (const Node& node : optional_list("watch")) {
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
    for (const Node& node : optional_list("rules")) {
      node.allow_only({"condition", "message"});
      entry_.rules.push_back(
          {expression(node["condition"], device_limit_names()), node["message"].text()});
    }
  }

  void read_launch() {
    const Node launch = root_["launch"];
    launch.allow_only({"grid", "block", "dynamic_shared_bytes"});
    read_three(launch["grid"], device_limit_names(), entry_.grid);
    read_three(launch["block"], {}, entry_.block);
    const Node dynamic = launch.find("dynamic_shared_bytes");
    entry_.dynamic_shared_bytes = dynamic.exists() ? expression(dynamic) : "0";
  }

  void read_three(const Node& node, const std::vector<std::string>& further,
                  std::string (&into)[3]) {
    const std::vector<Node> axes = node.elements();
    if (axes.size() != 3) node.fail("must hold three expressions: x, y and z");
    for (std::size_t i = 0; i < 3 && i < axes.size(); ++i) into[i] = expression(axes[i], further);
  }

  void read_arguments() {
    for (const Node& node : root_["arguments"].elements()) {
      entry_.arguments.push_back(node.find("role").exists() ? read_pointer(node)
                                                            : read_scalar(node));
    }
  }

  ArgumentTemplate read_pointer(const Node& node) {
    node.allow_only(
        {"name", "role", "type", "matrix", "elements", "tensor", "written", "fill", "seed"});
    const std::string role = node["role"].text();
    const std::vector<ArgumentTemplate>& buffers = entry_.problem->buffers;
    const auto buffer = std::ranges::find(buffers, role, &ArgumentTemplate::buffer);
    if (buffer != buffers.end()) {
      const std::vector<std::string> known = names({});
      return read_buffer(node, *buffer, &known);
    }
    std::string roles;
    for (const ArgumentTemplate& known : buffers) {
      roles += (roles.empty() ? "" : ", ") + known.buffer;
    }
    node["role"].fail(fmt::format("the problem has no role {}", role), "It is one of " + roles);
    return {};
  }

  ArgumentTemplate read_scalar(const Node& node) {
    node.allow_only({"name", "type", "value"});
    ArgumentTemplate argument;
    argument.name = node["name"].text();
    argument.type = read_element_type(node["type"]);
    const Node value = node["value"];
    argument.value = value.text();
    if (!parse_number<double>(argument.value)) argument.value = expression(value);
    return argument;
  }

  [[nodiscard]] std::vector<std::string> names(const std::vector<std::string>& further) const {
    std::vector<std::string> names;
    for (const ParameterSpec& parameter : entry_.parameters) names.push_back(parameter.name);
    for (const auto& [extent, value] : entry_.default_extents) names.push_back(extent);
    std::ranges::copy(further, std::back_inserter(names));
    return names;
  }

  [[nodiscard]] std::string expression(const Node& node,
                                       const std::vector<std::string>& further = {}) const {
    const std::vector<std::string> known = names(further);
    return read_expression(node, &known);
  }

  CatalogueEntry& entry_;
  const std::vector<Problem>& problems_;
  Node root_;
};

Result<CatalogueEntry> load_entry(const std::filesystem::path& json_file,
                                  const std::vector<Problem>& problems) {
  Result<std::string> text = read_catalogue_file(json_file);
  if (!text) return std::move(text).error();

  CatalogueEntry entry;
  entry.source_file = json_file;
  entry.source_file.replace_extension(".cu");
  Result<std::string> source = read_catalogue_file(entry.source_file);
  if (!source) return std::move(source).error();
  entry.source = std::move(source).value();

  const std::string stem = json_file.stem().string();  // NN_idea
  const std::size_t dash = stem.find('_');
  std::from_chars(stem.data(), stem.data() + dash, entry.step);
  entry.family = json_file.parent_path().filename().string();
  entry.id = entry.family + "/" + stem.substr(dash + 1);

  JsonDocument document(std::move(text).value(), json_file);
  EntryReader(entry, problems, document.root()).read();
  if (document.mistake()) return *document.mistake();
  return entry;
}

}  // namespace

const std::vector<std::string>& device_limit_names() {
  static const std::vector<std::string> names = {
      "compute_capability",           "max_threads_per_block", "shared_bytes_per_block",
      "shared_bytes_per_block_optin", "registers_per_block",   "multiprocessors"};
  return names;
}

}  // namespace tilescope

#include "kernel/catalogue/argument_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <utility>

#include "core/expression.h"
#include "core/text.h"

namespace tilescope {
namespace {

using Node = JsonDocument::Node;

constexpr std::uintmax_t kLargestFile = 1 << 20;

// A fill by its name, or an expression over i, random and the names.
void read_fill(const Node& node, const std::vector<std::string>* names, ArgumentTemplate& buffer) {
  constexpr std::array<std::pair<std::string_view, Fill>, 4> kFills{{{"zero", Fill::kZero},
                                                                     {"iota", Fill::kIota},
                                                                     {"ramp", Fill::kRamp},
                                                                     {"random", Fill::kRandom}}};
  const std::string text = node.text();
  for (const auto& [name, fill] : kFills) {
    if (text != name) continue;
    buffer.fill = fill;
    return;
  }
  if (is_identifier(text)) {
    node.fail(fmt::format("there is no fill {}", text),
              did_you_mean(text, {"zero", "iota", "ramp", "random"}));
    return;
  }
  std::vector<std::string> known{"i", "random"};
  if (names != nullptr) known.insert(known.end(), names->begin(), names->end());
  buffer.fill = Fill::kExpression;
  buffer.expression = read_expression(node, &known);
}

MatrixShape read_shape(const Node& node, const std::vector<std::string>* names) {
  if (const Node elements = node.find("elements"); elements.exists()) {
    if (node.find("matrix").exists()) elements.fail("a buffer with a matrix needs no elements");
    const std::string count = read_expression(elements, names);
    return {"1", count, count};
  }
  const Node matrix = node["matrix"];
  matrix.allow_only({"rows", "cols", "leading"});
  MatrixShape shape;
  shape.rows = read_expression(matrix["rows"], names);
  shape.cols = read_expression(matrix["cols"], names);
  const Node leading = matrix.find("leading");
  shape.leading = leading.exists() ? read_expression(leading, names) : shape.cols;
  return shape;
}

TensorTemplate read_tensor(const Node& node, const std::vector<std::string>* names) {
  node.allow_only({"box", "swizzle"});
  TensorTemplate tensor;
  const std::vector<Node> box = node["box"].elements();
  if (box.size() == 2) {
    tensor.box_cols = read_expression(box[0], names);
    tensor.box_rows = read_expression(box[1], names);
  } else {
    node["box"].fail("must hold two expressions: columns and rows of one copy");
  }
  const Node swizzle = node.find("swizzle");
  tensor.swizzle_bytes = swizzle.exists() ? read_expression(swizzle, names) : "0";
  return tensor;
}

}  // namespace

bool is_identifier(std::string_view name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && letter(name.front()) &&
         std::ranges::all_of(name, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

Result<std::string> read_catalogue_file(const std::filesystem::path& path) {
  std::error_code problem;
  const std::uintmax_t size = std::filesystem::file_size(path, problem);
  std::ifstream file(path, std::ios::binary);
  if (problem || !file) return Error{ErrorCode::kMachine, "cannot read the file", "", {path, 0, 0}};
  if (size > kLargestFile) {
    return Error{ErrorCode::kUsage, "larger than 1 MiB", "", {path, 0, 0}};
  }
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::string read_expression(const Node& node, const std::vector<std::string>* names) {
  std::string text = node.text();
  if (!node.exists()) return text;
  const Result<Expression> parsed = Expression::parse(text);
  if (!parsed) {
    node.fail(parsed.error().message);
    return text;
  }
  if (names == nullptr) return text;
  for (const std::string& name : parsed->variables()) {
    if (std::ranges::find(*names, name) != names->end()) continue;
    node.fail(fmt::format("{} is no parameter and no extent", name), did_you_mean(name, *names));
  }
  return text;
}

ElementType read_element_type(const Node& node) {
  const std::string name = node.text();
  const Result<ElementType> type = parse_element_type(name);
  if (!type) node.fail(type.error().message, type.error().remedy);
  return type ? *type : ElementType::kF32;
}

ArgumentTemplate read_buffer(const Node& node, ArgumentTemplate from,
                             const std::vector<std::string>* names) {
  ArgumentTemplate buffer = std::move(from);
  const bool is_new = buffer.matrix.cols.empty();
  const auto states = [&](const char* key) { return is_new || node.find(key).exists(); };
  buffer.name = node["name"].text();
  buffer.is_pointer = true;
  if (states("type")) buffer.type = read_element_type(node["type"]);
  if (is_new || node.find("matrix").exists() || node.find("elements").exists()) {
    buffer.matrix = read_shape(node, names);
  }
  if (states("fill")) read_fill(node["fill"], names, buffer);
  if (const Node tensor = node.find("tensor"); tensor.exists()) {
    buffer.tensor = read_tensor(tensor, names);
  }
  if (const Node written = node.find("written"); written.exists()) {
    buffer.written = written.boolean();
  }
  if (const Node seed = node.find("seed"); seed.exists()) {
    const std::int64_t value = seed.integer();
    if (value < 0) seed.fail("must not be negative");
    buffer.seed = static_cast<std::uint64_t>(value);
  }
  return buffer;
}

}  // namespace tilescope

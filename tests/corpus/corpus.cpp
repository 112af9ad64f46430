#include "corpus.h"

#include <fmt/format.h>

#include <fstream>
#include <limits>
#include <set>
#include <sstream>
#include <utility>

#include "core/json_document.h"
#include "kernel/launch/file_launch.h"

namespace tilescope {
namespace {

Result<std::string> read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file || std::filesystem::is_directory(path)) {
    return Error{ErrorCode::kUsage, fmt::format("cannot read {}", path.string()), "", {}};
  }
  return text.str();
}

std::uint32_t whole_number(const JsonDocument::Node& node) {
  const std::int64_t value = node.integer();
  if (value < 0 || value > std::numeric_limits<std::uint32_t>::max()) {
    node.fail("must be a whole number from 0 to 2^32 - 1");
    return 0;
  }
  return static_cast<std::uint32_t>(value);
}

Dim3 read_extent(const JsonDocument::Node& node) {
  Dim3 extent;
  std::uint32_t* const axes[] = {&extent.x, &extent.y, &extent.z};
  const auto elements = node.elements();
  if (elements.empty() || elements.size() > 3) node.fail("must have one to three extents");
  for (std::size_t i = 0; i < elements.size() && i < 3; ++i) {
    *axes[i] = whole_number(elements[i]);
    if (*axes[i] == 0) elements[i].fail("must be at least 1");
  }
  return extent;
}

std::vector<Argument> read_arguments(const JsonDocument::Node& node) {
  std::vector<Argument> all;
  std::uint32_t parameter = 0;
  for (const auto& text : node.elements()) {
    auto arguments = file_arguments(text.text(), parameter++);
    if (!arguments) {
      text.fail(arguments.error().message);
      return all;
    }
    for (Argument& argument : *arguments) {
      argument.name = fmt::format("arg{}", all.size());
      all.push_back(std::move(argument));
    }
  }
  return all;
}

CorpusLaunch read_launch(const JsonDocument::Node& node, const std::filesystem::path& folder) {
  node.allow_only({"name", "file", "kernel", "defines", "grid", "block", "shared_bytes", "args"});
  CorpusLaunch launch;
  launch.name = node["name"].text();
  KernelInstance& instance = launch.instance;
  instance.id = launch.name;
  instance.title = launch.name;
  instance.file_name = node["file"].text();
  launch.file = folder / instance.file_name;
  instance.include_directories = {folder.string()};
  auto source = read_text(launch.file);
  if (source) {
    instance.source = *std::move(source);
  } else {
    node["file"].fail(source.error().message);
  }
  instance.kernel = node["kernel"].text();
  if (const auto defines = node.find("defines"); defines.exists()) {
    for (const auto& define : defines.elements()) instance.defines.push_back(define.text());
  }
  instance.grid = read_extent(node["grid"]);
  instance.block = read_extent(node["block"]);
  if (const auto bytes = node.find("shared_bytes"); bytes.exists()) {
    instance.dynamic_shared_bytes = whole_number(bytes);
  }
  instance.arguments = read_arguments(node["args"]);
  return launch;
}

}  // namespace

Result<std::vector<CorpusLaunch>> read_corpus(const std::filesystem::path& list) {
  auto text = read_text(list);
  if (!text) return std::move(text).error();
  JsonDocument document(*std::move(text), list);
  std::vector<CorpusLaunch> launches;
  std::set<std::string> names;
  const auto root = document.root();
  root.allow_only({"launches"});
  for (const auto& node : root["launches"].elements()) {
    launches.push_back(read_launch(node, list.parent_path() / "kernels"));
    if (!names.insert(launches.back().name).second) node["name"].fail("is there twice");
  }
  if (document.mistake()) return *document.mistake();
  return launches;
}

}  // namespace tilescope

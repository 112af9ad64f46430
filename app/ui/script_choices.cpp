#include "ui/script_choices.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "kernel/spelling.h"
#include "ui/desk/desk.h"
#include "ui/script_words.h"

namespace tilescope {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace

// A catalogue's slider stops at its values; of a file which are legal is not known.
Status set_parameter(const ScriptCommand& command, const ScriptTarget& target) {
  const std::string& name = command.words[1];
  const Result<std::int64_t> value = whole(command, 2);
  if (!value.ok()) return value.error();
  const Variant& variant = target.desk.bench.active();
  if (!variant.has_kernel()) return wrong(command, "no kernel is open");
  const std::vector<ParameterSpec>& offered = variant.offered();
  const auto spec = std::ranges::find(offered, name, &ParameterSpec::name);
  if (spec == offered.end()) {
    std::vector<std::string> names;
    names.reserve(offered.size());
    for (const ParameterSpec& each : offered) names.push_back(each.name);
    return wrong(command, variant.file_name() + " has no parameter " + name +
                              (names.empty() ? "" : ". " + did_you_mean(name, names)));
  }
  if (!variant.own && std::ranges::find(spec->values, *value) == spec->values.end()) {
    std::vector<std::string> values;
    for (const std::int64_t each : spec->values) values.push_back(std::to_string(each));
    return wrong(command, name + " is one of " + joined(values));
  }
  target.desk.focused_parameter = name;
  target.desk.bench.set_parameter(name, *value);
  return ok_status();
}

Status set_size(const ScriptCommand& command, const ScriptTarget& target) {
  const std::string& name = command.words[1];
  const Result<std::int64_t> value = whole(command, 2);
  if (!value.ok()) return value.error();
  const Variant& variant = target.desk.bench.active();
  if (!variant.extents.contains(name)) {
    std::vector<std::string> names;
    for (const auto& [extent, size] : variant.extents) names.push_back(extent);
    return wrong(command, names.empty() ? "a kernel of a file has no sizes"
                                        : "there is no size " + name + ", but " + joined(names));
  }
  if (*value < 1) return wrong(command, "a size is 1 or more");
  target.desk.bench.set_extent(name, *value);
  return ok_status();
}

Status set_factor(const ScriptCommand& command, const ScriptTarget& target) {
  const std::string& name = command.words[1];
  const Variant& variant = target.desk.bench.active();
  const std::vector<std::string> names =
      variant.entry != nullptr ? factor_names(*variant.entry) : std::vector<std::string>();
  if (std::ranges::find(names, name) == names.end()) {
    return wrong(command, names.empty() ? "this kernel has no factors"
                                        : "there is no factor " + name + ", but " + joined(names));
  }
  float value = 0;
  const std::string& word = command.words[2];
  const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (failure != std::errc{} || end != word.data() + word.size() || !std::isfinite(value)) {
    return wrong(command, word + " is no finite f32");
  }
  target.desk.bench.set_factor(name, static_cast<double>(value));
  return ok_status();
}

Status select_line(const ScriptCommand& command, const ScriptTarget& target) {
  const Result<std::int64_t> line = whole(command, 1);
  if (!line.ok()) return line.error();
  Variant& variant = target.desk.bench.active();
  if (!variant.has_kernel()) return wrong(command, "no kernel is open");
  const auto lines = std::ranges::count(variant.shown_source(), '\n') + 1;
  if (*line < 0 || *line > lines) {
    return wrong(command, "the text has lines 1 to " + std::to_string(lines));
  }
  variant.selection.line = static_cast<std::uint32_t>(*line);
  return ok_status();
}

Status select_lane(const ScriptCommand& command, const ScriptTarget& target) {
  const Result<std::int64_t> lane = whole(command, 1);
  if (!lane.ok()) return lane.error();
  if (*lane < 0 || *lane > 31) return wrong(command, "lanes are 0 to 31");
  target.desk.bench.active().selection.lane = static_cast<int>(*lane);
  return ok_status();
}

Status select_warp(const ScriptCommand& command, const ScriptTarget& target) {
  const Result<std::int64_t> warp = whole(command, 1);
  if (!warp.ok()) return warp.error();
  Variant& variant = target.desk.bench.active();
  constexpr std::int64_t kMostWarps = 32;  // of a block
  const bool known = variant.study != nullptr && !variant.study_pending;
  const auto warps =
      known ? static_cast<std::int64_t>((variant.study->launch.block.count() + 31) / 32)
            : kMostWarps;
  if (*warp < 0 || *warp >= warps) {
    return wrong(command, "warps are 0 to " + std::to_string(warps - 1));
  }
  variant.selection.warp = static_cast<std::uint32_t>(*warp);
  return ok_status();
}

Status choose_variant(const ScriptCommand& command, const ScriptTarget& target) {
  if (command.words[1] == "add") {
    target.desk.bench.add_variant();
    return ok_status();
  }
  const Result<std::int64_t> index = whole(command, 1);
  if (!index.ok()) return index.error();
  const auto count = static_cast<std::int64_t>(target.desk.bench.variants().size());
  if (*index < 0 || *index >= count) {
    return wrong(command, "variants are 0 to " + std::to_string(count - 1));
  }
  target.desk.bench.activate(static_cast<int>(*index));
  return ok_status();
}

}  // namespace tilescope

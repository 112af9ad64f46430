#include "session/kept_figures.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>
#include <utility>

#include "core/file.h"
#include "core/paths.h"
#include "kernel/compile/compile.h"
#include "kernel/compile/compile_cache.h"

namespace tilescope {

namespace fs = std::filesystem;
namespace {

// The first line of the file, before the program's text. Raise the number whenever a line's form
// changes.
constexpr std::string_view kHead = "tilescope lesson figures 1 ";
constexpr std::uintmax_t kLargestFile = std::uintmax_t{8} << 20;

std::string place_of(const std::string& launch, const LessonQuantity& quantity) {
  return fmt::format("{}\n{}\n{}", launch, quantity.name, quantity.source_line);
}

// A value as a line of the file; what is absent or empty is left out.
std::string line_of(const std::string& place, const LessonValue& value) {
  nlohmann::json json = {
      {"of", place}, {"number", value.number}, {"unit", static_cast<int>(value.unit)}};
  if (value.source) json["source"] = static_cast<int>(*value.source);
  if (!value.gpu.empty()) json["gpu"] = value.gpu;
  if (!value.word.empty()) json["word"] = value.word;
  return json.dump() + "\n";
}

LessonValue value_of(const nlohmann::json& json) {
  LessonValue value{.number = json.at("number").get<double>(),
                    .unit = static_cast<Unit>(json.at("unit").get<int>())};
  if (json.contains("source")) value.source = static_cast<Source>(json.at("source").get<int>());
  value.gpu = json.value("gpu", "");
  value.word = json.value("word", "");
  return value;
}

}  // namespace

KeptFigures::KeptFigures(fs::path file, std::function<std::string()> program)
    : file_(std::move(file)), program_(std::move(program)) {}

std::string KeptFigures::key_of(const KernelInstance& instance, const DeviceModel& device) {
  if (instance.source.find("#include") != std::string::npos) return {};
  CacheKey key;
  key.add(instance.source);
  key.add(instance.kernel);
  for (const ParameterSet* set : {&instance.parameters, &instance.extents}) {
    for (const auto& [name, value] : *set) key.add(fmt::format("{}={}", name, value));
    key.add("");
  }
  for (const std::string& define : instance.defines) key.add(define);
  for (const Dim3& extent : {instance.grid, instance.block}) {
    key.add(fmt::format("{} {} {}", extent.x, extent.y, extent.z));
  }
  key.add(std::to_string(instance.dynamic_shared_bytes));
  key.add(device.name);
  return key.digest();
}

void KeptFigures::load() {
  is_loaded_ = true;
  const std::string head = fmt::format("{}{}\n", kHead, program_());
  const auto bytes = read_file(file_, kLargestFile);
  if (!bytes || !bytes->starts_with(head)) {
    (void)write_own_file(file_, head);
    return;
  }
  std::istringstream lines(bytes->substr(head.size()));
  for (std::string line; std::getline(lines, line);) {
    try {  // a line that was cut off counts as absent
      const nlohmann::json json = nlohmann::json::parse(line);
      values_[json.at("of").get<std::string>()] = value_of(json);
    } catch (const nlohmann::json::exception&) {
      continue;
    }
  }
}

const LessonValue* KeptFigures::find(const std::string& launch, const LessonQuantity& quantity) {
  if (launch.empty()) return nullptr;
  if (!is_loaded_) load();
  const auto found = values_.find(place_of(launch, quantity));
  return found != values_.end() ? &found->second : nullptr;
}

void KeptFigures::keep(const std::string& launch, const LessonQuantity& quantity,
                       const LessonValue& value) {
  const bool is_timed = value.source == Source::kMeasured || value.source == Source::kRecorded;
  if (launch.empty() || is_timed || !std::isfinite(value.number)) return;
  if (!is_loaded_) load();
  const std::string place = place_of(launch, quantity);
  if (!values_.try_emplace(place, value).second) return;
  std::ofstream(file_, std::ios::app) << line_of(place, value) << std::flush;
}

KeptFigures kept_figures_here() {
  return {cache_directory() / "lesson_figures", [] {
            std::error_code none;
            const fs::path program = program_file();
            const std::uintmax_t size = fs::file_size(program, none);
            const auto time = fs::last_write_time(program, none).time_since_epoch().count();
            const auto compiler = compiler_info();
            return fmt::format("{} {} {}", size, time,
                               compiler ? compiler->version : "no compiler");
          }};
}

}  // namespace tilescope

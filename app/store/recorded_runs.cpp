#include "store/recorded_runs.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "core/file.h"
#include "core/paths.h"

namespace tilescope {

namespace fs = std::filesystem;
namespace {

using nlohmann::ordered_json;

constexpr int kFormat = 1;
constexpr const char* kRemedy = "Give a file that tilescope history --export wrote";

bool same_point(const RecordedRun& a, const RecordedRun& b) {
  return a.kernel == b.kernel && a.parameters == b.parameters && a.extents == b.extents &&
         a.factors == b.factors && a.launch == b.launch && a.cold == b.cold;
}

// Six digits are more than a measurement has, and keep the file short.
double rounded(double value) { return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr); }

ordered_json encode(const RecordedTimes& times) {
  return {{"median", rounded(times.median_seconds)},
          {"p5", rounded(times.p5_seconds)},
          {"p95", rounded(times.p95_seconds)}};
}

RecordedTimes decode_times(const ordered_json& json) {
  const RecordedTimes times{json.at("median"), json.at("p5"), json.at("p95")};
  if (!(times.median_seconds > 0)) throw std::runtime_error("a median of no time");
  return times;
}

template <typename T>
ordered_json optional_value(const std::optional<T>& value) {
  return value ? ordered_json(*value) : ordered_json();
}

std::optional<double> decode_optional(const ordered_json& json) {
  return json.is_null() ? std::nullopt : std::optional<double>(json.get<double>());
}

ordered_json encode(const RecordedRun& run) {
  return {{"kernel", run.kernel},
          {"parameters", run.parameters},
          {"extents", run.extents},
          {"cold", run.cold},
          {"samples", run.samples},
          {"seconds", encode(run.times)},
          {"reference", run.reference ? encode(*run.reference) : ordered_json()},
          {"reference_name", run.reference_name},
          {"max_error", run.max_error ? ordered_json(rounded(*run.max_error)) : ordered_json()},
          {"tolerance", rounded(run.tolerance)},
          {"flop", run.flop},
          {"bytes", run.bytes},
          {"sm_clock_hz", optional_value(run.sm_clock_hz)},
          {"source_hash", run.source_hash},
          {"date", run.date}};
}

// What is meant where a file says nothing. Where some samples were dropped, as many as were kept
// would be a coincidence.
bool all_were_throttled(const RecordedRun& run) {
  return run.throttled_samples > 0 && run.throttled_samples == run.samples;
}

// What files of an earlier release lack is written where it is known alone.
ordered_json encode_all(const RecordedRun& run) {
  ordered_json json = encode(run);
  const auto add = [&](const char* name, const std::optional<double>& value) {
    if (value) json[name] = rounded(*value);
  };
  if (run.other) {
    json["other"] = encode(*run.other);
    json["other_name"] = run.other_name;
  }
  add("sm_clock_before_hz", run.sm_clock_before_hz);
  add("temperature_celsius", run.temperature_celsius);
  add("relative_error", run.relative_error);
  add("reference_error", run.reference_error);
  if (!run.factors.empty()) json["factors"] = run.factors;
  if (!run.launch.empty()) json["launch"] = run.launch;
  if (run.throttled_samples != 0) json["throttled_samples"] = run.throttled_samples;
  if (run.all_throttled != all_were_throttled(run)) json["all_throttled"] = run.all_throttled;
  if (!run.throttle_reasons.empty()) json["throttle_reasons"] = run.throttle_reasons;
  if (!run.counters.empty()) json["counters"] = run.counters;
  if (!run.reference_counters.empty()) json["reference_counters"] = run.reference_counters;
  return json;
}

std::optional<double> decode_if_there(const ordered_json& json, const char* name) {
  const auto found = json.find(name);
  return found == json.end() ? std::nullopt : decode_optional(*found);
}

RecordedRun decode_one(const ordered_json& json) {
  RecordedRun run;
  json.at("kernel").get_to(run.kernel);
  json.at("parameters").get_to(run.parameters);
  json.at("extents").get_to(run.extents);
  json.at("cold").get_to(run.cold);
  json.at("samples").get_to(run.samples);
  run.times = decode_times(json.at("seconds"));
  if (!json.at("reference").is_null()) run.reference = decode_times(json.at("reference"));
  json.at("reference_name").get_to(run.reference_name);
  run.max_error = decode_optional(json.at("max_error"));
  json.at("tolerance").get_to(run.tolerance);
  json.at("flop").get_to(run.flop);
  json.at("bytes").get_to(run.bytes);
  run.sm_clock_hz = decode_optional(json.at("sm_clock_hz"));
  json.at("source_hash").get_to(run.source_hash);
  json.at("date").get_to(run.date);
  if (json.contains("other")) run.other = decode_times(json.at("other"));
  run.other_name = json.value("other_name", std::string());
  run.sm_clock_before_hz = decode_if_there(json, "sm_clock_before_hz");
  run.temperature_celsius = decode_if_there(json, "temperature_celsius");
  run.relative_error = decode_if_there(json, "relative_error");
  run.reference_error = decode_if_there(json, "reference_error");
  run.factors = json.value("factors", run.factors);
  run.launch = json.value("launch", std::string());
  run.throttled_samples = json.value("throttled_samples", 0);
  run.all_throttled = json.value("all_throttled", all_were_throttled(run));
  run.throttle_reasons = json.value("throttle_reasons", std::string());
  run.counters = json.value("counters", run.counters);
  run.reference_counters = json.value("reference_counters", run.reference_counters);
  return run;
}

RecordedRuns decode(const ordered_json& json) {
  check_format(json, kFormat);
  RecordedRuns recorded;
  json.at("gpu").get_to(recorded.gpu);
  json.at("compute_capability").get_to(recorded.compute_capability);
  json.at("driver").get_to(recorded.driver);
  json.at("cuda_driver").get_to(recorded.cuda_driver);
  json.at("compiler").get_to(recorded.compiler);
  json.at("cublas").get_to(recorded.cublas);
  json.at("commands").get_to(recorded.commands);
  for (const ordered_json& run : json.at("runs")) recorded.runs.push_back(decode_one(run));
  return recorded;
}

std::string text_of(const RecordedRuns& recorded) {
  const ordered_json head = {{"format", kFormat},
                             {"gpu", recorded.gpu},
                             {"compute_capability", recorded.compute_capability},
                             {"driver", recorded.driver},
                             {"cuda_driver", recorded.cuda_driver},
                             {"compiler", recorded.compiler},
                             {"cublas", recorded.cublas},
                             {"commands", recorded.commands}};
  std::string text = "{\n";
  for (const auto& [key, value] : head.items()) {
    text += fmt::format(" \"{}\": {},\n", key, value.dump());
  }
  text += " \"runs\": [";
  const char* separator = "\n";
  for (const RecordedRun& run : recorded.runs) {
    text += separator + std::string("  ") + encode_run(run);
    separator = ",\n";
  }
  return text + "\n ]\n}\n";
}

}  // namespace

const RecordedRun* RecordedRuns::find(std::string_view kernel, std::string_view source_hash,
                                      const std::map<std::string, std::int64_t>& parameters,
                                      const std::map<std::string, std::int64_t>& extents, bool cold,
                                      const std::map<std::string, double>& factors) const {
  const auto found = std::find_if(runs.begin(), runs.end(), [&](const RecordedRun& run) {
    return run.kernel == kernel && run.source_hash == source_hash && run.cold == cold &&
           run.parameters == parameters && run.extents == extents && run.factors == factors;
  });
  return found == runs.end() ? nullptr : &*found;
}

void RecordedRuns::put(RecordedRun run) {
  const auto older = std::find_if(runs.begin(), runs.end(),
                                  [&](const RecordedRun& one) { return same_point(one, run); });
  if (older != runs.end()) {
    *older = std::move(run);
  } else {
    runs.push_back(std::move(run));
  }
}

std::string encode_run(const RecordedRun& run) { return encode_all(run).dump(); }

Result<RecordedRun> decode_run(const std::string& json) {
  try {
    return decode_one(ordered_json::parse(json));
  } catch (const std::exception& wrong) {
    return Error{ErrorCode::kUsage, fmt::format("no recorded run: {}", wrong.what()), "", {}};
  }
}

Result<RecordedRuns> load_recorded_runs(const fs::path& file) {
  return load_json_file(file, "recorded runs", kRemedy, decode);
}

Result<std::vector<RecordedRuns>> load_recorded_folder(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(folder, failure)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<RecordedRuns> all;
  for (const fs::path& file : files) {
    auto recorded = load_recorded_runs(file);
    if (!recorded) return recorded.error();
    all.push_back(*std::move(recorded));
  }
  return all;
}

Result<std::vector<RecordedRuns>> load_shipped_runs() {
  return load_recorded_folder(resource_directory() / "assets" / "recorded");
}

Status save_recorded_runs(const RecordedRuns& recorded, const fs::path& file) {
  return write_own_file(file, text_of(recorded));
}

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

// Side by side these could be another token: two words, or "+ +".
bool may_join(char a, char b) {
  constexpr std::string_view kOperators = "+-<>=&|:*/!%^.#";
  return (is_word(a) && is_word(b)) || (kOperators.find(a) != std::string_view::npos &&
                                        kOperators.find(b) != std::string_view::npos);
}

constexpr std::string_view kPhase = "TILESCOPE_PHASE";

// Walks over CUDA text, copying what the compiler's tokens are made of.
class Condenser {
 public:
  explicit Condenser(std::string_view source) : source_(source) {}

  [[nodiscard]] std::string condense() {
    while (at_ < source_.size()) step();
    return std::move(text_);
  }

 private:
  void step() {
    const char c = source_[at_];
    const std::string_view rest = source_.substr(at_);
    if (rest.starts_with("//")) {
      skip_to("\n", 0);
    } else if (rest.starts_with("/*")) {
      skip_to("*/", 2);
    } else if (is_phase(rest)) {
      skip_to(";", 1);
    } else if (c == '"' || c == '\'') {
      copy_literal(c);
    } else if (is_space(c)) {
      gap_ = true;
      newline_ = newline_ || c == '\n';
      ++at_;
    } else {
      put(c);
      ++at_;
    }
  }

  [[nodiscard]] bool is_phase(std::string_view rest) const {
    const bool in_directive = text_.ends_with("#define ") || text_.ends_with("#ifndef ");
    return rest.starts_with(kPhase) && rest.size() > kPhase.size() && !in_directive &&
           rest[kPhase.size()] == '(';
  }

  void skip_to(std::string_view end, std::size_t behind) {
    const std::size_t found = source_.find(end, at_);
    at_ = found == std::string_view::npos ? source_.size() : found + behind;
    gap_ = true;
  }

  void copy_literal(char quote) {
    put(quote);
    for (++at_; at_ < source_.size();) {
      const char c = source_[at_++];
      text_ += c;
      if (c == '\\' && at_ < source_.size()) {
        text_ += source_[at_++];
      } else if (c == quote || c == '\n') {
        return;
      }
    }
  }

  // A gap matters where two tokens could join, around a directive (a line of its own) and inside
  // one.
  void put(char c) {
    const bool words = !text_.empty() && may_join(text_.back(), c);
    if (newline_ && (in_directive_ || c == '#')) {
      if (!text_.empty()) text_ += '\n';
      in_directive_ = false;
    } else if (gap_ && (words || in_directive_)) {
      text_ += ' ';
    }
    if (c == '#') in_directive_ = true;
    gap_ = newline_ = false;
    text_ += c;
  }

  std::string_view source_;
  std::size_t at_ = 0;
  std::string text_;
  bool gap_ = false;
  bool newline_ = false;
  bool in_directive_ = false;
};

}  // namespace

std::string kernel_source_hash(std::string_view cuda_source) {
  return text_digest(Condenser(cuda_source).condense());
}

std::string text_digest(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace tilescope

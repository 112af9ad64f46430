#include "store/recorded_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "core/fields.h"
#include "core/file.h"
#include "core/paths.h"

namespace tilescope {

namespace fs = std::filesystem;
namespace {

constexpr int kRunsFormat = 1;
constexpr const char* kRemedy = "Give a file that tilescope history --export wrote";

// Of whatever source: a newer text of the kernel takes the place of an older one.
bool same_point(const Measurement& a, const Measurement& b) {
  LaunchKey of = a.of;
  of.source = b.of.source;
  return of == b.of;
}

// What is meant where a file says nothing. Where some samples were dropped, as many as were kept
// would be a coincidence.
bool all_were_throttled(const RunResult& result) {
  return result.conditions.throttled_samples > 0 &&
         result.conditions.throttled_samples == result.kernel.count;
}

// More digits than a measurement has would only make the file long.
constexpr FieldLimits kSixDigits{.digits = 6};

// Of kernel, reference and a further reference: the times. They take turns, so that their number of
// samples is one field of the whole.
struct Times {
  TimeSummary summary;
};

std::optional<Times> times_of(const std::optional<TimeSummary>& summary) {
  return summary ? std::optional(Times{*summary}) : std::nullopt;
}

template <typename Visitor>
void fields(Visitor& visit, Times& times) {
  visit("median", times.summary.median_seconds, kSixDigits);
  visit("p5", times.summary.p5_seconds, kSixDigits);
  visit("p95", times.summary.p95_seconds, kSixDigits);
  visit.check("median", times.summary.median_seconds > 0, "a median of no time");
}

}  // namespace

// What the first release did not write is sparse. The machine is the whole file's.
template <typename Visitor>
void fields(Visitor& visit, Measurement& run) {
  RunResult& result = run.result;
  MeasuredConditions& conditions = result.conditions;
  Times times{result.kernel};
  std::optional<Times> reference = times_of(result.reference);
  std::optional<Times> other = times_of(result.other);
  double reference_error = result.reference ? result.reference->relative_error : 0;
  std::string throttle_reasons = throttle_text(conditions.throttle_reasons);
  visit("kernel", run.of.kernel);
  visit("parameters", run.of.parameters);
  visit("extents", run.of.extents);
  visit("cold", run.of.cold);
  visit("samples", times.summary.count);
  visit("seconds", times);
  visit("reference", reference);
  visit("reference_name", result.reference_name);
  visit("max_error", result.max_error, kSixDigits);
  visit("tolerance", result.tolerance, kSixDigits);
  visit("flop", result.flop);
  visit("bytes", result.bytes);
  visit("sm_clock_hz", conditions.sm_clock_after_hz);
  visit("source_hash", run.of.source);
  visit("date", run.date);
  visit(sparse("other"), other);
  visit(sparse("other_name"), result.other_name);
  visit(sparse("sm_clock_before_hz"), conditions.sm_clock_before_hz, kSixDigits);
  visit(sparse("temperature_celsius"), conditions.temperature_after_celsius, kSixDigits);
  visit(sparse("relative_error"), times.summary.relative_error, kSixDigits);
  visit(sparse("reference_error"), reference_error, kSixDigits);
  visit(sparse("factors"), run.of.factors);
  visit(sparse("launch"), run.of.launch);
  visit(sparse("worker"), run.worker);
  visit(sparse("throttled_samples"), conditions.throttled_samples);
  if constexpr (Visitor::kReads) {
    result.kernel = times.summary;
    const auto beside = [&](const std::optional<Times>& its, double error) {
      std::optional<TimeSummary> summary;
      if (!its) return summary;
      summary = its->summary;
      summary->count = result.kernel.count;
      summary->relative_error = error;
      return summary;
    };
    result.reference = beside(reference, reference_error);
    result.other = beside(other, 0);
    result.cold = run.of.cold;
    result.correct = !result.max_error || *result.max_error <= result.tolerance;
    conditions.all_throttled = all_were_throttled(result);
  }
  if (Visitor::kReads || conditions.all_throttled != all_were_throttled(result)) {
    visit(lenient("all_throttled"), conditions.all_throttled);
  }
  visit(sparse("throttle_reasons"), throttle_reasons);
  visit(sparse("other_programs"), conditions.other_programs);
  if constexpr (Visitor::kReads) {
    conditions.throttle_reasons = throttle_reasons_of(throttle_reasons);
  }
  visit(sparse("counters"), result.counters);
  visit(sparse("reference_counters"), result.reference_counters);
}

// Without the runs: each of them is a line of its own.
template <typename Visitor>
void fields(Visitor& visit, RecordedRuns& recorded) {
  int format = kRunsFormat;
  visit("format", format);
  visit.check("format", format == kRunsFormat, "a format of another version");
  visit("gpu", recorded.machine.gpu);
  visit("compute_capability", recorded.machine.compute_capability);
  visit("driver", recorded.machine.driver);
  visit("cuda_driver", recorded.machine.cuda_driver);
  visit("compiler", recorded.machine.compiler);
  visit("cublas", recorded.machine.cublas);
  visit("commands", recorded.commands);
  if constexpr (Visitor::kReads) {
    visit("runs", recorded.runs);
    for (Measurement& run : recorded.runs) run.machine = recorded.machine;
  }
}

namespace {

std::string text_of(const RecordedRuns& recorded) {
  const nlohmann::ordered_json head = json_of_fields(recorded);
  std::string text = "{\n";
  for (const auto& [key, value] : head.items()) {
    text += fmt::format(" \"{}\": {},\n", key, value.dump());
  }
  text += " \"runs\": [";
  const char* separator = "\n";
  for (const Measurement& run : recorded.runs) {
    text += separator + std::string("  ") + encode_run(run);
    separator = ",\n";
  }
  return text + "\n ]\n}\n";
}

}  // namespace

const Measurement* RecordedRuns::find(const LaunchKey& of) const {
  const auto found = std::ranges::find(runs, of, &Measurement::of);
  return found == runs.end() ? nullptr : &*found;
}

void RecordedRuns::put(Measurement run) {
  run.machine = machine;
  const auto older = std::find_if(runs.begin(), runs.end(),
                                  [&](const Measurement& one) { return same_point(one, run); });
  if (older != runs.end()) {
    *older = std::move(run);
  } else {
    runs.push_back(std::move(run));
  }
}

std::string encode_run(const Measurement& run) { return json_of_fields(run).dump(); }

Result<Measurement> decode_run(const std::string& json) {
  JsonDocument document(json, "");
  Measurement run = read_fields<Measurement>(document.root());
  if (!document.mistake()) return run;
  return Error{ErrorCode::kUsage, "not a recorded run: " + document.mistake()->message, "", {}};
}

Result<RecordedRuns> load_recorded_runs(const fs::path& file) {
  return load_json_file(file, "recorded runs", kRemedy, read_fields<RecordedRuns>);
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

}  // namespace tilescope

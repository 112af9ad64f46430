#include "store/recorded_runs.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <system_error>
#include <utility>

#include "core/fields.h"
#include "core/file.h"
#include "core/paths.h"

namespace tilescope {

namespace fs = std::filesystem;
namespace {

constexpr int kFormat = 1;
constexpr const char* kRemedy = "Give a file that tilescope history --export wrote";

bool same_point(const RecordedRun& a, const RecordedRun& b) {
  return a.kernel == b.kernel && a.parameters == b.parameters && a.extents == b.extents &&
         a.factors == b.factors && a.launch == b.launch && a.cold == b.cold;
}

// What is meant where a file says nothing. Where some samples were dropped, as many as were kept
// would be a coincidence.
bool all_were_throttled(const RecordedRun& run) {
  return run.throttled_samples > 0 && run.throttled_samples == run.samples;
}

// More digits than a measurement has would only make the file long.
constexpr FieldLimits kSixDigits{.digits = 6};

}  // namespace

template <typename Visitor>
void fields(Visitor& visit, RecordedTimes& times) {
  visit("median", times.median_seconds, kSixDigits);
  visit("p5", times.p5_seconds, kSixDigits);
  visit("p95", times.p95_seconds, kSixDigits);
  visit.check("median", times.median_seconds > 0, "a median of no time");
}

// What the first release did not write is sparse.
template <typename Visitor>
void fields(Visitor& visit, RecordedRun& run) {
  visit("kernel", run.kernel);
  visit("parameters", run.parameters);
  visit("extents", run.extents);
  visit("cold", run.cold);
  visit("samples", run.samples);
  visit("seconds", run.times);
  visit("reference", run.reference);
  visit("reference_name", run.reference_name);
  visit("max_error", run.max_error, kSixDigits);
  visit("tolerance", run.tolerance, kSixDigits);
  visit("flop", run.flop);
  visit("bytes", run.bytes);
  visit("sm_clock_hz", run.sm_clock_hz);
  visit("source_hash", run.source_hash);
  visit("date", run.date);
  visit(sparse("other"), run.other);
  visit(sparse("other_name"), run.other_name);
  visit(sparse("sm_clock_before_hz"), run.sm_clock_before_hz, kSixDigits);
  visit(sparse("temperature_celsius"), run.temperature_celsius, kSixDigits);
  visit(sparse("relative_error"), run.relative_error, kSixDigits);
  visit(sparse("reference_error"), run.reference_error, kSixDigits);
  visit(sparse("factors"), run.factors);
  visit(sparse("launch"), run.launch);
  visit(sparse("throttled_samples"), run.throttled_samples);
  if (Visitor::kReads) run.all_throttled = all_were_throttled(run);
  if (Visitor::kReads || run.all_throttled != all_were_throttled(run)) {
    visit(lenient("all_throttled"), run.all_throttled);
  }
  visit(sparse("throttle_reasons"), run.throttle_reasons);
  visit(sparse("counters"), run.counters);
  visit(sparse("reference_counters"), run.reference_counters);
}

// Without the runs: each of them is a line of its own.
template <typename Visitor>
void fields(Visitor& visit, RecordedRuns& recorded) {
  int format = kFormat;
  visit("format", format);
  visit.check("format", format == kFormat, "a format of another version");
  visit("gpu", recorded.gpu);
  visit("compute_capability", recorded.compute_capability);
  visit("driver", recorded.driver);
  visit("cuda_driver", recorded.cuda_driver);
  visit("compiler", recorded.compiler);
  visit("cublas", recorded.cublas);
  visit("commands", recorded.commands);
  if constexpr (Visitor::kReads) visit("runs", recorded.runs);
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

std::string encode_run(const RecordedRun& run) { return json_of_fields(run).dump(); }

Result<RecordedRun> decode_run(const std::string& json) {
  JsonDocument document(json, "");
  RecordedRun run = read_fields<RecordedRun>(document.root());
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

#include "gpu/protocol.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/result.h"
#include "gpu/messages.h"

namespace tilescope {

// A field that is missing, of another type or out of range. Thrown and caught inside protocol.cpp.
struct FieldError {
  std::string field;
};

// Checked reading of a decoded message, field by field.
class Fields {
 public:
  explicit Fields(const nlohmann::json& json, const std::string& name = "message") : json_(json) {
    if (!json.is_object()) throw FieldError{name};
  }

  [[nodiscard]] const nlohmann::json& any(const char* name) const {
    const auto found = json_.find(name);
    if (found == json_.end()) throw FieldError{name};
    return *found;
  }
  [[nodiscard]] Fields object(const char* name) const { return Fields(any(name), name); }
  [[nodiscard]] bool has(const char* name) const { return json_.contains(name); }

  [[nodiscard]] const nlohmann::json& array(const char* name) const {
    const nlohmann::json& value = any(name);
    if (!value.is_array()) throw FieldError{name};
    return value;
  }

  [[nodiscard]] std::string text(const char* name) const { return as_text(any(name), name); }
  [[nodiscard]] bool flag(const char* name) const {
    const nlohmann::json& value = any(name);
    if (!value.is_boolean()) throw FieldError{name};
    return value.get<bool>();
  }
  // May be NaN or infinite: a kernel's error can be.
  [[nodiscard]] double real(const char* name) const { return as_real(any(name), name); }

  template <typename T>
  [[nodiscard]] T integer(const char* name, T least = std::numeric_limits<T>::lowest(),
                          T most = std::numeric_limits<T>::max()) const {
    return as_integer<T>(any(name), name, least, most);
  }

  // Enumerators are sent as their numbers, 0 to `last`.
  template <typename E>
  [[nodiscard]] E enumerator(const char* name, E last) const {
    return static_cast<E>(integer<int>(name, 0, static_cast<int>(last)));
  }

  [[nodiscard]] std::vector<std::byte> bytes(const char* name) const {
    return as_bytes(any(name), name);
  }

  [[nodiscard]] static std::string as_text(const nlohmann::json& value, const char* name) {
    if (!value.is_string()) throw FieldError{name};
    return value.get<std::string>();
  }
  [[nodiscard]] static double as_real(const nlohmann::json& value, const char* name) {
    if (!value.is_number()) throw FieldError{name};
    return value.get<double>();
  }
  template <typename T>
  [[nodiscard]] static T as_integer(const nlohmann::json& value, const char* name,
                                    T least = std::numeric_limits<T>::lowest(),
                                    T most = std::numeric_limits<T>::max()) {
    if (!value.is_number_integer()) throw FieldError{name};
    const bool negative = !value.is_number_unsigned() && value.get<std::int64_t>() < 0;
    if (negative) {
      const auto number = value.get<std::int64_t>();
      if (std::is_signed_v<T> && number >= static_cast<std::int64_t>(least) &&
          number <= static_cast<std::int64_t>(most)) {
        return static_cast<T>(number);
      }
    } else if (most >= 0) {
      const auto number = value.get<std::uint64_t>();
      if (number <= static_cast<std::uint64_t>(most) && static_cast<T>(number) >= least) {
        return static_cast<T>(number);
      }
    }
    throw FieldError{name};
  }
  [[nodiscard]] static std::vector<std::byte> as_bytes(const nlohmann::json& value,
                                                       const char* name) {
    if (!value.is_binary()) throw FieldError{name};
    const auto& binary = value.get_binary();
    const auto* begin = reinterpret_cast<const std::byte*>(binary.data());
    return {begin, begin + binary.size()};
  }

 private:
  const nlohmann::json& json_;
};

// The structs that messages are made of, to and from CBOR's data model. decode_... throws a
// FieldError; only protocol.cpp calls these.

[[nodiscard]] nlohmann::json encode(const Error& error);
[[nodiscard]] nlohmann::json encode(const DeviceInfo& device);
[[nodiscard]] nlohmann::json encode(const RunResult& result);
[[nodiscard]] Error decode_error(const Fields& fields);
[[nodiscard]] DeviceInfo decode_device(const Fields& fields);
[[nodiscard]] RunResult decode_result(const Fields& fields);

[[nodiscard]] nlohmann::json encode(const KernelInstance& instance);
[[nodiscard]] nlohmann::json encode(const CompiledKernel& compiled);
[[nodiscard]] nlohmann::json encode(const TimingOptions& timing);
[[nodiscard]] KernelInstance decode_instance(const Fields& fields);
[[nodiscard]] std::shared_ptr<const CompiledKernel> decode_compiled(const Fields& fields);
[[nodiscard]] TimingOptions decode_timing(const Fields& fields);

[[nodiscard]] nlohmann::json encode_bytes(std::span<const std::byte> bytes);

namespace {

constexpr std::size_t kMostCounters = 1000;  // of one request

using nlohmann::json;

template <typename T>
json encode_outcome(const Result<T>& outcome) {
  return outcome ? json{{"ok", encode(*outcome)}} : json{{"error", encode(outcome.error())}};
}

template <typename T>
Result<T> decode_outcome(const Fields& fields, const char* name, T (*decode)(const Fields&)) {
  const Fields outcome = fields.object(name);
  if (outcome.has("error")) return decode_error(outcome.object("error"));
  return decode(outcome.object("ok"));
}

json encode(const HelloMessage& hello) {
  return {{"type", "hello"}, {"version", hello.version}, {"device", encode_outcome(hello.device)}};
}

json encode(const RunMessage& run) {
  json files = json::object();
  for (const auto& [path, contents] : run.files) files[path] = encode_bytes(contents);
  return {{"type", "run"},
          {"ticket", run.ticket},
          {"instance", encode(run.request.instance)},
          {"compiled", encode(*run.request.compiled)},
          {"timing", encode(run.request.timing)},
          {"counters", run.request.counters},
          {"reference_counters", run.request.reference_counters},
          {"has_phase_stamps", run.request.has_phase_stamps},
          {"files", std::move(files)}};
}

json encode(const CancelMessage& cancel) { return {{"type", "cancel"}, {"ticket", cancel.ticket}}; }

json encode(const ProgressMessage& progress) {
  return {{"type", "progress"},
          {"ticket", progress.ticket},
          {"kernel_seconds", progress.kernel_seconds}};
}

json encode(const AnswerMessage& answer) {
  return {{"type", "answer"},
          {"ticket", answer.ticket},
          {"result", encode_outcome(answer.result)},
          {"worker_ends", answer.worker_ends}};
}

HelloMessage decode_hello(const Fields& fields) {
  HelloMessage hello;
  hello.version = fields.integer<int>("version", 0);
  if (hello.version == kProtocolVersion) {
    hello.device = decode_outcome<DeviceInfo>(fields, "device", decode_device);
  }
  return hello;
}

RunMessage decode_run(const Fields& fields) {
  RunMessage run;
  run.ticket = fields.integer<std::uint64_t>("ticket");
  run.request.instance = decode_instance(fields.object("instance"));
  run.request.compiled = decode_compiled(fields.object("compiled"));
  run.request.timing = decode_timing(fields.object("timing"));
  const json& counters = fields.array("counters");
  if (counters.size() > kMostCounters) throw FieldError{"counters"};
  for (const json& name : counters) {
    run.request.counters.push_back(Fields::as_text(name, "counters"));
  }
  run.request.reference_counters = fields.flag("reference_counters");
  run.request.has_phase_stamps = fields.flag("has_phase_stamps");
  const json& files = fields.any("files");
  if (!files.is_object()) throw FieldError{"files"};
  for (const auto& [path, contents] : files.items()) {
    run.files[path] = Fields::as_bytes(contents, "files");
  }
  return run;
}

Message decode(const Fields& fields) {
  const std::string type = fields.text("type");
  if (type == "hello") return decode_hello(fields);
  if (type == "run") return decode_run(fields);
  if (type == "cancel") return CancelMessage{fields.integer<std::uint64_t>("ticket")};
  if (type == "progress") {
    return ProgressMessage{fields.integer<std::uint64_t>("ticket"), fields.real("kernel_seconds")};
  }
  if (type == "answer") {
    return AnswerMessage{fields.integer<std::uint64_t>("ticket"),
                         decode_outcome<RunResult>(fields, "result", decode_result),
                         fields.flag("worker_ends")};
  }
  throw FieldError{"type"};
}

}  // namespace

json encode_message(const Message& message) {
  return std::visit([](const auto& one) { return encode(one); }, message);
}

Result<Message> decode_message(const json& encoded) {
  try {
    return decode(Fields(encoded));
  } catch (const FieldError& wrong) {
    return Error{ErrorCode::kMachine,
                 fmt::format("a message whose field '{}' is missing or out of range", wrong.field),
                 "",
                 {}};
  }
}

namespace {

// Bounds on what a message may ask for; far above anything that makes sense.
constexpr std::uint64_t kMostBufferBytes = std::uint64_t{1} << 40;
constexpr std::size_t kMostArguments = 1024;  // CUDA allows 32,764 bytes of them
constexpr int kMostLaunches = 1'000'000;
constexpr double kMostSeconds = 24.0 * 3600.0;

json encode(const Argument& argument) {
  json encoded = {{"name", argument.name},
                  {"role", static_cast<int>(argument.role)},
                  {"type", static_cast<int>(argument.type)},
                  {"is_pointer", argument.is_pointer},
                  {"written", argument.written}};
  if (argument.member) {
    encoded["member"] = {{"parameter", argument.member->parameter},
                         {"offset", argument.member->offset},
                         {"structure_bytes", argument.member->structure_bytes}};
  }
  if (!argument.is_pointer) {
    encoded["bits"] = argument.bits;
    return encoded;
  }
  const BufferRecipe& recipe = argument.buffer;
  encoded["buffer"] = {{"type", static_cast<int>(recipe.type)},
                       {"count", recipe.count},
                       {"fill", static_cast<int>(recipe.fill)},
                       {"seed", recipe.seed},
                       {"path", recipe.path}};
  encoded["rows"] = argument.rows;
  encoded["cols"] = argument.cols;
  encoded["leading"] = argument.leading;
  return encoded;
}

// A matrix must lie inside its buffer: what reads it trusts that.
bool fits(const Argument& argument) {
  if (argument.rows == 0 || argument.cols == 0) return true;
  if (argument.leading < argument.cols || argument.cols > argument.buffer.count) return false;
  return argument.rows - 1 <= (argument.buffer.count - argument.cols) / argument.leading;
}

Argument decode_argument(const json& encoded) {
  const Fields fields(encoded, "argument");
  Argument argument;
  argument.name = fields.text("name");
  argument.role = fields.enumerator("role", Role::kOut);
  argument.type = fields.enumerator("type", ElementType::kF64);
  argument.is_pointer = fields.flag("is_pointer");
  argument.written = fields.flag("written");
  if (encoded.contains("member")) {
    const Fields member = fields.object("member");
    argument.member =
        StructureMember{member.integer<std::uint32_t>("parameter", 0, kMostArguments),
                        member.integer<std::uint32_t>("offset", 0, kMostParameterBytes),
                        member.integer<std::uint32_t>("structure_bytes", 0, kMostParameterBytes)};
  }
  if (!argument.is_pointer) {
    argument.bits = fields.integer<std::uint64_t>("bits");
    return argument;
  }
  const Fields buffer = fields.object("buffer");
  BufferRecipe& recipe = argument.buffer;
  recipe.type = buffer.enumerator("type", ElementType::kF64);
  recipe.count = buffer.integer<std::uint64_t>("count", 0, kMostBufferBytes / size_of(recipe.type));
  recipe.fill = buffer.enumerator("fill", Fill::kFile);
  recipe.seed = buffer.integer<std::uint64_t>("seed");
  recipe.path = buffer.text("path");
  argument.rows = fields.integer<std::uint64_t>("rows");
  argument.cols = fields.integer<std::uint64_t>("cols");
  argument.leading = fields.integer<std::uint64_t>("leading");
  if (!fits(argument)) throw FieldError{"leading"};
  return argument;
}

json encode(const Dim3& extent) { return json::array({extent.x, extent.y, extent.z}); }

Dim3 decode_dim3(const Fields& fields, const char* name) {
  const json& parts = fields.array(name);
  if (parts.size() != 3) throw FieldError{name};
  const auto part = [&](std::size_t i) {
    return Fields::as_integer<std::uint32_t>(parts[i], name, 1, 0x7fffffff);
  };
  return {part(0), part(1), part(2)};
}

ParameterSet decode_parameters(const Fields& fields, const char* name) {
  const json& encoded = fields.any(name);
  if (!encoded.is_object()) throw FieldError{name};
  ParameterSet parameters;
  for (const auto& [key, value] : encoded.items()) {
    parameters[key] = Fields::as_integer<std::int64_t>(value, name);
  }
  return parameters;
}

double decode_seconds(const Fields& fields, const char* name) {
  const double seconds = fields.real(name);
  if (!(seconds >= 0 && seconds <= kMostSeconds)) throw FieldError{name};
  return seconds;
}

}  // namespace

json encode_bytes(std::span<const std::byte> bytes) {
  const auto* begin = reinterpret_cast<const std::uint8_t*>(bytes.data());
  return json::binary(std::vector<std::uint8_t>(begin, begin + bytes.size()));
}

json encode(const KernelInstance& instance) {
  json arguments = json::array();
  for (const Argument& argument : instance.arguments) arguments.push_back(encode(argument));
  return {{"id", instance.id},
          {"title", instance.title},
          {"file_name", instance.file_name},
          {"problem", instance.problem ? json(static_cast<int>(*instance.problem)) : json()},
          {"reference", instance.reference},
          {"parameters", instance.parameters},
          {"extents", instance.extents},
          {"grid", encode(instance.grid)},
          {"block", encode(instance.block)},
          {"dynamic_shared_bytes", instance.dynamic_shared_bytes},
          {"arguments", std::move(arguments)}};
}

KernelInstance decode_instance(const Fields& fields) {
  KernelInstance instance;
  instance.id = fields.text("id");
  instance.title = fields.text("title");
  instance.file_name = fields.text("file_name");
  if (!fields.any("problem").is_null()) {
    instance.problem = fields.enumerator("problem", Problem::kElementwise);
  }
  instance.reference = fields.text("reference");
  instance.parameters = decode_parameters(fields, "parameters");
  instance.extents = decode_parameters(fields, "extents");
  instance.grid = decode_dim3(fields, "grid");
  instance.block = decode_dim3(fields, "block");
  instance.dynamic_shared_bytes = fields.integer<std::uint32_t>("dynamic_shared_bytes");
  const json& arguments = fields.array("arguments");
  if (arguments.size() > kMostArguments) throw FieldError{"arguments"};
  for (const json& argument : arguments) instance.arguments.push_back(decode_argument(argument));
  return instance;
}

json encode(const CompiledKernel& compiled) {
  json encoded = {{"kernel", compiled.kernel},
                  {"architecture", compiled.architecture},
                  {"compiler", compiled.compiler},
                  {"cubin", encode_bytes(compiled.cubin)}};
  if (compiled.cubin.empty()) encoded["ptx"] = compiled.ptx;
  return encoded;
}

std::shared_ptr<const CompiledKernel> decode_compiled(const Fields& fields) {
  auto compiled = std::make_shared<CompiledKernel>();
  compiled->kernel = fields.text("kernel");
  compiled->architecture = fields.text("architecture");
  compiled->compiler = fields.text("compiler");
  compiled->cubin = fields.bytes("cubin");
  if (compiled->cubin.empty()) compiled->ptx = fields.text("ptx");
  return compiled;
}

json encode(const TimingOptions& timing) {
  return {{"cold", timing.cold},
          {"first_looks", timing.first_looks},
          {"warm_up", timing.warm_up},
          {"samples", timing.samples},
          {"relative_error", timing.relative_error},
          {"max_seconds", timing.max_seconds},
          {"verify", timing.verify},
          {"reference", timing.reference},
          {"deadline_seconds", timing.deadline_seconds}};
}

TimingOptions decode_timing(const Fields& fields) {
  TimingOptions timing;
  timing.cold = fields.flag("cold");
  timing.first_looks = fields.integer<int>("first_looks", 0, kMostLaunches);
  timing.warm_up = fields.integer<int>("warm_up", 0, kMostLaunches);
  timing.samples = fields.integer<int>("samples", 1, kMostLaunches);
  timing.relative_error = decode_seconds(fields, "relative_error");
  timing.max_seconds = decode_seconds(fields, "max_seconds");
  timing.verify = fields.flag("verify");
  timing.reference = fields.flag("reference");
  timing.deadline_seconds = decode_seconds(fields, "deadline_seconds");
  return timing;
}

json encode(const Error& error) {
  return {{"code", static_cast<int>(error.code)},
          {"message", error.message},
          {"remedy", error.remedy},
          {"file", error.place.file},
          {"line", error.place.line},
          {"column", error.place.column}};
}

Error decode_error(const Fields& fields) {
  return {fields.enumerator("code", ErrorCode::kCancelled),
          fields.text("message"),
          fields.text("remedy"),
          {fields.text("file"), fields.integer<int>("line", 0), fields.integer<int>("column", 0)}};
}

json encode(const DeviceInfo& device) {
  return {{"name", device.name},
          {"compute_capability", device.compute_capability},
          {"multiprocessors", device.multiprocessors},
          {"max_clock_hz", device.max_clock_hz},
          {"memory_bytes", device.memory_bytes},
          {"memory_bytes_per_second", device.memory_bytes_per_second},
          {"l2_bytes", device.l2_bytes},
          {"driver", device.driver},
          {"cuda_driver", device.cuda_driver},
          {"cublas", device.cublas},
          {"cublas_problem", device.cublas_problem}};
}

DeviceInfo decode_device(const Fields& fields) {
  DeviceInfo device;
  device.name = fields.text("name");
  device.compute_capability = fields.integer<int>("compute_capability", 0);
  device.multiprocessors = fields.integer<int>("multiprocessors", 0);
  device.max_clock_hz = fields.real("max_clock_hz");
  device.memory_bytes = fields.integer<std::uint64_t>("memory_bytes");
  device.memory_bytes_per_second = fields.real("memory_bytes_per_second");
  device.l2_bytes = fields.integer<std::uint64_t>("l2_bytes");
  device.driver = fields.text("driver");
  device.cuda_driver = fields.text("cuda_driver");
  device.cublas = fields.text("cublas");
  device.cublas_problem = fields.text("cublas_problem");
  return device;
}

namespace {

json encode(const TimeSummary& summary) {
  return {{"count", summary.count},
          {"median_seconds", summary.median_seconds},
          {"p5_seconds", summary.p5_seconds},
          {"p95_seconds", summary.p95_seconds},
          {"relative_error", summary.relative_error},
          {"samples", summary.samples}};
}

TimeSummary decode_summary(const Fields& fields) {
  TimeSummary summary;
  summary.count = fields.integer<int>("count", 0);
  summary.median_seconds = fields.real("median_seconds");
  summary.p5_seconds = fields.real("p5_seconds");
  summary.p95_seconds = fields.real("p95_seconds");
  summary.relative_error = fields.real("relative_error");
  for (const json& sample : fields.array("samples")) {
    summary.samples.push_back(Fields::as_real(sample, "samples"));
  }
  return summary;
}

json optional_real(const std::optional<double>& value) { return value ? json(*value) : json(); }

std::optional<double> decode_optional(const Fields& fields, const char* name) {
  if (fields.any(name).is_null()) return std::nullopt;
  return fields.real(name);
}

json encode(const MeasuredConditions& conditions) {
  return {{"sm_clock_before_hz", optional_real(conditions.sm_clock_before_hz)},
          {"sm_clock_after_hz", optional_real(conditions.sm_clock_after_hz)},
          {"temperature_before", optional_real(conditions.temperature_before_celsius)},
          {"temperature_after", optional_real(conditions.temperature_after_celsius)},
          {"throttle_reasons", conditions.throttle_reasons},
          {"throttled_samples", conditions.throttled_samples},
          {"all_throttled", conditions.all_throttled}};
}

MeasuredConditions decode_conditions(const Fields& fields) {
  MeasuredConditions conditions;
  conditions.sm_clock_before_hz = decode_optional(fields, "sm_clock_before_hz");
  conditions.sm_clock_after_hz = decode_optional(fields, "sm_clock_after_hz");
  conditions.temperature_before_celsius = decode_optional(fields, "temperature_before");
  conditions.temperature_after_celsius = decode_optional(fields, "temperature_after");
  conditions.throttle_reasons = fields.integer<std::uint64_t>("throttle_reasons");
  conditions.throttled_samples = fields.integer<int>("throttled_samples", 0);
  conditions.all_throttled = fields.flag("all_throttled");
  return conditions;
}

constexpr std::uint32_t kMostWarps = 32;  // of a block

// Flat: four numbers a stamp.
json encode(const std::vector<PhaseStamp>& stamps) {
  json encoded = json::array();
  for (const PhaseStamp& stamp : stamps) {
    for (const std::uint32_t number :
         {stamp.warp, stamp.line, stamp.begin_cycle, stamp.end_cycle}) {
      encoded.push_back(number);
    }
  }
  return encoded;
}

std::vector<PhaseStamp> decode_stamps(const Fields& fields, const char* name) {
  const json& encoded = fields.array(name);
  if (encoded.size() % 4 != 0 || encoded.size() / 4 > kMostWarps * kStampsPerWarp) {
    throw FieldError{name};
  }
  std::vector<PhaseStamp> stamps;
  for (std::size_t at = 0; at < encoded.size(); at += 4) {
    const auto number = [&](std::size_t i, std::uint32_t most = ~0u) {
      return Fields::as_integer<std::uint32_t>(encoded[at + i], name, 0, most);
    };
    stamps.push_back({number(0, kMostWarps - 1), number(1), number(2), number(3)});
  }
  return stamps;
}

}  // namespace

json encode(const RunResult& result) {
  return {{"kernel", encode(result.kernel)},
          {"reference", result.reference ? encode(*result.reference) : json()},
          {"reference_name", result.reference_name},
          {"other", result.other ? encode(*result.other) : json()},
          {"other_name", result.other_name},
          {"max_error", optional_real(result.max_error)},
          {"tolerance", result.tolerance},
          {"correct", result.correct},
          {"cold", result.cold},
          {"conditions", encode(result.conditions)},
          {"flop", result.flop},
          {"bytes", result.bytes},
          {"blocks_per_multiprocessor", result.blocks_per_multiprocessor},
          {"counters", result.counters},
          {"unknown_counters", result.unknown_counters},
          {"reference_counters", result.reference_counters},
          {"phase_stamps", encode(result.phase_stamps)}};
}

std::map<std::string, double> decode_counters(const Fields& fields, const char* key) {
  std::map<std::string, double> counters;
  const Fields values = fields.object(key);
  for (const auto& [name, value] : fields.any(key).items()) {
    counters[name] = values.real(name.c_str());
  }
  return counters;
}

RunResult decode_result(const Fields& fields) {
  RunResult result;
  result.kernel = decode_summary(fields.object("kernel"));
  if (!fields.any("reference").is_null()) {
    result.reference = decode_summary(fields.object("reference"));
  }
  result.reference_name = fields.text("reference_name");
  if (!fields.any("other").is_null()) result.other = decode_summary(fields.object("other"));
  result.other_name = fields.text("other_name");
  result.max_error = decode_optional(fields, "max_error");
  result.tolerance = fields.real("tolerance");
  result.correct = fields.flag("correct");
  result.cold = fields.flag("cold");
  result.conditions = decode_conditions(fields.object("conditions"));
  result.flop = fields.real("flop");
  result.bytes = fields.real("bytes");
  result.blocks_per_multiprocessor = fields.integer<int>("blocks_per_multiprocessor", 0);
  result.counters = decode_counters(fields, "counters");
  result.reference_counters = decode_counters(fields, "reference_counters");
  for (const json& name : fields.array("unknown_counters")) {
    result.unknown_counters.push_back(Fields::as_text(name, "unknown_counters"));
  }
  result.phase_stamps = decode_stamps(fields, "phase_stamps");
  return result;
}

}  // namespace tilescope

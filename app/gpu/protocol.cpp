#include "gpu/protocol.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/fields.h"
#include "core/json_document.h"
#include "core/result.h"
#include "gpu/messages.h"
#include "kernel/launch/launch_fields.h"

namespace tilescope {
namespace {

// Bounds on what a message may ask for; far above anything that makes sense.
constexpr std::size_t kMostCounters = 1000;  // of one request
constexpr long double kMostBufferBytes = 0x1p40L;
constexpr std::size_t kMostArguments = 1024;  // CUDA allows 32,764 bytes of them
constexpr int kMostLaunches = 1'000'000;
constexpr double kMostSeconds = 24.0 * 3600.0;
constexpr std::uint32_t kMostWarps = 32;  // of a block

// Enumerators are sent as their numbers, 0 to `last`.
template <typename E>
FieldLimits up_to(E last) {
  return {.least = 0, .most = static_cast<long double>(last)};
}

// A matrix must lie inside its buffer: what reads it trusts that.
bool fits(const Argument& argument) {
  if (argument.rows == 0 || argument.cols == 0) return true;
  if (argument.leading < argument.cols || argument.cols > argument.buffer.count) return false;
  return argument.rows - 1 <= (argument.buffer.count - argument.cols) / argument.leading;
}

}  // namespace

template <typename Visitor>
void fields(Visitor& visit, Error& error) {
  visit("code", error.code, up_to(ErrorCode::kCompile));
  visit("message", error.message);
  visit("remedy", error.remedy);
  visit("file", error.place.file);
  visit("line", error.place.line, {.least = 0});
  visit("column", error.place.column, {.least = 0});
}

template <typename Visitor, typename T>
void fields(Visitor& visit, Result<T>& outcome) {
  if constexpr (Visitor::kReads) {
    if (visit.node().find("error").exists()) {
      Error error;
      visit("error", error);
      outcome = std::move(error);
    } else {
      T value;
      visit("ok", value);
      outcome = std::move(value);
    }
  } else if (outcome) {
    visit("ok", *outcome);
  } else {
    visit("error", outcome.error());
  }
}

template <typename Visitor>
void fields(Visitor& visit, DeviceInfo& device) {
  visit("name", device.name);
  visit("uuid", device.uuid);
  visit("visible", device.visible, {.least = 1});
  visit("compute_capability", device.compute_capability, {.least = 0});
  visit("multiprocessors", device.multiprocessors, {.least = 0});
  visit("max_clock_hz", device.max_clock_hz);
  visit("memory_bytes", device.memory_bytes);
  visit("memory_bytes_per_second", device.memory_bytes_per_second);
  visit("l2_bytes", device.l2_bytes);
  visit("driver", device.driver);
  visit("cuda_driver", device.cuda_driver);
  visit("cublas", device.cublas);
  visit("cublas_problem", device.cublas_problem);
}

template <typename Visitor>
void fields(Visitor& visit, BufferRecipe& recipe) {
  visit("type", recipe.type, up_to(ElementType::kF64));
  visit("count", recipe.count, {.most = kMostBufferBytes / static_cast<int>(size_of(recipe.type))});
  visit("fill", recipe.fill, up_to(Fill::kExpression));
  visit("seed", recipe.seed);
  visit("path", recipe.path);
  visit(sparse("expression"), recipe.expression);
}

template <typename Visitor>
void elements(Visitor& visit, std::array<std::uint32_t, TensorShape::kMostRank>& of_dimensions) {
  for (std::uint32_t& each : of_dimensions) visit(each);
}

template <typename Visitor>
void fields(Visitor& visit, TensorShape& shape) {
  visit("rank", shape.rank, {.least = 1, .most = TensorShape::kMostRank});
  visit("extent", shape.extent);
  visit("box", shape.box);
  visit("swizzle_bytes", shape.swizzle_bytes);
  visit("fills_with_nan", shape.fills_with_nan);
  visit("rounds_to_tf32", shape.rounds_to_tf32);
}

template <typename Visitor>
void fields(Visitor& visit, Argument& argument) {
  visit("name", argument.name);
  visit("role", argument.role, up_to(Role::kOut));
  visit("type", argument.type, up_to(ElementType::kF64));
  visit("is_pointer", argument.is_pointer);
  visit("written", argument.written);
  visit(sparse("member"), argument.member);
  if (!argument.is_pointer) {
    visit("bits", argument.bits);
    return;
  }
  visit("operand", argument.operand);
  visit("accumulates", argument.accumulates);
  visit("buffer", argument.buffer);
  visit(sparse("tensor"), argument.tensor);
  visit.check("tensor", !argument.tensor || argument.tensor->elements() <= argument.buffer.count,
              "the tensor is larger than its buffer");
  visit("rows", argument.rows);
  visit("cols", argument.cols);
  visit("leading", argument.leading);
  visit.check("leading", fits(argument), "the matrix lies outside its buffer");
}

// What a measurement needs of it.
template <typename Visitor>
void fields(Visitor& visit, Problem& problem) {
  ProblemSpec spec = *problem;
  visit("name", spec.name);
  visit("reference", spec.reference, up_to(ReferenceKind::kKernel));
  visit("rated_in_flop", spec.rated_in_flop);
  visit("flop", spec.flop);
  visit("bytes", spec.bytes);
  visit("tolerance", spec.tolerance);
  if constexpr (Visitor::kReads) problem = Problem(std::move(spec));
}

template <typename Visitor>
void fields(Visitor& visit, KernelInstance& instance) {
  visit("id", instance.id);
  visit("title", instance.title);
  visit("file_name", instance.file_name);
  visit("problem", instance.problem);
  visit("reference", instance.reference);
  visit("parameters", instance.parameters);
  visit("extents", instance.extents);
  visit("grid", instance.grid);
  visit("block", instance.block);
  visit.check("grid", instance.grid.count() > 0, "an extent of 0");
  visit.check("block", instance.block.count() > 0, "an extent of 0");
  visit("dynamic_shared_bytes", instance.dynamic_shared_bytes);
  visit("arguments", instance.arguments, {.most_elements = kMostArguments});
}

template <typename Visitor>
void fields(Visitor& visit, CompiledKernel& compiled) {
  visit("kernel", compiled.kernel);
  visit("architecture", compiled.architecture);
  visit("compiler", compiled.compiler);
  visit("cubin", compiled.cubin);
  if (compiled.cubin.empty()) visit("ptx", compiled.ptx);
}

template <typename Visitor>
void fields(Visitor& visit, TimingOptions& timing) {
  constexpr FieldLimits kLaunches{.least = 0, .most = kMostLaunches};
  constexpr FieldLimits kSeconds{.least = 0, .most = kMostSeconds};
  visit("cold", timing.cold);
  visit("first_looks", timing.first_looks, kLaunches);
  visit("warm_up", timing.warm_up, kLaunches);
  visit("samples", timing.samples, {.least = 1, .most = kMostLaunches});
  visit("relative_error", timing.relative_error, kSeconds);
  visit("max_seconds", timing.max_seconds, kSeconds);
  visit("verify", timing.verify);
  visit("reference", timing.reference);
  visit("deadline_seconds", timing.deadline_seconds, kSeconds);
}

template <typename Visitor>
void fields(Visitor& visit, TimeSummary& summary) {
  visit("count", summary.count, {.least = 0});
  visit("median_seconds", summary.median_seconds);
  visit("p5_seconds", summary.p5_seconds);
  visit("p95_seconds", summary.p95_seconds);
  visit("relative_error", summary.relative_error);
  visit("samples", summary.samples);
}

template <typename Visitor>
void fields(Visitor& visit, MeasuredConditions& conditions) {
  visit("sm_clock_before_hz", conditions.sm_clock_before_hz);
  visit("sm_clock_after_hz", conditions.sm_clock_after_hz);
  visit("temperature_before", conditions.temperature_before_celsius);
  visit("temperature_after", conditions.temperature_after_celsius);
  visit("throttle_reasons", conditions.throttle_reasons);
  visit("throttled_samples", conditions.throttled_samples, {.least = 0});
  visit("all_throttled", conditions.all_throttled);
  visit("other_programs", conditions.other_programs, {.least = 0});
}

template <typename Visitor>
void elements(Visitor& visit, PhaseStamp& stamp) {
  visit(stamp.warp, {.most = kMostWarps - 1});
  visit(stamp.line);
  visit(stamp.begin_cycle);
  visit(stamp.end_cycle);
}

template <typename Visitor>
void fields(Visitor& visit, RunResult& result) {
  visit("kernel", result.kernel);
  visit("reference", result.reference);
  visit("reference_name", result.reference_name);
  visit("other", result.other);
  visit("other_name", result.other_name);
  visit("max_error", result.max_error);  // may be NaN or infinite
  visit("tolerance", result.tolerance);
  visit("correct", result.correct);
  visit("cold", result.cold);
  visit("conditions", result.conditions);
  visit("flop", result.flop);
  visit("bytes", result.bytes);
  visit("blocks_per_multiprocessor", result.blocks_per_multiprocessor, {.least = 0});
  visit("counters", result.counters);
  visit("unknown_counters", result.unknown_counters);
  visit("reference_counters", result.reference_counters);
  visit("phase_stamps", result.phase_stamps, {.most_elements = kMostWarps * kStampsPerWarp});
}

template <typename Visitor>
void fields(Visitor& visit, HelloMessage& hello) {
  visit("version", hello.version, {.least = 0});
  if (hello.version == kProtocolVersion) visit("device", hello.device);
}

namespace {

// A kernel that says what must come out.
struct ReferenceRun {
  KernelInstance instance;
  CompiledKernel compiled;
};

}  // namespace

template <typename Visitor>
void fields(Visitor& visit, ReferenceRun& reference) {
  visit("instance", reference.instance);
  visit("compiled", reference.compiled);
}

template <typename Visitor>
void fields(Visitor& visit, RunMessage& run) {
  RunRequest& request = run.request;
  visit("ticket", run.request_id);
  visit("instance", request.instance);
  if constexpr (Visitor::kReads) {
    auto compiled = std::make_shared<CompiledKernel>();
    visit("compiled", *compiled);
    request.compiled = std::move(compiled);
  } else {
    visit("compiled", *request.compiled);
  }
  visit("timing", request.timing);
  visit("counters", request.counters, {.most_elements = kMostCounters});
  visit("reference_counters", request.reference_counters);
  visit("has_phase_stamps", request.has_phase_stamps);
  std::optional<ReferenceRun> reference;
  if constexpr (Visitor::kReads) {
    visit("reference", reference);
    if (reference) {
      request.instance.reference_kernel =
          std::make_shared<const KernelInstance>(std::move(reference->instance));
      request.reference_compiled =
          std::make_shared<const CompiledKernel>(std::move(reference->compiled));
    }
  } else {
    if (request.instance.reference_kernel != nullptr && request.reference_compiled != nullptr) {
      reference = ReferenceRun{*request.instance.reference_kernel, *request.reference_compiled};
    }
    visit("reference", reference);
  }
  visit("files", run.files);
}

template <typename Visitor>
void fields(Visitor& visit, CancelMessage& cancel) {
  visit("ticket", cancel.request_id);
}

template <typename Visitor>
void fields(Visitor& visit, ProgressMessage& progress) {
  visit("ticket", progress.request_id);
  visit("kernel_seconds", progress.kernel_seconds);
}

template <typename Visitor>
void fields(Visitor& visit, AnswerMessage& answer) {
  visit("ticket", answer.request_id);
  visit("result", answer.result);
  visit("worker_ends", answer.worker_ends);
}

namespace {

constexpr const char* kTypes[] = {"hello", "run", "cancel", "progress", "answer"};  // of Message
static_assert(std::size(kTypes) == std::variant_size_v<Message>);

template <std::size_t at = 0>
Message read_message(const std::string& type, const JsonDocument::Node& node) {
  if constexpr (at < std::variant_size_v<Message>) {
    if (type == kTypes[at]) return read_fields<std::variant_alternative_t<at, Message>>(node);
    return read_message<at + 1>(type, node);
  } else {
    node.find("type").fail(fmt::format("there is no message \"{}\"", type));
    return {};
  }
}

}  // namespace

nlohmann::json encode_message(const Message& message) {
  auto encoded =
      std::visit([](const auto& one) { return json_of_fields<nlohmann::json>(one); }, message);
  encoded["type"] = kTypes[message.index()];
  return encoded;
}

Result<Message> decode_message(nlohmann::json encoded) {
  JsonDocument document(std::move(encoded));
  const JsonDocument::Node root = document.root();
  Message message = read_message(root["type"].text(), root);
  if (!document.mistake()) return message;
  return Error{ErrorCode::kMachine,
               fmt::format("a message that cannot be read: {}", document.mistake()->message),
               "",
               {}};
}

}  // namespace tilescope

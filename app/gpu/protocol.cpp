#include "gpu/protocol.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "gpu/message_parts.h"

namespace tilescope {
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

}  // namespace tilescope

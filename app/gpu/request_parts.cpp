#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "gpu/message_parts.h"

namespace tilescope {

using nlohmann::json;

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

}  // namespace tilescope

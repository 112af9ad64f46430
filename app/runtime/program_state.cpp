#include "runtime/program_state.h"

#include <cstdio>
#include <cstring>
#include <string_view>

namespace tilescope::runtime {
namespace {

thread_local Error last = kSuccess;

// The header of a fat binary, as nvcc's host code hands it over and as it follows from there.
struct Wrapper {
  std::uint32_t magic, version;
  const std::uint64_t* data;
  // Of a program that nvlink has linked (-rdc=true): what it was linked from, up to a null pointer.
  const void* const* parts;
};
constexpr std::uint32_t kLinkedVersion = 2;
constexpr std::uint32_t kWrapperMagic = 0x466243b1;
constexpr std::uint32_t kFatBinaryMagic = 0xba55ed50;
struct FatBinaryHeader {
  std::uint32_t magic;
  std::uint16_t version, header_bytes;
  std::uint64_t bytes;  // that follow the header
};

std::span<const std::byte> bytes_of(const void* data) {
  FatBinaryHeader header{};
  std::memcpy(&header, data, sizeof header);
  return {static_cast<const std::byte*>(data), header.header_bytes + header.bytes};
}

}  // namespace

bool is_fat_binary(const void* image) {
  std::uint32_t magic = 0;
  std::memcpy(&magic, image, sizeof magic);
  return magic == kWrapperMagic || magic == kFatBinaryMagic;
}

std::vector<std::byte> all_bytes_of(const void* fat_binary) {
  const auto* wrapper = static_cast<const Wrapper*>(fat_binary);
  const bool is_wrapped = wrapper->magic == kWrapperMagic;
  const std::span<const std::byte> own = bytes_of(is_wrapped ? wrapper->data : fat_binary);
  std::vector<std::byte> all(own.begin(), own.end());
  if (!is_wrapped || wrapper->version != kLinkedVersion) return all;
  for (const void* const* part = wrapper->parts; part != nullptr && *part != nullptr; ++part) {
    const std::span<const std::byte> bytes = bytes_of(*part);
    all.insert(all.end(), bytes.begin(), bytes.end());
  }
  return all;
}

ProgramState& ProgramState::get() {
  static auto& state = *static_cast<ProgramState*>(first_loaded("__cudaTilescopeState"));
  return state;
}

Function* ProgramState::find(const void* function) {
  const std::scoped_lock lock(mutex);
  const auto found = functions.find(function);
  if (found != functions.end()) return &found->second;
  for (auto& [host, known] : functions) {
    if (&known == function) return &known;
  }
  return nullptr;
}

void ProgramState::load(Module& module) {
  if (module.is_loaded) return;
  const auto reply =
      Connection::get().ask(Call::kModule, ModuleRequest{}, all_bytes_of(module.fat_binary));
  module.id = reply.head<ModuleReply>().module;
  module.is_loaded = true;
}

Error ProgramState::resolve(Function& function) {
  const std::scoped_lock lock(mutex);
  if (function.is_resolved) return function.error;
  load(*function.module);
  const auto reply = Connection::get().ask_about(
      Call::kFunction, FunctionRequest{function.module->id}, function.name);
  function.is_resolved = true;
  function.error = reply.error;
  if (reply.error != kSuccess) return reply.error;
  function.facts = reply.head<FunctionReply>();
  for (std::uint32_t i = 0; i < function.facts.parameters; ++i) {
    function.parameters.push_back(reply.at<ParameterPlace>(sizeof(FunctionReply), i));
    const ParameterPlace& place = function.parameters.back();
    if (place.offset + place.bytes > function.parameter_bytes)
      function.parameter_bytes = place.offset + place.bytes;
  }
  return kSuccess;
}

Error ProgramState::resolve(Variable& variable) {
  const std::scoped_lock lock(mutex);
  if (variable.is_resolved) return kSuccess;
  load(*variable.module);
  const auto reply = Connection::get().ask_about(
      Call::kVariable, VariableRequest{variable.module->id}, variable.name);
  if (reply.error != kSuccess) return reply.error;
  variable.range = reply.head<Range>();
  variable.is_resolved = true;
  return kSuccess;
}

void ProgramState::show_printed() {
  const std::scoped_lock lock(mutex);
  if (printed.empty()) return;
  std::fwrite(printed.data(), 1, printed.size(), stdout);
  printed.clear();
}

namespace {

thread_local bool used_runtime = false;

bool only_asks(std::string_view name) {
  return !name.starts_with("cuda") || name.starts_with("cudaGet") ||
         name.starts_with("cudaDeviceGet") || name.ends_with("GetVersion");
}

}  // namespace

bool has_used_runtime() { return used_runtime; }

Error finish(Error error, const char* name, bool is_launch) {
  if (!used_runtime) used_runtime = !only_asks(name);
  if (error == kSuccess) error = ProgramState::get().sticky;
  if (error == kSuccess) return error;
  last = error;
  if (error != kNotReady) {
    const FailedRequest request{error, is_launch ? 1u : 0u, 0};
    Connection::get().ask_about(Call::kFailed, request, name);
  }
  return error;
}

Error last_error(bool forget) {
  const Error sticky = ProgramState::get().sticky;
  const Error error = sticky != kSuccess ? sticky : last;
  if (error != kSuccess) Connection::get().ask_bytes(Call::kAsked, {});
  if (forget) last = kSuccess;
  return error;
}

Error synchronise(std::uint64_t stream, bool all) {
  const auto reply =
      Connection::get().ask(Call::kSynchronise, SynchroniseRequest{stream, all ? 1u : 0u});
  for (std::size_t i = 0; i < reply.bytes.size() / sizeof(Range); ++i)
    open_pages(reply.at<Range>(0, i));
  ProgramState::get().show_printed();
  return reply.error;
}

std::uint64_t stream_id(const void* stream) {
  const auto number = reinterpret_cast<std::uint64_t>(stream);
  return number <= 2 ? 0 : static_cast<const Stream*>(stream)->id;  // legacy, per-thread
}

}  // namespace tilescope::runtime

// NOLINTNEXTLINE: a name that CUDA's own library cannot have
TILESCOPE_EXPORT void* __cudaTilescopeState() {
  static auto* state = new tilescope::runtime::ProgramState;  // outlives the program's end
  return state;
}

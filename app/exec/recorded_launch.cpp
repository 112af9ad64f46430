#include "exec/recorded_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <system_error>
#include <utility>

#include "core/file.h"
#include "kernel/source/kernel_name.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

std::string extents(const Dim3& dim) { return fmt::format("{},{},{}", dim.x, dim.y, dim.z); }

std::uint64_t bits_at(std::span<const std::byte> bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), std::min<std::size_t>(bytes.size(), 8));
  return bits;
}

// A number as the form has it: its type and its value.
std::pair<std::string, std::string> number(std::span<const std::byte> bytes, ElementType type) {
  const std::uint64_t bits = bits_at(bytes);
  switch (type) {
    case ElementType::kF32: {
      float value = 0;
      std::memcpy(&value, &bits, sizeof value);
      return {"f32", fmt::format("{:.9g}", value)};
    }
    case ElementType::kF64: {
      double value = 0;
      std::memcpy(&value, &bits, sizeof value);
      return {"f64", fmt::format("{:.17g}", value)};
    }
    case ElementType::kI32:
      return {"i32", std::to_string(static_cast<std::int32_t>(bits))};
    case ElementType::kI64:
      return {"i64", std::to_string(static_cast<std::int64_t>(bits))};
    default:
      break;
  }
  switch (bytes.size()) {
    case 1:
      return {"u8", std::to_string(bits & 0xff)};
    case 2:
      return {"u16", std::to_string(bits & 0xffff)};
    case 4:
      return {"u32", std::to_string(bits & 0xffffffff)};
    default:
      return {"u64", std::to_string(bits)};
  }
}

class Recorder {
 public:
  Recorder(const RecordRequest& request, DeviceHeap& heap) : request_(request), heap_(heap) {}

  Result<RecordedLaunch> record() {
    std::error_code failure;
    fs::create_directories(request_.folder, failure);
    launch_.number = request_.number;
    launch_.name = name_without_parameters(request_.kernel->name);
    launch_.symbol = request_.kernel->symbol;
    launch_.source = request_.kernel->source_file;
    launch_.ptx = (request_.folder / fmt::format("{}.ptx", stem())).string();
    if (Status written = write_file(launch_.ptx, request_.module->ptx()); !written)
      return std::move(written).error();
    launch_.form.kernel = launch_.name;
    launch_.form.grid = extents(request_.grid);
    launch_.form.block = extents(request_.block);
    launch_.form.dynamic_shared = std::to_string(request_.shared_bytes);
    const auto& parameters = request_.kernel->program->parameters();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (Status added = add(i, parameters[i]); !added) return std::move(added).error();
    }
    if (request_.kernel->uses_variables) {
      launch_.left_out.emplace_back(
          "it uses __constant__ or __device__ variables, which have their initial values here");
    }
    return std::move(launch_);
  }

 private:
  [[nodiscard]] std::string stem() const {
    std::string name = launch_.name.substr(launch_.name.rfind(':') + 1);
    for (char& c : name) {
      const bool is_plain =
          (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      if (!is_plain) c = '_';
    }
    return fmt::format("launch{}_{}", request_.number, name.substr(0, 60));
  }

  Status add(std::size_t index, const KernelParameter& parameter) {
    const auto bytes = request_.parameters.subspan(
        std::min<std::size_t>(parameter.offset, request_.parameters.size()));
    const auto value = bytes.first(std::min<std::size_t>(parameter.bytes, bytes.size()));
    const ProgramKernel::ParameterName& known = request_.kernel->parameters[index];
    const std::string name = known.name.empty() ? fmt::format("arg{}", index) : known.name;
    Allocation* buffer = value.size() == 8 ? heap_.find(bits_at(value)) : nullptr;
    if (buffer != nullptr) return add_buffer(name, known.element, *buffer, bits_at(value));
    ArgumentForm form;
    form.name = name;
    if (value.size() <= 8) {
      std::tie(form.type, form.value) = number(value, known.number);
      launch_.form.arguments.push_back(form);
      return ok_status();
    }
    // A structure, in pieces of eight bytes and what is left.
    bool has_pointer = false;
    for (std::uint32_t at = 0; at < value.size();) {
      std::uint32_t size = 8;
      while (size > value.size() - at) size /= 2;
      const auto piece = value.subspan(at, size);
      has_pointer |= size == 8 && heap_.find(bits_at(piece)) != nullptr;
      std::tie(form.type, form.value) = number(piece, ElementType::kU8);
      form.name = fmt::format("{}[{}]", name, at);
      form.member = StructureMember{static_cast<std::uint32_t>(index), at,
                                    static_cast<std::uint32_t>(value.size())};
      launch_.form.arguments.push_back(form);
      at += size;
    }
    if (has_pointer) {
      launch_.left_out.push_back(fmt::format(
          "'{}' is a structure with a pointer, whose buffer does not come with it", name));
    }
    return ok_status();
  }

  // What lies from the pointer to the end of its allocation.
  Status add_buffer(const std::string& name, ElementType known, const Allocation& buffer,
                    std::uint64_t address) {
    const std::uint64_t offset = address - buffer.address;
    std::uint64_t bytes = buffer.bytes - offset;
    const ElementType type = known != ElementType::kU8 ? known
                             : bytes % 4 == 0          ? ElementType::kU32
                                                       : ElementType::kU8;
    bytes = bytes / size_of(type) * size_of(type);
    launch_.bytes += bytes;
    if (launch_.bytes > request_.most_bytes) {
      return Error{ErrorCode::kMachine,
                   fmt::format("launch {} is not recorded, because the buffers of all recorded "
                               "launches take at most {} GiB",
                               request_.number, kMostRecordedBytes >> 30),
                   "Give the program a smaller problem",
                   {}};
    }
    const fs::path file = request_.folder / fmt::format("{}_{}.bin", stem(), name);
    Status written = write_file(file, {reinterpret_cast<const char*>(buffer.data + offset),
                                       static_cast<std::size_t>(bytes)});
    if (!written) return written;
    ArgumentForm form;
    form.name = name;
    form.is_buffer = true;
    form.type = std::string(name_of(type));
    form.count = std::to_string(bytes / size_of(type));
    form.fill = "@" + file.string();
    launch_.form.arguments.push_back(form);
    return ok_status();
  }

  const RecordRequest& request_;
  DeviceHeap& heap_;
  RecordedLaunch launch_;
};

}  // namespace

Result<RecordedLaunch> record_launch(const RecordRequest& request, DeviceHeap& heap) {
  return Recorder(request, heap).record();
}

}  // namespace tilescope

#include "exec/recorded_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>

#include "core/file.h"
#include "kernel/compile/device_code.h"
#include "kernel/launch/tensor_map.h"
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
    launch_.variant = request_.kernel->variant;
    launch_.symbol = request_.kernel->symbol;
    launch_.source = request_.kernel->source_file;
    launch_.ptx = (request_.folder / fmt::format("{}.ptx", stem())).string();
    if (Status written = write_file(launch_.ptx, request_.module->text_of(request_.kernel->symbol));
        !written)
      return std::move(written).error();
    if (request_.module->is_machine_code()) keep_cubin(request_.module->cubin());
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
    std::string name = short_name(launch_.name, 0);
    name.erase(std::min(name.find('<'), name.size()));
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
    if (const auto map = tensor_in(value)) {
      return add_tensor(name, *map);
    }
    // A structure, in pieces of eight bytes and what is left; pointers are buffers.
    for (std::uint32_t at = 0; at < value.size();) {
      std::uint32_t size = 8;
      while (size > value.size() - at) size /= 2;
      const auto piece = value.subspan(at, size);
      form.name = fmt::format("{}[{}]", name, at);
      const StructureMember member{static_cast<std::uint32_t>(index), at,
                                   static_cast<std::uint32_t>(value.size())};
      at += size;
      buffer = size == 8 ? heap_.find(bits_at(piece)) : nullptr;
      if (buffer != nullptr) {
        Status added = add_buffer(form.name, ElementType::kU8, *buffer, bits_at(piece));
        if (!added) return added;
      } else {
        std::tie(form.type, form.value) = number(piece, ElementType::kU8);
        launch_.form.arguments.push_back(form);
      }
      launch_.form.arguments.back().member = member;
    }
    return ok_status();
  }

  // A tensor map of a dense tensor that is in one buffer, as an argument is written; others stay
  // structures.
  std::optional<TensorMap> tensor_in(std::span<const std::byte> value) {
    if (value.size() != TensorMap::kBytes) return std::nullopt;
    const auto map = TensorMap::read(value.data());
    if (!map || map->mode != TensorMap::Mode::kTiled || map->atom != TensorMap::Atom::k16 ||
        map->interleave != TensorMap::Interleave::kNone)
      return std::nullopt;
    std::uint64_t dense = map->element_bytes();
    for (unsigned i = 0; i < map->rank(); ++i) {
      if (i > 0 && map->stride[i - 1] != dense) return std::nullopt;
      if (map->step[i] != 1) return std::nullopt;
      dense *= map->extent[i];
    }
    const Allocation* tensor = heap_.find(map->address);
    if (tensor == nullptr || !tensor->holds(map->address, dense)) return std::nullopt;
    return map;
  }

  // "tensormap:f16+box32x64+swizzle64[96x128]=@FILE"
  Status add_tensor(const std::string& name, const TensorMap& map) {
    std::string words = words_of(map.element);
    std::string extents;
    std::uint64_t bytes = map.element_bytes();
    for (unsigned i = 0; i < map.rank(); ++i) {
      words += fmt::format("{}{}", i == 0 ? "+box" : "x", map.box[i]);
      extents += fmt::format("{}{}", i == 0 ? "" : "x", map.extent[i]);
      bytes *= map.extent[i];
    }
    if (map.swizzle != TensorMap::Swizzle::kNone)
      words += fmt::format("+swizzle{}", 16 << static_cast<int>(map.swizzle));
    if (map.fill == TensorMap::Fill::kNan) words += "+nan";
    const Allocation& buffer = *heap_.find(map.address);
    const auto file = write_bytes(name, buffer.data + (map.address - buffer.address), bytes);
    if (!file) return file.error();
    ArgumentForm form;
    form.name = name;
    form.type = "tensormap";
    form.value = fmt::format("{}[{}]=@{}", words, extents, *file);
    launch_.form.arguments.push_back(std::move(form));
    return ok_status();
  }

  static std::string words_of(TensorMap::Element element) {
    using Element = TensorMap::Element;
    switch (element) {
      case Element::kU8:
        return "u8";
      case Element::kU16:
        return "u16";
      case Element::kU32:
        return "u32";
      case Element::kS32:
        return "i32";
      case Element::kU64:
        return "u64";
      case Element::kS64:
        return "i64";
      case Element::kF16:
        return "f16";
      case Element::kF32:
      case Element::kF32Flushed:
        return "f32";
      case Element::kF64:
        return "f64";
      case Element::kBf16:
        return "bf16";
      case Element::kTf32:
      case Element::kTf32Flushed:
        return "f32+tf32";
    }
    return "u8";
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
    // What lies in memory that nobody has written may look like one.
    const bool may_be =
        known == ElementType::kU8 || known == ElementType::kI64 || known == ElementType::kU64;
    if (may_be && holds_addresses(buffer.data + offset, bytes)) {
      launch_.left_out.push_back(
          fmt::format("'{}' has addresses of other buffers, which do not come with it", name));
    }
    const auto file = write_bytes(name, buffer.data + offset, bytes);
    if (!file) return file.error();
    ArgumentForm form;
    form.name = name;
    form.is_buffer = true;
    form.type = std::string(name_of(type));
    form.count = std::to_string(bytes / size_of(type));
    form.fill = "@" + *file;
    launch_.form.arguments.push_back(std::move(form));
    return ok_status();
  }

  // A short buffer, of which a number is an address in another one.
  bool holds_addresses(const std::byte* data, std::uint64_t bytes) {
    constexpr std::uint64_t kMostSearched = std::uint64_t{1} << 16;
    for (std::uint64_t at = 0; at + 8 <= std::min(bytes, kMostSearched); at += 8) {
      const std::uint64_t value = bits_at({data + at, 8});
      if (value >> 32 != 0 && heap_.find(value) != nullptr) return true;
    }
    return false;
  }

  // Returns the file.
  Result<std::string> write_bytes(const std::string& name, const std::byte* data,
                                  std::uint64_t bytes) {
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
    const Status written =
        write_file(file, {reinterpret_cast<const char*>(data), static_cast<std::size_t>(bytes)});
    if (!written) return written.error();
    return file.string();
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

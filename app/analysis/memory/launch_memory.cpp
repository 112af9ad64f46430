#include "analysis/memory/launch_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "core/quantity.h"
#include "emulator/texture.h"
#include "kernel/launch/tensor_map.h"
#include "kernel/source/type_names.h"

namespace tilescope {
namespace {

Result<std::shared_ptr<std::vector<std::byte>>> made(const BufferRecipe& recipe) {
  std::shared_ptr<std::vector<std::byte>> contents;
  try {
    contents = std::make_shared<std::vector<std::byte>>(recipe.bytes());
  } catch (const std::exception&) {  // bad_alloc or length_error of the standard library
    return Error{ErrorCode::kMachine,
                 fmt::format("this machine has no room for a buffer of {}",
                             format(static_cast<double>(recipe.bytes()), Unit::kBytes)),
                 "Give it fewer elements",
                 {}};
  }
  if (Status status = fill_buffer(recipe, *contents); !status) return std::move(status).error();
  return contents;
}

// What the kernel's instructions find at the object's address.
std::vector<std::byte> object_of(const Argument& argument, std::uint64_t texels) {
  const TextureShape& shape = *argument.texture;
  const auto element = static_cast<std::uint32_t>(size_of(argument.type));
  TextureObject object;
  object.data = texels;
  object.width = shape.width;
  object.height = shape.height;
  object.depth = shape.depth;
  object.pitch = std::uint64_t{shape.width} * shape.channels * element;
  object.slice = object.pitch * shape.height;
  object.channels = static_cast<std::uint8_t>(shape.channels);
  object.channel_bits = static_cast<std::uint8_t>(element * 8);
  object.kind = !is_whole_number(argument.type)         ? TextureObject::Kind::kFloat
                : name_of(argument.type).front() == 'u' ? TextureObject::Kind::kUnsigned
                                                        : TextureObject::Kind::kSigned;
  object.is_linear = shape.is_linear;
  object.reads_normalised = shape.reads_normalised;
  object.has_normalised_coordinates = shape.has_normalised_coordinates;
  object.is_buffer = shape.is_buffer;
  std::vector<std::byte> bytes(sizeof object);
  std::memcpy(bytes.data(), &object, sizeof object);
  return bytes;
}

// An argument's bits stay the tensor's address, as those of any buffer.
Status add_tensor_map(const Argument& argument, std::size_t i, LaunchMemory* launch) {
  const auto map = tensor_map_of(argument, launch->arguments[i].bits);
  if (!map) return map.error();
  std::vector<std::byte> bytes(TensorMap::kBytes);
  map->write(bytes.data());
  const auto index = launch->memory.add(argument.name + " (tensor map)", ElementType::kU8,
                                        std::make_shared<std::vector<std::byte>>(bytes));
  launch->arguments[i].object = std::move(bytes);
  launch->arguments[i].object_address = launch->memory.buffers()[index].address;
  return ok_status();
}

// Behind the buffers of all arguments, so that these keep their places.
Status add_objects(const KernelInstance& instance, LaunchMemory* launch) {
  std::size_t buffer = 0;
  for (std::size_t i = 0; i < instance.arguments.size(); ++i) {
    const Argument& argument = instance.arguments[i];
    if (!argument.is_pointer) continue;
    const std::uint64_t texels = launch->memory.buffers()[buffer++].address;
    if (argument.tensor) {
      if (Status added = add_tensor_map(argument, i, launch); !added) return added;
    }
    if (!argument.texture) continue;
    const auto index =
        launch->memory.add(argument.name, ElementType::kU8,
                           std::make_shared<std::vector<std::byte>>(object_of(argument, texels)));
    launch->arguments[i].bits = launch->memory.buffers()[index].address;
  }
  return ok_status();
}

// The buffers that pointers in buffers lead to, each behind the one that has the pointer.
class Links {
 public:
  explicit Links(DeviceMemory* memory) : memory_(memory) {}

  // Fills the argument's structures, which `contents` are.
  Status fill(const Argument& argument, std::vector<std::byte>* contents) {
    const std::size_t bytes = argument.behind.front().member->structure_bytes;
    for (std::uint64_t i = 0; i < argument.structures(); ++i) {
      for (const Argument& member : argument.behind) {
        std::uint64_t bits = member.bits;
        if (member.is_pointer) {
          auto address = add(member, fmt::format("{}[{}]", argument.name, i));
          if (!address) return std::move(address).error();
          bits = *address;
        }
        std::memcpy(contents->data() + i * bytes + member.member->offset, &bits,
                    parameter_bytes(member));
      }
    }
    return ok_status();
  }

 private:
  static constexpr std::uint64_t kMostBuffers = kMostLinkedBuffers;

  // A buffer of this one structure's own: its address.
  Result<std::uint64_t> add(const Argument& member, const std::string& owner) {
    if (count_ == kMostBuffers) {
      return Error{ErrorCode::kUsage,
                   fmt::format("pointers in buffers lead to more than {} other buffers",
                               format_count(kMostBuffers)),
                   "Give it fewer structures with pointers",
                   {}};
    }
    Argument own = member;
    own.buffer.seed += count_++;
    own.name = owner + member.name;
    auto contents = made(own.buffer);
    if (!contents) return std::move(contents).error();
    const auto index = memory_->add(own.name, own.type, *contents);
    const std::uint64_t address = memory_->buffers()[index].address;
    if (!own.behind.empty()) {
      if (Status filled = fill(own, contents->get()); !filled) return std::move(filled).error();
    }
    return address;
  }

  DeviceMemory* memory_;
  std::uint64_t count_ = 0;
};

}  // namespace

Result<std::shared_ptr<std::vector<std::byte>>> InputCache::get(const BufferRecipe& recipe) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const auto& entry) { return entry.first == recipe; });
    if (found != entries_.end()) {
      entries_.splice(entries_.begin(), entries_, found);
      return entries_.front().second;
    }
  }
  auto contents = made(recipe);
  if (!contents || recipe.bytes() > most_bytes_) return contents;
  const std::lock_guard lock(mutex_);
  entries_.emplace_front(recipe, *contents);
  bytes_ += recipe.bytes();
  while (bytes_ > most_bytes_) {
    bytes_ -= entries_.back().first.bytes();
    entries_.pop_back();
  }
  return contents;
}

Result<LaunchMemory> make_launch_memory(const KernelInstance& instance, InputCache* inputs) {
  LaunchMemory launch;
  for (const Argument& argument : instance.arguments) {
    const auto push = [&](std::uint64_t bits) {
      launch.arguments.emplace_back(bits, parameter_bytes(argument), argument.member);
    };
    if (!argument.is_pointer) {
      push(argument.bits);
      continue;
    }
    const bool is_shared =
        inputs != nullptr && argument.buffer.fill != Fill::kFile && argument.behind.empty();
    auto contents = is_shared ? inputs->get(argument.buffer) : made(argument.buffer);
    if (!contents) return std::move(contents).error();
    const auto index = launch.memory.add(argument.name, argument.type, *std::move(contents));
    push(launch.memory.buffers()[index].address);
  }
  Links links(&launch.memory);
  std::size_t buffer = 0;
  for (const Argument& argument : instance.arguments) {
    if (!argument.is_pointer) continue;
    const auto contents = launch.memory.buffers()[buffer++].contents;
    if (argument.behind.empty()) continue;
    if (Status filled = links.fill(argument, contents.get()); !filled) {
      return std::move(filled).error();
    }
  }
  if (Status added = add_objects(instance, &launch); !added) return std::move(added).error();
  return launch;
}

std::uint64_t add_grid_workspace(const Program& program, DeviceMemory& memory) {
  const bool asks = std::ranges::any_of(program.instructions(), [](const auto& instruction) {
    return std::ranges::any_of(instruction.operands, [](const PtxOperand& operand) {
      return operand.kind == OperandKind::kSpecial && operand.text == "%envreg2";
    });
  });
  if (!asks) return 0;
  constexpr std::size_t kBytes = 64;
  const auto index = memory.add("the grid's barrier", ElementType::kU32,
                                std::make_shared<std::vector<std::byte>>(kBytes));
  return memory.buffers()[index].address;
}

DeviceMemory writable_copy(const KernelInstance& instance, const DeviceMemory& memory) {
  DeviceMemory copy;
  std::size_t next = 0;
  for (const Argument& argument : instance.arguments) {
    if (!argument.is_pointer) continue;
    const DeviceMemory::Buffer& buffer = memory.buffers()[next++];
    copy.add(buffer.name, buffer.type,
             argument.written ? std::make_shared<std::vector<std::byte>>(*buffer.contents)
                              : buffer.contents);
  }
  for (; next < memory.buffers().size(); ++next) {
    const DeviceMemory::Buffer& buffer = memory.buffers()[next];
    copy.add(buffer.name, buffer.type, std::make_shared<std::vector<std::byte>>(*buffer.contents));
  }
  return copy;
}

const char* bandwidth_verdict(double percent) {
  if (percent > 75) return "excellent";
  if (percent >= 60) return "good";
  if (percent >= 40) return "okay";
  return "low";
}

}  // namespace tilescope

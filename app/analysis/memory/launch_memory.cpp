#include "analysis/memory/launch_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "core/quantity.h"

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
    auto contents = inputs != nullptr && argument.buffer.fill != Fill::kFile
                        ? inputs->get(argument.buffer)
                        : made(argument.buffer);
    if (!contents) return std::move(contents).error();
    const auto index = launch.memory.add(argument.name, argument.type, *std::move(contents));
    push(launch.memory.buffers()[index].address);
  }
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

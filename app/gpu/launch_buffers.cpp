#include "gpu/launch_buffers.h"

#include <fmt/format.h>

#include <utility>

#include "kernel/gemm_factors.h"

namespace tilescope {
namespace {

constexpr std::uint8_t kPoison = 0xff;  // NaN in every float type

bool may_write(const KernelInstance& instance, const Argument& argument) {
  return argument.written || !instance.problem;
}

// What a catalogue problem defines as output alone: nothing the kernel could read from it is right.
bool is_poisoned(const KernelInstance& instance, const Argument& argument) {
  if (!instance.problem) return false;
  if (argument.role == Role::kOut) return true;
  return argument.role == Role::kC && argument.written &&
         scalar_argument(instance, "beta", 0.0f) == 0.0f;
}

}  // namespace

Result<LaunchBuffers> LaunchBuffers::make(const GpuDevice& gpu, const RunMessage& run,
                                          BufferCache& cache, ScratchBuffers& scratch) {
  const KernelInstance& instance = run.request.instance;
  std::erase_if(scratch, [&](const auto& kept) {
    return kept.first >= instance.arguments.size() || !instance.arguments[kept.first].is_pointer ||
           instance.arguments[kept.first].buffer.bytes() != kept.second.bytes();
  });
  LaunchBuffers buffers;
  for (std::size_t place = 0; place < instance.arguments.size(); ++place) {
    const Argument& argument = instance.arguments[place];
    if (!argument.is_pointer) continue;
    Slot slot{&argument, nullptr, nullptr};
    if (!is_poisoned(instance, argument)) {
      auto pristine = cache.get(argument.buffer, run.files);
      if (!pristine) return pristine.error();
      slot.pristine = *std::move(pristine);
    }
    if (may_write(instance, argument) || slot.pristine == nullptr) {
      auto kept = scratch.find(place);
      if (kept == scratch.end()) {
        auto made = DeviceBuffer::allocate(gpu, argument.buffer.bytes());
        if (!made) return made.error();
        kept = scratch.emplace(place, *std::move(made)).first;
      }
      slot.scratch = &kept->second;
    }
    buffers.pointers_.push_back(slot.used().data());
    buffers.slots_.push_back(std::move(slot));
  }
  return buffers;
}

Status LaunchBuffers::queue_preparation() const {
  for (const Slot& slot : slots_) {
    if (slot.scratch == nullptr) continue;
    Status queued = slot.pristine == nullptr ? slot.scratch->queue_set(kPoison)
                                             : slot.scratch->queue_copy_from(slot.pristine->buffer);
    if (!queued) return queued;
  }
  return ok_status();
}

Status LaunchBuffers::check_guards(const std::string& kernel_id) const {
  for (const Slot& slot : slots_) {
    auto damage = slot.used().damage();
    if (!damage) return damage.error();
    if (!*damage) continue;
    return Error{ErrorCode::kKernel,
                 fmt::format("{}: the kernel writes outside {}, {}", kernel_id, slot.argument->name,
                             **damage),
                 "'tilescope trace' with the same arguments finds the line and the thread",
                 {}};
  }
  return ok_status();
}

std::optional<LaunchBuffers::Operand> LaunchBuffers::find(Role role) const {
  for (const Slot& slot : slots_) {
    if (slot.argument->role == role)
      return Operand{slot.argument, &slot.used(), slot.pristine.get()};
  }
  return std::nullopt;
}

}  // namespace tilescope

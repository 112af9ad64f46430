#include "gpu/launch_buffers.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <utility>
#include <vector>

namespace tilescope {
namespace {

constexpr std::uint8_t kPoison = 0xff;  // NaN in every float type

bool may_write(const KernelInstance& instance, const Argument& argument) {
  return argument.written || !instance.problem;
}

// What a catalogue problem defines as output alone: nothing the kernel could read from it is right.
bool is_poisoned(const KernelInstance& instance, const Argument& argument) {
  return instance.problem && argument.written && !accumulates(instance, argument);
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
  for (const Operand& operand : operands()) {
    if (operand.argument->role == role) return operand;
  }
  return std::nullopt;
}

std::vector<LaunchBuffers::Operand> LaunchBuffers::operands() const {
  std::vector<Operand> operands;
  for (const Slot& slot : slots_) {
    operands.push_back({slot.argument, &slot.used(), slot.pristine.get()});
  }
  return operands;
}

namespace {

Result<std::vector<std::byte>> contents_of(const BufferRecipe& recipe, const FileContents& files) {
  if (recipe.fill == Fill::kFile) {
    const auto file = files.find(recipe.path);
    if (file == files.end() || file->second.size() != recipe.bytes()) {
      return Error{
          ErrorCode::kUsage, fmt::format("the contents of {} did not arrive", recipe.path), "", {}};
    }
    return file->second;
  }
  std::vector<std::byte> contents(recipe.bytes());
  if (Status filled = fill_buffer(recipe, contents); !filled) return filled.error();
  return contents;
}

std::uint64_t hash_of_file(const BufferRecipe& recipe, const FileContents& files) {
  const auto file = files.find(recipe.path);
  if (recipe.fill != Fill::kFile || file == files.end()) return 0;
  return XXH3_64bits(file->second.data(), file->second.size());
}

}  // namespace

Result<std::shared_ptr<const RecipeBuffer>> BufferCache::get(const BufferRecipe& recipe,
                                                             const FileContents& files) {
  const std::uint64_t file_hash = hash_of_file(recipe, files);
  for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
    if ((*entry)->recipe == recipe && (*entry)->file_hash == file_hash) {
      entries_.splice(entries_.begin(), entries_, entry);
      return entries_.front();
    }
  }
  Result<std::vector<std::byte>> contents = contents_of(recipe, files);
  if (!contents) return contents.error();
  make_room(recipe.bytes());
  Result<DeviceBuffer> buffer = DeviceBuffer::allocate(gpu_, recipe.bytes());
  if (!buffer) {  // a full GPU: without what is kept only to save work
    make_room(gpu_.info().memory_bytes);
    Result<DeviceBuffer> again = DeviceBuffer::allocate(gpu_, recipe.bytes());
    if (!again) return again.error();
    return keep(recipe, file_hash, *contents, *std::move(again));
  }
  return keep(recipe, file_hash, *contents, *std::move(buffer));
}

Result<std::shared_ptr<const RecipeBuffer>> BufferCache::keep(const BufferRecipe& recipe,
                                                              std::uint64_t file_hash,
                                                              std::span<const std::byte> contents,
                                                              DeviceBuffer buffer) {
  if (Status sent = buffer.upload(contents); !sent) return sent.error();
  OperandStatistics statistics;
  if (recipe.type == ElementType::kF32) {
    statistics = statistics_of({reinterpret_cast<const float*>(contents.data()), recipe.count});
  } else {
    statistics = statistics_of(to_floats(recipe.type, contents));
  }
  entries_.push_front(std::make_shared<RecipeBuffer>(
      RecipeBuffer{recipe, file_hash, std::move(buffer), statistics}));
  return entries_.front();
}

void BufferCache::make_room(std::uint64_t bytes) {
  const std::uint64_t limit = gpu_.info().memory_bytes / 4;
  std::uint64_t held = bytes;
  for (const auto& entry : entries_) held += entry->buffer.bytes();
  for (auto entry = entries_.end(); held > limit && entry != entries_.begin();) {
    --entry;
    if (entry->use_count() > 1) continue;  // the present request uses it
    held -= (*entry)->buffer.bytes();
    entry = entries_.erase(entry);
  }
}

}  // namespace tilescope

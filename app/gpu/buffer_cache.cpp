#include "gpu/buffer_cache.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <utility>
#include <vector>

namespace tilescope {
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

#include "kernel/request_cache.h"

#include <utility>

#include "kernel/source_name.h"

namespace tilescope {

std::string cache_digest(const NvrtcFacts& nvrtc, const DeviceProgram& program,
                         const std::vector<std::string>& options,
                         const std::vector<std::string>& cuda_folders, const std::string& kernel) {
  CacheKey key;
  key.add(nvrtc.version());
  key.add(kernel);
  for (const std::string& option : options) key.add(option);
  key.add("folders");
  for (const std::string& folder : cuda_folders) key.add(folder);
  key.add("files");
  for (const DeviceSource& file : program.files()) {
    key.add(file.name());
    if (const std::string plain = plain_name(file.name()); plain != file.name()) key.add(plain);
    key.add(file.original());
  }
  for (const auto& [name, text] : program.headers()) {
    key.add(name);
    key.add(text);
  }
  return key.digest();
}

std::optional<RequestCache::Found> RequestCache::find() const {
  if (choice_.is_in_module) {
    if (auto module = cache_.find(of_files_)) {
      if (auto entry = entry_of(*module)) return Found{*std::move(module), *std::move(entry)};
    }
  }
  auto module = cache_.find(of_choice_);
  if (!module || module->instance.empty()) return std::nullopt;
  std::string entry = module->instance;
  return Found{*std::move(module), std::move(entry)};
}

void RequestCache::store(CompiledModule module) const {
  if (!choice_.is_in_module || !entry_of(module)) return cache_.store(of_choice_, module);
  module.instance.clear();
  cache_.store(of_files_, module);
}

std::optional<std::string> RequestCache::entry_of(const CompiledModule& module) const {
  const std::vector<std::string> entries = find_entries(module.ptx);
  if (!choice_.expression.empty()) return exact_entry(entries, choice_.expression);
  const Result<std::string> entry = choose_entry(entries, choice_.entry);
  return entry ? std::optional(*entry) : std::nullopt;
}

}  // namespace tilescope

#include "session/recent_files.h"

#include <nlohmann/json.hpp>
#include <system_error>

#include "core/read_file.h"
#include "core/write_file.h"

namespace tilescope {
namespace {

constexpr std::uintmax_t kMostListBytes = 1U << 20;

}  // namespace

std::vector<std::string> recent_files(const std::filesystem::path& list) {
  std::vector<std::string> files;
  const nlohmann::json json = nlohmann::json::parse(
      read_file(list, kMostListBytes).value_or(std::string()), nullptr, false);
  if (!json.is_array()) return files;
  for (const nlohmann::json& item : json) {
    if (item.is_string() && files.size() < kMostRecentFiles) {
      files.push_back(item.get<std::string>());
    }
  }
  return files;
}

std::vector<std::string> add_recent_file(const std::filesystem::path& list,
                                         const std::string& file) {
  std::error_code failure;
  const std::filesystem::path absolute = std::filesystem::absolute(file, failure);
  const std::string name = failure ? file : absolute.lexically_normal().string();
  std::vector<std::string> files = recent_files(list);
  std::erase(files, name);
  files.insert(files.begin(), name);
  if (files.size() > kMostRecentFiles) files.resize(kMostRecentFiles);
  const nlohmann::json json = files;
  // A home that cannot be written to costs the memory, nothing else.
  (void)write_own_file(list, json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  return files;
}

}  // namespace tilescope

#include "kernel/compile/nvrtc_facts.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "core/file.h"
#include "core/paths.h"

namespace tilescope {
namespace {

using nlohmann::json;

std::filesystem::path facts_file() { return cache_directory() / "nvrtc.json"; }

// What tells one file from another that has taken its place; empty: there is none.
std::string identity_of(const std::filesystem::path& library) {
  struct stat found {};
  if (::stat(library.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return {};
  return fmt::format("{} {} {}.{:09}", library.string(), found.st_size, found.st_mtim.tv_sec,
                     found.st_mtim.tv_nsec);
}

}  // namespace

// From CUDA 12.4 on.
bool NvrtcFacts::knows_minimal() const { return is_from(12, 4); }

bool NvrtcFacts::keeps_a_cache() const { return is_from(12, 9); }

bool NvrtcFacts::precompiles_headers() const { return is_from(12, 8); }

bool NvrtcFacts::is_from(int first_major, int first_minor) const {
  return major > first_major || (major == first_major && minor >= first_minor);
}

std::string NvrtcFacts::version() const { return fmt::format("{}.{}", major, minor); }

json encode(const NvrtcFacts& facts) {
  return {{"major", facts.major},
          {"minor", facts.minor},
          {"architectures", facts.architectures},
          {"file", facts.file}};
}

NvrtcFacts decode_nvrtc_facts(const json& message) {
  NvrtcFacts facts;
  message.at("major").get_to(facts.major);
  message.at("minor").get_to(facts.minor);
  message.at("architectures").get_to(facts.architectures);
  message.at("file").get_to(facts.file);
  return facts;
}

std::optional<NvrtcFacts> kept_nvrtc_facts(const std::filesystem::path& library) {
  constexpr std::uint64_t kMostBytes = 1 << 16;
  const std::string identity = identity_of(library);
  const auto text = read_file(facts_file(), kMostBytes);
  if (identity.empty() || !text) return std::nullopt;
  const json kept = json::parse(*text, nullptr, false);
  if (!kept.is_object() || kept.value("library", json()) != identity) return std::nullopt;
  try {
    return decode_nvrtc_facts(kept.at("facts"));
  } catch (const json::exception&) {
    return std::nullopt;  // damaged
  }
}

void keep_nvrtc_facts(const std::filesystem::path& library, const NvrtcFacts& facts) {
  const std::string identity = identity_of(library);
  if (identity.empty()) return;
  static_cast<void>(write_own_file(
      facts_file(), json{{"library", identity}, {"facts", encode(facts)}}.dump() + "\n"));
}

}  // namespace tilescope

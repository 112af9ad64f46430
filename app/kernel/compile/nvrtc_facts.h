#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tilescope {

// Which NVRTC there is, and what it can do.
struct NvrtcFacts {
  int major = 0;
  int minor = 0;
  std::vector<int> architectures;  // 75, 80 ...
  std::string file;                // of the library

  [[nodiscard]] std::string version() const;  // "13.0"
  [[nodiscard]] bool knows_minimal() const;   // the option --minimal
  // From 12.9 on it keeps what it compiled in the driver's cache, and what comes from there has no
  // log; --no-cache.
  [[nodiscard]] bool keeps_a_cache() const;
  [[nodiscard]] bool precompiles_headers() const;  // --create-pch, --use-pch

 private:
  [[nodiscard]] bool is_from(int first_major, int first_minor) const;
};

// In a message or a file. decode_nvrtc_facts() throws nlohmann's error where a value is missing.
[[nodiscard]] nlohmann::json encode(const NvrtcFacts& facts);
[[nodiscard]] NvrtcFacts decode_nvrtc_facts(const nlohmann::json& message);

// To load NVRTC, 105 MB, takes longer than to show a kernel that was compiled before. What it said
// of itself is therefore kept under cache_directory(), for the library at this place as it is now:
// its size and its time of change. nullopt: not known. Nothing here fails: where nothing can be
// kept, NVRTC is asked.
[[nodiscard]] std::optional<NvrtcFacts> kept_nvrtc_facts(const std::filesystem::path& library);
void keep_nvrtc_facts(const std::filesystem::path& library, const NvrtcFacts& facts);

}  // namespace tilescope

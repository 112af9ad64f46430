#pragma once
#include <exception>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "core/result.h"

namespace tilescope {

// Of a file's head: throws what is wrong unless it says "format": `known`.
inline void check_format(const nlohmann::ordered_json& json, int known) {
  if (json.at("format").get<int>() != known) {
    throw std::runtime_error("a format of another version");
  }
}

// A JSON file, decoded by `decode`, which throws what is wrong. kUsage with the file: it cannot be
// read, or it is "no WHAT: ...".
template <typename Decode>
[[nodiscard]] auto load_json_file(const std::filesystem::path& file, const char* what,
                                  const Decode& decode)
    -> Result<std::invoke_result_t<Decode, const nlohmann::ordered_json&>> {
  const auto wrong = [&file](std::string message) {
    return Error{ErrorCode::kUsage, std::move(message), "", {file.string(), 0, 0}};
  };
  std::ifstream stream(file);
  if (!stream) return wrong("cannot be read");
  try {
    return decode(nlohmann::ordered_json::parse(stream));
  } catch (const std::exception& problem) {
    return wrong(std::string("no ") + what + ": " + problem.what());
  }
}

}  // namespace tilescope

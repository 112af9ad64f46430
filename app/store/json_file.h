#pragma once
#include <cstdint>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "core/read_file.h"
#include "core/result.h"

namespace tilescope {

// Of a file's head: throws what is wrong unless it says "format": `known`.
inline void check_format(const nlohmann::ordered_json& json, int known) {
  if (json.at("format").get<int>() != known) {
    throw std::runtime_error("a format of another version");
  }
}

// "[json.exception.out_of_range.403] key 'gpu' not found" without what is in brackets.
inline std::string_view without_number(std::string_view words) {
  const std::size_t end = words.find("] ");
  return words.starts_with("[json.") && end != std::string_view::npos ? words.substr(end + 2)
                                                                      : words;
}

// A JSON file of at most 256 MiB, decoded by `decode`, which throws what is wrong. kUsage with the
// file and the remedy: it cannot be read, or it is "no WHAT: ...".
template <typename Decode>
[[nodiscard]] auto load_json_file(const std::filesystem::path& file, const char* what,
                                  const char* remedy, const Decode& decode)
    -> Result<std::invoke_result_t<Decode, const nlohmann::ordered_json&>> {
  constexpr std::uintmax_t kMostBytes = std::uintmax_t{256} << 20;
  const auto wrong = [&](std::string message) {
    return Error{ErrorCode::kUsage, std::move(message), remedy, {file.string(), 0, 0}};
  };
  const auto text = read_file(file, kMostBytes);
  if (!text) return wrong("cannot be read");
  try {
    return decode(nlohmann::ordered_json::parse(*text));
  } catch (const std::exception& problem) {
    return wrong(std::string("no ") + what + ": " + std::string(without_number(problem.what())));
  }
}

}  // namespace tilescope

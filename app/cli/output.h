#pragma once
#include <fmt/format.h>

#include <cstdio>
#include <string_view>
#include <utility>

namespace tilescope {

// What commands write with. A stream that takes nothing (closed, or on a full disk) fails no call:
// for stdout end_output() tells it once, and for stderr there is nobody to be told.
inline void write_text(std::FILE* stream, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stream);
}

template <typename... Args>
void print_out(fmt::format_string<Args...> format, Args&&... arguments) {
  write_text(stdout, fmt::format(format, std::forward<Args>(arguments)...));
}

template <typename... Args>
void print_error(fmt::format_string<Args...> format, Args&&... arguments) {
  write_text(stderr, fmt::format(format, std::forward<Args>(arguments)...));
}

// Before anything is opened: a standard stream that is closed becomes one that refuses, so that no
// file of ours gets its number.
void open_standard_streams();

// At the end: the exit status, which is that of an error (3) where stdout did not take all of it.
[[nodiscard]] int end_output(int status);

}  // namespace tilescope

#pragma once

#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/device_table.h"
#include "core/result.h"
#include "kernel/catalogue/catalogue.h"
#include "kernel/launch/instance.h"

namespace tilescope {

// What every command shares. A command registers its CLI11 subcommand and, when chosen, sets
// `status` to its exit status: 0 done, 1 usage, 2 the kernel is wrong, 3 the machine cannot, or
// stdout did not take the output (end_output()), 4 the file does not compile.
struct CommandContext {
  int status = 0;
};

// One line on stderr; the exit status that belongs to the error's code.
int report(const Error& error);

// A mistake on the command line, and what to write instead.
[[nodiscard]] Error usage(std::string message, std::string remedy = "");

// Of a .ptx file, an error that knows its line alone.
[[nodiscard]] Error in_file(Error error, const KernelInstance& instance);

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
  std::fflush(stdout);  // where both go to one place, in the order in which they were written
  write_text(stderr, fmt::format(format, std::forward<Args>(arguments)...));
}

// A text of several words behind `first`, in lines of at most 96 characters; the further ones begin
// as far to the right.
void print_paragraph(std::string_view first, std::string_view text);

// Before anything is opened: a standard stream that is closed becomes one that refuses, so that no
// file of ours gets its number.
void open_standard_streams();

// At the end: the exit status, which is that of an error (3) where stdout did not take all of it.
[[nodiscard]] int end_output(int status);

// What the program ships with and the user's own kernels beside it. The files are read at the first
// call.
struct Resources {
  Catalogue catalogue;
  std::vector<DeviceModel> devices;
};
[[nodiscard]] const Result<Resources>& load_resources();

// "sm_90" -> 90; fails with what the compiler knows.
[[nodiscard]] Result<int> parse_architecture(std::string_view text);

// These signals end the program as they do elsewhere, whatever handlers a library that it loads
// puts in place. A thread waits for the signals, which all others block. Threads inherit that, so
// call this before any is started. A signal that is ignored stays ignored.
void end_at_signals(std::initializer_list<int> numbers = {SIGINT, SIGTERM});

}  // namespace tilescope

#include "kernel/file_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <system_error>

#include "core/quantity.h"
#include "core/trimmed.h"
#include "core/valid_utf8.h"
#include "kernel/argument_text.h"
#include "kernel/declarations.h"
#include "kernel/expression.h"
#include "kernel/kernel_signature.h"
#include "kernel/source_parameters.h"

namespace tilescope {
namespace {

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
constexpr Dim3 kLargestGrid{2147483647, 65535, 65535};
constexpr Dim3 kLargestBlock{1024, 1024, 64};
constexpr std::uint64_t kMostThreads = 1024;
constexpr std::int64_t kMostSharedBytes = 0xffffffff;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";  // some editors begin UTF-8 with it

Error usage(std::string message, std::string remedy = "") {
  return {ErrorCode::kUsage, std::move(message), std::move(remedy), {}};
}

Error unreadable(const std::string& path, std::string why, std::string remedy = "") {
  return {ErrorCode::kUsage, "cannot read it" + why, std::move(remedy), {path, 0, 0}};
}

bool parse_whole(std::string_view text, std::uint32_t* value) {
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return failure == std::errc{} && end == text.data() + text.size();
}

// The first comma that no parentheses hold.
std::size_t comma_outside(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (text[i] == ',' && depth <= 0) return i;
  }
  return std::string_view::npos;
}

bool is_expression(std::string_view text) { return Expression::parse(text).ok(); }

Result<std::uint32_t> shared_bytes(const LaunchText& launch, const ParameterSet& names,
                                   std::string_view prefix) {
  if (launch.dynamic_shared.empty()) return launch.dynamic_shared_bytes;
  const auto bytes = evaluate_expression(launch.dynamic_shared, names);
  if (bytes && *bytes >= 0 && *bytes <= kMostSharedBytes) return static_cast<std::uint32_t>(*bytes);
  return usage(
      fmt::format("{}shared {} is no whole number of bytes", prefix, launch.dynamic_shared),
      bytes ? "" : bytes.error().message);
}

Status check_extent(std::string_view field, const Dim3& extent, const Dim3& largest) {
  if (extent.x <= largest.x && extent.y <= largest.y && extent.z <= largest.z) return ok_status();
  return usage(fmt::format("{} {},{},{} is more than a device launches", field, extent.x, extent.y,
                           extent.z),
               fmt::format("The most is {},{},{}", largest.x, largest.y, largest.z));
}

Result<std::string> chosen_kernel(const KernelFile& file, const std::string& wanted,
                                  std::string_view prefix) {
  if (!wanted.empty() || file.path.ends_with(".ptx")) return wanted;
  const std::vector<std::string> kernels = find_kernels(file.source);
  if (kernels.size() == 1) return kernels.front();
  if (kernels.empty()) {
    return Error{ErrorCode::kKernel, "the file has no __global__ function", "", {file.path, 0, 0}};
  }
  return usage(
      fmt::format("{} has {} kernels: {}", file.path, kernels.size(), fmt::join(kernels, ", ")),
      fmt::format("Choose one with {}kernel NAME", prefix));
}

// Names the arguments as the kernel does, where it is found and has them.
void name_arguments(const KernelFile& file, const std::string& kernel,
                    std::vector<Argument>* arguments) {
  const std::string plain = kernel.substr(0, kernel.find('<'));
  const std::vector<KernelSignature> signatures = find_signatures(file.path, file.source);
  const auto signature = std::ranges::find(signatures, plain, &KernelSignature::name);
  if (signature == signatures.end()) return;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::string_view> names;
  ParameterIndex declared;
  for (const ParameterText& parameter : signature->parameters) {
    names[{declared.next(parameter.member), parameter.member ? parameter.member->offset : 0}] =
        parameter.name;
  }
  ParameterIndex given;
  for (Argument& argument : *arguments) {
    const auto name =
        names.find({given.next(argument.member), argument.member ? argument.member->offset : 0});
    if (name != names.end()) argument.name = name->second;
  }
}

// NAME, NAME=VALUE or NAME(PARAMETERS)=VALUE.
Status check_define(std::string_view define) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const std::string_view name = define.substr(0, define.find_first_of("=("));
  const bool good = !name.empty() && is_letter(name.front()) &&
                    std::ranges::all_of(name, [&](char c) { return is_letter(c) || is_digit(c); });
  if (good) return ok_status();
  return usage(fmt::format("the macro '{}': '{}' is no name of a macro", define, name),
               "Write NAME=VALUE, with a name of letters, digits and _");
}

// One number of an extent; 0 for what is none.
Result<std::uint32_t> parse_axis(std::string_view field, std::string_view text,
                                 const ParameterSet& names) {
  std::uint32_t number = 0;
  if (parse_whole(text, &number)) return number;
  if (!is_expression(text)) return 0u;
  const auto value = evaluate_expression(text, names);
  if (!value) return usage(fmt::format("{}: {}", field, value.error().message));
  if (*value < 1 || *value > kLargestGrid.x) {
    return usage(
        fmt::format("{} {} is {}, and must be from 1 to {}", field, text, *value, kLargestGrid.x));
  }
  return static_cast<std::uint32_t>(*value);
}

}  // namespace

bool is_kernel_file(std::string_view path) {
  return path.ends_with(".cu") || path.ends_with(".ptx") || path.ends_with(".cuh");
}

Result<KernelFile> read_kernel_file(const std::string& path) {
  std::error_code failed;
  if (std::filesystem::is_directory(path, failed)) return unreadable(path, ": it is a folder");
  const std::uintmax_t bytes = std::filesystem::file_size(path, failed);
  if (failed) return unreadable(path, ": " + failed.message(), "Check its name");
  if (bytes > kMostSourceBytes) {
    return unreadable(
        path, fmt::format(": it has {}", format(static_cast<double>(bytes), Unit::kBytes)),
        "A kernel's source may have 4 MiB: cut the kernel out into a file of its own");
  }
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream) {
    return unreadable(path, fmt::format(": {}", std::generic_category().message(errno)),
                      "Check who may read it");
  }
  KernelFile file{path, valid_utf8(text.str())};
  if (file.source.starts_with(kByteOrderMark)) file.source.erase(0, kByteOrderMark.size());
  if (file.source.find('\0') != std::string::npos) {
    return unreadable(path, ": it is no text",
                      "Give the kernel's source, or its PTX, saved as UTF-8");
  }
  return file;
}

Result<Dim3> parse_extent(std::string_view field, std::string_view text,
                          const ParameterSet& names) {
  if (trimmed(text).empty()) {
    return usage(fmt::format("{} is missing", field), "Give it as X[,Y[,Z]], for example 32,8");
  }
  Dim3 extent;
  std::string_view rest = text;
  for (std::uint32_t* axis : {&extent.x, &extent.y, &extent.z}) {
    const std::size_t comma = comma_outside(rest);
    const auto value = parse_axis(field, trimmed(rest.substr(0, comma)), names);
    if (!value) return value.error();
    *axis = *value;
    if (*axis == 0) break;
    if (comma == std::string_view::npos) return extent;
    rest.remove_prefix(comma + 1);
  }
  return usage(fmt::format("{} {} is not X[,Y[,Z]] with whole numbers from 1", field, text));
}

Result<KernelInstance> launch_file(const KernelFile& file, const LaunchText& launch,
                                   std::string_view prefix) {
  auto kernel = chosen_kernel(file, launch.kernel, prefix);
  if (!kernel) return std::move(kernel).error();
  const std::string grid_field = fmt::format("{}grid", prefix);
  const std::string block_field = fmt::format("{}block", prefix);
  for (const std::string& define : launch.defines) {
    if (Status named = check_define(define); !named) return named.error();
  }

  std::vector<Argument> arguments;
  for (std::uint32_t i = 0; i < launch.arguments.size(); ++i) {
    auto made = file_arguments(launch.arguments[i], i);
    if (!made) return std::move(made).error();
    std::ranges::move(*made, std::back_inserter(arguments));
  }
  name_arguments(file, *kernel, &arguments);
  const ParameterSet names = launch_names(file, launch, arguments);
  auto grid = parse_extent(grid_field, launch.grid, names);
  if (!grid) return std::move(grid).error();
  auto block = parse_extent(block_field, launch.block, names);
  if (!block) return std::move(block).error();
  if (Status fits = check_extent(grid_field, *grid, kLargestGrid); !fits) return fits.error();
  if (Status fits = check_extent(block_field, *block, kLargestBlock); !fits) return fits.error();
  if (block->count() > kMostThreads) {
    return usage(fmt::format("{} {} has {} threads; a block has at most {}", block_field,
                             launch.block, format_count(block->count()), kMostThreads));
  }

  const auto shared = shared_bytes(launch, names, prefix);
  if (!shared) return shared.error();

  const std::filesystem::path path(file.path);
  KernelInstance instance;
  instance.id = path.filename().string();
  instance.title = instance.id;
  instance.file_name = file.path;
  instance.kernel = *std::move(kernel);
  set_parameters(file, launch, &instance);
  const auto folder = path.parent_path();
  instance.include_directories = {folder.empty() ? "." : folder.string()};
  instance.grid = *grid;
  instance.block = *block;
  instance.dynamic_shared_bytes = *shared;
  instance.arguments = std::move(arguments);
  return instance;
}

}  // namespace tilescope

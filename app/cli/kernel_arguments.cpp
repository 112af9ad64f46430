#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/command.h"
#include "cli/resources.h"
#include "kernel/compile.h"

namespace tilescope {
namespace {

Error usage(std::string message, std::string remedy = "") {
  return {ErrorCode::kUsage, std::move(message), std::move(remedy), {}};
}

template <typename T>
bool parse_number(std::string_view text, T* value) {
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return failure == std::errc{} && end == text.data() + text.size();
}

Result<ParameterSet> parse_parameters(const std::vector<std::string>& assignments) {
  ParameterSet parameters;
  for (const std::string& assignment : assignments) {
    const auto equals = assignment.find('=');
    std::int64_t value = 0;
    if (equals == std::string::npos || equals == 0 ||
        !parse_number(std::string_view(assignment).substr(equals + 1), &value)) {
      return usage(fmt::format("-p {} is not NAME=WHOLE_NUMBER", assignment));
    }
    parameters[assignment.substr(0, equals)] = value;
  }
  return parameters;
}

Result<Dim3> parse_extent(const char* option, const std::string& text) {
  Dim3 extent;
  std::uint32_t* axes[] = {&extent.x, &extent.y, &extent.z};
  std::size_t axis = 0;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    if (axis == 3 || !parse_number(part, axes[axis]) || *axes[axis] == 0) {
      return usage(fmt::format("{} {} is not X[,Y[,Z]] with whole numbers from 1", option, text));
    }
    ++axis;
  }
  if (axis == 0)
    return usage(fmt::format("{} is missing", option), "Give it as X[,Y[,Z]], for example 32,8");
  return extent;
}

bool names_a_file(const std::string& text) {
  return text.ends_with(".cu") || text.ends_with(".ptx") || text.ends_with(".cuh");
}

Result<std::string> read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file || std::filesystem::is_directory(path)) {
    return Error{ErrorCode::kUsage, fmt::format("cannot read {}", path), "", {}};
  }
  return text.str();
}

Result<Argument> argument_from(const std::string& text, std::size_t index) {
  auto spec = parse_argument_spec(text);
  if (!spec) return std::move(spec).error();
  Argument argument;
  argument.name = fmt::format("arg{}", index);
  argument.is_pointer = spec->is_buffer;
  if (!spec->is_buffer) {
    argument.type = spec->type;
    argument.bits = spec->bits;
    return argument;
  }
  argument.type = spec->buffer.type;
  argument.buffer = spec->buffer;
  argument.written = true;  // not known: every buffer gets a copy of its own
  argument.rows = 1;
  argument.cols = spec->buffer.count;
  argument.leading = spec->buffer.count;
  return argument;
}

Result<std::string> chosen_kernel(const KernelArguments& arguments, const std::string& source) {
  if (!arguments.kernel.empty() || arguments.kernel_or_file.ends_with(".ptx"))
    return arguments.kernel;
  const std::vector<std::string> kernels = find_kernels(source);
  if (kernels.size() == 1) return kernels.front();
  if (kernels.empty()) {
    return Error{ErrorCode::kKernel,
                 "the file has no __global__ function",
                 "",
                 {arguments.kernel_or_file, 0, 0}};
  }
  return usage(fmt::format("{} has {} kernels: {}", arguments.kernel_or_file, kernels.size(),
                           fmt::join(kernels, ", ")),
               "Choose one with --kernel NAME");
}

Result<KernelInstance> instance_of_file(const KernelArguments& arguments) {
  if (!arguments.parameters.empty() || !arguments.size.empty()) {
    return usage("-p and --size belong to catalogue kernels",
                 "Use -D NAME=VALUE and --arg for a file");
  }
  auto source = read_text(arguments.kernel_or_file);
  if (!source) return std::move(source).error();
  auto kernel = chosen_kernel(arguments, *source);
  if (!kernel) return std::move(kernel).error();
  auto grid = parse_extent("--grid", arguments.grid);
  if (!grid) return std::move(grid).error();
  auto block = parse_extent("--block", arguments.block);
  if (!block) return std::move(block).error();

  const std::filesystem::path path(arguments.kernel_or_file);
  KernelInstance instance;
  instance.id = path.filename().string();
  instance.title = instance.id;
  instance.file_name = arguments.kernel_or_file;
  instance.source = *std::move(source);
  instance.kernel = *std::move(kernel);
  instance.defines = arguments.defines;
  const auto folder = path.parent_path();
  instance.include_directories = {folder.empty() ? "." : folder.string()};
  instance.grid = *grid;
  instance.block = *block;
  instance.dynamic_shared_bytes = arguments.shared_bytes;
  for (std::size_t i = 0; i < arguments.arguments.size(); ++i) {
    auto argument = argument_from(arguments.arguments[i], i);
    if (!argument) return std::move(argument).error();
    instance.arguments.push_back(*std::move(argument));
  }
  return instance;
}

Result<KernelInstance> instance_of_catalogue(const KernelArguments& arguments,
                                             int compute_capability) {
  const bool launch_given = !arguments.grid.empty() || !arguments.block.empty() ||
                            !arguments.arguments.empty() || !arguments.kernel.empty();
  if (launch_given) {
    return usage("--kernel, --grid, --block and --arg belong to files",
                 "A catalogue kernel takes -p NAME=VALUE and --size");
  }
  auto resources = load_resources();
  if (!resources) return std::move(resources).error();
  const CatalogueEntry* entry = resources->catalogue.find(arguments.kernel_or_file);
  if (entry == nullptr) {
    return usage(
        fmt::format("there is no kernel '{}' and no file of that name", arguments.kernel_or_file),
        "'tilescope list' shows the kernels; a file ends in .cu or .ptx");
  }
  auto changes = parse_parameters(arguments.parameters);
  if (!changes) return std::move(changes).error();
  auto parameters = complete_parameters(*entry, *changes);
  if (!parameters) return std::move(parameters).error();
  ParameterSet extents = entry->default_extents;
  if (!arguments.size.empty()) {
    auto size = parse_size(entry->problem, arguments.size);
    if (!size) return std::move(size).error();
    extents = *std::move(size);
  }
  return instantiate(*entry, *parameters, extents,
                     device_model_for(resources->devices, compute_capability));
}

}  // namespace

void add_kernel_options(CLI::App& command, KernelArguments& arguments) {
  command
      .add_option("kernel", arguments.kernel_or_file,
                  "catalogue id (gemm/naive) or a .cu or .ptx file")
      ->required();
  command.add_option("-p,--parameter", arguments.parameters,
                     "catalogue kernel: NAME=VALUE, repeatable");
  command.add_option("--size", arguments.size, "catalogue kernel: N, RxC or MxNxK");
  command.add_option("--kernel", arguments.kernel,
                     "file: the __global__ function, or name<arguments>");
  command.add_option("--grid", arguments.grid, "file: blocks, X[,Y[,Z]]");
  command.add_option("--block", arguments.block, "file: threads, X[,Y[,Z]]");
  command.add_option("--shared", arguments.shared_bytes, "file: dynamic shared memory in bytes");
  command.add_option("--arg", arguments.arguments,
                     "file: one per kernel argument in order; i32:5, f32:1.5, "
                     "f32[4096]=zero|iota|ramp|random:SEED|@FILE");
  command.add_option("-D,--define", arguments.defines, "file: macro NAME=VALUE, repeatable");
  command.add_option("--arch", arguments.architecture, "sm_75 ... what the compiler knows");
}

Result<int> parse_architecture(std::string_view text) {
  int value = 0;
  if (!text.starts_with("sm_") || !parse_number(text.substr(3), &value) || value < 75) {
    return usage(fmt::format("--arch {} is not sm_NN from sm_75 on", text),
                 "For example --arch sm_90");
  }
  auto compiler = compiler_info();
  if (!compiler) return value;  // without a compiler another message is due first
  const auto& known = compiler->architectures;
  if (!known.empty() && std::find(known.begin(), known.end(), value) == known.end()) {
    return usage(fmt::format("--arch {}: {} does not know it", text, compiler->version),
                 fmt::format("It knows sm_{}", fmt::join(known, ", sm_")));
  }
  return value;
}

Result<KernelInstance> resolve_instance(const KernelArguments& arguments, int* compute_capability) {
  auto architecture = parse_architecture(arguments.architecture);
  if (!architecture) return std::move(architecture).error();
  *compute_capability = *architecture;
  return names_a_file(arguments.kernel_or_file) ? instance_of_file(arguments)
                                                : instance_of_catalogue(arguments, *architecture);
}

}  // namespace tilescope

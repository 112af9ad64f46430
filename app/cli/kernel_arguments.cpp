#include "cli/kernel_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>

#include "analysis/study/launch_trial.h"
#include "analysis/study/opened_file.h"
#include "cli/command.h"
#include "cli/parser/command_line.h"
#include "cli/waiting_line.h"
#include "core/number_text.h"
#include "kernel/compile/compile.h"
#include "kernel/guess/launch_guess.h"
#include "kernel/host/launch_site.h"
#include "kernel/launch/file_launch.h"
#include "kernel/launch/gemm_factors.h"
#include "kernel/launch/launch_form.h"
#include "kernel/launch/source_parameters.h"
#include "kernel/source/header_folders.h"
#include "kernel/source/kernel_name.h"
#include "kernel/source/near_sources.h"
#include "kernel/text/cuda_lexer.h"
#include "kernel/text/declarations.h"

namespace tilescope {
namespace {

// The launch as options of a command.
std::string options_text(const KernelFile& file, const LaunchText& launch) {
  const auto word = [](const std::string& value) {
    return value.find_first_of("{( ") != std::string::npos ? "'" + value + "'" : value;
  };
  std::string text = fmt::format("--grid {} --block {}", word(launch.grid), word(launch.block));
  const auto instance = launch_file(file, launch);
  if (instance && instance->dynamic_shared_bytes != 0) {
    text += fmt::format(" --shared {}", instance->dynamic_shared_bytes);
  }
  for (const std::string& argument : launch.arguments) text += " --arg " + word(argument);
  return text;
}

bool launches(const KernelFile& file, const std::string& kernel) {
  return !find_launch_site(file.source, kernel).grid_text.empty();
}

// The file's kernels that `kernel` may mean: itself, or where it is empty all, at most so many;
// those that the file launches first.
std::vector<std::string> kernels_meant(const KernelFile& file, const std::string& kernel) {
  constexpr std::size_t kMost = 12;
  if (!kernel.empty()) return {kernel};
  std::vector<std::string> names;
  for (const KernelSignature& signature : find_signatures(file.path, file.source)) {
    names.push_back(signature.name);
  }
  std::ranges::stable_partition(names,
                                [&](const std::string& name) { return launches(file, name); });
  names.resize(std::min(names.size(), kMost));
  return names;
}

// A device gives a block no more, and the emulator would not mind.
Status check_shared_bytes(std::uint32_t bytes, int compute_capability) {
  if (bytes == 0) return ok_status();
  const auto& resources = load_resources();
  if (!resources) return resources.error();
  const DeviceModel device = device_model_for(resources->devices, compute_capability);
  const auto most = static_cast<std::uint32_t>(device.shared_bytes_per_block_optin);
  if (bytes <= most) return ok_status();
  return usage(
      fmt::format("--shared {} is more than a block of sm_{} can use", bytes, compute_capability),
      fmt::format("The maximum is {} bytes ({})", most, device.name));
}

Result<ParameterSet> parameters_of_file(const KernelFile& file, const KernelArguments& arguments) {
  auto given = parse_parameters(arguments.parameters);
  if (!given || given->empty()) return given;
  std::string known;
  ParameterSet unknown = *given;
  for (const ParameterSpec& spec : source_parameters(file, arguments.kernel)) {
    known += (known.empty() ? "" : ", ") + spec.name;
    unknown.erase(spec.name);
  }
  if (unknown.empty()) return given;
  return usage(fmt::format("-p {}: the file has no such parameter", unknown.begin()->first),
               known.empty() ? "Use -D NAME=VALUE for a macro" : "It has " + known);
}

// `compute_capability`: becomes that of the machine code where there is no other code.
Result<KernelFile> opened_file(const std::string& path, int* compute_capability) {
  auto opened = open_kernel_file(path, *compute_capability);
  if (!opened) return std::move(opened).error();
  if (!opened->notes.empty()) print_error("{}: {}", path, opened->notes);
  const int own = opened->compute_capability;
  if (own != 0 && own != *compute_capability) {
    print_error("{}: it is machine code for sm_{}, without PTX: it is shown for that\n", path, own);
    *compute_capability = own;
  }
  return std::move(opened->file);
}

// A file as the command line names it: its text and the values of its parameters. Mistakes are
// reported before anything is compiled.
struct FileGiven {
  KernelFile file;
  ParameterSet parameters;
};
Result<FileGiven> file_given(const KernelArguments& arguments, int* capability) {
  auto file = opened_file(arguments.kernel_or_file, capability);
  if (!file) return std::move(file).error();
  if (Status fits = check_shared_bytes(arguments.shared_bytes, *capability); !fits) {
    return fits.error();
  }
  auto parameters = parameters_of_file(*file, arguments);
  if (!parameters) return std::move(parameters).error();
  return FileGiven{*std::move(file), *std::move(parameters)};
}

Result<KernelInstance> instance_of_file(const KernelArguments& arguments, int* capability) {
  if (!arguments.size.empty()) {
    return usage("--size belongs to catalogue kernels", "Use --arg for a file");
  }
  if (arguments.alpha || arguments.beta) {
    return usage("--alpha and --beta belong to catalogue kernels", "Use --arg for a file");
  }
  auto given = file_given(arguments, capability);
  if (!given) return std::move(given).error();
  LaunchText launch_given;
  launch_given.kernel = arguments.kernel;
  launch_given.grid = arguments.grid;
  launch_given.block = arguments.block;
  launch_given.dynamic_shared_bytes = arguments.shared_bytes;
  launch_given.arguments = arguments.arguments;
  launch_given.defines = arguments.defines;
  launch_given.parameters = std::move(given->parameters);
  return launch_file(given->file, launch_given, "--");
}

GemmFactors factors_given(const KernelArguments& arguments) {
  GemmFactors factors;
  if (arguments.alpha) factors["alpha"] = *arguments.alpha;
  if (arguments.beta) factors["beta"] = *arguments.beta;
  return factors;
}

// A file of many kernels is shown before all of them were tried. What is tried depends on the text
// alone, so that a file always shows the same: an instance of a template is compiled by itself,
// other kernels together.
constexpr int kMostWork = 16;
constexpr int kWorkOfInstance = 4;
constexpr std::chrono::seconds kPatience{20};  // on a machine that is slower than any foreseen

// The guessed launch of the kernel that does most, of those that were tried; one that the
// file launches before one that it only has.
struct TriedKernels {
  std::optional<LaunchTrial> most;
  std::optional<Error> first_error;
  std::size_t tried = 0;
  bool launched_alone = false;  // the file launches those that were tried, and no other
};
TriedKernels try_kernels(const KernelFile& file, const std::vector<std::string>& kernels,
                         const KernelArguments& arguments, const ParameterSet& parameters,
                         const DeviceModel& device) {
  TriedKernels all;
  const auto began = std::chrono::steady_clock::now();
  int work = 0;
  for (const std::string& name : kernels) {
    if (work >= kMostWork || std::chrono::steady_clock::now() - began > kPatience) break;
    all.launched_alone = all.most && launches(file, kernels.front()) && !launches(file, name);
    if (all.launched_alone) break;
    ++all.tried;
    LaunchForm guess = guess_launch(file, name);
    ParameterSet set = parameters;
    set.merge(guess.parameters);
    guess.parameters = std::move(set);
    // All kernels that are no templates are compiled together.
    const bool is_instance = guess.kernel.find('<') != std::string::npos;
    work += is_instance ? kWorkOfInstance : 1;
    const bool with_machine_code = kernels.size() == 1 || !is_instance;
    auto trial =
        try_launch({file, std::move(guess), arguments.defines, device, with_machine_code}, {});
    if (!trial) {
      if (!all.first_error) all.first_error = trial.error();
    } else if (!all.most || trial->warp_instructions > all.most->warp_instructions) {
      all.most = *std::move(trial);
    }
  }
  return all;
}

// Types of parameters and of templates that only host code tells: running it does.
Error with_exec(Error error, const KernelFile& file) {
  constexpr std::array<std::string_view, 4> kUntold = {
      "only host code knows", "what that holds is not known", "cannot be instantiated",
      "no instance of function template"};
  const bool is_untold = std::ranges::any_of(kUntold, [&](std::string_view words) {
    return error.message.find(words) != std::string::npos;
  });
  const bool is_made_up = error.code == ErrorCode::kCompile && error.remedy.empty() &&
                          file.source.find("template") != std::string::npos;
  const bool lacks_header = error.message.find("was not found") != std::string::npos;
  if (!(is_untold || is_made_up) || lacks_header || !has_main(file.source)) return error;
  error.remedy = fmt::format("tilescope exec {} runs the file's main() and shows its launches{}{}",
                             file.path, error.remedy.empty() ? "" : ". ", error.remedy);
  return error;
}

// A header of device functions is shown by what calls them.
Error lacks_kernel(const KernelFile& file) {
  std::vector<std::string> functions;
  for (const Declaration& one : find_declarations(tokenize(file.source))) {
    if (one.kind == Declaration::Kind::kFunction && one.is_device) {
      functions.emplace_back(one.name);
    }
  }
  const auto includer = includer_of(file.path);
  std::string message = "the file has no kernel";
  std::string remedy = "It needs a __global__ function";
  if (!functions.empty()) {
    message += fmt::format(", only device functions such as {}", functions.front());
    remedy = "Open a file with a kernel that calls them";
  }
  if (includer) remedy = fmt::format("Open {}, which includes it", includer->path);
  return {ErrorCode::kUsage, std::move(message), std::move(remedy), {file.path, 0, 0}};
}

// --kernel: is one of the file's meant, a template's instance too?
Status check_kernel_name(const KernelFile& file, const std::string& kernel) {
  std::vector<std::string> names;
  for (const KernelSignature& signature : find_signatures(file.path, file.source)) {
    names.push_back(signature.name);
  }
  if (kernel.empty() || names.empty()) return ok_status();
  const std::string name = kernel.substr(0, kernel.find('<'));
  const auto chosen = choose_entry(names, name);
  const bool is_known = chosen || chosen.error().message.starts_with("there are several");
  return is_known ? ok_status() : Status(chosen.error());
}

// A file of which no launch is said, at a guessed one that was tried.
Result<KernelInstance> guessed_instance(const KernelArguments& arguments, int* capability,
                                        bool* is_made_up) {
  if (arguments.alpha || arguments.beta) return instance_of_file(arguments, capability);
  const auto given = file_given(arguments, capability);
  if (!given) return given.error();
  const KernelFile& file = given->file;
  if (Status named = check_kernel_name(file, arguments.kernel); !named) return named.error();
  const auto& resources = load_resources();
  if (!resources) return resources.error();
  std::vector<std::string> kernels;
  const TriedKernels trials = [&] {
    const WaitingLine line("trying launches of " + file.path);
    kernels = kernels_meant(file, arguments.kernel);
    return try_kernels(file, kernels, arguments, given->parameters,
                       device_model_for(resources->devices, *capability));
  }();
  if (!trials.most) {
    if (trials.first_error) return with_exec(*trials.first_error, file);
    return lacks_kernel(file);
  }
  const std::optional<LaunchTrial>& trial = trials.most;
  if (is_made_up != nullptr) *is_made_up = trial->is_made_up;
  auto launch = launch_text(trial->launch);
  if (!launch) return launch.error();
  const std::string said = options_text(file, *launch);
  launch->defines = arguments.defines;
  if (arguments.shared_bytes != 0) {
    launch->dynamic_shared_bytes = arguments.shared_bytes;
    launch->dynamic_shared.clear();
  }
  auto instance = launch_file(file, *launch, "--");
  if (!instance) return instance;
  print_error("{}: guessed launch: {}{}\n", arguments.kernel_or_file,
              kernels.size() > 1 ? "--kernel " + launch->kernel + " " : std::string(), said);
  if (!trial->corrections.empty()) {
    print_error("{}: corrected after a trial: {}\n", arguments.kernel_or_file, trial->corrections);
  }
  if (kernels.size() > 1) {
    std::string of_those = "this one does most";
    if (trials.tried == 1) of_those = "the first was tried";
    if (trials.launched_alone) {
      of_those = trials.tried == 1 ? "it launches this one"
                                   : "of those that it launches, this one does most";
    } else if (trials.tried > 1 && trials.tried < kernels.size()) {
      of_those = fmt::format("of the first {}, this one does most", trials.tried);
    }
    constexpr std::size_t kMostNames = 100;
    const auto shown = std::min(kernels.size(), kMostNames);
    print_error(
        "{}: the file has {} kernels; {}. --kernel chooses another: {}{}\n",
        arguments.kernel_or_file, kernels.size(), of_those,
        fmt::join(kernels.begin(), kernels.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
        shown < kernels.size() ? " ..." : "");
  }
  return instance;
}

// Of a word that is neither in the catalogue nor ends as a kernel's file.
Error no_kernel(const std::string& word) {
  std::error_code ignored;
  if (!std::filesystem::exists(word, ignored)) {
    return usage(
        fmt::format("there is no kernel '{}' and no file of that name", word),
        "'tilescope list' shows the kernels; a file ends in .cu or .ptx, or holds device code");
  }
  const bool folder = std::filesystem::is_directory(word, ignored);
  return {
      ErrorCode::kUsage,
      folder ? "it is a folder, not a kernel" : "it is no file with a kernel",
      "Give a .cu or .ptx file, a cubin, or a program, library or object file with device code, "
      "or a kernel of 'tilescope list'",
      {word, 0, 0}};
}

Result<KernelInstance> instance_of_catalogue(const KernelArguments& arguments,
                                             int compute_capability) {
  const auto& resources = load_resources();
  if (!resources) return resources.error();
  const CatalogueEntry* entry = resources->catalogue.find(arguments.kernel_or_file);
  if (entry == nullptr) return no_kernel(arguments.kernel_or_file);
  const bool launch_given = !arguments.grid.empty() || !arguments.block.empty() ||
                            !arguments.arguments.empty() || !arguments.kernel.empty();
  if (launch_given) {
    return usage("--kernel, --grid, --block and --arg belong to files",
                 "A catalogue kernel takes -p NAME=VALUE and --size");
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
  auto instance = instantiate(*entry, *parameters, extents,
                              device_model_for(resources->devices, compute_capability));
  if (!instance) return instance;
  if (Status set = set_factors(factors_given(arguments), &*instance); !set) return set.error();
  return instance;
}

}  // namespace

Result<ParameterSet> parse_parameters(const std::vector<std::string>& assignments) {
  ParameterSet parameters;
  for (const std::string& assignment : assignments) {
    const auto equals = assignment.find('=');
    const bool is_set = equals != std::string::npos && equals > 0;
    const auto value =
        parse_number<std::int64_t>(is_set ? std::string_view(assignment).substr(equals + 1) : "");
    if (!value) {
      return usage(fmt::format("-p {} is not NAME=WHOLE_NUMBER", assignment));
    }
    parameters[assignment.substr(0, equals)] = *value;
  }
  return parameters;
}

void add_header_option(CommandOptions command) {
  command
      .add_option_function(
          "-I,--include",
          [](const std::vector<std::string>& folders) { give_header_folders(folders); },
          "folder with headers of the file, repeatable; folders above the file, and include, "
          "common and the like beside it, are searched anyway")
      .allow_extra_args(false);
}

void add_kernel_options(CommandOptions command, KernelArguments& arguments) {
  command
      .add_option("kernel", arguments.kernel_or_file,
                  "catalogue id (gemm/naive), or a file: .cu, .ptx, a cubin, a fat binary, or a "
                  "program or object file with device code")
      .required();
  command
      .add_option("-p,--parameter", arguments.parameters,
                  "NAME=VALUE, repeatable; file: a number of the file or its template")
      .allow_extra_args(false);  // what follows may be the kernel
  command.add_option("--size", arguments.size,
                     "catalogue kernel: N, or the sizes of its problem: RxC, MxNxK");
  command.add_option("--alpha", arguments.alpha, "GEMM: C = alpha A B + beta C; default 1");
  command.add_option("--beta", arguments.beta, "GEMM: default 0 (C is not read)");
  command.add_option("--kernel", arguments.kernel,
                     "file: the __global__ function, or name<arguments>");
  command.add_option("--grid", arguments.grid,
                     "file: blocks, X[,Y[,Z]]; expressions with macros and arguments are allowed: "
                     "ceil_div(n, TILE)");
  command.add_option("--block", arguments.block, "file: threads, X[,Y[,Z]], or expressions");
  command.add_option("--shared", arguments.shared_bytes, "file: dynamic shared memory in bytes");
  command.add_option(
      "--arg", arguments.arguments,
      "file: one per kernel argument in order; i32:5, f32:1.5, "
      "f32[4096]=zero|iota|ramp|random:SEED|@FILE, i32[4096]=i*8%4096, f32[64x64]=... with rows "
      "and columns, or a "
      "structure's members in order: '{i32:5, f32[4096]=zero}', pad:N for N unused bytes; "
      "texture:f32[WIDTHxHEIGHT]=... and surface: for objects of these, "
      "tensormap:bf16+box64x128+swizzle128[WIDTHxHEIGHT]=... for a CUtensorMap");
  command.add_option("-D,--define", arguments.defines, "file: macro NAME=VALUE, repeatable");
  add_header_option(command);
  command.add_option("--arch", arguments.architecture, "architecture, from sm_75");
}

Result<int> parse_architecture(std::string_view text) {
  // sm_90a: what sm_90 alone has is used wherever a kernel asks for it.
  const std::string_view number = text.substr(0, text.size() - (text.ends_with('a') ? 1 : 0));
  const bool is_named = number.starts_with("sm_");
  const auto value = parse_number<int>(is_named ? number.substr(3) : "");
  if (!value || *value < 75) {
    return usage(fmt::format("--arch {} is not an architecture from sm_75", text),
                 "For example --arch sm_90");
  }
  auto compiler = compiler_info();
  if (!compiler) return *value;  // without a compiler another message is due first
  const auto& known = compiler->architectures;
  if (!known.empty() && std::find(known.begin(), known.end(), *value) == known.end()) {
    return usage(fmt::format("--arch {}: {} does not know it", text, compiler->version),
                 fmt::format("It knows sm_{}", fmt::join(known, ", sm_")));
  }
  return *value;
}

Result<KernelInstance> resolve_instance(const KernelArguments& arguments, int* compute_capability) {
  auto architecture = parse_architecture(arguments.architecture);
  if (!architecture) return std::move(architecture).error();
  *compute_capability = *architecture;
  return can_be_opened(arguments.kernel_or_file) ? instance_of_file(arguments, compute_capability)
                                                 : instance_of_catalogue(arguments, *architecture);
}

Result<KernelInstance> resolve_or_guess(const KernelArguments& arguments, int* compute_capability,
                                        bool* is_made_up) {
  const bool nothing_said =
      arguments.grid.empty() && arguments.block.empty() && arguments.arguments.empty();
  if (!nothing_said || !arguments.size.empty() || !can_be_opened(arguments.kernel_or_file)) {
    return resolve_instance(arguments, compute_capability);
  }
  const auto architecture = parse_architecture(arguments.architecture);
  if (!architecture) return architecture.error();
  *compute_capability = *architecture;
  return guessed_instance(arguments, compute_capability, is_made_up);
}

}  // namespace tilescope

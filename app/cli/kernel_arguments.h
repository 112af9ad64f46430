#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "kernel/catalogue/catalogue.h"
#include "kernel/launch/instance.h"

namespace tilescope {

class CommandOptions;

// "KERNEL|FILE [-p NAME=V]... [--size S] [--alpha A] [--beta B] [--kernel NAME --grid X,Y,Z --block
// X,Y,Z --shared BYTES
// --arg SPEC... -D N=V... --arch sm_90]": shared by trace, run and export.
struct KernelArguments {
  std::string kernel_or_file;
  std::vector<std::string> parameters;
  std::string size;
  std::string kernel;
  std::string grid;
  std::string block;
  std::uint32_t shared_bytes = 0;
  std::vector<std::string> arguments;
  std::vector<std::string> defines;
  std::optional<double> alpha;  // of a GEMM of the catalogue; empty: 1
  std::optional<double> beta;   // empty: 0
  std::string architecture = "sm_90";
};
void add_kernel_options(CommandOptions command, KernelArguments& arguments);

// -I FOLDER (kernel/source/header_folders.h).
void add_header_option(CommandOptions command);

// -p "NAME=WHOLE_NUMBER", each. kUsage names the one that is not.
[[nodiscard]] Result<ParameterSet> parse_parameters(const std::vector<std::string>& assignments);

// The instance that the arguments describe, with every mistake named. `compute_capability` out.
[[nodiscard]] Result<KernelInstance> resolve_instance(const KernelArguments& arguments,
                                                      int* compute_capability);

// The same, but a file without a launch gets a guessed one (analysis/study/launch_trial.h), of the
// kernel that does most where several are meant; stderr says which. `is_made_up`:
// LaunchTrial::is_made_up; false where the launch is given.
[[nodiscard]] Result<KernelInstance> resolve_or_guess(const KernelArguments& arguments,
                                                      int* compute_capability,
                                                      bool* is_made_up = nullptr);

}  // namespace tilescope

#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/paths.h"
#include "kernel/compile_cache.h"
#include "kernel/device_program.h"
#include "kernel/kernel_name.h"
#include "kernel/nvrtc_library.h"

namespace tilescope {

// All that decides what a compilation gives: over the files as they are, not as they end up, for
// what is set aside follows from them.
[[nodiscard]] std::string cache_digest(const NvrtcFacts& nvrtc, const DeviceProgram& program,
                                       const std::vector<std::string>& options,
                                       const std::vector<std::string>& cuda_folders,
                                       const std::string& kernel);

// Compiled modules of a request on disk: one for all kernels that are compiled with their files,
// and one for each instance of a template.
class RequestCache {
 public:
  // Digests of the files and options alone, and with the choice; the choice must outlive this.
  RequestCache(const KernelChoice& choice, std::string of_files, std::string of_choice)
      : choice_(choice), of_files_(std::move(of_files)), of_choice_(std::move(of_choice)) {}

  // What nobody else should compile meanwhile.
  [[nodiscard]] const std::string& digest() const {
    return choice_.is_in_module ? of_files_ : of_choice_;
  }

  struct Found {
    CompiledModule module;
    std::string entry;
  };
  [[nodiscard]] std::optional<Found> find() const;

  // A kernel whose name the compiler decorates (an unnamed namespace's) is found by that name
  // alone.
  void store(CompiledModule module) const;

 private:
  [[nodiscard]] std::optional<std::string> entry_of(const CompiledModule& module) const;

  const KernelChoice& choice_;
  std::string of_files_;
  std::string of_choice_;
  CompileCache cache_{cache_directory() / "compiled"};
};

}  // namespace tilescope

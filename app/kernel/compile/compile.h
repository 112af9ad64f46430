#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/result.h"
#include "kernel/launch/instance.h"

namespace tilescope {

// What ptxas says a kernel needs (NVRTC's program log with --ptxas-options=-v).
struct KernelResources {
  int registers = 0;            // per thread
  int static_shared_bytes = 0;  // per block
  int spill_store_bytes = 0;    // per thread
  int spill_load_bytes = 0;
  int stack_bytes = 0;
};

struct IncludedFiles;  // kernel/compile/device_program.h

struct CompiledKernel {
  std::string ptx;               // always
  std::vector<std::byte> cubin;  // when asked for
  std::string why_no_cubin;      // of PTX that was handed in, where it was asked for
  std::string kernel;            // lowered (mangled) entry name in both
  KernelResources resources;     // with the cubin; zeros without
  bool has_resources = false;
  std::string architecture;  // "sm_90"
  std::string compiler;      // "NVRTC 13.0"
  std::string log;           // warnings
  std::string why_nvcc;      // NVRTC's complaint, where nvcc had to compile it
  std::string notes;         // what the compiler got otherwise than the file has it: a line each
  // The person's own headers that it was made of; nullptr: of the source alone.
  std::shared_ptr<const IncludedFiles> included;
  double seconds = 0;  // 0 when it came from the cache
  bool from_cache = false;

  // Compiled as far as it will be: the cubin is there, or a driver is left to make one of the PTX.
  [[nodiscard]] bool can_be_loaded() const { return !cubin.empty() || !why_no_cubin.empty(); }
};

// 90 of "sm_90" and of "sm_90a"; 0: it has none.
[[nodiscard]] int compute_capability_of(const CompiledKernel& compiled);

struct CompileRequest {
  KernelInstance instance;
  int compute_capability = 90;
  bool want_cubin = false;      // PTX alone is faster and enough to emulate
  bool is_relocatable = false;  // what it calls may be in another source, as with nvcc -rdc=true
};

// Compiles with NVRTC (line information on), with nvcc where NVRTC cannot and there is one
// (kernel/compile/nvcc.h), or passes PTX text through (kernel/compile/opened_ptx.h). Any .cu file
// is accepted as people have it: host code, main and host headers are set aside, line numbers stay.
// Results are cached on disk under cache_directory()/compiled by source, options, NVRTC version and
// architecture. Errors: kCompile with file and line of the first compiler error; kMachine when no
// NVRTC is found; kUsage when the kernel takes no such launch (kernel/launch/launch_fit.h).
// Thread-safe. NVRTC cannot be interrupted: a stop request is honoured before and after it.
[[nodiscard]] Result<CompiledKernel> compile(const CompileRequest& request, std::stop_token stop);

// "NVRTC refuses the file (...): nvcc compiled it, whose code is not always the same.", and the
// compiled kernel's notes. Empty where NVRTC compiled the file as it is.
[[nodiscard]] std::string note_on_compiler(const CompiledKernel& compiled);

// "NVRTC 13.0 (path)", or why there is none; the architectures it knows (75, 80 ...).
struct CompilerInfo {
  std::string version;
  std::string library;
  std::string cuda_include_directory;  // empty: kernels can include no CUDA header
  std::vector<int> architectures;
};
[[nodiscard]] Result<CompilerInfo> compiler_info();

// All that NVRTC finds wrong with a text, in its order, where compile() names the first: an error a
// place, kCompile. [] where it compiles or no place is known. Takes as long as compiling, or no
// time where compile() was asked the same.
[[nodiscard]] std::vector<Error> compile_errors(const CompileRequest& request,
                                                std::stop_token stop);

// The same of a text that compile() has nvcc try after NVRTC, which takes a second or more: what is
// said until that is known. [] where nvcc is not asked, or its answer is kept already.
[[nodiscard]] std::vector<Error> complaints_before_nvcc(const CompileRequest& request,
                                                        std::stop_token stop);

}  // namespace tilescope

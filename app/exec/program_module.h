#pragma once
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "core/result.h"
#include "emulator/module_variables.h"
#include "emulator/program.h"
#include "exec/device_heap.h"
#include "kernel/compile/fat_binary.h"

namespace tilescope {

// A kernel of a module, and what its compiled form needs.
struct ProgramKernel {
  std::string symbol;   // mangled
  std::string name;     // "sgemm<32>(float*, int)"
  std::string variant;  // "BLOCK=128 num_warps=4"; empty: the name says it all
  std::shared_ptr<const Program> program;
  int registers = 0;  // 0: no cubin says
  std::uint64_t static_shared_bytes = 0;
  std::uint64_t constant_bytes = 0;
  bool uses_variables = false;     // __constant__ or __device__ ones
  std::uint32_t most_threads = 0;  // .maxntid, .reqntid; 0: it does not say
  struct ParameterName {
    std::string name;                        // "C"; empty: not known
    ElementType element = ElementType::kU8;  // behind a pointer; kU8: not known
    ElementType number = ElementType::kU8;   // of a number
  };
  std::string source_file;  // that it is written in; empty: not known, or gone
  std::vector<ParameterName> parameters;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> constants;  // address of each constant that
                                                                   // it uses, offset in its image
};

// The device code of one module that a program has registered or loaded: its PTX, linked where nvcc
// compiled translation units apart, or its machine code where it has no PTX; its variables in the
// device's memory, its kernels as they are asked for: a library's module has hundreds.
class ProgramModule {
 public:
  // `bytes`: a fat binary, a cubin, or texts of PTX with a zero between. Errors (kKernel): none of
  // these; no code that the device takes, with what to compile for; machine code in which no
  // kernel can be followed. kMachine: those of machine_code_as_ptx().
  [[nodiscard]] static Result<std::unique_ptr<ProgramModule>> load(std::span<const std::byte> bytes,
                                                                   int compute_capability,
                                                                   DeviceHeap& heap);

  // `cluster`: of the launch, where it asks for one. Errors: there is no such kernel, or it takes
  // more memory than there is. The kernel stays where it is.
  [[nodiscard]] Result<const ProgramKernel*> kernel(const std::string& symbol,
                                                    std::optional<Dim3> cluster = {});
  // What its language calls the kernel's parameters; other names stay. Precondition: kernel() has
  // found it.
  void describe(const std::string& symbol, const std::string& variant,
                const std::vector<ProgramKernel::ParameterName>& parameters);
  // A function of the module as that kernel's code numbers them; empty: there is none.
  [[nodiscard]] static std::string function_name(const ProgramKernel& kernel,
                                                 std::uint32_t function);
  // Of a variable; nullptr: there is none.
  [[nodiscard]] const ModuleVariable* variable(const std::string& symbol) const;

  // The text that a kernel is decoded from. Precondition: kernel() has found it.
  [[nodiscard]] const std::string& text_of(const std::string& symbol) const;
  [[nodiscard]] const std::vector<std::byte>& cubin() const { return cubin_; }
  // The module has no PTX.
  [[nodiscard]] bool is_machine_code() const { return ptx_.empty(); }
  [[nodiscard]] int ptx_capability() const { return ptx_capability_; }

 private:
  [[nodiscard]] Status place_variables(DeviceHeap& heap);
  // text_of(); machine code is lifted here when it is first asked for. "" means any kernel.
  [[nodiscard]] Result<std::string_view> find_text(const std::string& symbol);

  std::string ptx_;  // empty: there is machine code alone
  int ptx_capability_ = 0;
  std::vector<std::byte> cubin_;
  std::map<std::string, std::string> lifted_;  // machine code as PTX, by kernel
  std::vector<ModuleVariable> variables_;
  ProgramPlacement placement_;
  using Key = std::tuple<std::string, std::uint32_t, std::uint32_t, std::uint32_t>;
  std::map<Key, ProgramKernel> kernels_;
};

}  // namespace tilescope

#include "kernel/compile/opened_ptx.h"

#include <fmt/format.h>

#include <utility>

#include "kernel/compile/assemble.h"
#include "kernel/compile/compile_log.h"
#include "kernel/compile/device_code.h"
#include "kernel/compile/fat_binary.h"
#include "kernel/cubin/cubin.h"
#include "kernel/source/kernel_name.h"
#include "ptx/parser.h"

namespace tilescope {
namespace {

// The cubin that the PTX was made from.
void add_own_cubin(CompiledKernel& compiled, const MachineCodeOrigin& origin) {
  auto cubin = cubin_of(origin);
  if (!cubin) {
    compiled.why_no_cubin = to_string(cubin.error());
    return;
  }
  compiled.cubin = *std::move(cubin);
  const CubinFacts facts = facts_of_cubin(compiled.cubin, compiled.kernel);
  compiled.has_resources = facts.is_found;
  compiled.resources.registers = facts.registers;
  compiled.resources.static_shared_bytes = static_cast<int>(facts.static_shared_bytes);
  compiled.resources.stack_bytes = static_cast<int>(facts.stack_bytes);
}

// A picture needs no cubin, so that where there is none only its reason is kept.
Status add_cubin(CompiledKernel& compiled, const CompileRequest& request,
                 const std::stop_token& stop) {
  const std::string architecture =
      assembled_architecture(compiled.architecture, request.compute_capability);
  auto assembled = assemble(compiled.ptx, architecture, stop);
  if (!assembled) {
    Error error = std::move(assembled).error();
    if (error.code == ErrorCode::kCancelled) return error;
    if (error.place.line != 0) error.place.file = request.instance.file_name;
    compiled.why_no_cubin = to_string(error);
    return ok_status();
  }
  compiled.architecture = architecture;
  compiled.cubin = std::move(assembled->cubin);
  if (const auto needs = find_resources(assembled->log, compiled.kernel)) {
    compiled.resources = *needs;
    compiled.has_resources = true;
  }
  return ok_status();
}

}  // namespace

Result<CompiledKernel> open_ptx(const CompileRequest& request, const std::stop_token& stop) {
  return open_ptx(request.instance.source, request, stop);
}

Result<CompiledKernel> open_ptx(std::string ptx, const CompileRequest& request,
                                const std::stop_token& stop) {
  const KernelInstance& instance = request.instance;
  CompiledKernel compiled;
  compiled.ptx = std::move(ptx);
  const PtxModule module = read_what_is_ptx(compiled.ptx, PtxBodies::kSkip);
  compiled.architecture = module.target;
  if (module.target.empty() || module.version.empty()) {
    return Error{ErrorCode::kKernel,
                 "the file is no PTX: .version or .target is missing",
                 "",
                 {instance.file_name, 0, 0}};
  }
  compiled.compiler = fmt::format("PTX {}", module.version);
  Result<std::string> entry = choose_entry(find_entries(compiled.ptx), instance.kernel);
  if (!entry) {
    Error error = std::move(entry).error();
    error.place.file = instance.file_name;
    return error;
  }
  compiled.kernel = std::move(entry).value();
  if (const auto origin = machine_code_origin(compiled.ptx)) {
    compiled.compiler = fmt::format("machine code for sm_{}", origin->compute_capability);
    if (request.want_cubin) add_own_cubin(compiled, *origin);
  } else if (request.want_cubin) {
    if (Status added = add_cubin(compiled, request, stop); !added) return std::move(added).error();
  }
  return compiled;
}

}  // namespace tilescope

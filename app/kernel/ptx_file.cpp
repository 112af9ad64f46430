#include "kernel/ptx_file.h"

#include <fmt/format.h>

#include "kernel/assemble.h"
#include "kernel/compile_log.h"
#include "kernel/kernel_name.h"
#include "ptx/parser.h"

namespace tilescope {
namespace {

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
  if (request.want_cubin) {
    if (Status added = add_cubin(compiled, request, stop); !added) return std::move(added).error();
  }
  return compiled;
}

}  // namespace tilescope

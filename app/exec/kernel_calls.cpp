#include "exec/kernel_calls.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/occupancy/occupancy.h"
#include "core/quantity.h"
#include "exec/arena.h"
#include "exec/shown_device.h"
#include "kernel/source/kernel_name.h"
#include "runtime/cuda_abi.h"

namespace tilescope {

namespace wire = runtime;

KernelCalls::KernelCalls(DeviceHeap& heap, Launcher& launcher, MemoryCalls& memory,
                         const DeviceModel& device, HostProblems& problems,
                         std::function<void(const Launcher::Outcome&)> on_launch)
    : heap_(heap),
      launcher_(launcher),
      memory_(memory),
      device_(device),
      facts_(facts_of(device)),
      problems_(problems),
      on_launch_(std::move(on_launch)) {}

Answer KernelCalls::load(std::span<const std::byte> bytes) {
  auto module = ProgramModule::load(bytes, device_.compute_capability, heap_);
  Answer made;
  made.add(wire::ModuleReply{static_cast<std::uint32_t>(modules_.size())});
  module_errors_.push_back(module ? Error{} : module.error());
  modules_.push_back(module ? *std::move(module) : nullptr);
  return made;
}

Answer KernelCalls::function(const wire::FunctionRequest& request, const std::string& symbol) {
  if (request.module >= modules_.size()) return refusal(wire::kInvalidDeviceFunction);
  ProgramModule* module = modules_[request.module].get();
  const auto refuse = [&](const Error& why, int error) {
    problems_.note(
        {.kind = HostProblem::Kind::kNotSupported,
         .message = fmt::format("{} cannot be launched: {}",
                                name_without_parameters(demangle(symbol)), to_string(why)),
         .is_mistake = false,
         .is_incomplete = true});
    return refusal(error);
  };
  if (module == nullptr)
    return refuse(module_errors_[request.module], wire::kNoKernelImageForDevice);
  const auto kernel = module->kernel(symbol);
  if (!kernel) return refuse(kernel.error(), wire::kInvalidKernelImage);
  const ProgramKernel& found = **kernel;
  wire::FunctionReply reply;
  reply.function = static_cast<std::uint32_t>(kernels_.size());
  kernels_.push_back({module, symbol});
  reply.parameters = static_cast<std::uint32_t>(found.program->parameters().size());
  reply.registers = found.registers;
  reply.static_shared = static_cast<std::int32_t>(found.static_shared_bytes);
  reply.constant_bytes = static_cast<std::int32_t>(found.constant_bytes);
  reply.most_threads = found.most_threads == 0 ? facts_.threads_per_block
                                               : static_cast<std::int32_t>(found.most_threads);
  if (found.registers > 0) {
    const int fit = facts_.registers_per_block / ((found.registers + 7) / 8 * 8) / 32 * 32;
    reply.most_threads = std::min(reply.most_threads, fit);
  }
  reply.ptx_version = module->ptx_capability();
  reply.binary_version = device_.compute_capability;
  Answer made;
  made.add(reply);
  for (const KernelParameter& parameter : found.program->parameters())
    made.add(wire::ParameterPlace{parameter.offset, parameter.bytes});
  return made;
}

Answer KernelCalls::variable(const wire::VariableRequest& request, const std::string& symbol) {
  if (request.module >= modules_.size() || modules_[request.module] == nullptr)
    return refusal(wire::kInvalidSymbol);
  const ModuleVariable* found = modules_[request.module]->variable(symbol);
  if (found == nullptr) return refusal(wire::kInvalidSymbol);
  Answer made;
  made.add(wire::Range{found->address, found->bytes});
  return made;
}

std::optional<int> KernelCalls::configuration_error(const wire::LaunchRequest& request,
                                                    const ProgramKernel& kernel) const {
  const auto* block = request.block;
  const auto* grid = request.grid;
  const std::uint64_t threads = std::uint64_t{block[0]} * block[1] * block[2];
  const auto most = static_cast<std::uint64_t>(facts_.threads_per_block);
  if (threads == 0 || threads > most || block[0] > most || block[1] > most || block[2] > 64)
    return wire::kInvalidConfiguration;
  if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0 || grid[0] > 0x7fffffff || grid[1] > 65535 ||
      grid[2] > 65535)
    return wire::kInvalidConfiguration;
  if (kernel.most_threads != 0 && threads > kernel.most_threads) return wire::kInvalidValue;
  const std::uint64_t shared = kernel.static_shared_bytes + request.shared_bytes;
  const auto plain = static_cast<std::uint64_t>(facts_.shared_per_block);
  if (shared > std::max(plain, request.shared_limit + kernel.static_shared_bytes))
    return wire::kInvalidValue;
  if (kernel.registers > 0) {
    const std::uint64_t registers = (static_cast<std::uint64_t>(kernel.registers) + 7) / 8 * 8;
    const std::uint64_t warps = (threads + 31) / 32;
    if (registers * 32 * warps > static_cast<std::uint64_t>(facts_.registers_per_block))
      return wire::kLaunchOutOfResources;
  }
  if (request.is_cooperative != 0) {
    OccupancyRequest wanted;
    wanted.threads_per_block = static_cast<int>(threads);
    wanted.registers_per_thread = std::max(kernel.registers, 16);
    wanted.static_shared_bytes = static_cast<int>(kernel.static_shared_bytes);
    wanted.dynamic_shared_bytes = static_cast<int>(request.shared_bytes);
    const auto fits = occupancy(device_, wanted);
    const std::uint64_t blocks = std::uint64_t{grid[0]} * grid[1] * grid[2];
    if (fits && blocks > static_cast<std::uint64_t>(fits->blocks_per_multiprocessor) *
                             static_cast<std::uint64_t>(facts_.multiprocessors))
      return wire::kCooperativeLaunchTooLarge;
  }
  return std::nullopt;
}

// What a GPU would stop the kernel for. An access that only leaves its allocation is none: a GPU
// sees it where a page ends.
int KernelCalls::error_of(const Launcher::Outcome& outcome) const {
  if (!outcome.complaints.empty()) return wire::kAssert;
  for (const Finding& finding : outcome.findings) {
    if (finding.kind == FindingKind::kEndless) return wire::kLaunchTimeout;
    if (finding.kind == FindingKind::kMisaligned && finding.address)
      return wire::kMisalignedAddress;
    if (finding.kind != FindingKind::kOutOfBounds || !finding.address) continue;
    const std::uint64_t address = *finding.address;
    // Pages stay mapped when what lay in them has been freed.
    constexpr std::uint64_t kPage = std::uint64_t{2} << 20;
    const Allocation* before = heap_.nearest(address);
    const bool in_page =
        (before != nullptr &&
         address < (before->address + before->bytes + kPage - 1) / kPage * kPage) ||
        heap_.find_freed(address) != nullptr;
    if (!in_page) return wire::kIllegalAddress;
  }
  if (!outcome.complete) {
    const auto stops = [](const Finding& finding) {
      return finding.kind == FindingKind::kUnsupported &&
             finding.message.starts_with("the kernel stops");
    };
    return std::ranges::any_of(outcome.findings, stops) ? wire::kLaunchFailure
                                                        : wire::kNotSupported;
  }
  return wire::kSuccess;
}

void KernelCalls::explain_addresses(std::vector<Finding>& findings) const {
  for (Finding& finding : findings) {
    if (!finding.address || finding.kind != FindingKind::kOutOfBounds) continue;
    const std::uint64_t address = *finding.address;
    if (const Allocation* freed = heap_.find_freed(address)) {
      const std::string verb = finding.message.substr(0, finding.message.find(' '));
      finding.message = fmt::format("{} byte {} of {}, which has been freed", verb,
                                    format_count(address - freed->address), freed->description());
    } else if (address < 4096) {
      finding.message = "uses a null pointer: " + finding.message;
    } else if (!Arena::holds(address)) {
      finding.message +=
          ": a host pointer, which the device cannot follow; copy the data with cudaMemcpy";
    }
  }
}

Answer KernelCalls::launch(const wire::LaunchRequest& request,
                           std::span<const std::byte> parameters, const std::stop_token& stop) {
  if (request.function >= kernels_.size()) return refusal(wire::kInvalidDeviceFunction);
  const Kernel& wanted = kernels_[request.function];
  std::optional<Dim3> cluster;
  if (request.cluster[0] != 0)
    cluster = Dim3{request.cluster[0], request.cluster[1], request.cluster[2]};
  const auto kernel = wanted.module->kernel(wanted.symbol, cluster);
  if (!kernel) return refusal(wire::kInvalidKernelImage);
  if (const auto error = configuration_error(request, **kernel)) return refusal(*error);
  Launcher::Request launch;
  launch.module = wanted.module;
  launch.kernel = *kernel;
  launch.grid = {request.grid[0], request.grid[1], request.grid[2]};
  launch.block = {request.block[0], request.block[1], request.block[2]};
  if (cluster) launch.cluster = *cluster;
  launch.shared_bytes = request.shared_bytes;
  launch.is_cooperative = request.is_cooperative != 0;
  launch.parameters = parameters;
  Launcher::Outcome outcome = launcher_.launch(launch, stop);
  explain_addresses(outcome.findings);
  for (const Finding& finding : outcome.findings) {
    for (Finding& kept : outcome.group->findings) {
      if (kept.kind == finding.kind && kept.instruction == finding.instruction)
        kept.message = finding.message;
    }
  }
  if (!outcome.why_not.empty()) {
    problems_.note(
        {.kind = HostProblem::Kind::kNotSupported,
         .message = fmt::format("launch {} ({}) cannot be emulated: {}", launcher_.launches(),
                                name_without_parameters((*kernel)->name), outcome.why_not),
         .is_mistake = false,
         .is_incomplete = true});
    return refusal(wire::kNotSupported);
  }
  wire::LaunchReply reply;
  reply.later_error = error_of(outcome);
  if (reply.later_error != wire::kSuccess) {
    problems_.kernel_failed(reply.later_error);
    problems_.note(
        {.kind = HostProblem::Kind::kFailedLaunch,
         .message = fmt::format("launch {} ({}) ends with {}: from here on every call gives it, as "
                                "on a GPU",
                                launcher_.launches(), name_without_parameters((*kernel)->name),
                                cuda_error_name(reply.later_error)),
         .caller = request.caller,
         .is_mistake = false});
  }
  reply.printed = static_cast<std::uint32_t>(outcome.printed.size());
  reply.complaints = static_cast<std::uint32_t>(outcome.complaints.size());
  reply.seconds = outcome.modelled_seconds;
  std::vector<wire::Range> close;
  for (const Allocation* used : outcome.host_visible) {
    if (!Arena::holds(used->address) || used->kind != Allocation::Kind::kManaged) continue;
    const wire::Range range{used->address, (used->bytes + 4095) / 4096 * 4096};
    close.push_back(range);
    memory_.close(range, request.stream,
                  fmt::format("launch {} ({})", launcher_.launches(),
                              name_without_parameters((*kernel)->name)));
  }
  reply.protect = static_cast<std::uint32_t>(close.size());
  Answer made;
  made.add(reply);
  for (const wire::Range& range : close) made.add(range);
  made.add_text(outcome.printed);
  made.add_text(outcome.complaints);
  if (on_launch_) on_launch_(outcome);
  return made;
}

Answer KernelCalls::blocks_that_fit(const wire::OccupancyRequest& request) {
  if (request.function >= kernels_.size()) return refusal(wire::kInvalidDeviceFunction);
  const Kernel& wanted = kernels_[request.function];
  const auto kernel = wanted.module->kernel(wanted.symbol);
  if (!kernel) return refusal(wire::kInvalidKernelImage);
  OccupancyRequest asked;
  asked.threads_per_block = static_cast<int>(request.threads);
  asked.registers_per_thread = std::max((*kernel)->registers, 16);
  asked.static_shared_bytes = static_cast<int>((*kernel)->static_shared_bytes);
  asked.dynamic_shared_bytes = static_cast<int>(request.shared_bytes);
  const auto found = occupancy(device_, asked);
  Answer made;
  made.add(wire::OccupancyReply{found ? found->blocks_per_multiprocessor : 0});
  return made;
}

}  // namespace tilescope

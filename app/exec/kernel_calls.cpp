#include "exec/kernel_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "analysis/occupancy/occupancy.h"
#include "core/buffer_recipe.h"
#include "core/launch_limits.h"
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

Answer KernelCalls::load(const wire::ModuleRequest& request, std::span<const std::byte> bytes) {
  auto module = ProgramModule::load(bytes, device_.compute_capability, heap_);
  Answer made;
  // The runtime library says it with the first launch; the driver library at once.
  if (!module && request.is_loaded != 0) {
    problems_.note({.kind = HostProblem::Kind::kNotSupported,
                    .message = "a module cannot be loaded: " + to_string(module.error()),
                    .is_mistake = false,
                    .is_incomplete = true});
  }
  const std::int32_t error = module ? wire::kSuccess : wire::kNoKernelImageForDevice;
  made.add(wire::ModuleReply{static_cast<std::uint32_t>(modules_.size()), error});
  module_errors_.push_back(module ? Error{} : module.error());
  modules_.push_back(module ? *std::move(module) : nullptr);
  return made;
}

Answer KernelCalls::function(const wire::FunctionRequest& request, const std::string& symbol) {
  if (request.module >= modules_.size()) return refusal(wire::kInvalidDeviceFunction);
  ProgramModule* module = modules_[request.module].get();
  const auto refuse = [&](const Error& why, int error) {
    problems_.note({.kind = HostProblem::Kind::kNotSupported,
                    .message = fmt::format("{} cannot be launched: {}",
                                           short_name(demangle(symbol)), to_string(why)),
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

Answer KernelCalls::describe(const wire::DescribeRequest& request, const std::string& text) {
  if (request.function >= kernels_.size()) return refusal(wire::kInvalidDeviceFunction);
  std::istringstream lines(text);
  std::string variant;
  std::getline(lines, variant);
  std::vector<ProgramKernel::ParameterName> parameters;
  for (std::string line; std::getline(lines, line);) {
    ProgramKernel::ParameterName& parameter = parameters.emplace_back();
    const std::size_t space = std::min(line.find(' '), line.size());
    parameter.name = line.substr(0, space);
    const bool is_number = line.compare(space, 2, " =") == 0;
    const auto type = parse_element_type(line.substr(std::min(space + 1 + is_number, line.size())));
    if (type) (is_number ? parameter.number : parameter.element) = *type;
  }
  const Kernel& described = kernels_[request.function];
  described.module->describe(described.symbol, variant, parameters);
  return {};
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

std::optional<int> KernelCalls::configuration_error(const Launcher::Request& request,
                                                    std::uint64_t shared_limit) const {
  const ProgramKernel& kernel = *request.kernel;
  const Dim3& block = request.block;
  const Dim3& grid = request.grid;
  const std::uint64_t threads = block.count();
  if (!can_be_block(block) || !can_be_grid(grid)) return wire::kInvalidConfiguration;
  if (kernel.most_threads != 0 && threads > kernel.most_threads) return wire::kInvalidValue;
  const std::uint64_t shared = kernel.static_shared_bytes + request.shared_bytes;
  const auto plain = static_cast<std::uint64_t>(facts_.shared_per_block);
  if (shared > std::max(plain, shared_limit + kernel.static_shared_bytes))
    return wire::kInvalidValue;
  if (kernel.registers > 0) {
    const std::uint64_t registers = (static_cast<std::uint64_t>(kernel.registers) + 7) / 8 * 8;
    const std::uint64_t warps = (threads + 31) / 32;
    if (registers * 32 * warps > static_cast<std::uint64_t>(facts_.registers_per_block))
      return wire::kLaunchOutOfResources;
  }
  if (request.is_cooperative) {
    OccupancyRequest wanted;
    wanted.threads_per_block = static_cast<int>(threads);
    wanted.registers_per_thread = std::max(kernel.registers, 16);
    wanted.static_shared_bytes = static_cast<int>(kernel.static_shared_bytes);
    wanted.dynamic_shared_bytes = static_cast<int>(request.shared_bytes);
    const auto fits = occupancy(device_, wanted);
    if (fits && grid.count() > static_cast<std::uint64_t>(fits->blocks_per_multiprocessor) *
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
  if (outcome.complete) return wire::kSuccess;
  const bool traps = std::ranges::any_of(
      outcome.findings, [](const Finding& one) { return one.kind == FindingKind::kTrap; });
  return traps ? wire::kLaunchFailure : wire::kNotSupported;
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
    } else if (const Allocation* before = heap_.nearest(address);
               !Arena::holds(address) &&
               (before == nullptr || before->kind != Allocation::Kind::kLent)) {
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
  Launcher::Request launch;
  launch.module = wanted.module;
  launch.kernel = *kernel;
  launch.grid = {request.grid[0], request.grid[1], request.grid[2]};
  launch.block = {request.block[0], request.block[1], request.block[2]};
  if (cluster) launch.cluster = *cluster;
  launch.shared_bytes = request.shared_bytes;
  launch.is_cooperative = request.is_cooperative != 0;
  launch.parameters = parameters;
  if (const auto error = configuration_error(launch, request.shared_limit)) return refusal(*error);
  Done done;
  std::vector<Waiting> waiting;  // the last is the next
  const Origin origin{wanted.module, *kernel, 0, request.stream, request.caller};
  if (!execute(launch, origin, stop, &done, &waiting)) return refusal(wire::kNotSupported);
  while (!waiting.empty() && done.later_error == wire::kSuccess) {
    const Waiting next = std::move(waiting.back());
    waiting.pop_back();
    do_work(next, stop, &done, &waiting);
  }
  wire::LaunchReply reply;
  reply.later_error = done.later_error;
  reply.printed = static_cast<std::uint32_t>(done.printed.size());
  reply.complaints = static_cast<std::uint32_t>(done.complaints.size());
  reply.seconds = done.seconds;
  reply.protect = static_cast<std::uint32_t>(done.close.size());
  Answer made;
  made.add(reply);
  for (const wire::Range& range : done.close) made.add(range);
  made.add_text(done.printed);
  made.add_text(done.complaints);
  return made;
}

// Executes one launch; what its threads ask for is added to `waiting`. False: it cannot be
// emulated.
bool KernelCalls::execute(const Launcher::Request& request, const Origin& origin,
                          const std::stop_token& stop, Done* done, std::vector<Waiting>* waiting) {
  Launcher::Outcome outcome = launcher_.launch(request, stop);
  const std::uint64_t number = launcher_.launches();
  const std::string name = short_name(request.kernel->name);
  explain_addresses(outcome.findings);
  for (const Finding& finding : outcome.findings) {
    for (Finding& kept : outcome.group->findings) {
      if (kept.kind == finding.kind && kept.instruction == finding.instruction)
        kept.message = finding.message;
    }
  }
  if (!outcome.why_not.empty()) {
    problems_.note({.kind = HostProblem::Kind::kNotSupported,
                    .message = fmt::format("launch {} ({}) cannot be emulated: {}", number, name,
                                           outcome.why_not),
                    .is_mistake = false,
                    .is_incomplete = true});
    return false;
  }
  done->later_error = error_of(outcome);
  if (done->later_error != wire::kSuccess) {
    problems_.kernel_failed(done->later_error);
    problems_.note(
        {.kind = HostProblem::Kind::kFailedLaunch,
         .message = fmt::format("launch {} ({}) ends with {}: from here on every call gives it, as "
                                "on a GPU",
                                number, name, cuda_error_name(done->later_error)),
         .caller = origin.caller,
         .is_mistake = false});
  }
  done->printed += outcome.printed;
  done->complaints += outcome.complaints;
  done->seconds += outcome.modelled_seconds;
  for (const Allocation* used : outcome.host_visible) {
    if (!Arena::holds(used->address) || used->kind != Allocation::Kind::kManaged) continue;
    const wire::Range range{used->address, (used->bytes + 4095) / 4096 * 4096};
    done->close.push_back(range);
    memory_.close(range, origin.stream, fmt::format("launch {} ({})", number, name));
  }
  // A launch is over when all that it has launched is: its work comes before what waits already.
  // Tail launches come after the others.
  const Origin here{request.module, request.kernel, number, origin.stream, origin.caller};
  for (const bool is_tail : {true, false}) {
    for (std::size_t i = outcome.device_work.size(); i-- > 0;) {
      if (outcome.device_work[i].is_tail() == is_tail)
        waiting->push_back({std::move(outcome.device_work[i]), here});
    }
  }
  if (on_launch_) on_launch_(outcome);
  return true;
}

void KernelCalls::do_work(const Waiting& waiting, const std::stop_token& stop, Done* done,
                          std::vector<Waiting>* more) {
  const DeviceWork& work = waiting.work;
  const Origin& origin = waiting.origin;
  const auto refuse = [&](std::string what) {
    problems_.note({.kind = HostProblem::Kind::kFailedLaunch,
                    .message = fmt::format("launch {} ({}) {}", origin.launch,
                                           short_name(origin.kernel->name), what),
                    .caller = origin.caller});
  };
  if (work.kind != DeviceWork::Kind::kLaunch) {
    const bool is_copy = work.kind == DeviceWork::Kind::kCopy;
    const bool is_done = is_copy ? memory_.copy_inside(work.to, work.from, work.bytes)
                                 : memory_.set_inside(work.to, work.value, work.bytes);
    if (!is_done) {
      refuse(fmt::format("{} outside of device memory",
                         is_copy ? "copies (cudaMemcpyAsync)" : "writes (cudaMemsetAsync)"));
    }
    return;
  }
  const std::string symbol = ProgramModule::function_name(*origin.kernel, work.function);
  const auto kernel = origin.module->kernel(symbol);
  if (!kernel) {
    refuse(fmt::format("launches {}, which cannot be read: {}", short_name(demangle(symbol)),
                       to_string(kernel.error())));
    return;
  }
  Launcher::Request launch;
  launch.module = origin.module;
  launch.kernel = *kernel;
  launch.grid = work.grid;
  launch.block = work.block;
  launch.shared_bytes = work.shared_bytes;
  launch.parameters = work.parameters;
  if (const auto error = configuration_error(launch, 0)) {
    refuse(
        fmt::format("launches {} in a shape that gives {}: grid {} x {} x {}, block {} x {} x {}",
                    short_name((*kernel)->name), cuda_error_name(*error), work.grid.x, work.grid.y,
                    work.grid.z, work.block.x, work.block.y, work.block.z));
    return;
  }
  execute(launch, origin, stop, done, more);
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

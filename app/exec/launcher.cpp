#include "exec/launcher.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "analysis/occupancy/occupancy.h"
#include "analysis/study/kernel_study.h"
#include "analysis/time/launch_work.h"
#include "analysis/time/machine_rates.h"
#include "analysis/time/time_model.h"
#include "emulator/block/block_trace.h"
#include "emulator/code.h"
#include "emulator/program_implementation.h"
#include "kernel/source/kernel_name.h"

namespace tilescope {
namespace {

// Of the time for checks: that a group's launches together take before only its first is checked.
constexpr double kShareOfLaterLaunches = 0.2;
constexpr std::size_t kMostEvents = std::size_t{1} << 20;
constexpr double kShareOfTrace = 0.25;  // of a group's time: for the block that its model is of
// Steps of a block before it counts as endless: one thread may do what a grid should, and most
// often the time is over before.
constexpr std::uint64_t kStepBudget = std::uint64_t{1} << 32;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Asks whoever has its token to stop: when `stop` does, or after so many seconds.
class Alarm {
 public:
  Alarm(const std::stop_token& stop, double seconds)
      : forward_(stop, [this] { source_.request_stop(); }),
        timer_([this, seconds](const std::stop_token& over) {
          std::unique_lock lock(mutex_);
          const auto never = [] { return false; };
          waiting_.wait_for(lock, over, std::chrono::duration<double>(seconds), never);
          if (!over.stop_requested()) source_.request_stop();
        }) {}
  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::stop_callback<std::function<void()>> forward_;
  std::mutex mutex_;
  std::condition_variable_any waiting_;
  std::jthread timer_;
};

// All that is asked for, as a key.
std::string words_of(const Launcher::Request& request) {
  std::string words;
  const auto add = [&](const void* from, std::size_t bytes) {
    words.append(static_cast<const char*>(from), bytes);
  };
  add(&request.kernel, sizeof request.kernel);
  add(&request.grid, sizeof request.grid);
  add(&request.block, sizeof request.block);
  add(&request.cluster, sizeof request.cluster);
  add(&request.shared_bytes, sizeof request.shared_bytes);
  add(request.parameters.data(), request.parameters.size());
  return words;
}

// Parameters as the program hands them over, in pieces of eight bytes.
std::vector<LaunchArgument> arguments_of(const Program& program,
                                         std::span<const std::byte> parameters) {
  std::vector<LaunchArgument> arguments;
  std::uint32_t index = 0;
  for (const KernelParameter& parameter : program.parameters()) {
    for (std::uint32_t at = 0; at < std::max(parameter.bytes, 1u); at += 8) {
      const std::uint32_t bytes = std::min(8u, parameter.bytes - at);
      std::uint64_t bits = 0;
      if (parameter.offset + at + bytes <= parameters.size())
        std::memcpy(&bits, parameters.data() + parameter.offset + at, bytes);
      if (parameter.bytes <= 8) {
        arguments.emplace_back(bits);
      } else {
        arguments.emplace_back(bits, bytes, StructureMember{index, at, parameter.bytes});
      }
    }
    ++index;
  }
  return arguments;
}

void scale(std::vector<std::uint64_t>& values, double by) {
  for (std::uint64_t& value : values)
    value = static_cast<std::uint64_t>(static_cast<double>(value) * by + 0.5);
}

void add_counters(const std::vector<AccessCounters>& from, LaunchCounters* to) {
  if (to->by_instruction.empty()) to->by_instruction.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) to->by_instruction[i] += from[i];
}

// What the watched blocks did, made that of the whole grid.
void finish_counters(const Emulation& emulation, LaunchCounters* counters) {
  counters->executed = emulation.watched_counts;
  counters->blocks_counted = emulation.watched;
  counters->blocks_represented = emulation.of_blocks;
  counters->whole_grid = emulation.watched == emulation.of_blocks;
  if (counters->whole_grid || emulation.watched == 0) return;
  const double by =
      static_cast<double>(emulation.of_blocks) / static_cast<double>(emulation.watched);
  for (auto member : {&ExecutionCounts::warps, &ExecutionCounts::lanes, &ExecutionCounts::threads,
                      &ExecutionCounts::divergent})
    scale(counters->executed.*member, by);
  for (AccessCounters& access : counters->by_instruction) access = access.scaled(by);
}

// Each kind of finding once an instruction.
void add_new(const std::vector<Finding>& findings, std::uint64_t launch, LaunchGroup& group,
             Launcher::Outcome* outcome) {
  for (const Finding& finding : findings) {
    const bool known = std::ranges::any_of(group.findings, [&](const Finding& other) {
      return other.kind == finding.kind && other.instruction == finding.instruction;
    });
    if (known) continue;
    outcome->findings.push_back(finding);
    group.findings.push_back(finding);
    group.found_in.push_back(launch);
  }
}

}  // namespace

LaunchGroup& Launcher::group_of(const Request& request) {
  const auto pack = [](const Dim3& extents) {
    return (std::uint64_t{extents.x} << 32) | (std::uint64_t{extents.y} << 16) | extents.z;
  };
  const GroupKey key{request.kernel,        pack(request.grid),   pack(request.block),
                     pack(request.cluster), request.shared_bytes, request.is_cooperative ? 1 : 0};
  LaunchGroup*& group = group_index_[key];
  if (group == nullptr) {
    groups_.push_back(std::make_unique<LaunchGroup>());
    group = groups_.back().get();
    group->kernel = request.kernel;
    group->module = request.module;
    group->first = launches_;
  }
  return *group;
}

// Blocks of the launch are not executed: what they would have written counts as written, so that
// nobody is blamed for reading it.
void Launcher::cut_short(const Request& request, LaunchGroup& group) {
  if (group.cut_short++ == 0) ++groups_cut_short_;
  for (std::size_t at = 0; at + 8 <= request.parameters.size(); at += 8) {
    std::uint64_t address = 0;
    std::memcpy(&address, request.parameters.data() + at, sizeof address);
    Allocation* reached = heap_.find(address);
    if (reached == nullptr) continue;
    reached->history->write_all();
    note_change(*reached);
  }
}

// Findings call an array by the kernel's parameter that points to its first byte.
void Launcher::name_arguments(const Request& request) {
  std::map<std::uint64_t, const ProgramKernel::ParameterName*> names;
  const std::vector<KernelParameter>& parameters = request.kernel->program->parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].bytes != 8 || parameters[i].offset + 8 > request.parameters.size()) continue;
    std::uint64_t address = 0;
    std::memcpy(&address, request.parameters.data() + parameters[i].offset, sizeof address);
    names.emplace(address, &request.kernel->parameters[i]);
  }
  for (const auto& [address, allocation] : heap_.live()) {
    if (allocation.number == 0) continue;
    const auto named = names.find(address);
    const bool is_named = named != names.end() && !named->second->name.empty();
    // Elements whose type is not known are most often of four bytes.
    const ElementType usual = allocation.bytes % 4 == 0 ? ElementType::kU32 : ElementType::kU8;
    const ElementType known = is_named ? named->second->element : ElementType::kU8;
    heap_.rename(address, is_named ? named->second->name : std::string(),
                 known == ElementType::kU8 ? usual : known);
  }
}

void Launcher::fill_constants(const ProgramKernel& kernel) {
  // Constants that are no variables, such as a table of jumps, come with the code.
  const std::vector<std::byte>& own = kernel.program->implementation().code().constant_image;
  std::memcpy(heap_.constant_bank().data(), own.data(),
              std::min(own.size(), heap_.constant_bank().size()));
  for (const auto& [address, offset] : kernel.constants) {
    const Allocation* variable = heap_.find(address);
    std::memcpy(heap_.constant_bank().data() + offset, variable->data, variable->bytes);
  }
}

std::uint64_t Launcher::grid_workspace() {
  if (workspace_ == 0) {
    const Allocation* made = heap_.allocate({Allocation::Kind::kInternal, 64, 256, 0, "grid"});
    workspace_ = made == nullptr ? 0 : made->address;
  }
  return workspace_;
}

Launch Launcher::make_launch(const Request& request) {
  Launch launch;
  launch.grid = request.grid;
  launch.block = request.block;
  launch.dynamic_shared_bytes = static_cast<std::uint32_t>(request.shared_bytes);
  launch.arguments = arguments_of(*request.kernel->program, request.parameters);
  launch.constants = heap_.constant_bank();
  if (request.is_cooperative) {
    launch.grid_workspace = grid_workspace();
    if (Allocation* workspace = heap_.find(launch.grid_workspace))
      std::memset(workspace->data, 0, workspace->bytes);
  }
  return launch;
}

Launcher::Taken Launcher::take() {
  group_index_.clear();
  launches_of_.clear();
  recorded_bytes_ = 0;
  return {std::exchange(groups_, {}), std::exchange(records_, {}),
          std::exchange(record_error_, std::nullopt)};
}

void Launcher::record(const Request& request, bool is_first_of_its_kind) {
  const std::string name = name_without_parameters(request.kernel->name);
  const std::uint64_t before = launches_of_[name]++;
  if (!options_.recording.wants({name, before, is_first_of_its_kind})) return;
  auto recorded = record_launch({launches_, options_.recording.folder, request.module,
                                 request.kernel, request.grid, request.block, request.shared_bytes,
                                 request.parameters, kMostRecordedBytes - recorded_bytes_},
                                heap_);
  if (recorded) {
    recorded_bytes_ += recorded->bytes;
    records_.push_back(*std::move(recorded));
  } else if (!record_error_) {
    record_error_ = recorded.error();
  }
}

Launcher::Outcome Launcher::launch(const Request& request, std::stop_token stop) {
  Outcome outcome;
  ++launches_;
  LaunchGroup& group = group_of(request);
  outcome.group = &group;
  ++group.count;
  if (options_.recording.wants) record(request, group.count == 1);
  PastLaunches::Past& past = past_.find(words_of(request));
  if (group.count > 1 && past_.repeat(past)) {
    ++group.repeated;
  } else {
    fill_constants(*request.kernel);
    const Launch launch = make_launch(request);
    if (group.count == 1) {
      group.launch = launch;
      group.launch.constants = {};
    }
    execute(request, stop, launch, group, past, &outcome);
  }
  outcome.modelled_seconds = group.modelled_seconds.value_or(0);
  return outcome;
}

std::shared_ptr<const BlockTrace> Launcher::trace_before(const Program& program,
                                                         const Launch& launch,
                                                         const std::stop_token& stop) {
  const Arena::Copy copy(arena_);
  if (!copy.is_mapped()) return nullptr;
  MemoryMap before;
  for (MemoryRegion region : heap_.map().regions()) {
    // Not where kernels find it: pages of the program's own have another place in the arena.
    const std::uint64_t place = arena_.address_of(region.data);
    if (Arena::holds(place)) region.data = copy.at(place);
    region.history = nullptr;
    before.add(std::move(region));
  }
  before.finish();
  const Alarm alarm(stop, kShareOfTrace * limit_seconds());
  auto made =
      trace_block_on(before, program, launch, launch.grid.count() / 2, kMostEvents, alarm.token());
  if (!made || !made->complete) return nullptr;
  return std::make_shared<const BlockTrace>(*std::move(made));
}

std::vector<PastLaunches::Used> Launcher::used_by(const ProgramKernel& kernel, bool all_watched,
                                                  std::vector<const Allocation*>* host_visible) {
  std::vector<PastLaunches::Used> used;
  for (const auto& entry : heap_.live()) {
    const std::uint64_t address = entry.first;
    const Allocation& allocation = entry.second;
    RegionHistory& history = *allocation.history;
    const bool is_constant = std::ranges::any_of(
        kernel.constants, [&](const auto& constant) { return constant.first == address; });
    if (!history.read() && !history.written() && !is_constant) continue;
    used.push_back({&allocation, history.read(), history.written()});
    if (history.written() && !all_watched) history.write_all();
    if (allocation.is_host_visible()) host_visible->push_back(&allocation);
  }
  return used;
}

EmulationOptions Launcher::options_for(const LaunchGroup& group) const {
  const bool is_first = group.count == 1;
  EmulationOptions options;
  options.workers = options_.workers;
  options.takes_device_work = true;
  options.check = options_.check && groups_cut_short_ == 0 &&
                  (is_first || group.seconds < kShareOfLaterLaunches * options_.watch_seconds);
  options.watch_seconds = options.check || is_first ? options_.watch_seconds : 0;
  options.step_budget = kStepBudget;
  return options;
}

void Launcher::execute(const Request& request, const std::stop_token& stop, const Launch& launch,
                       LaunchGroup& group, PastLaunches::Past& past, Outcome* outcome) {
  const auto start = std::chrono::steady_clock::now();
  const Program& program = *request.kernel->program;
  const bool is_first = group.count == 1;
  const double limit = limit_seconds();
  if (group.seconds >= limit) {
    cut_short(request, group);
    return;
  }
  const bool has_right_data = groups_cut_short_ == 0;
  EmulationOptions options = options_for(group);
  if (options.check) name_arguments(request);
  std::shared_ptr<const BlockTrace> trace;
  if (is_first && !request.is_cooperative) trace = trace_before(program, launch, stop);
  options.limit_seconds = std::max(0.0, limit - group.seconds - seconds_since(start));
  // Half of what is left is for executing without looking.
  options.watch_seconds = std::min(options.watch_seconds, options.limit_seconds / 2);
  past_.begin(past);
  for (const auto& [address, allocation] : heap_.live()) allocation.history->forget_use();
  SinkFactory sinks;
  if (is_first) sinks = [&] { return std::make_unique<CountingSink>(program); };
  auto run = emulate_on(
      heap_.map(), program, launch, options, sinks,
      [&](TraceSink& sink) {
        add_counters(static_cast<CountingSink&>(sink).counters(), &group.counters);
      },
      stop);
  if (!run) {
    outcome->why_not = run.error().message;
    outcome->complete = false;
    group.complete = false;
    return;
  }
  outcome->executed = true;
  outcome->printed = std::move(run->printed);
  outcome->complaints = std::move(run->complaints);
  outcome->device_work = std::move(run->device_work);
  outcome->complete = run->complete;
  if (run->complete && run->blocks < run->of_blocks) cut_short(request, group);
  group.executed_blocks += run->blocks;
  if (options.check) group.checked_blocks += run->watched;
  group.complete = group.complete && run->complete;
  if (!has_right_data) {
    std::erase_if(run->findings, [](const Finding& found) {
      return found.kind != FindingKind::kTrap && found.kind != FindingKind::kUnsupported;
    });
  }
  add_new(run->findings, launches_, group, outcome);
  if (is_first) finish_counters(*run, &group.counters);
  const bool all_watched = options.check && run->watched == run->of_blocks;
  const auto used = used_by(*request.kernel, all_watched, &outcome->host_visible);
  const bool is_pure = outcome->host_visible.empty() && run->complete &&
                       run->blocks == run->of_blocks && outcome->device_work.empty() &&
                       outcome->printed.empty() && outcome->complaints.empty();
  past_.end(past, used, is_pure);
  group.seconds += seconds_since(start);
  if (trace != nullptr && run->complete) model_time(launch, group, std::move(trace));
}

void Launcher::model_time(const Launch& launch, LaunchGroup& group,
                          std::shared_ptr<const BlockTrace> trace) {
  KernelStudy study;
  study.program = group.kernel->program;
  study.launch = launch;
  study.trace = std::move(trace);
  study.counters = std::make_shared<const LaunchCounters>(group.counters);
  study.device = std::make_shared<const DeviceModel>(device_);
  auto memory = std::make_shared<DeviceMemory>();
  for (const auto& [address, allocation] : heap_.live())
    memory->add_elsewhere(allocation.name, allocation.type, address, allocation.bytes);
  study.memory = memory;
  if (group.kernel->registers != 0) {
    OccupancyRequest request;
    request.threads_per_block = static_cast<int>(launch.block.count());
    request.registers_per_thread = group.kernel->registers;
    request.static_shared_bytes = static_cast<int>(group.kernel->static_shared_bytes);
    request.dynamic_shared_bytes = static_cast<int>(launch.dynamic_shared_bytes);
    if (const auto found = occupancy(device_, request)) study.occupancy = *found;
  }
  const MachineRates rates = rates_of(device_);
  const LaunchWork work = work_of(study, rates);
  if (work.pipes.issued <= 0) return;
  const TimeBounds bounds = bounds_of(work, rates);
  group.modelled_seconds = bounds.total();
  group.limited_by = std::string(name_of(bounds.first()));
  group.device = device_.name;
}

}  // namespace tilescope

#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/device_table.h"
#include "exec/device_heap.h"
#include "exec/host_problems.h"
#include "exec/launcher.h"
#include "exec/memory_calls.h"
#include "exec/message.h"
#include "exec/program_module.h"
#include "runtime/protocol.h"

namespace tilescope {

// Answers a program's calls that have to do with its device code: modules, functions, launches.
class KernelCalls {
 public:
  // `on_launch`: see ProgramOptions.
  KernelCalls(DeviceHeap& heap, Launcher& launcher, MemoryCalls& memory, const DeviceModel& device,
              HostProblems& problems, std::function<void(const Launcher::Outcome&)> on_launch);

  Answer load(const runtime::ModuleRequest& request, std::span<const std::byte> bytes);
  Answer function(const runtime::FunctionRequest& request, const std::string& symbol);
  Answer describe(const runtime::DescribeRequest& request, const std::string& text);
  Answer variable(const runtime::VariableRequest& request, const std::string& symbol);
  Answer launch(const runtime::LaunchRequest& request, std::span<const std::byte> parameters,
                const std::stop_token& stop);
  Answer blocks_that_fit(const runtime::OccupancyRequest& request);

  // What the launches' groups refer to.
  [[nodiscard]] std::vector<std::unique_ptr<ProgramModule>> take_modules() {
    return std::move(modules_);
  }

 private:
  struct Kernel {
    ProgramModule* module = nullptr;
    std::string symbol;
  };
  // A launch of the program's or of a kernel's, done.
  struct Done {
    int later_error = 0;
    std::string printed;
    std::string complaints;
    double seconds = 0;  // modelled
    std::vector<runtime::Range> close;
  };
  // Where device work comes from.
  struct Origin {
    ProgramModule* module = nullptr;
    const ProgramKernel* kernel = nullptr;
    std::uint64_t launch = 0;
    std::uint64_t stream = 0;
    std::uint64_t caller = 0;
  };
  struct Waiting {
    DeviceWork work;
    Origin origin;
  };
  [[nodiscard]] std::optional<int> configuration_error(const Launcher::Request& request,
                                                       std::uint64_t shared_limit) const;
  bool execute(const Launcher::Request& request, const Origin& origin, const std::stop_token& stop,
               Done* done, std::vector<Waiting>* waiting);
  void do_work(const Waiting& waiting, const std::stop_token& stop, Done* done,
               std::vector<Waiting>* more);
  [[nodiscard]] int error_of(const Launcher::Outcome& outcome) const;
  void explain_addresses(std::vector<Finding>& findings) const;

  DeviceHeap& heap_;
  Launcher& launcher_;
  MemoryCalls& memory_;
  const DeviceModel& device_;
  runtime::DeviceFacts facts_;
  HostProblems& problems_;
  std::function<void(const Launcher::Outcome&)> on_launch_;
  std::vector<std::unique_ptr<ProgramModule>> modules_;
  std::vector<Error> module_errors_;  // of those that did not load, by index; empty message: loaded
  std::vector<Kernel> kernels_;
};

}  // namespace tilescope

#include "emulator/common_executors/device_runtime.h"

#include <array>
#include <cstring>
#include <utility>

#include "emulator/common_executors/families.h"
#include "emulator/common_executors/library_call.h"
#include "emulator/execution/device_work.h"
#include "emulator/execution/kernel_heap.h"
#include "emulator/execution/observer.h"
#include "emulator/lanes_in.h"
#include "emulator/memory_map.h"
#include "emulator/region_history.h"

namespace tilescope {
namespace {

constexpr std::uint32_t kNotSupported = 801;  // cudaErrorNotSupported

// One lane's call.
class Call {
 public:
  Call(const MicroOp& op, std::byte* registers, unsigned lane, ExecutionContext& context)
      : op_(op), registers_(registers), lane_(lane), context_(context) {}

  template <class T = std::uint64_t>
  [[nodiscard]] T argument(unsigned i) const {
    return library_argument<T>(op_, registers_, lane_, i, context_);
  }
  template <class T>
  void give_back(unsigned arguments, T value) const {
    set_library_result(op_, registers_, lane_, arguments, context_, value);
  }
  // Writes through a pointer of the caller's.
  template <class T>
  void store(std::uint64_t address, T value) const {
    const std::span<std::byte> bytes = memory_behind(address, lane_, context_);
    if (bytes.size() < sizeof value) return;
    std::memcpy(bytes.data(), &value, sizeof value);
    const MemorySpace space = resolve_space(MemorySpace::kGeneric, &address);
    if (space != MemorySpace::kGlobal) {
      context_.observers->tell(&BlockObserver::on_library_store, lane_, space, address,
                               unsigned{sizeof value});
      return;
    }
    const MemoryRegion* region = context_.memory->find(address);
    if (region == nullptr || region->history == nullptr) return;
    region->history->write(address - region->begin, sizeof value);
    region->history->note_use(false, true);
  }

  // Device memory that lives until it is freed. 0: there is none left.
  [[nodiscard]] std::uint64_t allocate(std::uint64_t bytes) const {
    const MemoryRegion* heap = heap_region();
    if (heap == nullptr) return 0;
    const std::uint64_t offset = allocate_in({heap->data, heap->bytes}, bytes);
    return offset == 0 ? 0 : heap->begin + offset;
  }
  void release(std::uint64_t address) const {
    const MemoryRegion* heap = heap_region();
    if (heap != nullptr && address - heap->begin < heap->bytes)
      release_in({heap->data, heap->bytes}, address - heap->begin);
  }
  [[nodiscard]] std::span<std::byte> memory(std::uint64_t address) const {
    return memory_behind(address, lane_, context_);
  }

  void add(DeviceWork work) const {
    if (context_.device_work != nullptr)
      return context_.device_work->add(context_.point.block, std::move(work));
    const bool launches = work.kind == DeviceWork::Kind::kLaunch;
    report(context_, FindingKind::kUnsupported, op_, lane_,
           launches
               ? "launches a kernel (dynamic parallelism), which is not emulated here: run the "
                 "whole program (tilescope exec)"
               : "asks for a copy or memset, which is not emulated here: run the whole program "
                 "(tilescope exec)");
  }
  [[nodiscard]] std::uint64_t make_handle() const {
    return context_.device_work == nullptr ? 1 : context_.device_work->make_handle();
  }
  [[nodiscard]] const Code& code() const { return *context_.code; }

 private:
  [[nodiscard]] const MemoryRegion* heap_region() const {
    const MemoryRegion* heap = context_.memory->find(static_cast<std::uint64_t>(op_.immediate));
    if (heap != nullptr && heap->history != nullptr) heap->history->note_use(true, true);
    return heap;
  }

  const MicroOp& op_;
  std::byte* registers_;
  unsigned lane_;
  ExecutionContext& context_;
};

// What is known of a launch when its parameters are asked for; they follow.
struct Configuration {
  std::uint32_t function = 0;
  std::uint32_t grid[3] = {};
  std::uint32_t block[3] = {};
  std::uint32_t shared_bytes = 0;
};
static_assert(sizeof(Configuration) % 16 == 0);

using Extents = std::array<std::uint32_t, 3>;

// cudaGetParameterBufferV2(function, grid, block, shared bytes): where the caller writes them.
void get_parameter_buffer(const Call& call) {
  constexpr unsigned kArguments = 4;
  const std::uint64_t offset = call.argument(0) - kFunctionAddresses;
  const std::uint64_t function = offset / kFunctionStride - 1;
  std::uint64_t buffer = 0;
  if (offset % kFunctionStride == 0 && function < call.code().kernel_parameter_bytes.size()) {
    buffer = call.allocate(sizeof(Configuration) + call.code().kernel_parameter_bytes[function]);
  }
  if (buffer != 0) {
    Configuration configuration;
    configuration.function = static_cast<std::uint32_t>(function);
    const auto grid = call.argument<Extents>(1);
    const auto block = call.argument<Extents>(2);
    std::copy(grid.begin(), grid.end(), configuration.grid);
    std::copy(block.begin(), block.end(), configuration.block);
    configuration.shared_bytes = call.argument<std::uint32_t>(3);
    call.store(buffer, configuration);
    buffer += sizeof configuration;
  }
  call.give_back(kArguments, buffer);
}

// cudaLaunchDeviceV2(parameters, stream)
void launch_device(const Call& call) {
  constexpr unsigned kArguments = 2;
  const std::uint64_t buffer = call.argument(0) - sizeof(Configuration);
  const std::span<const std::byte> bytes = call.memory(buffer);
  if (bytes.size() < sizeof(Configuration)) return call.give_back(kArguments, kNotSupported);
  Configuration configuration;
  std::memcpy(&configuration, bytes.data(), sizeof configuration);
  const std::vector<std::uint32_t>& sizes = call.code().kernel_parameter_bytes;
  DeviceWork work;
  work.stream = call.argument(1);
  work.function = configuration.function;
  work.grid = {configuration.grid[0], configuration.grid[1], configuration.grid[2]};
  work.block = {configuration.block[0], configuration.block[1], configuration.block[2]};
  work.shared_bytes = configuration.shared_bytes;
  const std::size_t size = work.function < sizes.size() ? sizes[work.function] : 0;
  const std::span<const std::byte> parameters =
      bytes.subspan(sizeof configuration)
          .first(std::min(size, bytes.size() - sizeof configuration));
  work.parameters.assign(parameters.begin(), parameters.end());
  call.add(std::move(work));
  call.release(buffer);
  call.give_back(kArguments, std::uint32_t{0});
}

// cudaMalloc(pointer, bytes)
void allocate(const Call& call) {
  constexpr std::uint32_t kNoMemory = 2;
  const std::uint64_t address = call.allocate(call.argument(1));
  call.store(call.argument(0), address);
  call.give_back(2, address == 0 ? kNoMemory : 0);
}

void release(const Call& call) {
  call.release(call.argument(0));
  call.give_back(1, std::uint32_t{0});
}

// cudaStreamCreateWithFlags(pointer, flags); events likewise
void make_handle(const Call& call) {
  call.store(call.argument(0), call.make_handle());
  call.give_back(2, std::uint32_t{0});
}

// cudaMemcpyAsync(to, from, bytes, kind, stream)
void copy(const Call& call) {
  DeviceWork work;
  work.kind = DeviceWork::Kind::kCopy;
  work.to = call.argument(0);
  work.from = call.argument(1);
  work.bytes = call.argument(2);
  work.stream = call.argument(4);
  call.add(std::move(work));
  call.give_back(5, std::uint32_t{0});
}

// cudaMemsetAsync(to, value, bytes, stream)
void set(const Call& call) {
  DeviceWork work;
  work.kind = DeviceWork::Kind::kSet;
  work.to = call.argument(0);
  work.value = static_cast<std::uint8_t>(call.argument<std::uint32_t>(1));
  work.bytes = call.argument(2);
  work.stream = call.argument(3);
  call.add(std::move(work));
  call.give_back(4, std::uint32_t{0});
}

template <std::uint32_t kValue>
void store_number(const Call& call) {
  call.store(call.argument(0), kValue);
  call.give_back(1, std::uint32_t{0});
}

// Nothing to do: work is done in the order in which it is asked for, and does not fail.
template <unsigned kArguments>
void succeed(const Call& call) {
  call.give_back(kArguments, std::uint32_t{0});
}
void give_no_text(const Call& call) { call.give_back(1, std::uint64_t{0}); }

struct Function {
  std::string_view name;  // without the prefix
  unsigned arguments;
  void (*execute)(const Call& call);
};
constexpr std::array kFunctions{
    Function{"GetParameterBufferV2", 4, get_parameter_buffer},
    Function{"LaunchDeviceV2", 2, launch_device},
    Function{"LaunchDeviceV2_ptsz", 2, launch_device},
    Function{"Malloc", 2, allocate},
    Function{"Free", 1, release},
    Function{"StreamCreateWithFlags", 2, make_handle},
    Function{"StreamDestroy", 1, succeed<1>},
    Function{"StreamWaitEvent", 3, succeed<3>},
    Function{"StreamWaitEvent_ptsz", 3, succeed<3>},
    Function{"EventCreateWithFlags", 2, make_handle},
    Function{"EventRecord", 2, succeed<2>},
    Function{"EventRecord_ptsz", 2, succeed<2>},
    Function{"EventRecordWithFlags", 3, succeed<3>},
    Function{"EventRecordWithFlags_ptsz", 3, succeed<3>},
    Function{"EventDestroy", 1, succeed<1>},
    Function{"MemcpyAsync", 5, copy},
    Function{"MemcpyAsync_ptsz", 5, copy},
    Function{"MemsetAsync", 4, set},
    Function{"MemsetAsync_ptsz", 4, set},
    Function{"GetLastError", 0, succeed<0>},
    Function{"PeekAtLastError", 0, succeed<0>},
    Function{"GetErrorString", 1, give_no_text},
    Function{"GetErrorName", 1, give_no_text},
    Function{"GetDevice", 1, store_number<0>},
    Function{"GetDeviceCount", 1, store_number<1>},
};
static_assert(kFunctions.size() < 256);  // MicroOp::bytes

void execute_call(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                  ExecutionContext& context) {
  for (const unsigned lane : lanes_in(mask)) {
    kFunctions[op.bytes].execute(Call(op, registers, lane, context));
  }
}

}  // namespace

std::optional<std::uint8_t> device_runtime_function(std::string_view name, unsigned arguments) {
  constexpr std::string_view kOwn = "__cudaCDP2";
  constexpr std::string_view kOlder = "cuda";
  if (name.starts_with(kOwn)) {
    name.remove_prefix(kOwn.size());
  } else if (name.starts_with(kOlder)) {
    name.remove_prefix(kOlder.size());
  } else {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < kFunctions.size(); ++i) {
    if (kFunctions[i].name == name && kFunctions[i].arguments == arguments)
      return static_cast<std::uint8_t>(i);
  }
  return std::nullopt;
}

Executor find_device_runtime(const OperationKey& key) {
  return key.operation == Operation::kDeviceRuntime ? execute_call : nullptr;
}

}  // namespace tilescope

#include "exec/program_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <set>
#include <stop_token>
#include <thread>
#include <utility>

#include "analysis/occupancy/occupancy.h"
#include "core/paths.h"
#include "core/quantity.h"
#include "emulator/texture.h"
#include "exec/program_process.h"
#include "exec/shown_device.h"
#include "kernel/source/kernel_name.h"
#include "runtime/cuda_abi.h"
#include "runtime/protocol.h"

namespace tilescope {
namespace {

namespace wire = runtime;
using wire::Call;

// "cudaErrorInvalidValue"
std::string error_name(int error) {
  switch (error) {
#define ERROR(number, name, text) \
  case number:                    \
    return name;
#include "runtime/errors.inc"
#undef ERROR
    default:
      return fmt::format("error {}", error);
  }
}

// ---- the program -------------------------------------------------------------------------------

// Numbers that a program's own files hardly get.
constexpr int kSocketNumber = 870;
constexpr int kMemoryNumber = 871;

std::string joined(const std::string& first, const char* then) {
  return then == nullptr || *then == '\0' ? first : first + ':' + then;
}

std::vector<std::string> environment() {
  const std::filesystem::path folder = runtime_directory();
  const std::string libraries =
      (folder / "libcudart.so.13").string() + ':' + (folder / "libcudart.so.12").string();
  std::vector<std::string> all =
      environment_without({"LD_LIBRARY_PATH", "LD_PRELOAD", wire::kEnvironmentName});
  all.push_back("LD_LIBRARY_PATH=" + joined(folder.string(), std::getenv("LD_LIBRARY_PATH")));
  // Before an RPATH of the program's own, too.
  all.push_back("LD_PRELOAD=" + joined(libraries, std::getenv("LD_PRELOAD")));
  all.push_back(fmt::format("{}={},{}", wire::kEnvironmentName, kSocketNumber, kMemoryNumber));
  return all;
}

struct Started {
  pid_t process = -1;
  FileDescriptor socket;
};

Result<Started> start(const ProgramOptions& options, const Arena& arena) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return system_error("cannot make a socket");
  FileDescriptor socket(ends[0]);
  const FileDescriptor theirs(ends[1]);
  ProgramProcess process{options.program, options.arguments, environment()};
  process.descriptors = {{theirs.get(), kSocketNumber}, {arena.file(), kMemoryNumber}};
  if (options.output >= 0) process.descriptors.emplace_back(options.output, STDOUT_FILENO);
  const auto started = tilescope::start(process);
  if (!started) return started.error();
  return Started{*started, std::move(socket)};
}

// ---- messages ----------------------------------------------------------------------------------

bool receive(int socket, void* to, std::size_t bytes) {
  auto* at = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t got = ::recv(socket, at, bytes, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

bool send(int socket, const void* from, std::size_t bytes) {
  const auto* at = static_cast<const char*>(from);
  while (bytes > 0) {
    const ssize_t sent = ::send(socket, at, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    at += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
  return true;
}

// A request's bytes, read in order; what is missing reads as zeros.
class Message {
 public:
  explicit Message(std::span<const std::byte> bytes) : bytes_(bytes) {}
  template <class T>
  T take() {
    T value{};
    std::memcpy(&value, bytes_.data(), std::min(sizeof value, bytes_.size()));
    bytes_ = bytes_.subspan(std::min(sizeof value, bytes_.size()));
    return value;
  }
  [[nodiscard]] std::span<const std::byte> rest() const { return bytes_; }
  [[nodiscard]] std::string text() const {
    return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
  }

 private:
  std::span<const std::byte> bytes_;
};

struct Answer {
  int error = wire::kSuccess;
  std::vector<std::byte> bytes;

  template <class T>
  void add(const T& value) {
    const auto* from = reinterpret_cast<const std::byte*>(&value);
    bytes.insert(bytes.end(), from, from + sizeof value);
  }
  void add_text(const std::string& text) {
    const auto* from = reinterpret_cast<const std::byte*>(text.data());
    bytes.insert(bytes.end(), from, from + text.size());
  }
};
Answer refusal(int error) { return Answer{error, {}}; }

// ---- the calls ---------------------------------------------------------------------------------

// Answers the program's calls. One thread.
class Server {
 public:
  Server(const ProgramOptions& options, const Arena& arena, pid_t process)
      : options_(options),
        arena_(arena),
        process_(process),
        facts_(facts_of(options.device)),
        heap_(arena, most_memory()),
        launcher_(arena, heap_, options.device, options.launcher) {}

  Answer answer(Call call, Message message, const std::stop_token& stop);
  void finish(ProgramResult* run);

 private:
  struct Kernel {
    ProgramModule* module = nullptr;
    std::string symbol;
  };
  // Pages that the program may not touch before it has waited, and for what.
  struct Pending {
    wire::Range range;
    std::set<std::uint64_t> streams;  // who waits for one of them waits for this
    std::string reason;               // "launch 3 (scale)"
  };

  [[nodiscard]] std::uint64_t most_memory() const;
  HostProblem& note(HostProblem problem);

  Answer hello(const wire::Hello& hello);
  Answer load(std::span<const std::byte> bytes);
  Answer function(const wire::FunctionRequest& request, const std::string& symbol);
  Answer variable(const wire::VariableRequest& request, const std::string& symbol);
  Answer allocate(const wire::AllocateRequest& request);
  Answer release(const wire::FreeRequest& request);
  Answer adopt(const wire::Range& range);
  Answer copy(const wire::CopyRequest& request);
  Answer set(const wire::SetRequest& request);
  Answer launch(const wire::LaunchRequest& request, std::span<const std::byte> parameters,
                const std::stop_token& stop);
  Answer synchronise(const wire::SynchroniseRequest& request);
  Answer pointer(std::uint64_t address);
  Answer blocks_that_fit(const wire::OccupancyRequest& request);
  Answer fault(const wire::FaultRequest& request);
  Answer texture(const wire::TextureRequest& request);
  Answer failed(const wire::FailedRequest& request, const std::string& name);

  enum class Side : std::uint8_t { kTarget, kSource };
  // The allocation of one side of a copy; nullptr: the program's own memory. False: it cannot be.
  bool find_side(const wire::CopyRequest& request, Side side, Allocation** found);
  [[nodiscard]] std::optional<int> configuration_error(const wire::LaunchRequest& request,
                                                       const ProgramKernel& kernel) const;
  [[nodiscard]] int error_of(const Launcher::Outcome& outcome) const;
  void explain_addresses(std::vector<Finding>& findings) const;
  // Ranges that may be touched again; of all streams, or of one.
  std::vector<wire::Range> release_pending(std::uint64_t stream, bool all);

  const ProgramOptions& options_;
  const Arena& arena_;
  pid_t process_;
  wire::DeviceFacts facts_;
  DeviceHeap heap_;
  Launcher launcher_;
  CallSites sites_;
  bool used_ = false;
  int failed_kernel_ = wire::kSuccess;  // the sticky error
  std::vector<std::unique_ptr<ProgramModule>> modules_;
  std::vector<Error> module_errors_;  // of those that did not load, by index; empty message: loaded
  std::vector<Kernel> kernels_;
  std::vector<Pending> pending_;
  static constexpr std::size_t kMostOrigins = 100000;
  std::vector<AllocationOrigin> origins_;
  std::vector<HostProblem> problems_;
  std::vector<std::size_t> unasked_;  // problems whose error the program has not asked for
};

std::uint64_t Server::most_memory() const {
  const auto machine = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                       static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return std::min<std::uint64_t>(facts_.memory_bytes, machine / 4 * 3);
}

HostProblem& Server::note(HostProblem problem) {
  const auto same = std::ranges::find_if(problems_, [&](const HostProblem& other) {
    return other.kind == problem.kind && other.message == problem.message &&
           other.caller == problem.caller;
  });
  if (same != problems_.end()) {
    ++same->times;
    return *same;
  }
  problems_.push_back(std::move(problem));
  return problems_.back();
}

Answer Server::answer(Call call, Message message, const std::stop_token& stop) {
  switch (call) {
    case Call::kHello:
      return hello(message.take<wire::Hello>());
    case Call::kModule:
      return load(message.rest());
    case Call::kFunction: {
      const auto request = message.take<wire::FunctionRequest>();
      return function(request, message.text());
    }
    case Call::kVariable: {
      const auto request = message.take<wire::VariableRequest>();
      return variable(request, message.text());
    }
    case Call::kAllocate:
      return allocate(message.take<wire::AllocateRequest>());
    case Call::kFree:
      return release(message.take<wire::FreeRequest>());
    case Call::kRegister:
      return adopt(message.take<wire::Range>());
    case Call::kCopy:
      return copy(message.take<wire::CopyRequest>());
    case Call::kSet:
      return set(message.take<wire::SetRequest>());
    case Call::kLaunch: {
      const auto request = message.take<wire::LaunchRequest>();
      return launch(request, message.rest(), stop);
    }
    case Call::kSynchronise:
      return synchronise(message.take<wire::SynchroniseRequest>());
    case Call::kPointer:
      return pointer(message.take<wire::Range>().begin);
    case Call::kOccupancy:
      return blocks_that_fit(message.take<wire::OccupancyRequest>());
    case Call::kMemory: {
      Answer made;
      made.add(wire::MemoryReply{heap_.free_bytes(), facts_.memory_bytes});
      return made;
    }
    case Call::kTexture:
      return texture(message.take<wire::TextureRequest>());
    case Call::kFault:
      return fault(message.take<wire::FaultRequest>());
    case Call::kFailed: {
      const auto request = message.take<wire::FailedRequest>();
      return failed(request, message.text());
    }
    case Call::kAsked:
      unasked_.clear();
      return {};
    case Call::kMissing:
      note({.kind = HostProblem::Kind::kNotSupported,
            .message = fmt::format("{} is not there: it gave the program cudaErrorNotSupported",
                                   message.text()),
            .is_mistake = false,
            .is_incomplete = true});
      return {};
  }
  return refusal(wire::kNotSupported);
}

Answer Server::hello(const wire::Hello& hello) {
  if (hello.version != wire::kProtocolVersion) return refusal(wire::kInitialization);
  used_ = true;
  sites_.read_map(process_);
  Answer made;
  made.add(facts_);
  return made;
}

Answer Server::load(std::span<const std::byte> bytes) {
  sites_.read_map(process_);
  auto module = ProgramModule::load(bytes, options_.device.compute_capability, heap_);
  Answer made;
  made.add(wire::ModuleReply{static_cast<std::uint32_t>(modules_.size())});
  module_errors_.push_back(module ? Error{} : module.error());
  modules_.push_back(module ? *std::move(module) : nullptr);
  return made;
}

Answer Server::function(const wire::FunctionRequest& request, const std::string& symbol) {
  if (request.module >= modules_.size()) return refusal(wire::kInvalidDeviceFunction);
  ProgramModule* module = modules_[request.module].get();
  const auto refuse = [&](const Error& why, int error) {
    note({.kind = HostProblem::Kind::kNotSupported,
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
  reply.binary_version = options_.device.compute_capability;
  Answer made;
  made.add(reply);
  for (const KernelParameter& parameter : found.program->parameters())
    made.add(wire::ParameterPlace{parameter.offset, parameter.bytes});
  return made;
}

Answer Server::variable(const wire::VariableRequest& request, const std::string& symbol) {
  if (request.module >= modules_.size() || modules_[request.module] == nullptr)
    return refusal(wire::kInvalidSymbol);
  const ModuleVariable* found = modules_[request.module]->variable(symbol);
  if (found == nullptr) return refusal(wire::kInvalidSymbol);
  Answer made;
  made.add(wire::Range{found->address, found->bytes});
  return made;
}

Answer Server::allocate(const wire::AllocateRequest& request) {
  const auto kind = request.kind == wire::MemoryKind::kManaged      ? Allocation::Kind::kManaged
                    : request.kind == wire::MemoryKind::kPageLocked ? Allocation::Kind::kPageLocked
                                                                    : Allocation::Kind::kDevice;
  const Allocation* made =
      heap_.allocate({.kind = kind, .bytes = request.bytes, .caller = request.caller});
  if (made == nullptr) return refusal(wire::kMemoryAllocation);
  if (origins_.size() < kMostOrigins)
    origins_.push_back({made->number, made->bytes, request.caller});
  Answer answered;
  answered.add(wire::Range{made->address, made->bytes});
  return answered;
}

// The object is the address of what describes it, in memory that kernels can read.
Answer Server::texture(const wire::TextureRequest& request) {
  const bool is_known =
      request.kind <= 2 && request.width > 0 && request.channels <= 4 &&
      (request.channel_bits == 8 || request.channel_bits == 16 || request.channel_bits == 32);
  if (!is_known || heap_.find(request.data) == nullptr) return refusal(wire::kInvalidValue);
  TextureObject texture;
  texture.data = request.data;
  texture.width = request.width;
  texture.height = request.height;
  texture.depth = request.depth;
  texture.layers = request.layers;
  texture.pitch = request.pitch;
  texture.slice = request.slice;
  texture.channels = static_cast<std::uint8_t>(request.channels);
  texture.channel_bits = static_cast<std::uint8_t>(request.channel_bits);
  texture.kind = static_cast<TextureObject::Kind>(request.kind);
  for (std::size_t axis = 0; axis < texture.address_mode.size(); ++axis)
    texture.address_mode[axis] =
        static_cast<TextureObject::AddressMode>(request.address_modes[axis] & 3);
  texture.is_linear = request.is_linear != 0;
  texture.reads_normalised = request.reads_normalised != 0;
  texture.has_normalised_coordinates = request.has_normalised_coordinates != 0;
  texture.is_buffer = request.is_buffer != 0;
  std::copy_n(request.border, texture.border.size(), texture.border.begin());
  Answer made = allocate({wire::MemoryKind::kDevice, sizeof texture, request.caller});
  if (made.error != wire::kSuccess) return made;
  wire::Range range;
  std::memcpy(&range, made.bytes.data(), sizeof range);
  Allocation& holder = *heap_.find(range.begin);
  std::memcpy(holder.data, &texture, sizeof texture);
  holder.history->write_all();
  return made;
}

Answer Server::release(const wire::FreeRequest& request) {
  Allocation* found = heap_.find(request.address);
  if (found == nullptr || found->address != request.address ||
      found->kind == Allocation::Kind::kVariable) {
    if (const Allocation* freed = heap_.find_freed(request.address)) {
      note({.kind = HostProblem::Kind::kUseAfterFree,
            .message = fmt::format("frees {} a second time", freed->description())});
    }
    return refusal(wire::kInvalidValue);
  }
  const wire::Range range{found->address, found->bytes};
  heap_.free(request.address);
  Answer made;
  made.add(range);
  return made;
}

Answer Server::adopt(const wire::Range& range) {
  const Allocation* made = heap_.adopt(range.begin, range.bytes);
  if (made == nullptr) return refusal(712);  // already registered
  Answer answered;
  answered.add(wire::Range{
      static_cast<std::uint64_t>(made->data - arena_.at(wire::kDeviceBegin)) + wire::kDeviceBegin,
      range.bytes});
  return answered;
}

bool Server::find_side(const wire::CopyRequest& request, Side side, Allocation** found) {
  const bool is_target = side == Side::kTarget;
  const std::uint64_t address = is_target ? request.to : request.from;
  const std::uint64_t pitch = is_target ? request.to_pitch : request.from_pitch;
  const std::uint64_t slice = is_target ? request.to_slice : request.from_slice;
  const bool on_device = request.kind == wire::kDeviceToDevice ||
                         request.kind == static_cast<std::uint32_t>(
                                             is_target ? wire::kHostToDevice : wire::kDeviceToHost);
  *found = heap_.find(address);
  const char* verb = is_target ? "writes" : "reads";
  if (*found == nullptr) {
    if (!Arena::holds(address) && !on_device) return true;
    HostProblem problem{
        .kind = HostProblem::Kind::kOutOfBounds, .message = {}, .caller = request.caller};
    if (const Allocation* freed = heap_.find_freed(address)) {
      problem.kind = HostProblem::Kind::kUseAfterFree;
      problem.message =
          fmt::format("a copy {} {}, which has been freed", verb, freed->description());
    } else if (!Arena::holds(address)) {
      problem.message = fmt::format(
          "a copy {} host memory ({:#x}) where its kind says that it is the device's: swap the "
          "pointers, or name another kind",
          verb, address);
    } else {
      problem.message =
          fmt::format("a copy {} address {:#x}, which is in no allocation", verb, address);
    }
    note(std::move(problem));
    return false;
  }
  const std::uint64_t bytes =
      (request.slices - 1) * slice + (request.rows - 1) * pitch + request.width;
  const Allocation& allocation = **found;
  if (allocation.holds(address, bytes)) return true;
  const std::uint64_t room = allocation.bytes - (address - allocation.address);
  note({.kind = HostProblem::Kind::kOutOfBounds,
        .message =
            fmt::format("a copy {} {} bytes of {} from byte {} on: {} too many", verb,
                        format_count(bytes), allocation.description(),
                        format_count(address - allocation.address), format_count(bytes - room)),
        .caller = request.caller});
  return false;
}

Answer Server::copy(const wire::CopyRequest& request) {
  Allocation* to = nullptr;
  Allocation* from = nullptr;
  if (request.kind > wire::kDefault) return refusal(21);  // invalid direction
  if (!find_side(request, Side::kTarget, &to) || !find_side(request, Side::kSource, &from))
    return refusal(wire::kInvalidValue);
  const auto for_rows = [&](auto f) {
    for (std::uint64_t slice = 0; slice < request.slices; ++slice) {
      for (std::uint64_t row = 0; row < request.rows; ++row)
        f(slice * request.to_slice + row * request.to_pitch,
          slice * request.from_slice + row * request.from_pitch);
    }
  };
  const bool unwritten = from != nullptr && !from->history->all_written();
  if (to != nullptr) {
    launcher_.note_change(*to);
    for_rows([&](std::uint64_t at, std::uint64_t) {
      to->history->write(request.to - to->address + at, request.width);
    });
  }
  if (unwritten) {
    bool any = false;
    for_rows([&](std::uint64_t to_offset, std::uint64_t from_offset) {
      const std::uint64_t begin = request.from - from->address + from_offset;
      for (std::uint64_t at = 0; at < request.width; at += 64) {
        const auto bytes = static_cast<unsigned>(std::min<std::uint64_t>(64, request.width - at));
        const std::uint64_t missing = from->history->missing(begin + at, bytes);
        any |= missing != (bytes == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bytes) - 1);
        if (to == nullptr || missing == 0) continue;
        for (unsigned i = 0; i < bytes; ++i) {
          if ((missing >> i & 1u) != 0)
            to->history->forget(request.to - to->address + to_offset + at + i, 1);
        }
      }
    });
    if (!any) {
      note({.kind = HostProblem::Kind::kUninitialised,
            .message = fmt::format("copies {} bytes of {}, of which nobody has written any",
                                   format_count(request.width * request.rows * request.slices),
                                   from->description()),
            .caller = request.caller});
    }
  }
  wire::CopyReply reply;
  reply.to_arena = to != nullptr && Arena::holds(request.to) ? 1 : 0;
  reply.from_arena = from != nullptr && Arena::holds(request.from) ? 1 : 0;
  // A copy inside the device reads and writes its memory; any other passes the bus.
  constexpr double kBusBytesPerSecond = 25e9;  // PCIe 4.0 x16, of 32
  constexpr double kCopyOverhead = 2e-6;
  const auto bytes = static_cast<double>(request.width * request.rows * request.slices);
  const bool inside =
      to != nullptr && from != nullptr && !to->is_host_visible() && !from->is_host_visible();
  reply.seconds = kCopyOverhead + (inside ? 2 * bytes / options_.device.memory_bytes_per_second
                                          : bytes / kBusBytesPerSecond);
  std::vector<wire::Range> open;
  if (request.is_async == 0) open = release_pending(request.stream, true);
  // The host may not read what comes before it has waited.
  if (request.is_async != 0 && to != nullptr && to->is_host_visible() && reply.to_arena != 0 &&
      from != nullptr && request.rows == 1 && request.slices == 1) {
    constexpr std::uint64_t kPage = 4096;
    const std::uint64_t first = (request.to + kPage - 1) / kPage * kPage;
    const std::uint64_t end = (request.to + request.width) / kPage * kPage;
    if (end > first) {
      reply.protect = {first, end - first};
      pending_.push_back({reply.protect, {request.stream}, "cudaMemcpyAsync"});
    }
  }
  Answer made;
  made.add(reply);
  for (const wire::Range& range : open) made.add(range);
  return made;
}

Answer Server::set(const wire::SetRequest& request) {
  Allocation* found = heap_.find(request.to);
  const std::uint64_t bytes = (request.rows - 1) * request.pitch + request.width;
  if (found == nullptr || !found->holds(request.to, bytes) || !Arena::holds(request.to)) {
    HostProblem problem{
        .kind = HostProblem::Kind::kOutOfBounds, .message = {}, .caller = request.caller};
    if (found != nullptr) {
      const std::uint64_t room = found->bytes - (request.to - found->address);
      problem.message = fmt::format("cudaMemset writes {} bytes of {} from byte {} on: {} too many",
                                    format_count(bytes), found->description(),
                                    format_count(request.to - found->address),
                                    format_count(bytes - std::min(bytes, room)));
    } else {
      problem.message =
          fmt::format("cudaMemset writes address {:#x}, which is in no allocation", request.to);
    }
    note(std::move(problem));
    return refusal(wire::kInvalidValue);
  }
  launcher_.note_change(*found);
  for (std::uint64_t row = 0; row < request.rows; ++row)
    found->history->write(request.to - found->address + row * request.pitch, request.width);
  return {};
}

std::optional<int> Server::configuration_error(const wire::LaunchRequest& request,
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
    const auto fits = occupancy(options_.device, wanted);
    const std::uint64_t blocks = std::uint64_t{grid[0]} * grid[1] * grid[2];
    if (fits && blocks > static_cast<std::uint64_t>(fits->blocks_per_multiprocessor) *
                             static_cast<std::uint64_t>(facts_.multiprocessors))
      return wire::kCooperativeLaunchTooLarge;
  }
  return std::nullopt;
}

// What a GPU would stop the kernel for. An access that only leaves its allocation is none: a GPU
// sees it where a page ends.
int Server::error_of(const Launcher::Outcome& outcome) const {
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

void Server::explain_addresses(std::vector<Finding>& findings) const {
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

Answer Server::launch(const wire::LaunchRequest& request, std::span<const std::byte> parameters,
                      const std::stop_token& stop) {
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
    note({.kind = HostProblem::Kind::kNotSupported,
          .message = fmt::format("launch {} ({}) cannot be emulated: {}", launcher_.launches(),
                                 name_without_parameters((*kernel)->name), outcome.why_not),
          .is_mistake = false,
          .is_incomplete = true});
    return refusal(wire::kNotSupported);
  }
  wire::LaunchReply reply;
  reply.later_error = error_of(outcome);
  if (reply.later_error != wire::kSuccess) {
    failed_kernel_ = reply.later_error;
    note(
        {.kind = HostProblem::Kind::kFailedLaunch,
         .message = fmt::format("launch {} ({}) ends with {}: from here on every call gives it, as "
                                "on a GPU",
                                launcher_.launches(), name_without_parameters((*kernel)->name),
                                error_name(reply.later_error)),
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
    pending_.push_back({range,
                        {request.stream},
                        fmt::format("launch {} ({})", launcher_.launches(),
                                    name_without_parameters((*kernel)->name))});
  }
  reply.protect = static_cast<std::uint32_t>(close.size());
  Answer made;
  made.add(reply);
  for (const wire::Range& range : close) made.add(range);
  made.add_text(outcome.printed);
  made.add_text(outcome.complaints);
  if (options_.on_launch) options_.on_launch(outcome);
  return made;
}

std::vector<wire::Range> Server::release_pending(std::uint64_t stream, bool all) {
  std::vector<wire::Range> open;
  std::vector<Pending> left;
  for (Pending& pending : pending_) {
    // Who waits for a stream may well have waited for the default stream, as the stream itself
    // does.
    if (all || pending.streams.contains(stream) || pending.streams.contains(0)) {
      open.push_back(pending.range);
    } else {
      left.push_back(std::move(pending));
    }
  }
  pending_ = std::move(left);
  return open;
}

Answer Server::synchronise(const wire::SynchroniseRequest& request) {
  Answer made;
  if (request.waiting_stream != 0) {
    for (Pending& pending : pending_) {
      if (pending.streams.contains(request.stream)) pending.streams.insert(request.waiting_stream);
    }
    return made;
  }
  for (const wire::Range& range : release_pending(request.stream, request.all != 0))
    made.add(range);
  return made;
}

Answer Server::pointer(std::uint64_t address) {
  wire::PointerReply reply;
  if (const Allocation* found = heap_.find(address)) {
    reply.is_known = 1;
    reply.kind = found->kind == Allocation::Kind::kManaged      ? wire::MemoryKind::kManaged
                 : found->kind == Allocation::Kind::kPageLocked ? wire::MemoryKind::kPageLocked
                                                                : wire::MemoryKind::kDevice;
    reply.range = {found->address, found->bytes};
  }
  Answer made;
  made.add(reply);
  return made;
}

Answer Server::blocks_that_fit(const wire::OccupancyRequest& request) {
  if (request.function >= kernels_.size()) return refusal(wire::kInvalidDeviceFunction);
  const Kernel& wanted = kernels_[request.function];
  const auto kernel = wanted.module->kernel(wanted.symbol);
  if (!kernel) return refusal(wire::kInvalidKernelImage);
  OccupancyRequest asked;
  asked.threads_per_block = static_cast<int>(request.threads);
  asked.registers_per_thread = std::max((*kernel)->registers, 16);
  asked.static_shared_bytes = static_cast<int>((*kernel)->static_shared_bytes);
  asked.dynamic_shared_bytes = static_cast<int>(request.shared_bytes);
  const auto found = occupancy(options_.device, asked);
  Answer made;
  made.add(wire::OccupancyReply{found ? found->blocks_per_multiprocessor : 0});
  return made;
}

Answer Server::fault(const wire::FaultRequest& request) {
  const char* verb = request.writes != 0 ? "writes" : "reads";
  Answer made;
  for (const Pending& pending : pending_) {
    if (request.address - pending.range.begin >= pending.range.bytes) continue;
    const Allocation* found = heap_.find(request.address);
    if (request.is_atomic == 0) {
      note({.kind = HostProblem::Kind::kNotWaited,
            .message = fmt::format("host code {} {}, which {} may still be using: wait first "
                                   "(cudaDeviceSynchronize, cudaStreamSynchronize)",
                                   verb, found == nullptr ? "memory" : found->description(),
                                   pending.reason),
            .caller = request.instruction + 1});
    }
    made.add(wire::FaultReply{pending.range});
    std::erase_if(pending_,
                  [&](const Pending& other) { return other.range.begin == pending.range.begin; });
    return made;
  }
  const Allocation* found = heap_.find(request.address);
  const Allocation* freed = heap_.find_freed(request.address);
  HostProblem problem{
      .kind = HostProblem::Kind::kHostAccess, .message = {}, .caller = request.instruction + 1};
  if (found != nullptr) {
    problem.message = fmt::format(
        "host code {} byte {} of {}, which is the device's: copy it with cudaMemcpy, or allocate "
        "it with cudaMallocManaged; the program ends here, as on a GPU",
        verb, format_count(request.address - found->address), found->description());
  } else if (freed != nullptr) {
    problem.kind = HostProblem::Kind::kUseAfterFree;
    problem.message =
        fmt::format("host code {} {}, which has been freed", verb, freed->description());
  } else {
    problem.message = fmt::format("host code {} device address {:#x}, which is in no allocation",
                                  verb, request.address);
  }
  note(std::move(problem));
  made.add(wire::FaultReply{});
  return made;
}

Answer Server::failed(const wire::FailedRequest& request, const std::string& name) {
  const bool is_launch = request.is_launch != 0;
  if (request.error == failed_kernel_) return {};  // what follows from a kernel that failed
  note({.kind = is_launch ? HostProblem::Kind::kFailedLaunch : HostProblem::Kind::kFailedCall,
        .message =
            fmt::format("{} gave {}", is_launch ? "a launch" : name, error_name(request.error)),
        .caller = request.caller,
        .is_mistake = false});
  unasked_.push_back(static_cast<std::size_t>(&problems_.back() - problems_.data()));
  return {};
}

void Server::finish(ProgramResult* run) {
  // Errors of launches that nobody asked for are mistakes: the program cannot know of them.
  for (const std::size_t index : unasked_) {
    if (problems_[index].kind != HostProblem::Kind::kFailedLaunch) continue;
    problems_[index].is_mistake = true;
    problems_[index].message +=
        ", and the program never asked for it: call cudaGetLastError() after a launch";
  }
  std::uint64_t leaked = 0;
  std::uint64_t bytes = 0;
  for (const auto& [address, allocation] : heap_.live()) {
    if (allocation.number == 0) continue;
    ++leaked;
    bytes += allocation.bytes;
  }
  if (leaked != 0) {
    note({.kind = HostProblem::Kind::kLeak,
          .message = fmt::format("{} ({}) never freed", counted(leaked, "allocation"),
                                 format(static_cast<double>(bytes), Unit::kBytes)),
          .is_mistake = false});
  }
  run->used_cuda = used_;
  run->allocations = std::move(origins_);
  run->problems = std::move(problems_);
  run->sites = std::move(sites_);
  run->launches = launcher_.launches();
  run->groups = launcher_.take_groups();
  run->records = launcher_.take_records();
  run->record_error = launcher_.record_error();
  run->modules = std::move(modules_);
}

// Until the program closes its end.
void serve(int socket, Server& server, const std::stop_token& stop) {
  std::vector<std::byte> bytes;
  wire::Header header;
  while (receive(socket, &header, sizeof header)) {
    bytes.resize(header.bytes);
    if (!receive(socket, bytes.data(), bytes.size())) return;
    const Answer answer = server.answer(static_cast<Call>(header.code), Message(bytes), stop);
    const wire::Header reply{static_cast<std::uint32_t>(answer.error),
                             static_cast<std::uint32_t>(answer.bytes.size())};
    if (!send(socket, &reply, sizeof reply) ||
        !send(socket, answer.bytes.data(), answer.bytes.size()))
      return;
  }
}

}  // namespace

std::string_view name_of(HostProblem::Kind kind) {
  switch (kind) {
    case HostProblem::Kind::kFailedCall:
      return "failed_call";
    case HostProblem::Kind::kFailedLaunch:
      return "failed_launch";
    case HostProblem::Kind::kHostAccess:
      return "host_access";
    case HostProblem::Kind::kNotWaited:
      return "not_synchronised";
    case HostProblem::Kind::kUseAfterFree:
      return "use_after_free";
    case HostProblem::Kind::kOutOfBounds:
      return "out_of_bounds";
    case HostProblem::Kind::kUninitialised:
      return "uninitialised";
    case HostProblem::Kind::kLeak:
      return "leak";
    case HostProblem::Kind::kNotSupported:
      return "unsupported";
  }
  return "";
}

Result<ProgramResult> run_program(const ProgramOptions& options) {
  const auto began = std::chrono::steady_clock::now();
  auto arena = Arena::make();
  if (!arena) return std::move(arena).error();
  auto started = start(options, *arena);
  if (!started) return std::move(started).error();
  Server server(options, *arena, started->process);
  std::stop_source stop;
  // The program may end while a launch of it is emulated, and children of it may hold the socket.
  std::thread watcher([&] {
    siginfo_t info{};
    while (::waitid(P_PID, static_cast<id_t>(started->process), &info, WEXITED | WNOWAIT) != 0 &&
           errno == EINTR) {
    }
    stop.request_stop();
    ::shutdown(started->socket.get(), SHUT_RDWR);
  });
  serve(started->socket.get(), server, stop.get_token());
  watcher.join();
  const ProgramEnd end = end_of(started->process);
  ProgramResult run;
  run.exit_status = end.exit_status;
  run.how = end.how;
  server.finish(&run);
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return run;
}

}  // namespace tilescope

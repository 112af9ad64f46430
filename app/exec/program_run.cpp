#include "exec/program_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <functional>
#include <iterator>
#include <memory>
#include <stop_token>
#include <thread>
#include <utility>

#include "core/paths.h"
#include "exec/host_problems.h"
#include "exec/kernel_calls.h"
#include "exec/memory_calls.h"
#include "exec/message.h"
#include "exec/program_process.h"
#include "exec/shown_device.h"
#include "exec/tensor_map_calls.h"
#include "runtime/cuda_abi.h"
#include "runtime/protocol.h"

namespace tilescope {
namespace {

namespace wire = runtime;
using wire::Call;

// ---- the program -------------------------------------------------------------------------------

// Numbers that a program's own files hardly get.
constexpr int kSocketNumber = 870;
constexpr int kMemoryNumber = 871;

std::string joined(const std::string& first, const char* then) {
  return then == nullptr || *then == '\0' ? first : first + ':' + then;
}

// A folder of modules that Python loads at its start (python/tilescope/startup): of the resources,
// or of the package that the program is installed in. Empty: there is none.
std::filesystem::path python_startup() {
  for (const std::filesystem::path& folder : {resource_directory() / "python" / "tilescope",
                                              program_file().parent_path().parent_path()}) {
    std::error_code ignored;
    if (std::filesystem::exists(folder / "startup" / "sitecustomize.py", ignored))
      return folder / "startup";
  }
  return {};
}

std::vector<std::string> environment() {
  const std::filesystem::path folder = runtime_directory();
  const std::string libraries =
      (folder / "libcudart.so.13").string() + ':' + (folder / "libcudart.so.12").string();
  std::vector<std::string> all =
      environment_without({"LD_LIBRARY_PATH", "LD_PRELOAD", "TILESCOPE", wire::kEnvironmentName});
  all.push_back("LD_LIBRARY_PATH=" + joined(folder.string(), std::getenv("LD_LIBRARY_PATH")));
  if (const std::filesystem::path startup = python_startup(); !startup.empty()) {
    std::erase_if(all, [](const std::string& set) { return set.starts_with("PYTHONPATH="); });
    all.push_back("PYTHONPATH=" + joined(startup.string(), std::getenv("PYTHONPATH")));
  }
  all.push_back("TILESCOPE=" + program_file().string());
  // Before an RPATH of the program's own, too.
  all.push_back("LD_PRELOAD=" + joined(libraries, std::getenv("LD_PRELOAD")));
  all.push_back(fmt::format("{}={},{}", wire::kEnvironmentName, kSocketNumber, kMemoryNumber));
  return all;
}

struct Started {
  pid_t process = -1;
  FileDescriptor socket;
  FileDescriptor output;  // of a silent program: a file of what it prints
};

// The end of a file.
std::string tail_of(const FileDescriptor& file) {
  constexpr off_t kMostBytes = 4 << 10;
  const off_t bytes = ::lseek(file.get(), 0, SEEK_END);
  if (bytes <= 0) return {};
  std::string text(static_cast<std::size_t>(std::min(bytes, kMostBytes)), '\0');
  const off_t from = bytes - static_cast<off_t>(text.size());
  const ssize_t got = ::pread(file.get(), text.data(), text.size(), from);
  text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return text;
}

// Without them the program calls CUDA's own library, and finds no device.
Status find_stand_ins() {
  const std::filesystem::path library = runtime_directory() / "libcudart.so.13";
  std::error_code failure;
  if (std::filesystem::exists(library, failure)) return ok_status();
  return Error{
      ErrorCode::kMachine,
      fmt::format("what stands for CUDA's runtime library is missing: {}", library.string()),
      "Copy tilescope together with its folder runtime, or install it",
      {}};
}

Result<Started> start(const ProgramOptions& options, const Arena& arena) {
  if (Status found = find_stand_ins(); !found) return found.error();
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return system_error("cannot make a socket");
  FileDescriptor socket(ends[0]);
  const FileDescriptor theirs(ends[1]);
  ProgramProcess process{options.program, options.arguments, environment()};
  process.descriptors = {{theirs.get(), kSocketNumber}, {arena.file(), kMemoryNumber}};
  if (options.output >= 0) process.descriptors.emplace_back(options.output, STDOUT_FILENO);
  FileDescriptor nothing;
  FileDescriptor output;
  if (options.is_silent) {
    nothing = FileDescriptor(::open("/dev/null", O_RDWR | O_CLOEXEC));
    output = FileDescriptor(::memfd_create("output", MFD_CLOEXEC));
    process.descriptors.emplace_back(nothing.get(), STDIN_FILENO);
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
      process.descriptors.emplace_back(output.get(), stream);
  }
  const auto started = tilescope::start(process);
  if (!started) return started.error();
  return Started{*started, std::move(socket), std::move(output)};
}

// ---- the calls ---------------------------------------------------------------------------------

// Answers the program's calls. One thread.
class Server {
 public:
  Server(const ProgramOptions& options, const Arena& arena, pid_t process)
      : process_(process),
        on_report_(options.on_report),
        facts_(facts_of(options.device)),
        heap_(arena, most_memory(facts_)),
        launcher_(arena, heap_, options.device, options.launcher),
        memory_(arena, heap_, launcher_, options.device, problems_),
        kernels_(heap_, launcher_, memory_, options.device, problems_, options.on_launch) {}

  Answer answer(Call call, Message message, const std::stop_token& stop);
  void finish(ProgramResult* run);

 private:
  // Moves what happened since the last call to the end of what `run` has.
  void take(ProgramResult* run);
  Answer report(const std::string& request);
  [[nodiscard]] static std::uint64_t most_memory(const wire::DeviceFacts& facts);
  Answer hello(const wire::Hello& hello);

  pid_t process_;
  std::function<std::string(const ProgramResult&)> on_report_;
  wire::DeviceFacts facts_;
  HostProblems problems_;
  DeviceHeap heap_;
  Launcher launcher_;
  MemoryCalls memory_;
  KernelCalls kernels_;
  CallSites sites_;
  bool used_ = false;
  ProgramResult reported_;
  LaunchRecording usual_recording_;
  bool reports_ = false;
};

std::uint64_t Server::most_memory(const wire::DeviceFacts& facts) {
  const auto machine = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                       static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return std::min<std::uint64_t>(facts.memory_bytes, machine / 4 * 3);
}

Answer Server::answer(Call call, Message message, const std::stop_token& stop) {
  switch (call) {
    case Call::kHello:
      return hello(message.take<wire::Hello>());
    case Call::kModule: {
      sites_.read_map(process_);
      const auto request = message.take<wire::ModuleRequest>();
      return kernels_.load(request, message.rest());
    }
    case Call::kFunction: {
      const auto request = message.take<wire::FunctionRequest>();
      return kernels_.function(request, message.text());
    }
    case Call::kDescribe: {
      const auto request = message.take<wire::DescribeRequest>();
      return kernels_.describe(request, message.text());
    }
    case Call::kReport:
      return report(message.text());
    case Call::kVariable: {
      const auto request = message.take<wire::VariableRequest>();
      return kernels_.variable(request, message.text());
    }
    case Call::kAllocate:
      return memory_.allocate(message.take<wire::AllocateRequest>());
    case Call::kFree:
      return memory_.release(message.take<wire::FreeRequest>());
    case Call::kRegister:
      return memory_.adopt(message.take<wire::Range>());
    case Call::kLend:
      return memory_.lend(message.take<wire::Range>());
    case Call::kCopy:
      return memory_.copy(message.take<wire::CopyRequest>());
    case Call::kSet:
      return memory_.set(message.take<wire::SetRequest>());
    case Call::kLaunch: {
      const auto request = message.take<wire::LaunchRequest>();
      return kernels_.launch(request, message.rest(), stop);
    }
    case Call::kSynchronise:
      return memory_.synchronise(message.take<wire::SynchroniseRequest>());
    case Call::kPointer:
      return memory_.pointer(message.take<wire::Range>().begin);
    case Call::kOccupancy:
      return kernels_.blocks_that_fit(message.take<wire::OccupancyRequest>());
    case Call::kMemory: {
      Answer made;
      made.add(wire::MemoryReply{heap_.free_bytes(), facts_.memory_bytes});
      return made;
    }
    case Call::kTexture:
      return memory_.texture(message.take<wire::TextureRequest>());
    case Call::kTensorMap:
      return tensor_map_answer(message.take<wire::TensorMapRequest>(), problems_);
    case Call::kFault:
      return memory_.fault(message.take<wire::FaultRequest>());
    case Call::kFailed: {
      const auto request = message.take<wire::FailedRequest>();
      problems_.failed(request, message.text());
      return {};
    }
    case Call::kAsked:
      problems_.asked();
      return {};
    case Call::kMissing:
      problems_.note(
          {.kind = HostProblem::Kind::kNotSupported,
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

void Server::take(ProgramResult* run) {
  const auto append = [](auto from, auto& to) { std::ranges::move(from, std::back_inserter(to)); };
  Launcher::Taken taken = launcher_.take();
  append(std::move(taken.groups), run->groups);
  append(std::move(taken.records), run->records);
  append(problems_.take(), run->problems);
  if (!run->record_error) run->record_error = std::move(taken.record_error);
  run->used_cuda = used_;
  run->launches = launcher_.launches();
}

// What lies between "begin" and "end" is recorded where the program says, and told at once.
Answer Server::report(const std::string& request) {
  constexpr std::string_view kBegin = "begin ";
  constexpr std::size_t kMostRecords = 64;
  if (!on_report_) return refusal(wire::kNotSupported);
  if (request.starts_with(kBegin)) {
    take(&reported_);
    auto count = std::make_shared<std::size_t>(0);
    LaunchRecording recording{[count](const LaunchRecording::Candidate& launch) {
                                return launch.is_first_of_its_kind && ++*count <= kMostRecords;
                              },
                              request.substr(kBegin.size())};
    LaunchRecording before = launcher_.record(std::move(recording));
    if (!std::exchange(reports_, true)) usual_recording_ = std::move(before);
    return {};
  }
  ProgramResult since;
  const std::uint64_t before = reported_.launches;
  take(&since);
  since.launches -= before;
  Answer made;
  made.add_text(on_report_(since));
  for (auto& group : since.groups) reported_.groups.push_back(std::move(group));
  std::ranges::move(since.problems, std::back_inserter(reported_.problems));
  launcher_.record(usual_recording_);
  reports_ = false;
  return made;
}

void Server::finish(ProgramResult* run) {
  memory_.note_leaks();
  run->groups = std::move(reported_.groups);
  run->records = std::move(reported_.records);
  run->problems = std::move(reported_.problems);
  run->record_error = std::move(reported_.record_error);
  take(run);
  run->allocations = memory_.take_origins();
  run->sites = std::move(sites_);
  run->modules = kernels_.take_modules();
}

}  // namespace

Result<ProgramResult> serve_program(const ProgramOptions& options, FileDescriptor socket,
                                    FileDescriptor memory) {
  const auto began = std::chrono::steady_clock::now();
  auto arena = Arena::of(std::move(memory));
  if (!arena) return std::move(arena).error();
  Server server(options, *arena, ::getppid());
  answer_requests(socket.get(),
                  [&](Call call, Message message) { return server.answer(call, message, {}); });
  ProgramResult run;
  server.finish(&run);
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return run;
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
  answer_requests(started->socket.get(), [&](Call call, Message message) {
    return server.answer(call, message, stop.get_token());
  });
  watcher.join();
  const ProgramEnd end = end_of(started->process);
  ProgramResult run;
  run.exit_status = end.exit_status;
  run.how = end.how;
  if (options.is_silent) run.last_output = tail_of(started->output);
  server.finish(&run);
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return run;
}

}  // namespace tilescope

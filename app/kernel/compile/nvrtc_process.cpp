#include "kernel/compile/nvrtc_process.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <thread>
#include <utility>

#include "core/child_process.h"
#include "core/file.h"
#include "core/frame.h"
#include "core/paths.h"
#include "kernel/compile/precompiled_headers.h"

namespace tilescope {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kMostAnswerBytes = std::uint32_t{512} << 20;
constexpr std::size_t kUsualMostMemory = std::size_t{8} << 30;
constexpr long kMostKept = long{1} << 20;  // KiB: a process that was larger is not kept
constexpr milliseconds kPatienceAfterCancel{300};
constexpr milliseconds kPatienceAtEnd{1000};  // a process that crashes may have a core to write

// Whether main() called serve_as_compile_worker(). A program that does not would take the hidden
// command for something else, and start itself without end.
std::atomic<bool> serves = false;

Error cancelled() { return {ErrorCode::kCancelled, "cancelled", "", {}}; }

std::size_t most_memory_here() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return kUsualMostMemory;
  const auto all = static_cast<std::size_t>(pages) * static_cast<std::size_t>(page);
  return std::clamp(all / 2, std::size_t{1} << 30, kUsualMostMemory);
}

std::string memory_text(std::size_t bytes) {
  return fmt::format("{:.3g} GiB", static_cast<double>(bytes) / (1 << 30));
}

// Strings are bytes in CBOR as we write it: a source need not be UTF-8.
json encode(const NvrtcLibrary::Input& input) {
  return {{"name", input.name},       {"source", input.source}, {"headers", input.headers},
          {"options", input.options}, {"kernel", input.kernel}, {"closed", input.is_closed}};
}

NvrtcLibrary::Input decode_input(const json& message) {
  NvrtcLibrary::Input input;
  message.at("name").get_to(input.name);
  message.at("source").get_to(input.source);
  message.at("headers").get_to(input.headers);
  message.at("options").get_to(input.options);
  message.at("kernel").get_to(input.kernel);
  message.at("closed").get_to(input.is_closed);
  return input;
}

json encode(const Error& error) {
  return {
      {"code", static_cast<int>(error.code)}, {"message", error.message}, {"remedy", error.remedy}};
}

Error decode_error(const json& message) {
  return {static_cast<ErrorCode>(message.at("code").get<int>()),
          message.at("message").get<std::string>(),
          message.at("remedy").get<std::string>(),
          {}};
}

json encode(const NvrtcLibrary::Output& output) {
  const auto* cubin = reinterpret_cast<const std::uint8_t*>(output.cubin.data());
  return {{"compiled", output.compiled},
          {"log", output.log},
          {"ptx", output.ptx},
          {"cubin", json::binary({cubin, cubin + output.cubin.size()})},
          {"lowered_name", output.lowered_name}};
}

NvrtcLibrary::Output decode_output(json& message) {
  NvrtcLibrary::Output output;
  output.compiled = message.at("compiled").get<bool>();
  output.log = std::move(message.at("log").get_ref<std::string&>());
  output.ptx = std::move(message.at("ptx").get_ref<std::string&>());
  const auto cubin = std::as_bytes(std::span(message.at("cubin").get_binary()));
  output.cubin.assign(cubin.begin(), cubin.end());
  output.lowered_name = std::move(message.at("lowered_name").get_ref<std::string&>());
  return output;
}

// Wakes a poll(2) when a stop is requested.
class StopEvent {
 public:
  explicit StopEvent(const std::stop_token& stop)
      : file_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), callback_(stop, Write{file_.get()}) {}
  [[nodiscard]] int file() const { return file_.get(); }

 private:
  struct Write {
    int file;
    void operator()() const noexcept { ::eventfd_write(file, 1); }
  };
  FileDescriptor file_;
  std::stop_callback<Write> callback_;
};

}  // namespace

// One life of a process.
struct NvrtcProcesses::Process {
  explicit Process(ChildProcess started) : child(std::move(started)) {}

  ChildProcess child;
  FrameReader frames{kMostAnswerBytes};
  std::vector<std::byte> outgoing;
  std::size_t sent = 0;
  bool said_hello = false;
  bool has_compiled = false;  // a request, or a part of one

  void queue(std::span<const std::byte> bytes) {
    outgoing.erase(outgoing.begin(), outgoing.begin() + static_cast<std::ptrdiff_t>(sent));
    sent = 0;
    outgoing.insert(outgoing.end(), bytes.begin(), bytes.end());
  }

  enum class End { kMessage, kDied, kLate, kCancelled };
  struct Reply {
    End end = End::kDied;
    json message;
  };
  // Whether it ended while nobody asked it anything.
  [[nodiscard]] bool ended() const {
    pollfd output{child.output(), POLLIN, 0};
    return ::poll(&output, 1, 0) > 0 && (output.revents & (POLLHUP | POLLERR)) != 0;
  }
  // Sends what is queued and waits for the next message.
  [[nodiscard]] Reply exchange(Clock::time_point deadline, const std::stop_token& stop);

 private:
  void wait(Clock::time_point deadline, int stop_file, bool* open);
};

void NvrtcProcesses::Process::wait(Clock::time_point deadline, int stop_file, bool* open) {
  const bool sending = sent < outgoing.size();
  std::array<pollfd, 4> files = {{{stop_file, POLLIN, 0},
                                  {child.output(), POLLIN, 0},
                                  {child.error_output(), POLLIN, 0},
                                  {sending ? child.input() : -1, POLLOUT, 0}}};
  const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now()).count();
  const int timeout = static_cast<int>(std::clamp<std::int64_t>(left, 0, 3'600'000));
  if (::poll(files.data(), files.size(), timeout) <= 0) return;
  if (files[2].revents != 0) child.read_errors();
  if (files[3].revents != 0) {
    const auto written = child.write_some(std::span(outgoing).subspan(sent));
    sent = written ? sent + *written : outgoing.size();  // its output ends too, and says more
  }
  if (files[1].revents != 0) {
    std::vector<std::byte> bytes;
    *open = child.read_output(&bytes);
    frames.append(bytes);
  }
}

NvrtcProcesses::Process::Reply NvrtcProcesses::Process::exchange(Clock::time_point deadline,
                                                                 const std::stop_token& stop) {
  const StopEvent event(stop);
  bool open = true;
  bool asked_to_stop = false;
  while (true) {
    if (auto message = frames.next()) {
      if (!*message) return {};  // no frame: what it says cannot be trusted
      return {End::kMessage, **std::move(message)};
    }
    if (!open) return {};
    if (stop.stop_requested() && !asked_to_stop) {
      asked_to_stop = true;
      queue(encode_frame({{"cancel", true}}));
      deadline = std::min(deadline, Clock::now() + kPatienceAfterCancel);
    }
    if (Clock::now() >= deadline) return {asked_to_stop ? End::kCancelled : End::kLate, {}};
    wait(deadline, asked_to_stop ? -1 : event.file(), &open);
  }
}

NvrtcProcesses::NvrtcProcesses(Settings settings) : settings_(std::move(settings)) {
  if (settings_.most_memory == 0) settings_.most_memory = most_memory_here();
}

NvrtcProcesses::~NvrtcProcesses() { close(); }

void NvrtcProcesses::close() {
  std::vector<Handle> ended;
  const std::lock_guard lock(mutex_);
  closed_ = true;
  ended.swap(idle_);
}

std::size_t NvrtcProcesses::started() const {
  const std::lock_guard lock(mutex_);
  return started_;
}

Result<NvrtcProcesses::Handle> NvrtcProcesses::start() {
  const Error none{ErrorCode::kMachine, "this program cannot start a process for NVRTC", "", {}};
  std::vector<std::string> command = settings_.command;
  ChildOptions options;
  if (command.empty()) {
    if (!serves) return none;
    command = {program_file().string(), kCompileWorker, std::to_string(settings_.most_memory)};
    options.file = "/proc/self/exe";  // the very same, also where the file was replaced meanwhile
    if (::access(options.file.c_str(), X_OK) != 0) options.file = command.front();
  }
  auto child = ChildProcess::start(command, options);
  if (!child) {
    return Error{ErrorCode::kMachine,
                 fmt::format("NVRTC's process cannot be started: {}", child.error().message),
                 "Allow the program more processes and open files (ulimit -u, ulimit -n)",
                 {}};
  }
  Handle process(new Process(*std::move(child)));
  process->queue(std::as_bytes(std::span(kStreamPreamble)));
  const std::lock_guard lock(mutex_);
  ++started_;
  return process;
}

void NvrtcProcesses::start_ahead(std::size_t count) {
  while (true) {
    {
      const std::lock_guard lock(mutex_);
      if (closed_ || idle_.size() >= std::min(count, settings_.most_idle)) return;
    }
    auto process = start();
    if (!process) return;  // who needs one is told
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    idle_.push_back(*std::move(process));
  }
}

Result<NvrtcProcesses::Handle> NvrtcProcesses::take(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  if (!returned_.wait(lock, stop, [this] { return running_ < settings_.most_running; })) {
    return cancelled();
  }
  ++running_;
  while (!idle_.empty()) {
    Handle process = std::move(idle_.back());  // the warmest
    idle_.pop_back();
    if (!process->ended()) return process;
  }
  lock.unlock();
  auto process = start();
  if (!process) {
    lock.lock();
    --running_;
    returned_.notify_one();
  }
  return process;
}

void NvrtcProcesses::give_back(Handle process) {
  const std::lock_guard lock(mutex_);
  --running_;
  returned_.notify_one();
  if (!closed_ && idle_.size() < settings_.most_idle) idle_.push_back(std::move(process));
}

void NvrtcProcesses::lose(Handle process) {
  process.reset();
  {
    const std::lock_guard lock(mutex_);
    --running_;
    returned_.notify_one();
  }
  start_ahead(1);
}

Status NvrtcProcesses::await_hello(Process& process, const std::stop_token& stop) {
  if (process.said_hello) return ok_status();
  Process::Reply reply = process.exchange(Clock::now() + settings_.most_start_time, stop);
  if (reply.end == Process::End::kCancelled) return cancelled();
  if (reply.end != Process::End::kMessage) {
    process.child.read_last_errors();
    const std::string words = last_line_of(process.child.errors());
    const std::string how = reply.end == Process::End::kLate
                                ? "did not answer in time"
                                : process.child.end(kPatienceAtEnd).how;
    return Error{ErrorCode::kMachine,
                 fmt::format("NVRTC's process {}{}{}", how, words.empty() ? "" : ": ", words),
                 "",
                 {}};
  }
  if (reply.message.contains("error")) return decode_error(reply.message["error"]);
  process.said_hello = true;
  const NvrtcFacts facts = decode_nvrtc_facts(reply.message.at("facts"));
  const std::lock_guard lock(mutex_);
  if (!facts_ && is_own_program()) {
    const std::filesystem::path first = NvrtcLibrary::first_file();
    std::error_code none;
    if (std::filesystem::equivalent(first, facts.file, none)) keep_nvrtc_facts(first, facts);
  }
  if (!facts_) facts_ = facts;
  return ok_status();
}

Result<NvrtcFacts> NvrtcProcesses::facts(const std::stop_token& stop) {
  {
    const std::lock_guard lock(mutex_);
    if (!facts_ && is_own_program()) facts_ = kept_nvrtc_facts(NvrtcLibrary::first_file());
    if (facts_) return *facts_;
  }
  if (Status loaded = load(stop); !loaded) return loaded.error();
  const std::lock_guard lock(mutex_);
  return *facts_;
}

Status NvrtcProcesses::load(const std::stop_token& stop) {
  auto process = take(stop);
  if (!process) return process.error();
  Status hello = await_hello(**process, stop);
  if (!hello) {
    const std::lock_guard lock(mutex_);
    --running_;
    returned_.notify_one();
    return hello;
  }
  give_back(*std::move(process));
  return ok_status();
}

Result<NvrtcProcesses::Answer> NvrtcProcesses::compile(const NvrtcLibrary::Input& input,
                                                       const std::stop_token& stop) {
  return compile(input, settings_.most_time, stop);
}

Result<NvrtcProcesses::Answer> NvrtcProcesses::compile(const NvrtcLibrary::Input& input,
                                                       milliseconds most_time,
                                                       const std::stop_token& stop) {
  while (true) {
    if (stop.stop_requested()) return cancelled();
    auto process = take(stop);
    if (!process) return process.error();
    const bool is_new = !(*process)->has_compiled;
    auto answer = compile_in(*std::move(process), input, most_time, stop);
    // What was compiled before may be to blame.
    const bool again = answer.ok() && answer->death && !is_new &&
                       answer->death->cause == NvrtcDeath::Cause::kCrash;
    if (!again) return answer;
  }
}

Result<NvrtcProcesses::Answer> NvrtcProcesses::compile_in(Handle process,
                                                          const NvrtcLibrary::Input& input,
                                                          milliseconds most_time,
                                                          const std::stop_token& stop) {
  if (Status hello = await_hello(*process, stop); !hello) {
    const bool only_cancelled = hello.error().code == ErrorCode::kCancelled;
    only_cancelled ? give_back(std::move(process)) : lose(std::move(process));
    return hello.error();
  }
  process->has_compiled = true;
  process->queue(encode_frame({{"compile", encode(input)}}));
  Process::Reply reply = process->exchange(Clock::now() + most_time, stop);
  if (reply.end == Process::End::kMessage) {
    const bool ends = reply.message.value("ends", false);
    const bool failed = reply.message.contains("error");
    Result<Answer> answer = failed ? Result<Answer>(decode_error(reply.message["error"]))
                                   : Answer{decode_output(reply.message.at("output")), {}};
    ends ? lose(std::move(process)) : give_back(std::move(process));
    if (stop.stop_requested()) return cancelled();
    return answer;
  }
  Answer answer;
  if (reply.end == Process::End::kLate) {
    answer.death = {NvrtcDeath::Cause::kTime,
                    fmt::format("took over {:g} s", static_cast<double>(most_time.count()) / 1e3)};
  } else if (reply.end == Process::End::kDied) {
    process->child.read_last_errors();
    const ChildEnd end = process->child.end(kPatienceAtEnd);
    const bool no_memory = process->child.errors().find("bad_alloc") != std::string::npos ||
                           process->child.errors().find("memory") != std::string::npos ||
                           end.most_memory > settings_.most_memory / 4 * 3;
    answer.death = {no_memory ? NvrtcDeath::Cause::kMemory : NvrtcDeath::Cause::kCrash, end.how};
    if (no_memory) {
      answer.death->how =
          fmt::format("needed over {} of memory", memory_text(settings_.most_memory));
    }
  }
  lose(std::move(process));
  if (reply.end == Process::End::kCancelled || stop.stop_requested()) return cancelled();
  return answer;
}

// Ends its idle processes as the program ends. It is never destroyed itself: a thread may still
// compile then.
NvrtcProcesses& nvrtc() {
  static auto* const processes = new NvrtcProcesses({});
  static const struct Closer {
    ~Closer() { processes->close(); }
  } closer;
  return *processes;
}

namespace {

// The other side: what the process does.

struct Job {
  NvrtcLibrary::Input input;
  std::stop_source stop;
};

// Requests as they come. Read on a thread of its own, for one that is cancelled must be heard of
// while it is compiled; and where the parent ends, however it does, so does this process.
class Requests {
 public:
  Requests() {
    std::thread([this] { read_all(); }).detach();
  }
  Job next() {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [this] { return !waiting_.empty(); });
    Job job = std::move(waiting_.front());
    waiting_.pop_front();
    return job;
  }
  [[nodiscard]] bool empty() {
    const std::lock_guard lock(mutex_);
    return waiting_.empty();
  }

 private:
  void read_all() {
    FrameReader frames;
    std::array<std::byte, 65536> chunk{};
    while (true) {
      const ssize_t got = ::read(STDIN_FILENO, chunk.data(), chunk.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) std::_Exit(0);
      frames.append(std::span(chunk).first(static_cast<std::size_t>(got)));
      while (auto message = frames.next()) {
        if (!*message) std::_Exit(1);
        take(**message);
      }
    }
  }
  void take(const json& message) {
    const std::lock_guard lock(mutex_);
    if (message.contains("cancel")) {
      newest_.request_stop();
      return;
    }
    newest_ = std::stop_source();
    waiting_.push_back({decode_input(message.at("compile")), newest_});
    arrived_.notify_one();
  }

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Job> waiting_;
  std::stop_source newest_;  // of the newest request
};

// Bytes of address space in use; 0: not known.
std::size_t address_space() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

// Not where a sanitizer has taken more than that already.
void limit_memory(const char* bytes) {
  rlimit limit{};
  ::getrlimit(RLIMIT_AS, &limit);
  const rlim_t wanted = std::strtoull(bytes, nullptr, 10);
  if (wanted <= address_space() || wanted > limit.rlim_max) return;
  limit.rlim_cur = std::min(limit.rlim_cur, wanted);
  ::setrlimit(RLIMIT_AS, &limit);
}

bool is_large() {
  rusage used{};
  return ::getrusage(RUSAGE_SELF, &used) == 0 && used.ru_maxrss > kMostKept;
}

// What NVRTC prepares when it first compiles, before anybody waits for it.
void warm_up(const NvrtcLibrary& library) {
  const auto& known = library.facts().architectures;
  if (known.empty()) return;
  const int architecture = std::ranges::find(known, 90) != known.end() ? 90 : known.back();
  NvrtcLibrary::Input input{.name = "warm_up.cu",
                            .source = "extern \"C\" __global__ void k(int* p) { *p = 1; }",
                            .headers = {},
                            .options = {fmt::format("--gpu-architecture=compute_{}", architecture)},
                            .kernel = {}};
  if (library.facts().keeps_a_cache()) input.options.emplace_back("--no-cache");
  static_cast<void>(library.compile(input, {}));
}

int serve(const char* most_memory) {
  limit_memory(most_memory);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::prctl(PR_SET_DUMPABLE, 0);  // nor one for a program that collects them, which takes a second
  ::prctl(PR_SET_NAME, "tilescope-nvrtc");
  const FrameSender answers;
  Requests requests;
  const auto library = NvrtcLibrary::load();
  if (!library) {
    answers.send({{"error", encode(library.error())}});
    return 0;
  }
  answers.send({{"facts", encode((*library)->facts())}});
  if (requests.empty()) warm_up(**library);
  PrecompiledHeaders headers(**library);
  while (true) {
    const Job job = requests.next();
    const auto output = headers.compile(job.input, job.stop.get_token());
    const bool ends = is_large();
    answers.send(output ? json{{"output", encode(*output)}, {"ends", ends}}
                        : json{{"error", encode(output.error())}, {"ends", ends}});
    if (ends) std::_Exit(0);
  }
}

}  // namespace

std::optional<int> serve_as_compile_worker(int argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]) != kCompileWorker) {
    serves = true;
    return std::nullopt;
  }
  if (argc != 3 || ::isatty(STDIN_FILENO) != 0) {
    std::fprintf(stderr, "%s: started by tilescope, for NVRTC; not by people\n", kCompileWorker);
    return 1;
  }
  return serve(argv[2]);
}

}  // namespace tilescope

#pragma once
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/result.h"
#include "kernel/compile/nvrtc_library.h"

namespace tilescope {

// How NVRTC ended without an answer.
struct NvrtcDeath {
  enum class Cause { kCrash, kTime, kMemory };
  Cause cause = Cause::kCrash;
  std::string how;  // "was ended by signal 11 (Segmentation fault)", "took over 60 s"
};

// NVRTC in processes of its own: a source that crashes it, or keeps it busy for ever, ends one of
// these and nothing else. A process serves one request at a time and is then kept for the next one,
// with NVRTC loaded, so that a request costs no more than in this process. Thread-safe.
class NvrtcProcesses {
 public:
  struct Settings {
    std::vector<std::string> command;             // argv; empty: this program with kCompileWorker
    std::chrono::milliseconds most_time{60'000};  // of one compilation
    std::chrono::milliseconds most_start_time{20'000};
    std::size_t most_memory = 0;  // bytes of address space; 0: 8 GiB, or half of this machine's
    std::size_t most_idle = 4;    // processes kept for the next request
    std::size_t most_running = 16;
  };
  explicit NvrtcProcesses(Settings settings);
  ~NvrtcProcesses();  // ends the idle processes; none may be in use
  NvrtcProcesses(const NvrtcProcesses&) = delete;
  NvrtcProcesses& operator=(const NvrtcProcesses&) = delete;

  // Starts processes in the background until this many are idle.
  void start_ahead(std::size_t count);

  // kMachine where there is no NVRTC, or where its process cannot be started. Remembered once
  // known, by later programs too (kept_nvrtc_facts()): then no process is started.
  [[nodiscard]] Result<NvrtcFacts> facts(const std::stop_token& stop);

  // The same, but a process has loaded NVRTC: that it was there before is not enough.
  [[nodiscard]] Status load(const std::stop_token& stop);

  struct Answer {
    NvrtcLibrary::Output output;
    std::optional<NvrtcDeath> death;  // then there is no output
  };
  // As NvrtcLibrary::compile(). A crash is only told if a process that has compiled nothing before
  // crashes too. A request that is cancelled gives its answer at once, or its process is killed.
  [[nodiscard]] Result<Answer> compile(const NvrtcLibrary::Input& input,
                                       const std::stop_token& stop);
  // The same, in at most this time.
  [[nodiscard]] Result<Answer> compile(const NvrtcLibrary::Input& input,
                                       std::chrono::milliseconds most_time,
                                       const std::stop_token& stop);

  // Ends the idle processes; from now on none is kept. For the end of the program, when a thread
  // may still compile.
  void close();
  [[nodiscard]] std::size_t started() const;  // processes, up to now

 private:
  struct Process;  // in use by one thread, or idle
  using Handle = std::unique_ptr<Process>;

  [[nodiscard]] bool is_own_program() const { return settings_.command.empty(); }
  [[nodiscard]] Result<Handle> start();
  [[nodiscard]] Result<Handle> take(const std::stop_token& stop);
  [[nodiscard]] Status await_hello(Process& process, const std::stop_token& stop);
  void give_back(Handle process);
  void lose(Handle process);  // and has another one ready
  [[nodiscard]] Result<Answer> compile_in(Handle process, const NvrtcLibrary::Input& input,
                                          std::chrono::milliseconds most_time,
                                          const std::stop_token& stop);

  Settings settings_;
  mutable std::mutex mutex_;
  std::condition_variable_any returned_;
  std::vector<Handle> idle_;
  std::size_t running_ = 0;  // in use
  std::size_t started_ = 0;
  bool closed_ = false;
  std::optional<NvrtcFacts> facts_;
};

// The processes that compile() asks. They end with the program.
[[nodiscard]] NvrtcProcesses& nvrtc();

// The hidden command that makes a program a process of NvrtcProcesses: "PROGRAM compile-worker
// BYTES".
inline constexpr const char* kCompileWorker = "compile-worker";

// The first call in the main() of every program that compiles. The exit status where the program
// was started as a process of NvrtcProcesses: it has served its requests. nullopt: it is to go on,
// and may start such processes.
[[nodiscard]] std::optional<int> serve_as_compile_worker(int argc, char** argv);

}  // namespace tilescope

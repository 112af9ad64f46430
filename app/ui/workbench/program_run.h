#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "core/device_table.h"
#include "kernel/catalogue/catalogue.h"
#include "session/program_progress.h"
#include "session/session_file.h"

namespace tilescope {

// A whole program of the user's, as a person asks for it.
struct ProgramToRun {
  std::string file;       // a program, or a CUDA file with a main()
  std::string kernel;     // OwnKernelDocument::file of the kernel that it was offered for
  std::string arguments;  // as typed
  std::string nvcc;       // further files and options for nvcc, as typed
};

// Runs a program of the user's with `tilescope exec`, in processes of its own, and brings its
// launches back: the first one of each kernel. One at a time. UI thread; a thread of its own waits
// for the process.
class ProgramRun {
 public:
  // What is known of the newest run.
  struct Shown {
    ProgramToRun program;
    bool running = true;
    bool stopped = false;  // by stop()
    double seconds = 0;    // since it began
    ProgramProgress progress;
    std::string output;  // what it and tilescope print, the last kMostOutputBytes of it
    std::string error;   // why there is nothing to take; empty: there is, or it still runs
  };
  static constexpr std::size_t kMostOutputBytes = std::size_t{64} << 10;

  // `tilescope`: the program that has `exec`.
  ProgramRun(std::filesystem::path tilescope, const Catalogue& catalogue,
             std::shared_ptr<const std::vector<DeviceModel>> devices);
  ~ProgramRun();  // ends what runs
  ProgramRun(const ProgramRun&) = delete;
  ProgramRun& operator=(const ProgramRun&) = delete;

  // Precondition: none is running. `device`: that the program sees.
  void start(ProgramToRun program, const std::string& device);
  // Interrupts it, as Ctrl C does; after some seconds it is killed. What it launched until then is
  // brought back too.
  void stop();
  void forget();  // what the newest run said; not while it runs

  // Takes what has come; true: something did.
  bool tick();
  [[nodiscard]] bool running() const { return shown_ && shown_->running; }
  [[nodiscard]] const std::optional<Shown>& shown() const { return shown_; }
  // Its launches, once.
  [[nodiscard]] std::optional<LoadedSession> take_launches();

 private:
  struct Shared;  // with the thread
  struct Files {
    std::filesystem::path session;  // of the launches
    std::filesystem::path progress;
  };
  void watch(const std::vector<std::string>& words, const Files& files, Shared& shared,
             const std::stop_token& stop) const;

  std::filesystem::path tilescope_;
  const Catalogue& catalogue_;
  std::shared_ptr<const std::vector<DeviceModel>> devices_;
  std::optional<Shown> shown_;
  std::optional<LoadedSession> launches_;
  std::chrono::steady_clock::time_point began_;
  int runs_ = 0;
  std::shared_ptr<Shared> shared_;
  std::jthread thread_;
};

}  // namespace tilescope

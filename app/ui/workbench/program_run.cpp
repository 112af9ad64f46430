#include "ui/workbench/program_run.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <system_error>
#include <utility>

#include "core/child_process.h"
#include "core/file.h"
#include "core/launch_folder.h"
#include "core/text.h"

namespace tilescope {

namespace fs = std::filesystem;

// What the thread that waits for the process has found, and what it is told.
struct ProgramRun::Shared {
  std::atomic<bool> kill = false;  // at once
  std::mutex mutex;                // of all below
  bool is_new = false;
  std::string output;
  ProgramProgress progress;
  bool ended = false;
  std::string error;
  std::optional<LoadedSession> launches;
};

namespace {

constexpr std::uintmax_t kMostProgressBytes = std::uintmax_t{16} << 20;
constexpr std::chrono::milliseconds kPollPause(50);
constexpr std::chrono::seconds kPatience(5);  // with a program that was interrupted

std::vector<std::string> command_line(const ProgramToRun& program, const std::string& device,
                                      const fs::path& session, const fs::path& progress) {
  // The window measures launches itself.
  std::vector<std::string> words{
      "tilescope",      "exec",       program.file,      "--emulate", "--save",
      session.string(), "--progress", progress.string(), "--device",  device};
  if (!shell_words(program.nvcc).empty()) words.insert(words.end(), {"--nvcc", program.nvcc});
  words.emplace_back("--");
  for (std::string& word : shell_words(program.arguments)) words.push_back(std::move(word));
  return words;
}

// Colours of a terminal, and what ends a line otherwise.
std::string plain(const std::vector<std::byte>& bytes) {
  std::string text;
  const auto* at = reinterpret_cast<const char*>(bytes.data());
  const char* const end = at + bytes.size();
  while (at < end) {
    constexpr char kEscape = '\x1b';
    if (*at == kEscape && at + 1 < end && at[1] == '[') {
      at += 2;
      while (at < end && (*at < '@' || *at > '~')) ++at;
    } else if (*at != '\r' && *at != kEscape) {
      text += *at;
    }
    if (at < end) ++at;
  }
  return valid_utf8(std::move(text));
}

std::optional<ProgramProgress> read_progress(const fs::path& file) {
  const auto text = read_file(file, kMostProgressBytes);
  return text ? last_progress(*text) : std::nullopt;
}

}  // namespace

ProgramRun::ProgramRun(fs::path tilescope, const Catalogue& catalogue,
                       std::shared_ptr<const std::vector<DeviceModel>> devices)
    : tilescope_(std::move(tilescope)), catalogue_(catalogue), devices_(std::move(devices)) {}

ProgramRun::~ProgramRun() {
  if (shared_ != nullptr) shared_->kill = true;
}

// On a thread of its own, to the end of the process.
void ProgramRun::watch(const std::vector<std::string>& words, const Files& files, Shared& shared,
                       const std::stop_token& stop) const {
  const auto end = [&](std::string error, std::optional<LoadedSession> launches) {
    const std::lock_guard lock(shared.mutex);
    shared.is_new = shared.ended = true;
    shared.error = std::move(error);
    shared.launches = std::move(launches);
  };
  auto child = ChildProcess::start(words, {.file = tilescope_.string(), .joins_output = true});
  if (!child) return end(to_string(child.error()), std::nullopt);
  child->close_input();
  std::optional<std::chrono::steady_clock::time_point> interrupted;
  std::vector<std::byte> bytes;
  for (bool is_open = true; is_open;) {
    pollfd output{child->output(), POLLIN, 0};
    ::poll(&output, 1, static_cast<int>(kPollPause.count()));
    bytes.clear();
    is_open = child->read_output(&bytes);
    const auto progress = read_progress(files.progress);
    {
      const std::lock_guard lock(shared.mutex);
      shared.is_new = true;
      shared.output += plain(bytes);
      if (shared.output.size() > kMostOutputBytes)
        shared.output.erase(0, shared.output.size() - kMostOutputBytes);
      if (progress) shared.progress = *progress;
    }
    const auto now = std::chrono::steady_clock::now();
    if (stop.stop_requested() && !interrupted) {
      child->interrupt();
      interrupted = now;
    }
    if (shared.kill || (interrupted && now - *interrupted > kPatience)) child->kill();
  }
  const ChildEnd how = child->end(kPatience);
  std::error_code ignored;
  fs::remove(files.progress, ignored);
  std::string error = shared.progress.error;  // no other thread writes it
  if (error.empty() && shared.progress.phase != ProgramProgress::Phase::kEnded)
    error = "tilescope exec " + how.how;
  if (!fs::exists(files.session, ignored)) return end(std::move(error), std::nullopt);
  auto launches = read_session(files.session, {catalogue_, *devices_});
  if (launches) return end(std::move(error), *std::move(launches));
  end(to_string(launches.error()), std::nullopt);
}

void ProgramRun::start(ProgramToRun program, const std::string& device) {
  const fs::path folder = launch_folder();
  std::error_code ignored;
  const std::string name = fmt::format("{}-{}", ::getpid(), ++runs_);
  const Files files{folder / (name + std::string(kSessionEnding)), folder / (name + ".progress")};
  for (const fs::path& file : {files.session, files.progress}) fs::remove(file, ignored);
  shared_ = std::make_shared<Shared>();
  began_ = std::chrono::steady_clock::now();
  launches_.reset();
  const std::vector<std::string> words =
      command_line(program, device, files.session, files.progress);
  shown_.emplace().program = std::move(program);
  thread_ =
      std::jthread([this, folder, words, files, shared = shared_](const std::stop_token& stop) {
        clean_launch_folder(folder, {});
        watch(words, files, *shared, stop);
      });
}

void ProgramRun::stop() {
  if (!running()) return;
  shown_->stopped = true;
  thread_.request_stop();
}

void ProgramRun::forget() {
  if (!running()) shown_.reset();
}

bool ProgramRun::tick() {
  if (!running()) return false;
  shown_->seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  const std::lock_guard lock(shared_->mutex);
  if (!std::exchange(shared_->is_new, false)) return false;
  shown_->output = shared_->output;
  shown_->progress = shared_->progress;
  if (shared_->ended) {
    shown_->running = false;
    shown_->error = shared_->error;
    launches_ = std::exchange(shared_->launches, std::nullopt);
  }
  return true;
}

std::optional<LoadedSession> ProgramRun::take_launches() {
  return std::exchange(launches_, std::nullopt);
}

}  // namespace tilescope

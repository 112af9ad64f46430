#include "gpu/worker_link.h"

#include <chrono>
#include <cstdlib>
#include <optional>
#include <thread>
#include <utility>

#include "core/paths.h"
#include "gpu/link_mailbox.h"
#include "gpu/process_link.h"

namespace tilescope {
namespace {

// Answers "no device: why" to everything.
class NullLink : public WorkerLink {
 public:
  explicit NullLink(const std::string& why) {
    mailbox_.close(Error{ErrorCode::kMachine, "no device: " + why, "", {}});
  }
  [[nodiscard]] std::optional<Result<DeviceInfo>> device() const override {
    return mailbox_.device();
  }
  Ticket submit(const std::string& tag, RunRequest request) override {
    return mailbox_.submit(tag, std::move(request));
  }
  void cancel(const std::string& tag) override { mailbox_.cancel(tag); }
  void poll(const std::function<void(const Progress&)>& on_progress,
            const std::function<void(Answer)>& on_answer) override {
    mailbox_.poll(on_progress, on_answer);
  }
  [[nodiscard]] bool busy() const override { return mailbox_.busy(); }

 private:
  LinkMailbox mailbox_;
};

}  // namespace

std::vector<std::string> worker_command(const WorkerSettings& settings) {
  if (!settings.command.empty()) return settings.command;
  const char* wanted = std::getenv("TILESCOPE_WORKER");
  if (wanted != nullptr && *wanted != '\0') {
    return {"/bin/sh", "-c", std::string("exec ") + wanted};
  }
  return {program_file().string(), "worker"};
}

std::unique_ptr<WorkerLink> start_worker(const WorkerSettings& settings) {
  return std::make_unique<ProcessLink>(settings);
}

std::unique_ptr<WorkerLink> make_null_link(std::string why) {
  return std::make_unique<NullLink>(why);
}

Result<RunResult> run_and_wait(WorkerLink& link, RunRequest request) {
  const WorkerLink::Ticket ticket = link.submit("", std::move(request));
  std::optional<Result<RunResult>> result;
  while (true) {
    link.poll(nullptr, [&](WorkerLink::Answer answer) {
      if (answer.ticket == ticket) result = std::move(answer.result);
    });
    if (result) return *std::move(result);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace tilescope

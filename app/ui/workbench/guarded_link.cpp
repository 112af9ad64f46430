#include "ui/workbench/guarded_link.h"

#include <utility>
#include <vector>

namespace tilescope {
namespace {

constexpr WorkerLink::RequestId kFirstRefused = WorkerLink::RequestId{1}
                                                << 63;  // no link counts so far

class GuardedLink final : public WorkerLink {
 public:
  GuardedLink(std::unique_ptr<WorkerLink> link, std::function<bool(const RunRequest&)> may_run)
      : link_(std::move(link)), may_run_(std::move(may_run)) {}

  std::optional<Result<DeviceInfo>> device() const override { return link_->device(); }

  RequestId submit(const std::string& tag, RunRequest request) override {
    return may_run_(request) ? link_->submit(tag, std::move(request)) : refuse();
  }

  RequestId submit_to(std::size_t kind, const std::string& tag, RunRequest request) override {
    return may_run_(request) ? link_->submit_to(kind, tag, std::move(request)) : refuse();
  }

  void cancel(const std::string& tag) override { link_->cancel(tag); }

  void poll(const std::function<void(const Progress&)>& on_progress,
            const std::function<void(Answer)>& on_answer) override {
    for (const RequestId request_id : std::exchange(refused_, {})) {
      on_answer({request_id, Error{ErrorCode::kUsage,
                                   "this kernel came from a file and is not run on the GPU",
                                   "Allow it first",
                                   {}}});
    }
    link_->poll(on_progress, on_answer);
  }

  bool busy() const override { return !refused_.empty() || link_->busy(); }

  std::size_t workers() const override { return link_->workers(); }
  std::vector<GpuKind> gpus() const override { return link_->gpus(); }
  std::vector<std::string> take_news() override { return link_->take_news(); }
  bool needs_polling() const override { return link_->needs_polling(); }

 private:
  RequestId refuse() {
    refused_.push_back(next_refused_);
    return next_refused_++;
  }

  std::unique_ptr<WorkerLink> link_;
  std::function<bool(const RunRequest&)> may_run_;
  std::vector<RequestId> refused_;  // not yet answered
  RequestId next_refused_ = kFirstRefused;
};

}  // namespace

std::unique_ptr<WorkerLink> make_guarded_link(std::unique_ptr<WorkerLink> link,
                                              std::function<bool(const RunRequest&)> may_run) {
  return std::make_unique<GuardedLink>(std::move(link), std::move(may_run));
}

}  // namespace tilescope

#include "kernel/compile_flights.h"

#include <utility>

namespace tilescope {

CompileFlights::Turn::Turn(CompileFlights& flights, std::string digest)
    : flights_(flights), digest_(std::move(digest)) {
  std::unique_lock lock(flights_.mutex_);
  flights_.landed_.wait(lock, [this] { return flights_.under_way_.insert(digest_).second; });
}

CompileFlights::Turn::~Turn() {
  {
    const std::lock_guard lock(flights_.mutex_);
    flights_.under_way_.erase(digest_);
  }
  flights_.landed_.notify_all();
}

}  // namespace tilescope

// The stop watch of CUDA's samples: milliseconds of the host's clock.
#ifndef TILESCOPE_HELPER_TIMER
#define TILESCOPE_HELPER_TIMER
#include <chrono>

class StopWatchInterface {
 public:
  void start() {
    began_ = std::chrono::steady_clock::now();
    is_running_ = true;
  }
  void stop() {
    total_ += since_start();
    is_running_ = false;
    ++times_;
  }
  void reset() {
    total_ = 0;
    times_ = 0;
    began_ = std::chrono::steady_clock::now();
  }
  float getTime() const { return total_ + since_start(); }
  float getAverageTime() const { return times_ == 0 ? 0.0f : total_ / times_; }

 private:
  float since_start() const {
    if (!is_running_) return 0;
    return std::chrono::duration<float, std::milli>(std::chrono::steady_clock::now() - began_)
        .count();
  }
  std::chrono::steady_clock::time_point began_;
  float total_ = 0;
  int times_ = 0;
  bool is_running_ = false;
};

inline bool sdkCreateTimer(StopWatchInterface** timer) {
  *timer = new StopWatchInterface;
  return true;
}
inline bool sdkDeleteTimer(StopWatchInterface** timer) {
  delete *timer;
  *timer = nullptr;
  return true;
}
inline bool sdkStartTimer(StopWatchInterface** timer) {
  return *timer && ((*timer)->start(), true);
}
inline bool sdkStopTimer(StopWatchInterface** timer) { return *timer && ((*timer)->stop(), true); }
inline bool sdkResetTimer(StopWatchInterface** timer) {
  return *timer && ((*timer)->reset(), true);
}
inline float sdkGetTimerValue(StopWatchInterface** timer) {
  return *timer ? (*timer)->getTime() : -1.0f;
}
inline float sdkGetAverageTimerValue(StopWatchInterface** timer) {
  return *timer ? (*timer)->getAverageTime() : 0.0f;
}
#endif

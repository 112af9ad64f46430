#pragma once

#include <cstddef>
#include <mutex>
#include <string_view>

namespace tilescope {

// "12/340  gemm/naive" on stderr, where that is a terminal; the line is empty again at the end.
class ProgressLine {
 public:
  explicit ProgressLine(std::size_t total);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // One more is done. Any thread may call it.
  void step(std::string_view what);

 private:
  std::mutex mutex_;
  std::size_t total_;
  std::size_t done_ = 0;
  bool on_terminal_;
};

}  // namespace tilescope

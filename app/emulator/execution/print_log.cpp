#include "emulator/execution/print_log.h"

namespace tilescope {

void PrintLog::add(Texts& texts, std::uint64_t block, const std::string& text) {
  const std::scoped_lock lock(mutex_);
  if (bytes_ + text.size() > kMostBytes) return;
  bytes_ += text.size();
  texts[block] += text;
}

std::string PrintLog::all_of(const Texts& texts) const {
  const std::scoped_lock lock(mutex_);
  std::string all;
  for (const auto& [block, text] : texts) all += text;
  return all;
}

}  // namespace tilescope

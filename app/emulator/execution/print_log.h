#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace tilescope {

// What the threads of a launch print (printf) and say of failed asserts, in the order of the
// blocks, whatever worker executes them. As the GPU's buffer, it takes no more than kMostBytes.
// Thread-safe.
class PrintLog {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{1} << 20;

  void print(std::uint64_t block, const std::string& text) { add(printed_, block, text); }
  void complain(std::uint64_t block, const std::string& text) { add(complaints_, block, text); }
  [[nodiscard]] std::string printed() const { return all_of(printed_); }
  [[nodiscard]] std::string complaints() const { return all_of(complaints_); }

 private:
  using Texts = std::map<std::uint64_t, std::string>;  // by block
  void add(Texts& texts, std::uint64_t block, const std::string& text);
  [[nodiscard]] std::string all_of(const Texts& texts) const;

  mutable std::mutex mutex_;
  Texts printed_;
  Texts complaints_;
  std::size_t bytes_ = 0;
};

}  // namespace tilescope

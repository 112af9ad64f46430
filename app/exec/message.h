#pragma once
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "runtime/protocol.h"

namespace tilescope {

// A request's bytes, read in order; what is missing reads as zeros.
class Message {
 public:
  explicit Message(std::span<const std::byte> bytes) : bytes_(bytes) {}
  template <class T>
  T take() {
    T value{};
    std::memcpy(&value, bytes_.data(), std::min(sizeof value, bytes_.size()));
    bytes_ = bytes_.subspan(std::min(sizeof value, bytes_.size()));
    return value;
  }
  [[nodiscard]] std::span<const std::byte> rest() const { return bytes_; }
  [[nodiscard]] std::string text() const {
    return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
  }

 private:
  std::span<const std::byte> bytes_;
};

struct Answer {
  int error = 0;  // cudaError_t
  std::vector<std::byte> bytes;

  template <class T>
  void add(const T& value) {
    const auto* from = reinterpret_cast<const std::byte*>(&value);
    bytes.insert(bytes.end(), from, from + sizeof value);
  }
  void add_text(const std::string& text) {
    const auto* from = reinterpret_cast<const std::byte*>(text.data());
    bytes.insert(bytes.end(), from, from + text.size());
  }
};
[[nodiscard]] inline Answer refusal(int error) { return Answer{error, {}}; }

// Answers one request after the other (runtime/protocol.h) until the other end is closed.
void answer_requests(int socket, const std::function<Answer(runtime::Call, Message)>& answer);

}  // namespace tilescope

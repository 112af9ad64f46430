#include "core/frame.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iterator>

namespace tilescope {
namespace {

constexpr std::size_t kLengthBytes = 4;
constexpr std::byte kFrameEnd{'\n'};
constexpr std::size_t kMostLevels = 16;

// Initial byte of a CBOR item (RFC 8949, section 3): major type and what the length is.
struct ItemHead {
  unsigned major = 0;
  std::uint64_t value = 0;  // argument: length, count or the number itself
};

class CborWalker {
 public:
  explicit CborWalker(std::span<const std::byte> bytes) : bytes_(bytes) {}

  [[nodiscard]] bool walk() {
    while (true) {
      if (!take_item()) return false;
      while (depth_ > 0 && levels_[depth_ - 1].left == 0) --depth_;
      if (depth_ == 0) return at_ == bytes_.size();
    }
  }

 private:
  enum Major : unsigned { kBytes = 2, kText = 3, kArray = 4, kMap = 5, kTag = 6, kSimple = 7 };
  struct Level {
    std::uint64_t left = 0;  // items still to come; a map's keys and values count apart
    bool is_map = false;
  };

  [[nodiscard]] bool take_item() {
    bool wants_key = false;
    if (depth_ > 0) {
      Level& level = levels_[depth_ - 1];
      wants_key = level.is_map && level.left % 2 == 0;
      --level.left;
    }
    ItemHead head;
    if (!take_head(&head) || (wants_key && head.major != kText)) return false;
    switch (head.major) {
      case kBytes:
      case kText:
        if (head.value > bytes_.size() - at_) return false;
        at_ += head.value;
        return true;
      case kArray:
      case kMap:
        return open_level(head);
      case kTag:
        return false;
      default:
        return true;
    }
  }

  [[nodiscard]] bool open_level(const ItemHead& head) {
    // Every item takes a byte at the least, so a larger count is a lie.
    if (head.value > bytes_.size() - at_ || depth_ == kMostLevels) return false;
    const bool is_map = head.major == kMap;
    levels_[depth_++] = {is_map ? 2 * head.value : head.value, is_map};
    return true;
  }

  [[nodiscard]] bool take_head(ItemHead* head) {
    if (at_ == bytes_.size()) return false;
    const auto first = std::to_integer<unsigned>(bytes_[at_++]);
    head->major = first >> 5;
    const unsigned low = first & 31u;
    if (low < 24) {
      head->value = low;
      return true;
    }
    if (low > 27) return false;  // reserved, or an indefinite length
    const std::size_t size = std::size_t{1} << (low - 24);
    if (size > bytes_.size() - at_) return false;
    for (std::size_t i = 0; i < size; ++i) {
      head->value = head->value << 8 | std::to_integer<std::uint64_t>(bytes_[at_++]);
    }
    return true;
  }

  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  std::array<Level, kMostLevels> levels_{};
  std::size_t depth_ = 0;
};

}  // namespace

bool is_plain_cbor(std::span<const std::byte> bytes) { return CborWalker(bytes).walk(); }

std::vector<std::byte> encode_frame(const nlohmann::json& message) {
  const std::vector<std::uint8_t> body = nlohmann::json::to_cbor(message);
  std::vector<std::byte> frame;
  frame.reserve(kLengthBytes + body.size());
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    frame.push_back(static_cast<std::byte>(body.size() >> (8 * i) & 0xff));
  }
  std::transform(body.begin(), body.end(), std::back_inserter(frame),
                 [](std::uint8_t byte) { return std::byte{byte}; });
  frame.push_back(kFrameEnd);
  return frame;
}

void FrameReader::append(std::span<const std::byte> bytes) {
  if (error_) return;
  if (start_ > 0 && start_ * 2 >= buffer_.size()) {
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(start_));
    start_ = 0;
  }
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
}

std::optional<Result<nlohmann::json>> FrameReader::fail(std::string message) {
  error_ = Error{ErrorCode::kMachine, std::move(message), "", {}};
  buffer_.clear();
  start_ = 0;
  return *error_;
}

bool FrameReader::skip_to_preamble() {
  const auto* text = reinterpret_cast<const char*>(buffer_.data());
  const std::string_view seen(text, buffer_.size());
  const std::size_t found = seen.find(kStreamPreamble);
  if (found != std::string_view::npos) {
    noise_ += seen.substr(0, found);
    start_ = found + kStreamPreamble.size();
    in_frames_ = true;
    return true;
  }
  // The end of what came may be the beginning of the preamble.
  const std::size_t keep = std::min(seen.size(), kStreamPreamble.size() - 1);
  const std::size_t drop = seen.size() - keep;
  noise_ += seen.substr(0, drop);
  buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(drop));
  return false;
}

std::optional<Result<nlohmann::json>> FrameReader::next() {
  if (error_) return *error_;
  if (!in_frames_ && !skip_to_preamble()) {
    if (noise_.size() <= kMostNoiseBytes) return std::nullopt;
    return fail("what it printed is not the worker's protocol");
  }
  const std::span<const std::byte> rest = std::span(buffer_).subspan(start_);
  if (rest.size() < kLengthBytes) return std::nullopt;
  std::uint32_t length = 0;
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    length |= std::to_integer<std::uint32_t>(rest[i]) << (8 * i);
  }
  if (length > most_frame_bytes_) {
    return fail(fmt::format("a frame claims {} bytes, {} are allowed", length, most_frame_bytes_));
  }
  if (rest.size() - kLengthBytes <= length) return std::nullopt;
  if (rest[kLengthBytes + length] != kFrameEnd) return fail("a frame does not end where it says");
  const auto body = rest.subspan(kLengthBytes, length);
  if (!is_plain_cbor(body)) return fail("a frame holds no well-formed message");
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(body.data());
  nlohmann::json message = nlohmann::json::from_cbor(bytes, bytes + body.size(), true, false);
  if (message.is_discarded()) return fail("a frame holds no well-formed message");
  start_ += kLengthBytes + length + 1;
  return message;
}

FrameSender::FrameSender() : file_(::dup(STDOUT_FILENO)) {
  std::signal(SIGPIPE, SIG_IGN);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  write(std::as_bytes(std::span(kStreamPreamble)));
}

void FrameSender::send(const nlohmann::json& message) const { write(encode_frame(message)); }

void FrameSender::write(std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      std::fflush(stderr);
      std::_Exit(0);
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

}  // namespace tilescope

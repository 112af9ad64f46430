#pragma once
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/file.h"
#include "core/result.h"

namespace tilescope {

// What goes over a child process's stdin and stdout, the same in both directions:
//   stream := preamble frame*
//   frame := length (4 bytes, little-endian) CBOR item (RFC 8949) line feed
// What comes before the preamble is skipped: a remote login shell may greet first. The line feed,
// which the length does not count, is for what passes output on line by line, as srun does.
inline constexpr std::string_view kStreamPreamble = "\x89tilescope\x1a\n";
inline constexpr std::uint32_t kMostFrameBytes = std::uint32_t{1} << 30;
inline constexpr std::size_t kMostNoiseBytes = std::size_t{64} << 10;

[[nodiscard]] std::vector<std::byte> encode_frame(const nlohmann::json& message);

// Checks the shape of one CBOR item by walking over it with a bounded stack: definite lengths that
// lie inside `bytes`, no tags, text as map keys, at most 16 levels, nothing behind it. What passes
// is safe for a recursive parser, whoever sent it.
[[nodiscard]] bool is_plain_cbor(std::span<const std::byte> bytes);

// Cuts a byte stream into messages. Memory follows the bytes that have arrived, not the lengths
// that they claim.
class FrameReader {
 public:
  explicit FrameReader(std::uint32_t most_frame_bytes = kMostFrameBytes)
      : most_frame_bytes_(most_frame_bytes) {}

  void append(std::span<const std::byte> bytes);

  // The next whole message. nullopt: more bytes are needed. After an error the stream cannot be
  // trusted any more, and every further call gives the same error.
  [[nodiscard]] std::optional<Result<nlohmann::json>> next();

  // The text that came before the preamble, for saying what a program that is no worker printed.
  [[nodiscard]] const std::string& noise() const { return noise_; }

 private:
  [[nodiscard]] bool skip_to_preamble();  // false: not yet found
  [[nodiscard]] std::optional<Result<nlohmann::json>> fail(std::string message);

  std::uint32_t most_frame_bytes_;
  std::vector<std::byte> buffer_;
  std::size_t start_ = 0;  // of what has not been handed out yet
  bool in_frames_ = false;
  std::string noise_;
  std::optional<Error> error_;
};

// A child process's stream to its parent: what was standard output. Whatever else prints, a library
// or a kernel's printf, goes to standard error from now on. Where nobody reads any more, the parent
// is gone, and the process ends.
class FrameSender {
 public:
  FrameSender();  // sends the preamble
  void send(const nlohmann::json& message) const;

 private:
  void write(std::span<const std::byte> bytes) const;
  FileDescriptor file_;
};

}  // namespace tilescope

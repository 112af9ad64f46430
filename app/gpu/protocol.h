#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <variant>
#include <vector>

#include "core/result.h"
#include "gpu/messages.h"

namespace tilescope {

// The messages between this program and its worker. A worker says hello once, then answers each run
// with any number of progress messages and one answer, in the order of the requests. A run that is
// cancelled is answered too, kCancelled unless it was done by then.
inline constexpr int kProtocolVersion = 9;

struct HelloMessage {
  int version = kProtocolVersion;
  Result<DeviceInfo> device = Error{};  // or why this machine has none
};

// Contents of the files that the request's buffers name: the worker may run on another machine.
using FileContents = std::map<std::string, std::vector<std::byte>>;

// What travels of a request is what a launch needs: no source, no PTX where there is a cubin.
struct RunMessage {
  std::uint64_t request_id = 0;
  RunRequest request;
  FileContents files;
};

struct CancelMessage {
  std::uint64_t request_id = 0;  // of the run under way; one that is done by now is left alone
};

struct ProgressMessage {
  std::uint64_t request_id = 0;
  double kernel_seconds = 0;
};

struct AnswerMessage {
  std::uint64_t request_id = 0;
  Result<RunResult> result = Error{};
  bool worker_ends = false;  // its CUDA context is dead; it ends after this message
};

using Message =
    std::variant<HelloMessage, RunMessage, CancelMessage, ProgressMessage, AnswerMessage>;

[[nodiscard]] nlohmann::json encode_message(const Message& message);

// The inverse, for bytes that anyone may have sent: every field is there, has its type and lies in
// its range (sizes, counts and launch extents included), or this is an error that names the field
// by its path.
// A hello of another version decodes, without its device.
[[nodiscard]] Result<Message> decode_message(nlohmann::json encoded);

}  // namespace tilescope

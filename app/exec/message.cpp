#include "exec/message.h"

#include <sys/socket.h>
#include <sys/types.h>

#include <cerrno>

namespace tilescope {
namespace {

bool receive(int socket, void* to, std::size_t bytes) {
  auto* at = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t got = ::recv(socket, at, bytes, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

bool send(int socket, const void* from, std::size_t bytes) {
  const auto* at = static_cast<const char*>(from);
  while (bytes > 0) {
    const ssize_t sent = ::send(socket, at, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    at += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
  return true;
}

}  // namespace

void answer_requests(int socket, const std::function<Answer(runtime::Call, Message)>& answer) {
  std::vector<std::byte> bytes;
  runtime::Header header;
  while (receive(socket, &header, sizeof header)) {
    bytes.resize(header.bytes);
    if (!receive(socket, bytes.data(), bytes.size())) return;
    const Answer made = answer(static_cast<runtime::Call>(header.code), Message(bytes));
    const runtime::Header reply{static_cast<std::uint32_t>(made.error),
                                static_cast<std::uint32_t>(made.bytes.size())};
    if (!send(socket, &reply, sizeof reply) || !send(socket, made.bytes.data(), made.bytes.size()))
      return;
  }
}

}  // namespace tilescope

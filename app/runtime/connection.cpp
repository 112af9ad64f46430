#include "runtime/connection.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace tilescope::runtime {
namespace {

// A fault's handler asks while its thread, and no other, may be in the middle of a call: then the
// answer would be another one's.
std::mutex& conversation() {
  static std::mutex mutex;
  return mutex;
}

void send_all(int socket, iovec* parts, std::size_t count) {
  while (count > 0) {
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = count;
    ssize_t sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) ::_exit(3);  // tilescope is gone
    while (count > 0 && static_cast<std::size_t>(sent) >= parts->iov_len) {
      sent -= static_cast<ssize_t>(parts->iov_len);
      ++parts;
      --count;
    }
    if (count > 0) {
      parts->iov_base = static_cast<char*>(parts->iov_base) + sent;
      parts->iov_len -= static_cast<std::size_t>(sent);
    }
  }
}

void receive_all(int socket, void* to, std::size_t bytes) {
  auto* at = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t got = ::recv(socket, at, bytes, MSG_WAITALL);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) ::_exit(3);
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
}

}  // namespace

void give_up(const char* message) {
  std::fprintf(stderr, "tilescope: %s\n", message);
  std::fflush(nullptr);
  ::_exit(3);
}

void* first_loaded(const char* name) {
  // RTLD_DEFAULT begins with this library itself, for it is linked with -Bsymbolic: where those of
  // two versions of CUDA are loaded, each would find its own.
  void* const program = ::dlopen(nullptr, RTLD_NOW);
  void* found = program == nullptr ? nullptr : ::dlsym(program, name);
  if (found == nullptr) found = ::dlsym(RTLD_DEFAULT, name);
  auto* const function = reinterpret_cast<void* (*)()>(found);
  if (function == nullptr) give_up("the stand-in for CUDA's runtime library was loaded by itself");
  return function();
}

Connection& Connection::get() {
  static auto& connection = *static_cast<Connection*>(first_loaded("__cudaTilescopeConnection"));
  return connection;
}

Connection::Connection() {
  const char* said = std::getenv(kEnvironmentName);
  if (said == nullptr || std::sscanf(said, "%d,%d", &socket_, &memory_) != 2)
    give_up(
        "this is the stand-in for CUDA's runtime library: start the program with "
        "'tilescope exec PROGRAM'");
  map_arena();
  Hello hello;
  hello.runtime_major = TILESCOPE_RUNTIME_MAJOR;
  const Reply reply = ask(Call::kHello, hello);
  if (reply.error != kSuccess) give_up("the stand-in runtime and tilescope are of two versions");
  device_ = reply.head<DeviceFacts>();
  explain_faults();
}

void Connection::map_arena() {
  constexpr int kShared = MAP_SHARED | MAP_NORESERVE;
  void* const wanted =
      reinterpret_cast<void*>(kDeviceBegin);  // NOLINT: device addresses are its own
  void* const own =
      ::mmap(wanted, kArenaBytes, PROT_NONE, kShared | MAP_FIXED_NOREPLACE, memory_, 0);
  void* const alias = ::mmap(nullptr, kArenaBytes, PROT_READ | PROT_WRITE, kShared, memory_, 0);
  if (own != wanted || alias == MAP_FAILED)
    give_up("the address space for device memory is not free (is there a limit, ulimit -v?)");
  alias_ = static_cast<std::byte*>(alias);
}

Connection::Reply Connection::ask_bytes(Call call, std::span<const std::byte> head,
                                        std::span<const std::byte> rest) {
  const std::scoped_lock lock(conversation());
  Header header{static_cast<std::uint32_t>(call),
                static_cast<std::uint32_t>(head.size() + rest.size())};
  iovec parts[3] = {{&header, sizeof header},
                    {const_cast<std::byte*>(head.data()), head.size()},
                    {const_cast<std::byte*>(rest.data()), rest.size()}};
  send_all(socket_, parts, rest.empty() ? 2 : 3);
  receive_all(socket_, &header, sizeof header);
  Reply reply;
  reply.error = static_cast<Error>(header.code);
  reply.bytes.resize(header.bytes);
  receive_all(socket_, reply.bytes.data(), reply.bytes.size());
  return reply;
}

void open_pages(const Range& range) {
  if (range.bytes != 0)
    ::mprotect(reinterpret_cast<void*>(range.begin), range.bytes, PROT_READ | PROT_WRITE);
}

void close_pages(const Range& range) {
  if (range.bytes != 0) ::mprotect(reinterpret_cast<void*>(range.begin), range.bytes, PROT_NONE);
}

}  // namespace tilescope::runtime

extern "C" __attribute__((visibility("default"))) void* __cudaTilescopeConnection() {
  static tilescope::runtime::Connection connection;
  return &connection;
}

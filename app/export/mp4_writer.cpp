#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <vector>

#include "core/write_file.h"
#include "export/animation.h"
#include "export/frame_writer.h"

extern char** environ;

namespace tilescope {
namespace {

// ffmpeg's arguments. What it is given is the same for the same pictures, and so is what x264 makes
// of it: no version, no date, one thread.
std::vector<std::string> command(const std::filesystem::path& file, const FrameFormat& format) {
  return {"ffmpeg", "-hide_banner", "-loglevel", "error", "-nostdin", "-y", "-f", "rawvideo",
          "-pix_fmt", "bgr0", "-s", fmt::format("{}x{}", format.width, format.height), "-r",
          fmt::format("{:g}", format.frames_per_second), "-i", "pipe:0",
          // H.264 with halved colours, as browsers and slides play it, wants even sides.
          "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white,format=yuv420p", "-c:v", "libx264",
          "-crf", "18", "-preset", "medium", "-tune", "animation", "-threads", "1", "-fflags",
          "+bitexact", "-flags:v", "+bitexact", "-movflags", "+faststart", "-metadata",
          "title=" + format.title, "-metadata", "comment=" + format.comment, "-f", "mp4",
          "file:" + std::filesystem::absolute(file).string()};
}

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() { reset(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  void reset(int fd = -1) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

class Mp4Writer final : public FrameWriter {
 public:
  Mp4Writer(std::filesystem::path file, const FrameFormat& format)
      : file_(std::move(file)), format_(format) {}
  ~Mp4Writer() override {
    frames_.reset();
    if (child_ > 0) ::waitpid(child_, nullptr, 0);
  }

  Status open() {
    if (Status writable = write_file(file_, ""); !writable) return writable;
    int ends[2];
    // A socket and no pipe: writing to one whose reader has ended is an error and no signal.
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      return failed_to_start(errno);
    frames_.reset(ends[0]);
    const Descriptor input(ends[1]);
    if (::pipe2(ends, O_CLOEXEC) != 0) return failed_to_start(errno);
    words_.reset(ends[0]);
    const Descriptor words(ends[1]);
    std::vector<std::string> arguments = command(file_, format_);
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input.get(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, words.get(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, words.get(), STDERR_FILENO);
    const int failure =
        ::posix_spawnp(&child_, "ffmpeg", &actions, nullptr, pointers.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failure == 0) return ok_status();
    child_ = -1;
    return failed_to_start(failure);
  }

  Status add(std::span<const std::uint32_t> pixels, int /*centiseconds*/) override {
    const char* at = reinterpret_cast<const char*>(pixels.data());
    std::size_t left = pixels.size_bytes();
    while (left > 0) {
      const ssize_t sent = ::send(frames_.get(), at, left, MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) return finish();  // it has ended: it says why
      at += sent;
      left -= static_cast<std::size_t>(sent);
    }
    return ok_status();
  }

  Status finish() override {
    frames_.reset();
    std::string said;
    char buffer[4096];
    for (ssize_t count = 0; (count = ::read(words_.get(), buffer, sizeof(buffer))) > 0;) {
      if (said.size() < sizeof(buffer)) said.append(buffer, static_cast<std::size_t>(count));
    }
    int status = 0;
    ::waitpid(child_, &status, 0);
    child_ = -1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return ok_status();
    while (!said.empty() && said.back() == '\n') said.pop_back();
    return Error{ErrorCode::kMachine,
                 fmt::format("ffmpeg did not write '{}': {}", file_.string(),
                             said.substr(said.rfind('\n') + 1)),
                 "End the file's name in .gif, which needs no ffmpeg",
                 {}};
  }

 private:
  Status failed_to_start(int error_number) {
    std::error_code ignored;
    std::filesystem::remove(file_, ignored);
    if (error_number == ENOENT) {
      return Error{ErrorCode::kMachine,
                   "an MP4 needs ffmpeg, which is not on the PATH",
                   "Install it (apt install ffmpeg), or end the file's name in .gif",
                   {}};
    }
    return Error{ErrorCode::kMachine,
                 "ffmpeg cannot be started: " + std::generic_category().message(error_number),
                 "End the file's name in .gif, which needs no ffmpeg",
                 {}};
  }

  std::filesystem::path file_;
  FrameFormat format_;
  Descriptor frames_;  // to ffmpeg
  Descriptor words_;   // from it
  pid_t child_ = -1;
};

}  // namespace

std::filesystem::path find_ffmpeg() {
  const char* path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "";
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
    std::filesystem::path file = std::filesystem::path(folder) / "ffmpeg";
    if (!folder.empty() && ::access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

Result<std::unique_ptr<FrameWriter>> open_mp4(const std::filesystem::path& file,
                                              const FrameFormat& format) {
  auto writer = std::make_unique<Mp4Writer>(file, format);
  if (Status opened = writer->open(); !opened) return opened.error();
  return std::unique_ptr<FrameWriter>(std::move(writer));
}

}  // namespace tilescope

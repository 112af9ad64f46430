#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/file.h"
#include "core/result.h"
#include "kernel/compile/nvrtc_library.h"

namespace tilescope {

// The directives, comments and blank lines that a source begins with: what NVRTC precompiles where
// it is asked to (NVRTC User Guide 13.0, section 6).
[[nodiscard]] std::string_view leading_directives(std::string_view source);

// Compiles with NVRTC, and keeps what it made of headers that take long: <cooperative_groups.h> is
// 1.1 s of 1.2, of which 0.1 s are left. From the second source on that begins with the same
// directives, has the same options and headers, and is closed; PTX and machine code are the same to
// the byte. What is kept is files of some 100 MB each that have no name and end with the process
// that made them; no other one could read them. Used by one thread at a time.
class PrecompiledHeaders {
 public:
  // The library outlives it. `slow`: a file takes 0.2 s to be made, so a source that is compiled
  // more quickly than that is compiled as a whole each time.
  explicit PrecompiledHeaders(const NvrtcLibrary& library,
                              std::chrono::milliseconds slow = std::chrono::milliseconds(250))
      : library_(library), slow_(slow) {}

  // As NvrtcLibrary::compile().
  [[nodiscard]] Result<NvrtcLibrary::Output> compile(const NvrtcLibrary::Input& input,
                                                     const std::stop_token& stop);

  [[nodiscard]] std::size_t made() const { return made_; }  // files, up to now

 private:
  // Sources that begin alike.
  struct Beginning {
    std::string digest;  // of the directives, the options and the headers
    bool is_slow = false;
    bool is_refused = false;  // NVRTC did not take what it had made
    FileDescriptor file;      // what NVRTC made of it; closed: nothing yet
  };
  Beginning& beginning_of(const std::string& digest);  // the first of the list from then on
  [[nodiscard]] Result<NvrtcLibrary::Output> make(const NvrtcLibrary::Input& input,
                                                  Beginning& beginning,
                                                  const std::stop_token& stop);
  void close_oldest_files();

  const NvrtcLibrary& library_;
  const std::chrono::milliseconds slow_;
  std::list<Beginning> beginnings_;  // the one that was compiled last is the first
  std::size_t made_ = 0;
  bool is_possible_ = true;  // there was room for the last file
};

}  // namespace tilescope

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernel/compile/compile_log.h"
#include "kernel/compile/virtual_headers.h"
#include "kernel/launch/instance.h"
#include "kernel/source/device_source.h"

namespace tilescope {

// The person's own headers that a compiled program was made of, as they were read then: those that
// its source includes from beside it, in quotes or not, and those that they include in turn. CUDA's
// own and the small library's are not among them.
struct IncludedFiles {
  struct File {
    std::string name;  // from the source's folder: "tile.h", "../common/check.h"
    std::string text;
  };
  std::vector<File> files;  // in the order in which they were found
  // Every #include says its file's name itself, and every file was read. Else more than `files` may
  // have gone in.
  bool complete = true;

  [[nodiscard]] bool empty() const { return files.empty() && complete; }
};

// A .cu file with the files that it includes from beside it, made fit for NVRTC step by step:
// compile what is left, hand the errors back, and try again as long as that set something aside.
class DeviceProgram {
 public:
  // Reads the local headers. `cuda_folders`: where CUDA's own headers lie.
  [[nodiscard]] static Result<DeviceProgram> open(const KernelInstance& instance,
                                                  std::vector<std::string> cuda_folders);

  [[nodiscard]] const std::vector<DeviceSource>& files() const { return files_; }  // the .cu first
  [[nodiscard]] std::string text() const { return files_.front().text(); }
  // Local and stand-in headers, as named in #include.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> headers() const;
  [[nodiscard]] std::vector<std::string> include_options() const;
  // Whether all that goes into it is in files(), CUDA's own headers aside.
  [[nodiscard]] bool is_closed() const { return closed_; }
  [[nodiscard]] IncludedFiles included() const;
  // Whether an #include was left out, as nothing for NVRTC.
  [[nodiscard]] bool leaves_headers_out() const { return leaves_headers_out_; }

  // After a failed compilation: nothing when another try is worth while, else the error to report.
  [[nodiscard]] std::optional<Error> learn_from(const std::vector<CompileError>& errors);

 private:
  DeviceProgram(const KernelInstance& instance, std::vector<std::string> cuda_folders);
  [[nodiscard]] Status read_local_headers();
  void turn_to_full_library();                                                // and begin anew
  std::vector<std::string> redirect_local_headers(DeviceSource& file) const;  // their paths
  [[nodiscard]] std::optional<std::string> find_local(const DeviceSource& from,
                                                      const std::string& target) const;
  void settle_includes();
  [[nodiscard]] bool is_known(const std::string& target) const;
  void settle(DeviceSource& file, const DeviceSource::Include& include);
  bool imply_headers(const CompileError& error);  // whether that is something new to try
  [[nodiscard]] Error final_error(const CompileError& error) const;

  std::vector<std::string> folders_;  // the file's own, then the user's include directories
  std::vector<std::string> cuda_folders_;
  StandardLibrary library_ = StandardLibrary::kSmall;
  std::vector<DeviceSource> files_;
  std::vector<std::pair<std::string, std::string>> stand_ins_;
  std::vector<std::string> implied_;  // headers that nvcc has without being asked
  // Headers in quotes that are nowhere: left out, for host code alone may want them.
  struct MissingHeader {
    std::string target;
    std::string file;
    int line = 0;
  };
  std::vector<MissingHeader> missing_headers_;
  bool lacks_standard_ = false;  // a header that only the full library has was left out
  bool leaves_headers_out_ = false;
  bool needs_cuda_ = false;
  bool closed_ = true;
};

}  // namespace tilescope

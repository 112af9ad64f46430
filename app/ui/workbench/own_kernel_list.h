#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "core/result.h"
#include "session/document.h"
#include "ui/workbench/variant.h"

namespace tilescope {

// A file of the user's as it was read, with a launch that is guessed.
struct ReadFile {
  KernelFile file;
  LaunchForm launch;
};
// Errors: it is no kernel, cannot be read, or has no kernel in it. Device code takes as long as
// CUDA's tools need for it (has_device_code()); thread-safe.
[[nodiscard]] Result<ReadFile> read_own_file(const std::string& path, int compute_capability);

// All kernels of the user's own that a document has, in a tab or not, as they were left. No two
// have the same file or name, and a session file with all of them can be read again.
class OwnKernelList {
 public:
  [[nodiscard]] const OwnKernels& all() const { return *kernels_; }
  [[nodiscard]] const SharedOwnKernels& shared() const { return kernels_; }
  [[nodiscard]] bool has(const std::string& file) const;
  // Of the one with this text; nullopt: none.
  [[nodiscard]] std::optional<std::size_t> find_text(const std::string& text) const;
  // Precondition: there are so many.
  [[nodiscard]] OwnKernel at(std::size_t index) const;

  void replace(SharedOwnKernels kernels);  // by another document's; nullptr: by none
  // Adds it, or what changed of it. Precondition: it is of from_file(), from_text() or at().
  void keep(const OwnKernel& kernel);
  // A file. One that was opened before keeps what was typed and set, over the text as it is now.
  // Adds nothing yet.
  [[nodiscard]] Result<OwnKernel> from_file(ReadFile read) const;
  // The same of a text that has no file.
  [[nodiscard]] Result<OwnKernel> from_text(std::string text) const;
  // What cannot be a name, or is that of another kernel, is changed. nullopt: the name stays.
  [[nodiscard]] std::optional<std::string> rename(const std::string& file,
                                                  const std::string& wanted);
  // The name that a pasted text has after its kernel's name in the source changed from `before`;
  // nullopt: it stays, for a person gave it another.
  [[nodiscard]] std::optional<std::string> follow_kernel(const OwnKernel& kernel,
                                                         const std::string& before);
  // Where it was; nullopt: nowhere.
  std::optional<std::size_t> remove(const std::string& file);

 private:
  [[nodiscard]] Status check_room(std::size_t more_bytes) const;
  OwnKernels& change();

  SharedOwnKernels kernels_ = std::make_shared<const OwnKernels>();  // never nullptr
};

// "scale" of "ns::scale<4>", and of how PTX calls it, as the name of a kernel in the list; empty:
// nothing of it can be a name.
[[nodiscard]] std::string listed_name(const std::string& kernel);

}  // namespace tilescope

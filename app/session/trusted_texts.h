#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>

#include "kernel/compile/device_program.h"

namespace tilescope {

// All of a person's that a compiled program was made of, as one text: the source, and the headers
// that it includes with their names. The source itself where there are none. Two programs that
// differ anywhere have different ones. Asked about, allowed and remembered is this text.
[[nodiscard]] std::string program_text(const std::string& source, const IncludedFiles* included);

// Which texts of kernels may run on the GPU (docs/sessions.md): those that were typed or pasted in
// this run of the program, and those that the user has allowed, in this run of the program or an
// earlier one. What comes with the program needs no leave and is not asked about here.
class TrustedTexts {
 public:
  // The texts allowed for good stand in `folder`, byte for byte; an empty path keeps none.
  explicit TrustedTexts(std::filesystem::path folder = {});

  [[nodiscard]] bool knows(std::string_view text) const;
  void add(std::string_view text);  // for this run of the program
  void remember(
      std::string_view text);  // for good; what cannot be written is for this run of the program
  // Of program_text().
  [[nodiscard]] bool knows(const std::string& source, const IncludedFiles* included) const;
  // The user allows it: for good, unless a macro says what is included, so that what runs is not
  // known byte by byte; that is asked again in the next run of the program.
  void allow(const std::string& source, const IncludedFiles* included);
  // Where a text that is remembered stands; empty: nowhere.
  [[nodiscard]] std::filesystem::path file_of(std::string_view text) const;

 private:
  using Digest = std::array<std::uint64_t, 2>;
  [[nodiscard]] Digest digest_of(std::string_view text) const;

  std::filesystem::path folder_;
  std::uint64_t
      seed_;  // of this run of the program, so that no text can be made to look like another
  mutable std::set<Digest> this_run_;  // those that were found in the folder too
};

}  // namespace tilescope

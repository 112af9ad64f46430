#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/device_table.h"
#include "core/result.h"
#include "session/document.h"

namespace tilescope {

inline constexpr std::string_view kSessionEnding = ".tilescope";
inline constexpr int kSessionVersion = 1;

// Whether a file of this name is taken for a session.
[[nodiscard]] bool is_session_file(std::string_view path);

// What a document refers to by name.
struct SessionNames {
  const Catalogue& catalogue;
  const std::vector<DeviceModel>& devices;
};

// Of a document that was kept while it was worked on (session/autosave.h).
struct Recovery {
  std::string path;    // the file that it belongs to; empty: none yet
  bool saved = false;  // as it stands in that file
  bool ended = false;  // the window was closed, it did not die

  friend bool operator==(const Recovery&, const Recovery&) = default;
};

// The file's text: JSON, docs/sessions.md. Fields that came with the document and are not known go
// out as they came in, at every level.
[[nodiscard]] std::string session_text(const Document& document, const SessionNames& names,
                                       const std::optional<Recovery>& recovery = std::nullopt);

struct LoadedSession {
  Document document;
  std::vector<std::string> remarks;  // a sentence each: what is not as it was when it was saved
  std::optional<Recovery> recovery;
};
// Every mistake is one error with the line and the path of the value: "variants[1].size.M: …".
// `file` is only named. Whether a text may run on the GPU is read where `own_recovery` is set.
[[nodiscard]] Result<LoadedSession> parse_session(std::string text,
                                                  const std::filesystem::path& file,
                                                  const SessionNames& names,
                                                  bool own_recovery = false);
// kUsage: no such file, a folder, more than 96 MiB; then as parse_session().
[[nodiscard]] Result<LoadedSession> read_session(const std::filesystem::path& file,
                                                 const SessionNames& names,
                                                 bool own_recovery = false);

}  // namespace tilescope

#pragma once
#include "session/measurements.h"
#include "session/session_file.h"

namespace tilescope {

// The program's catalogue and devices.
struct KnownNames {
  Catalogue catalogue;
  std::vector<DeviceModel> devices;
  [[nodiscard]] SessionNames names() const { return {catalogue, devices}; }
};
[[nodiscard]] const KnownNames& known_names();

// A document in which every field differs from its default: a catalogue's kernel, an edited one and
// one of the user's own.
[[nodiscard]] Document full_document();

// All that can be in them: two points, two launches.
[[nodiscard]] Measurements some_measurements();

// Its file's text, changed: the first `from` becomes `to`.
[[nodiscard]] std::string changed_text(const std::string& from, const std::string& to);

}  // namespace tilescope

#pragma once
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "cli/export_command.h"
#include "cli/kept_times.h"
#include "cli/resources.h"
#include "cli/session_wanted.h"
#include "export/export_view.h"
#include "session/document.h"

namespace tilescope {

// The pictures of one session, as files; what several of them show is computed once. What it is
// made of outlives it.
class SessionPictures {
 public:
  // Precondition: the device is what the document is drawn for.
  SessionPictures(const Document& document, const Resources& resources,
                  const ExportArguments& arguments, DeviceModel device);

  // Writes what is wanted of one variant and names each file on stdout. The first error ends it:
  // what hinders one view hinders all.
  Status write(const Wanted& wanted);

 private:
  struct Studied {
    std::shared_ptr<const KernelStudy> study;
    std::shared_ptr<const PreparedStudy> prepared;
    Selection selection;
  };
  Result<const Studied*> studied(std::size_t index);
  // Read once, for the first picture that needs it.
  Result<const KeptTimes*> kept();
  // What the session measured, then the person's history where that is asked for, then what is
  // recorded.
  Result<KnownTimes> known_times();
  Status compare(std::size_t active, ViewContext* context);
  // A chart or the tuner. False: nothing is known of what it would show, and it is one of many.
  Result<bool> write_figure(std::size_t index, const WantedPicture& wanted);
  [[nodiscard]] Result<PictureRequest> request_for(const std::filesystem::path& file) const;
  Status write_page(std::size_t index, Page page, const std::filesystem::path& file);
  Status write(std::size_t index, View view, const std::filesystem::path& file);

  const Document& document_;
  const Resources& resources_;
  const ExportArguments& arguments_;
  DeviceModel device_;
  std::vector<std::optional<Studied>> studied_;
  std::optional<KeptTimes> kept_;
};

}  // namespace tilescope

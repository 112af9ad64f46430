#pragma once
#include <optional>

#include "export/animation.h"
#include "export/picture_request.h"
#include "ui/dialogs/picture_export.h"

namespace tilescope {

struct Desk;

// What the export dialog stands at, as the request for a file; it points into the active variant's
// study. nullopt: there is nothing to show yet.
[[nodiscard]] std::optional<PictureRequest> export_request(const Desk& desk);
// The page that a subject is; nullopt: it is none.
[[nodiscard]] std::optional<Page> page_of(PictureExport::Subject subject);
// The same over the stretch of time that the dialog says. Precondition: the request is of a view.
[[nodiscard]] AnimationRequest animation_request(const Desk& desk, PictureRequest picture);

}  // namespace tilescope

#pragma once
#include "session/document.h"

namespace tilescope {

struct Desk;

// The document as the desk stands; `known`, an earlier one, shares its texts. Without the layout's
// text: layout_text_of() is slower and asked for when a file is written.
[[nodiscard]] Document document_of(const Desk& desk, const Document& known);
[[nodiscard]] SharedText layout_text_of();

// Makes the desk show a document. Results that are known stay; the rest is computed anew.
enum class Applied : std::uint8_t {
  kContent,  // undo: where the panels stand and what is in sight stays
  kAll       // a file
};
void apply_document(const Document& document, Desk& desk, Applied what);

}  // namespace tilescope

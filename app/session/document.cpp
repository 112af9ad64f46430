#include "session/document.h"

#include <tuple>

namespace tilescope {
namespace {

auto content(const VariantDocument& v) {
  return std::tie(v.kernel, v.file, v.parameters, v.extents, v.factors, v.launch, v.selection,
                  v.marks, v.camera, v.time_zoom, v.unknown);
}

auto content(const Arrangement& a) {
  return std::tie(a.layout, a.width, a.height, a.focused_parameter, a.family, a.source,
                  a.source_line, a.editing, a.side_by_side);
}

auto content(const Document& d) {
  return std::tie(d.variants, d.active, d.view, d.settings, d.latencies, d.theme, d.text_scale,
                  d.reduce_motion, d.lecture, d.as_issued, d.heat_column, d.cold_l2, d.panels,
                  d.unknown);
}

}  // namespace

std::string_view name_of(HeatColumn column) {
  switch (column) {
    case HeatColumn::kSectors:
      return "sectors";
    case HeatColumn::kWavefronts:
      return "wavefronts";
    case HeatColumn::kExecuted:
      return "executed";
  }
  return "";
}

std::optional<HeatColumn> parse_heat_column(std::string_view name) {
  for (int i = 0; i < kHeatColumns; ++i) {
    if (name == name_of(static_cast<HeatColumn>(i))) return static_cast<HeatColumn>(i);
  }
  return std::nullopt;
}

bool same_text(const SharedText& a, const SharedText& b) {
  return a == b || (a != nullptr && b != nullptr && *a == *b);
}

SharedText share_text(std::string_view text, const SharedText& known) {
  if (known != nullptr && *known == text) return known;
  return std::make_shared<const std::string>(text);
}

bool operator==(const VariantDocument& a, const VariantDocument& b) {
  return content(a) == content(b) && same_text(a.original, b.original) &&
         same_text(a.edited, b.edited);
}

std::string title_of(const VariantDocument& variant) {
  if (!variant.kernel.empty()) return variant.kernel;
  if (variant.file.empty()) return "no kernel";
  return variant.file.substr(variant.file.find_last_of('/') + 1);
}

bool operator==(const Arrangement& a, const Arrangement& b) {
  return content(a) == content(b) && same_text(a.layout_text, b.layout_text);
}

bool same_content(const Document& a, const Document& b) {
  return content(a) == content(b) && same_text(a.notes, b.notes);
}

bool operator==(const Document& a, const Document& b) {
  return same_content(a, b) && a.arrangement == b.arrangement;
}

}  // namespace tilescope

#include "cli/export_names.h"

#include "scene/pages/page.h"
#include "scene/rates/rate_unit.h"
#include "scene/view.h"

namespace tilescope {

std::string view_names() {
  std::string names;
  for (const View view : all_views()) names += std::string(name_of(view)) + ", ";
  for (const Page page : all_pages()) names += std::string(name_of(page)) + ", ";
  return names + std::string(kTunerView) + " or " + std::string(kThroughputView);
}

std::string unit_names() {
  std::string names;
  for (const RateUnit unit : all_rate_units()) {
    if (!names.empty()) names += unit == all_rate_units().back() ? " or " : ", ";
    names += option_of(unit);
  }
  return names;
}

}  // namespace tilescope

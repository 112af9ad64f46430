#include "ui/panels/empty_charts.h"

#include <algorithm>
#include <string>

#include "ui/charts/chart_frame.h"
#include "ui/desk/rates.h"

namespace tilescope {
namespace {

// "with a cold L2": how nothing is measured now.
std::string otherwise_words(const Desk& desk) {
  return std::string("with a ") + (desk.bench.cold() ? "warm" : "cold") + " L2";
}

}  // namespace

void draw_empty_chart(Sheet& sheet, const Rect& area, const Variant& variant, bool otherwise) {
  const auto device = sheet.desk().bench.gpu().device();
  const std::string unrecorded =
      otherwise ? "what was recorded of it was " + otherwise_words(sheet.desk()) + " alone."
                : "nothing was recorded for exactly these parameters.";
  std::string words;
  if (!device) {
    words = "Looking for a GPU …";
  } else if (!device->ok()) {
    words =
        "No GPU: " + why_no_gpu(device->error()) + ". Nothing is measured here, and " +
        (variant.is_edited() ? "the text is edited: what is recorded is of the kernel as it ships."
                             : unrecorded);
  } else if (!variant.not_here.empty()) {
    words = variant.not_here + ", and " + unrecorded;
  } else if (!sheet.desk().bench.may_run(variant)) {
    words = "Its text came with a file: nothing is measured until you allow it.";
  } else if (variant.measure_error) {
    words = to_string(*variant.measure_error);
  } else if (variant.measure_pending) {
    words = "Measuring …";
  } else {
    words = "Not measured yet: drag a parameter, or measure this point.";
  }
  const bool failed = variant.measure_error.has_value();
  const float y =
      sheet.paragraph(area.x, area.y + kChartTitle + 12, std::min(area.w, 420.0F), words,
                      styled(12, failed ? ColourRole::kExcess : ColourRole::kDim));
  if (!device || !device->ok() || variant.measure_pending || variant.study == nullptr ||
      !variant.not_here.empty())
    return;
  Workbench& bench = sheet.desk().bench;
  const Rect button{area.x, y + 4, 120, 26};
  if (!bench.may_run(variant)) {
    if (sheet.push("allow", button, "Run on the GPU")) bench.allow_gpu();
    sheet.explain(button, "Lets the texts of all variants run on the GPU, from now on.");
  } else if (sheet.push("measure", button, "Measure now")) {
    bench.measure_again();
  } else {
    sheet.explain(button, "Times this launch on the GPU (F5).");
  }
}

void draw_empty_live(Sheet& sheet, const Rect& area, const Variant& variant) {
  const auto device = sheet.desk().bench.gpu().device();
  if (!device || device->ok()) {
    draw_empty_chart(sheet, area, variant);
    return;
  }
  sheet.paragraph(area.x, area.y + kChartTitle + 12, std::min(area.w, 420.0F),
                  "No GPU: " + why_no_gpu(device->error()) +
                      ". Launches are measured here as they run, and nothing runs. A GPU in this "
                      "machine fills this chart, or one elsewhere: start with "
                      "TILESCOPE_WORKER=\"ssh HOST tilescope worker\".",
                  styled(12, ColourRole::kDim));
}

void draw_folded_charts(Sheet& sheet) {
  const auto device = sheet.desk().bench.gpu().device();
  const Variant& active = sheet.desk().bench.active();
  const std::string words =
      std::string("No throughput: ") +
      (active.own           ? "a kernel of yours needs a GPU to be measured"
       : active.is_edited() ? "the text is edited, what is recorded is of the kernel as it ships, "
                              "and there is no GPU to measure it"
       : !active.factors.empty()
           ? "recorded is alpha 1, beta 0 alone, and there is no GPU to measure it"
           : "nothing was recorded at this size, and there is no GPU to measure it") +
      " (" + why_no_gpu(device->error()) + ").";
  const float y = sheet.height() / 2;
  sheet.fitted(4, sheet.width() - 4, y, words, styled(12, ColourRole::kDim));
  sheet.explain({0, 0, sheet.width(), sheet.height()},
                "The charts of throughput stand here once there is something in them. A GPU in "
                "this machine fills them, or one elsewhere: start with "
                "TILESCOPE_WORKER=\"ssh HOST tilescope worker\".");
}

}  // namespace tilescope

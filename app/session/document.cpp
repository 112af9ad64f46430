#include "session/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>

#include "session/scene.h"

namespace tilescope {
namespace {

constexpr std::size_t kMostNameBytes = 100;

auto content(const VariantDocument& v) {
  return std::tie(v.kernel, v.file, v.name, v.parameters, v.extents, v.factors, v.launch, v.gpu,
                  v.selection, v.marks, v.camera, v.time_zoom, v.unknown);
}

auto content(const OwnKernelDocument& k) { return std::tie(k.file, k.name, k.launch, k.unknown); }

std::string file_name_of(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

// Cuts the text between two characters of UTF-8.
std::string_view cut_text(std::string_view text, std::size_t most_bytes) {
  if (text.size() <= most_bytes) return text;
  std::size_t end = most_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
  return text.substr(0, end);
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

std::optional<HeatColumn> heat_column_of(View view) {
  switch (view) {
    case View::kCoalescing:
      return HeatColumn::kSectors;
    case View::kBanks:
      return HeatColumn::kWavefronts;
    case View::kDivergence:
      return HeatColumn::kExecuted;
    default:
      return std::nullopt;
  }
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

bool operator==(const OwnKernelDocument& a, const OwnKernelDocument& b) {
  return content(a) == content(b) && same_text(a.original, b.original) &&
         same_text(a.edited, b.edited);
}

bool same_own_kernels(const SharedOwnKernels& a, const SharedOwnKernels& b) {
  if (a == b) return true;
  const bool a_is_empty = a == nullptr || a->empty();
  const bool b_is_empty = b == nullptr || b->empty();
  if (a_is_empty || b_is_empty) return a_is_empty && b_is_empty;
  return *a == *b;
}

OwnKernels::const_iterator find_own_kernel(const OwnKernels& all, std::string_view file) {
  return std::ranges::find(all, file, &OwnKernelDocument::file);
}

std::size_t text_bytes(const OwnKernels& all) {
  std::size_t bytes = 0;
  for (const OwnKernelDocument& own : all) {
    for (const SharedText& text : {own.original, own.edited}) {
      if (text != nullptr) bytes += text->size();
    }
  }
  return bytes;
}

std::string usable_name(std::string_view wanted) {
  std::string name(wanted);
  for (char& c : name) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '/' || c == '\\') c = '-';
    if (code < 0x20 || code == 0x7f) c = ' ';
  }
  const std::size_t first = name.find_first_not_of(' ');
  if (first == std::string::npos) return "";
  name = name.substr(first, name.find_last_not_of(' ') - first + 1);
  if (name.size() <= kMostNameBytes) return name;
  constexpr std::string_view kMore = "…";
  return std::string(cut_text(name, kMostNameBytes - kMore.size())).append(kMore);
}

std::string free_name(const OwnKernels& all, const std::string& wanted, std::string_view file) {
  std::string name = wanted;
  const auto taken = [&](const OwnKernelDocument& own) {
    return own.name == name && own.file != file;
  };
  for (int number = 2; std::ranges::any_of(all, taken); ++number) {
    name = fmt::format("{} ({})", cut_text(wanted, kMostNameBytes - 10), number);
  }
  return name;
}

void complete_own_kernels(Document* document) {
  OwnKernels all;
  if (document->own_kernels != nullptr) all = *document->own_kernels;
  const std::size_t known = all.size();
  for (VariantDocument& variant : document->variants) {
    if (!variant.is_own()) continue;
    if (find_own_kernel(all, variant.file) == all.end()) {
      const std::string name = usable_name(file_name_of(variant.file));
      all.push_back({variant.file, free_name(all, name.empty() ? "kernel" : name, variant.file),
                     variant.original, variant.edited, variant.launch, variant.allowed, nullptr});
    }
    variant.name = find_own_kernel(all, variant.file)->name;
  }
  if (all.size() > known)
    document->own_kernels = std::make_shared<const OwnKernels>(std::move(all));
}

const DeviceModel& device_of(const VariantDocument& variant,
                             const std::vector<DeviceModel>& devices, const DeviceModel& usual) {
  const auto own = std::ranges::find(devices, variant.gpu, &DeviceModel::name);
  return variant.gpu.empty() || variant.gpu == usual.name || own == devices.end() ? usual : *own;
}

std::string title_of(const VariantDocument& variant) {
  if (!variant.kernel.empty()) return variant.kernel;
  if (variant.file.empty()) return "no kernel";
  return variant.name.empty() ? file_name_of(variant.file) : variant.name;
}

Result<KernelInstance> instance_of(const VariantDocument& variant, const Catalogue& catalogue,
                                   const DeviceModel& device) {
  if (variant.is_own()) {
    auto launch = launch_text(variant.launch);
    if (!launch) return std::move(launch).error();
    auto instance = launch_file({variant.file, *variant.text()}, *launch);
    if (instance && !variant.name.empty()) instance->id = instance->title = variant.name;
    return instance;
  }
  const CatalogueEntry* entry = catalogue.find(variant.kernel);
  if (entry == nullptr) return Error{ErrorCode::kUsage, "no kernel is chosen", "", {}};
  auto instance = instantiate(*entry, variant.parameters, variant.extents, variant.factors, device);
  if (!instance || variant.edited == nullptr) return instance;
  instance->id = edited_id(instance->id);
  instance->title += ", edited";
  instance->source = *variant.edited;
  return instance;
}

std::string edited_id(const std::string& kernel) { return kernel + " (edited)"; }

bool keep_inside(const KernelStudy& study, Selection* selection, TimeMarks* marks) {
  const Selection selection_before = *selection;
  const TimeMarks marks_before = *marks;
  const std::size_t events = study.trace->events.size();
  const auto last = static_cast<std::uint32_t>(events == 0 ? 0 : events - 1);
  const std::uint64_t warps = std::max<std::uint64_t>((study.launch.block.count() + 31) / 32, 1);
  selection->block = std::min(selection->block, study.launch.grid.count() - 1);
  selection->warp = std::min(selection->warp, static_cast<std::uint32_t>(warps - 1));
  selection->event = std::min(selection->event, last);
  const auto move = [&](std::optional<std::uint32_t>& event) {
    if (event) event = std::min(*event, last);
  };
  move(marks->loop_in);
  move(marks->loop_out);
  for (std::optional<std::uint32_t>& bookmark : marks->bookmarks) move(bookmark);
  return !(selection_before == *selection) || !(marks_before == *marks);
}

bool operator==(const Arrangement& a, const Arrangement& b) {
  return content(a) == content(b) && same_text(a.layout_text, b.layout_text);
}

bool same_content(const Document& a, const Document& b) {
  return content(a) == content(b) && same_text(a.notes, b.notes) &&
         same_own_kernels(a.own_kernels, b.own_kernels) && same_scenes(a.scenes, b.scenes);
}

bool operator==(const Document& a, const Document& b) {
  return same_content(a, b) && a.arrangement == b.arrangement;
}

}  // namespace tilescope

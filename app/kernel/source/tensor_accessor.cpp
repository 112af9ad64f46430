#include "kernel/source/tensor_accessor.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "core/expression.h"
#include "kernel/source/type_names.h"

namespace tilescope {
namespace {

constexpr std::uint32_t kDataBytes = 8;
constexpr std::uint32_t kInfoAxes = 25;  // MAX_TENSORINFO_DIMS, ATen/cuda/detail/TensorInfo.cuh

// TensorInfo<float, int>, of one axis: "data", "sizes[0]", "strides[0]", "dims".
std::optional<StructureLayout> info_layout(std::string_view type) {
  constexpr std::string_view kName = "TensorInfo<";
  const std::size_t name = type.rfind(kName);
  if (name == std::string_view::npos) return std::nullopt;
  const std::vector<std::string> given = template_list(type.substr(name + kName.size() - 1));
  if (given.size() != 2) return std::nullopt;
  const auto element = number_type(given[0]);
  const auto index = number_type(given[1]);
  if (!element || !index) return std::nullopt;
  const auto list = kInfoAxes * static_cast<std::uint32_t>(size_of(*index));
  StructureLayout layout;
  layout.fields = {{"data", given[0] + "*", true, false, element, 0},
                   {"sizes[0]", given[1], false, false, *index, kDataBytes},
                   {"strides[0]", given[1], false, false, *index, kDataBytes + list},
                   {"dims", "int", false, false, ElementType::kI32, kDataBytes + 2 * list}};
  layout.alignment = kDataBytes;
  layout.bytes = (kDataBytes + 2 * list + 4 + kDataBytes - 1) / kDataBytes * kDataBytes;
  return layout;
}

bool is_info(const StructureMember& member) {
  return member.structure_bytes > kDataBytes + 2 * kInfoAxes * 4;
}

}  // namespace

std::optional<StructureLayout> accessor_layout(std::string_view type) {
  constexpr std::string_view kName = "PackedTensorAccessor";
  constexpr std::int64_t kMostAxes = 8;
  if (auto info = info_layout(type)) return info;
  const std::size_t open = type.find('<');
  const std::size_t name = type.rfind(kName, open);
  if (open == std::string_view::npos || name == std::string_view::npos) return std::nullopt;
  const std::vector<std::string> given = template_list(type.substr(open));
  if (given.size() < 2) return std::nullopt;
  const auto element = number_type(given[0]);
  const auto axes = evaluate_expression(given[1], {});
  if (!element || !axes || *axes < 1 || *axes > kMostAxes) return std::nullopt;
  const bool is_narrow = type.substr(name + kName.size(), open - name - kName.size()) == "32" ||
                         (given.size() > 3 && number_type(given[3]) == ElementType::kI32);
  const ElementType index = is_narrow ? ElementType::kI32 : ElementType::kI64;
  StructureLayout layout;
  layout.fields.push_back({"data", given[0] + "*", true, false, element, 0});
  layout.bytes = layout.alignment = kDataBytes;
  for (const char* const list : {"sizes", "strides"}) {
    for (std::int64_t axis = 0; axis < *axes; ++axis) {
      layout.fields.push_back({fmt::format("{}[{}]", list, axis), is_narrow ? "int" : "long", false,
                               false, index, layout.bytes});
      layout.bytes += static_cast<std::uint32_t>(size_of(index));
    }
  }
  return layout;
}

std::optional<std::int64_t> accessor_value(const ParameterText& parameter) {
  constexpr std::array<std::int64_t, 5> kEdges{1 << 20, 1 << 10, 64, 32, 16};
  const std::string_view name = parameter.name;
  const bool is_size = name.find(".sizes[") != std::string_view::npos;
  const bool is_stride = name.find(".strides[") != std::string_view::npos;
  if (parameter.member && is_info(*parameter.member)) {
    if (is_size) return kEdges[0];
    return is_stride || name.ends_with(".dims") ? std::optional<std::int64_t>(1) : std::nullopt;
  }
  if (!parameter.member || !parameter.element || !(is_size || is_stride)) return std::nullopt;
  const auto index_bytes = static_cast<std::uint32_t>(size_of(*parameter.element));
  const std::uint32_t axes = (parameter.member->structure_bytes - kDataBytes) / (2 * index_bytes);
  if (axes < 1 || axes > kEdges.size()) return std::nullopt;
  if (is_size) return kEdges[axes - 1];
  std::int64_t stride = 1;
  const auto axis = (parameter.member->offset - kDataBytes) / index_bytes - axes;
  for (std::uint32_t inner = axis + 1; inner < axes; ++inner) stride *= kEdges[axes - 1];
  return stride;
}

}  // namespace tilescope

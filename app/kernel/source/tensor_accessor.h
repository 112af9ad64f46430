#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "kernel/source/kernel_signature.h"
#include "kernel/source/structure_layout.h"

namespace tilescope {

// PyTorch's PackedTensorAccessor32<float, 2, ...>, which kernels get by value
// (ATen/core/TensorAccessor.h): where a tensor lies, its extents, its strides in elements. Members:
// "data", "sizes[0]" ..., "strides[0]" ...; up to 8 axes. Also its TensorInfo<float, int>, of one
// axis, with "dims". Nothing of another type, or where the
// element or the number of axes is a template's.
[[nodiscard]] std::optional<StructureLayout> accessor_layout(std::string_view type);

// What an extent or stride of one is guessed to be, "in.sizes[1]": the tensor is as long along each
// axis, and has about 1 Mi elements. Nothing of another parameter.
[[nodiscard]] std::optional<std::int64_t> accessor_value(const ParameterText& parameter);

}  // namespace tilescope

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/common_executors/families.h"
#include "emulator/common_executors/texture_access.h"
#include "emulator/execution/lane_access.h"
#include "emulator/execution/register_cells.h"
#include "emulator/region_history.h"
#include "emulator/texture.h"

// Textures and surfaces (PTX ISA, "Texture Instructions", "Surface Instructions"). No sink is
// told of their accesses: they go through the texture unit and count among no other memory's.
namespace tilescope {
namespace {

// A texture as an instruction reaches it, its texels in this process's memory.
struct ReachedTexture {
  TextureObject of;
  const MemoryRegion* region = nullptr;  // that the texels lie in

  // nullptr: the texel lies beyond the memory that the object was made of.
  [[nodiscard]] std::byte* texel(const TexelPlace& place, std::uint64_t byte = 0) const {
    const std::uint64_t address = texel_address(of, place) + byte;
    const std::uint64_t offset = address - region->begin;
    return address < region->begin || offset + of.texel_bytes() > region->bytes
               ? nullptr
               : region->data + offset;
  }
};

bool reach(const MicroOp& op, const std::byte* registers, unsigned lane, ExecutionContext& context,
           ReachedTexture* texture) {
  const auto object = value_at<std::uint64_t>(registers, op.row[0], lane);
  const MemoryRegion* holder = context.memory->find(object);
  const bool is_whole =
      holder != nullptr && object - holder->begin + sizeof(TextureObject) <= holder->bytes;
  if (is_whole)
    std::memcpy(&texture->of, holder->data + (object - holder->begin), sizeof(TextureObject));
  texture->region = is_whole && texture->of.mark == TextureObject::kMark
                        ? context.memory->find(texture->of.data)
                        : nullptr;
  if (texture->region != nullptr) {
    if (holder->history != nullptr) holder->history->note_use(true, false);
    return true;
  }
  report(context, FindingKind::kOutOfBounds, op, lane,
         fmt::format("{:#x} is no texture or surface object", object));
  return false;
}

void note_use(const ReachedTexture& texture, bool writes) {
  RegionHistory* const history = texture.region->history;
  if (history == nullptr) return;
  history->note_use(!writes, writes);
  if (writes) history->write_all();
}

TextureAccess access_of(const MicroOp& op) { return std::bit_cast<TextureAccess>(op.immediate); }

// The layer and coordinates of a lane.
struct LanePlaceInTexture {
  std::uint32_t layer = 0;
  std::array<std::uint32_t, 3> bits{};

  [[nodiscard]] std::int64_t integer(unsigned axis) const {
    return static_cast<std::int32_t>(bits[axis]);
  }
};
LanePlaceInTexture place_of(const MicroOp& op, const std::byte* registers, unsigned lane,
                            const ExecutionContext& context) {
  const TextureAccess access = access_of(op);
  LanePlaceInTexture place;
  unsigned at = access.results;
  if (access.is_layered) place.layer = word_at(registers, further_row(op, context, at++), lane);
  for (unsigned axis = 0; axis < access.dimensions; ++axis)
    place.bits[axis] = word_at(registers, further_row(op, context, at++), lane);
  return place;
}

std::array<float, 3> coordinates_of(const TextureAccess& access, LanePlaceInTexture& place) {
  std::array<float, 3> at{};
  for (unsigned axis = 0; axis < access.dimensions; ++axis) {
    at[axis] = access.has_integer_coordinates ? static_cast<float>(place.integer(axis)) + 0.5f
                                              : std::bit_cast<float>(place.bits[axis]);
  }
  if (!access.is_cube) return at;
  const CubePlace cube = cube_place(at[0], at[1], at[2]);
  place.layer = place.layer * 6 + cube.face;
  return cube.at;
}

TexelValue part_value(const ReachedTexture& texture, const Footprint::Part& part, bool as_float) {
  if (part.is_border) return border_value(texture.of, as_float);
  const std::byte* texel = texture.texel(part.place);
  return texel == nullptr ? TexelValue{} : texel_value(texture.of, texel, as_float);
}

TexelValue sample(const ReachedTexture& texture, const TextureAccess& access,
                  LanePlaceInTexture place) {
  if (texture.of.is_buffer) {
    const TexelPlace index{place.integer(0), 0, 0, 0};
    if (!is_inside(texture.of, index)) return {};
    return part_value(texture, {index}, access.gives_floats);
  }
  const std::array<float, 3> at = coordinates_of(access, place);
  const unsigned dimensions = access.is_cube ? 2 : access.dimensions;
  const Footprint footprint = footprint_of(texture.of, at, dimensions, place.layer);
  if (footprint.count == 1) return part_value(texture, footprint.parts[0], access.gives_floats);
  std::array<double, 4> sum{};
  for (unsigned i = 0; i < footprint.count; ++i) {
    const Footprint::Part& part = footprint.parts[i];
    if (part.share == 0) continue;
    const TexelValue value = part_value(texture, part, true);
    for (unsigned channel = 0; channel < 4; ++channel)
      sum[channel] += double{part.share} * double{std::bit_cast<float>(value[channel])};
  }
  TexelValue blended{};
  for (unsigned channel = 0; channel < 4; ++channel)
    blended[channel] = std::bit_cast<std::uint32_t>(static_cast<float>(sum[channel]));
  return blended;
}

void put_results(const MicroOp& op, std::byte* registers, unsigned lane,
                 const ExecutionContext& context, const TexelValue& value) {
  for (unsigned i = 0; i < access_of(op).results; ++i)
    put_value(registers, further_row(op, context, i), lane, value[i]);
}

void execute_sample(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                    ExecutionContext& context) {
  for_lanes(mask, [&](unsigned lane) {
    ReachedTexture texture;
    TexelValue value{};
    if (reach(op, registers, lane, context, &texture)) {
      value = sample(texture, access_of(op), place_of(op, registers, lane, context));
      note_use(texture, false);
    }
    put_results(op, registers, lane, context, value);
  });
}

void execute_gather(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                    ExecutionContext& context) {
  const TextureAccess access = access_of(op);
  for_lanes(mask, [&](unsigned lane) {
    ReachedTexture texture;
    TexelValue value{};
    if (reach(op, registers, lane, context, &texture)) {
      LanePlaceInTexture place = place_of(op, registers, lane, context);
      const std::array<float, 3> at = coordinates_of(access, place);
      const Footprint footprint = gathered_by(texture.of, at, place.layer);
      for (unsigned i = 0; i < 4; ++i)
        value[i] = part_value(texture, footprint.parts[i], access.gives_floats)[access.detail];
      note_use(texture, false);
    }
    put_results(op, registers, lane, context, value);
  });
}

void execute_query(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                   ExecutionContext& context) {
  for_lanes(mask, [&](unsigned lane) {
    ReachedTexture texture;
    std::uint32_t value = 0;
    if (reach(op, registers, lane, context, &texture)) {
      const std::array all{texture.of.width, texture.of.height, texture.of.depth,
                           texture.of.layers};
      value = all[access_of(op).detail];
    }
    put_results(op, registers, lane, context, {value});
  });
}

// A surface's bytes for a lane; nullptr: it reads zeros and writes nothing. x counts bytes.
std::byte* surface_bytes(const MicroOp& op, const std::byte* registers, unsigned lane,
                         ExecutionContext& context, ReachedTexture* texture, unsigned bytes) {
  if (!reach(op, registers, lane, context, texture)) return nullptr;
  const TextureAccess access = access_of(op);
  const LanePlaceInTexture place = place_of(op, registers, lane, context);
  const TextureObject& surface = texture->of;
  const std::int64_t row_bytes = std::int64_t{surface.width} * surface.texel_bytes();
  std::int64_t x = place.integer(0);
  TexelPlace at{0, place.integer(1), place.integer(2), place.layer};
  const bool is_in = x >= 0 && x + bytes <= row_bytes && is_inside(surface, at);
  if (!is_in) {
    const auto edge = static_cast<TextureAccess::Edge>(access.detail);
    if (edge == TextureAccess::Edge::kZero) return nullptr;
    if (edge == TextureAccess::Edge::kTrap) {
      report(context, FindingKind::kOutOfBounds, op, lane,
             fmt::format("byte {} of row {} lies outside the surface, whose {} rows have {} bytes. "
                         "x counts bytes: multiply the column by the size of an element",
                         x, at.y, surface.height, row_bytes));
      return nullptr;
    }
    x = std::clamp<std::int64_t>(x, 0, row_bytes - bytes) / bytes * bytes;
    at.y = std::clamp<std::int64_t>(at.y, 0, surface.height - 1);
    at.z = std::clamp<std::int64_t>(at.z, 0, surface.depth - 1);
    at.layer = std::min(at.layer, surface.layers - 1);
  }
  if (x % bytes != 0) {
    report(
        context, FindingKind::kMisaligned, op, lane,
        fmt::format("byte {} of a surface's row is no multiple of the {} bytes that are accessed. "
                    "x counts bytes: multiply the column by the size of an element",
                    x, bytes));
    return nullptr;
  }
  return texture->texel(at, static_cast<std::uint64_t>(x));
}

unsigned surface_width(const TextureAccess& access, unsigned rows) {
  return access.element_bytes * rows;
}

void execute_surface_load(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                          ExecutionContext& context) {
  const TextureAccess access = access_of(op);
  const bool wide = access.element_bytes == 8;
  for_lanes(mask, [&](unsigned lane) {
    ReachedTexture surface;
    const std::byte* from = surface_bytes(op, registers, lane, context, &surface,
                                          surface_width(access, access.results));
    if (from != nullptr) note_use(surface, false);
    for (unsigned i = 0; i < access.results; ++i) {
      std::uint64_t bits = 0;
      if (from != nullptr)
        std::memcpy(&bits, from + i * access.element_bytes, access.element_bytes);
      put_cell(registers, further_row(op, context, i), lane, wide, bits);
    }
  });
}

void execute_surface_store(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                           ExecutionContext& context) {
  const TextureAccess access = access_of(op);
  const unsigned first = access.dimensions + (access.is_layered ? 1u : 0u);
  const unsigned elements = op.extra_count - first;
  for_lanes(mask, [&](unsigned lane) {
    ReachedTexture surface;
    std::byte* to =
        surface_bytes(op, registers, lane, context, &surface, surface_width(access, elements));
    if (to == nullptr) return;
    note_use(surface, true);
    for (unsigned i = 0; i < elements; ++i) {
      const std::uint64_t bits =
          cell_at(registers, further_row(op, context, first + i), lane, access.element_bytes == 8);
      std::memcpy(to + i * access.element_bytes, &bits, access.element_bytes);
    }
  });
}

}  // namespace

Executor find_texture(const OperationKey& key) {
  switch (key.operation) {
    case Operation::kTexture:
      return execute_sample;
    case Operation::kTextureGather:
      return execute_gather;
    case Operation::kTextureQuery:
      return execute_query;
    case Operation::kSurfaceLoad:
      return execute_surface_load;
    case Operation::kSurfaceStore:
      return execute_surface_store;
    default:
      return nullptr;
  }
}

}  // namespace tilescope

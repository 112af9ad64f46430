#include <algorithm>
#include <mutex>

#include "runtime/memory.h"
#include "runtime/program_state.h"

// Arrays, texture objects and surface objects.
namespace tilescope::runtime {
namespace {

constexpr std::size_t kRowAlignment = 32;  // bytes: cudaDeviceProp::texturePitchAlignment

struct ResourceDescription {  // cudaResourceDesc
  enum Type : int { kArray, kMipmapped, kLinear, kPitched };
  int type;
  union {
    Array* array;
    struct {
      void* memory;
      ChannelFormat format;
      std::size_t bytes;
    } linear;
    struct {
      void* memory;
      ChannelFormat format;
      std::size_t width, height, pitch;
    } pitched;
  };
};

struct TextureDescription {  // cudaTextureDesc, as far as it is looked at
  int address_modes[3];
  int filter_mode;
  int read_mode;
  int is_srgb;
  float border[4];
  int has_normalised_coordinates;
};

Error make_array(void** result, const ChannelFormat* format, Extent3 extent, unsigned flags,
                 std::uint64_t caller) {
  if (result == nullptr || format == nullptr || extent.width == 0) return kInvalidValue;
  auto array = Array{nullptr, *format, extent, flags};
  if (array.texel_bytes() == 0) return kInvalidValue;
  array.pitch =
      (extent.width * array.texel_bytes() + kRowAlignment - 1) / kRowAlignment * kRowAlignment;
  const Error error = allocate(&array.memory, array.pitch * array.rows() * array.slices(),
                               MemoryKind::kDevice, caller);
  if (error == kSuccess) *result = new Array(array);
  return error;
}

void set_format(const ChannelFormat& format, TextureRequest* request) {
  const int channels =
      1 + (format.y != 0 ? 1 : 0) + (format.z != 0 ? 1 : 0) + (format.w != 0 ? 1 : 0);
  request->channels = static_cast<std::uint32_t>(channels);
  request->channel_bits = static_cast<std::uint32_t>(format.x);
  request->kind = static_cast<std::uint32_t>(format.kind);
}

// The memory that an object is made of.
Error set_resource(const ResourceDescription& resource, TextureRequest* request) {
  const auto number = [](const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); };
  const auto texels = [](std::size_t count) { return static_cast<std::uint32_t>(count); };
  switch (resource.type) {
    case ResourceDescription::kArray: {
      if (resource.array == nullptr) return kInvalidValue;
      const Array& array = *resource.array;
      set_format(array.format, request);
      const bool is_layered = (array.flags & (Array::kLayered | Array::kCube)) != 0;
      request->data = number(array.memory);
      request->width = texels(array.extent.width);
      request->height = texels(array.rows());
      request->depth = is_layered ? 1 : texels(array.slices());
      request->layers = is_layered ? texels(array.slices()) : 1;
      request->pitch = array.pitch;
      request->slice = array.pitch * array.rows();
      return kSuccess;
    }
    case ResourceDescription::kLinear:
      set_format(resource.linear.format, request);
      request->data = number(resource.linear.memory);
      request->is_buffer = 1;
      if (request->channel_bits == 0) return kInvalidValue;
      request->width =
          texels(resource.linear.bytes / (request->channels * request->channel_bits / 8));
      return kSuccess;
    case ResourceDescription::kPitched:
      set_format(resource.pitched.format, request);
      request->data = number(resource.pitched.memory);
      request->width = texels(resource.pitched.width);
      request->height = texels(resource.pitched.height);
      request->pitch = resource.pitched.pitch;
      return kSuccess;
    default:
      return kNotSupported;  // mipmaps
  }
}

Error make_object(std::uint64_t* object, const TextureRequest& request) {
  const auto reply = Connection::get().ask(Call::kTexture, request);
  if (reply.error == kSuccess) *object = reply.head<Range>().begin;
  return reply.error;
}

Error release_object(std::uint64_t object) { return release(reinterpret_cast<void*>(object)); }

struct Side {
  void* pointer = nullptr;  // or, without, the array and the place in it
  std::size_t pitch = 0;
  Array* array = nullptr;
  std::size_t byte = 0, row = 0;
};
// Rows of `width` bytes between memory and arrays.
Error copy_array_rows(const Side& to, const Side& from, std::size_t width, std::size_t height,
                      int kind, std::uint64_t caller, Asynchrony how = {}) {
  if (width == 0 || height == 0) return kSuccess;
  Copy3 box;
  const Array* any = to.array != nullptr ? to.array : from.array;
  if (any == nullptr || (to.pointer == nullptr && to.array == nullptr) ||
      (from.pointer == nullptr && from.array == nullptr))
    return kInvalidValue;
  const std::size_t texel = any->texel_bytes();
  box.to_array = to.array;
  box.to_position = {to.byte / texel, to.row, 0};
  box.to = {to.pointer, to.pitch, width, height};
  box.from_array = from.array;
  box.from_position = {from.byte / texel, from.row, 0};
  box.from = {from.pointer, from.pitch, width, height};
  box.extent = {width / texel, height, 1};
  box.kind = kind;
  return copy_box(box, caller, how);
}

// `bytes` that follow one another in an array of one row, or fill rows of it.
Error copy_array_bytes(Array* array, void* pointer, bool into_array, std::size_t byte,
                       std::size_t row, std::size_t bytes, int kind, std::uint64_t caller,
                       Asynchrony how = {}) {
  if (array == nullptr) return kInvalidValue;
  const std::size_t width = array->extent.width * array->texel_bytes();
  const std::size_t height = std::max<std::size_t>(bytes / width, 1);
  const Side inside{nullptr, 0, array, byte, row};
  const Side outside{pointer, std::min(bytes, width), nullptr, 0, 0};
  return copy_array_rows(into_array ? inside : outside, into_array ? outside : inside,
                         std::min(bytes, width), height, kind, caller, how);
}

}  // namespace
}  // namespace tilescope::runtime

using namespace tilescope::runtime;

TILESCOPE_EXPORT Error cudaMallocArray(void** array, const ChannelFormat* format, std::size_t width,
                                       std::size_t height, unsigned flags) {
  return finish(make_array(array, format, {width, height, 0}, flags, TILESCOPE_CALLER), __func__);
}
TILESCOPE_EXPORT Error cudaMalloc3DArray(void** array, const ChannelFormat* format, Extent3 extent,
                                         unsigned flags) {
  return finish(make_array(array, format, extent, flags, TILESCOPE_CALLER), __func__);
}
TILESCOPE_EXPORT Error cudaFreeArray(Array* array) {
  if (array == nullptr) return finish(kSuccess, __func__);
  const Error error = release(array->memory);
  delete array;
  return finish(error, __func__);
}
TILESCOPE_EXPORT Error cudaArrayGetInfo(ChannelFormat* format, Extent3* extent, unsigned* flags,
                                        const Array* array) {
  if (array == nullptr) return finish(kInvalidValue, __func__);
  if (format != nullptr) *format = array->format;
  if (extent != nullptr) *extent = array->extent;
  if (flags != nullptr) *flags = array->flags;
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaGetChannelDesc(ChannelFormat* format, const Array* array) {
  if (format == nullptr || array == nullptr) return finish(kInvalidValue, __func__);
  *format = array->format;
  return finish(kSuccess, __func__);
}

TILESCOPE_EXPORT Error cudaMemcpy2DToArray(Array* to, std::size_t byte, std::size_t row, void* from,
                                           std::size_t pitch, std::size_t width, std::size_t height,
                                           int kind) {
  return finish(copy_array_rows({nullptr, 0, to, byte, row}, {from, pitch}, width, height, kind,
                                TILESCOPE_CALLER),
                __func__);
}
TILESCOPE_EXPORT Error cudaMemcpy2DToArrayAsync(Array* to, std::size_t byte, std::size_t row,
                                                void* from, std::size_t pitch, std::size_t width,
                                                std::size_t height, int kind, void* stream) {
  return finish(copy_array_rows({nullptr, 0, to, byte, row}, {from, pitch}, width, height, kind,
                                TILESCOPE_CALLER, {true, stream}),
                __func__);
}
TILESCOPE_EXPORT Error cudaMemcpy2DFromArray(void* to, std::size_t pitch, Array* from,
                                             std::size_t byte, std::size_t row, std::size_t width,
                                             std::size_t height, int kind) {
  return finish(copy_array_rows({to, pitch}, {nullptr, 0, from, byte, row}, width, height, kind,
                                TILESCOPE_CALLER),
                __func__);
}
TILESCOPE_EXPORT Error cudaMemcpy2DFromArrayAsync(void* to, std::size_t pitch, Array* from,
                                                  std::size_t byte, std::size_t row,
                                                  std::size_t width, std::size_t height, int kind,
                                                  void* stream) {
  return finish(copy_array_rows({to, pitch}, {nullptr, 0, from, byte, row}, width, height, kind,
                                TILESCOPE_CALLER, {true, stream}),
                __func__);
}
TILESCOPE_EXPORT Error cudaMemcpy2DArrayToArray(Array* to, std::size_t to_byte, std::size_t to_row,
                                                Array* from, std::size_t from_byte,
                                                std::size_t from_row, std::size_t width,
                                                std::size_t height, int kind) {
  return finish(
      copy_array_rows({nullptr, 0, to, to_byte, to_row}, {nullptr, 0, from, from_byte, from_row},
                      width, height, kind, TILESCOPE_CALLER),
      __func__);
}
TILESCOPE_EXPORT Error cudaMemcpyToArray(Array* to, std::size_t byte, std::size_t row, void* from,
                                         std::size_t bytes, int kind) {
  return finish(copy_array_bytes(to, from, true, byte, row, bytes, kind, TILESCOPE_CALLER),
                __func__);
}
TILESCOPE_EXPORT Error cudaMemcpyToArrayAsync(Array* to, std::size_t byte, std::size_t row,
                                              void* from, std::size_t bytes, int kind,
                                              void* stream) {
  return finish(
      copy_array_bytes(to, from, true, byte, row, bytes, kind, TILESCOPE_CALLER, {true, stream}),
      __func__);
}
TILESCOPE_EXPORT Error cudaMemcpyFromArray(void* to, Array* from, std::size_t byte, std::size_t row,
                                           std::size_t bytes, int kind) {
  return finish(copy_array_bytes(from, to, false, byte, row, bytes, kind, TILESCOPE_CALLER),
                __func__);
}
TILESCOPE_EXPORT Error cudaMemcpyFromArrayAsync(void* to, Array* from, std::size_t byte,
                                                std::size_t row, std::size_t bytes, int kind,
                                                void* stream) {
  return finish(
      copy_array_bytes(from, to, false, byte, row, bytes, kind, TILESCOPE_CALLER, {true, stream}),
      __func__);
}

TILESCOPE_EXPORT Error cudaCreateTextureObject(std::uint64_t* object,
                                               const ResourceDescription* resource,
                                               const TextureDescription* texture, const void*) {
  if (object == nullptr || resource == nullptr || texture == nullptr)
    return finish(kInvalidValue, __func__);
  TextureRequest request;
  request.caller = TILESCOPE_CALLER;
  if (const Error error = set_resource(*resource, &request); error != kSuccess)
    return finish(error, __func__);
  std::copy_n(texture->address_modes, 3, request.address_modes);
  std::copy_n(texture->border, 4, request.border);
  request.is_linear = texture->filter_mode != 0 ? 1 : 0;
  request.reads_normalised = texture->read_mode != 0 ? 1 : 0;
  request.has_normalised_coordinates = texture->has_normalised_coordinates != 0 ? 1 : 0;
  return finish(make_object(object, request), __func__);
}
TILESCOPE_EXPORT Error cudaDestroyTextureObject(std::uint64_t object) {
  return finish(release_object(object), __func__);
}
TILESCOPE_EXPORT Error cudaCreateSurfaceObject(std::uint64_t* object,
                                               const ResourceDescription* resource) {
  if (object == nullptr || resource == nullptr || resource->type != ResourceDescription::kArray)
    return finish(kInvalidValue, __func__);
  TextureRequest request;
  request.caller = TILESCOPE_CALLER;
  if (const Error error = set_resource(*resource, &request); error != kSuccess)
    return finish(error, __func__);
  return finish(make_object(object, request), __func__);
}
TILESCOPE_EXPORT Error cudaDestroySurfaceObject(std::uint64_t object) {
  return finish(release_object(object), __func__);
}

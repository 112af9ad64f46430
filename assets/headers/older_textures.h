// Texture and surface references, which CUDA had before version 12: variables of a file that host
// code binds to memory. Each is a variable of the device that holds the object of what is bound.
#ifndef TILESCOPE_OLDER_TEXTURES
#define TILESCOPE_OLDER_TEXTURES
#include <cuda_runtime.h>
#if defined(__cplusplus) && CUDART_VERSION >= 12000
#include <stddef.h>

struct textureReference {
  int normalized;
  cudaTextureFilterMode filterMode;
  cudaTextureAddressMode addressMode[3];
  cudaChannelFormatDesc channelDesc;
  cudaTextureObject_t object;
};

// cudaCreateChannelDesc<T>(), as a constant.
template <class T>
struct tilescope_texel_parts {
  typedef T part;
  static constexpr int count = 1;
};
#define TILESCOPE_PARTS_OF(NAME, T)       \
  template <>                             \
  struct tilescope_texel_parts<NAME##1> { \
    typedef T part;                       \
    static constexpr int count = 1;       \
  };                                      \
  template <>                             \
  struct tilescope_texel_parts<NAME##2> { \
    typedef T part;                       \
    static constexpr int count = 2;       \
  };                                      \
  template <>                             \
  struct tilescope_texel_parts<NAME##4> { \
    typedef T part;                       \
    static constexpr int count = 4;       \
  };
TILESCOPE_PARTS_OF(char, signed char)
TILESCOPE_PARTS_OF(uchar, unsigned char)
TILESCOPE_PARTS_OF(short, short)
TILESCOPE_PARTS_OF(ushort, unsigned short)
TILESCOPE_PARTS_OF(int, int)
TILESCOPE_PARTS_OF(uint, unsigned)
TILESCOPE_PARTS_OF(float, float)
template <class T>
constexpr cudaChannelFormatDesc tilescope_channels() {
  typedef typename tilescope_texel_parts<T>::part part;
  constexpr int count = tilescope_texel_parts<T>::count;
  constexpr int bits = 8 * sizeof(part);
  return {bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 3 ? bits : 0,
          part(0.5) != part(0) ? cudaChannelFormatKindFloat
          : part(-1) < part(0) ? cudaChannelFormatKindSigned
                               : cudaChannelFormatKindUnsigned};
}

template <class T, int dimensions = 1, cudaTextureReadMode mode = cudaReadModeElementType>
struct tilescope_texture : textureReference {
  constexpr tilescope_texture(int is_normalized = 0,
                              cudaTextureFilterMode filter = cudaFilterModePoint,
                              cudaTextureAddressMode address = cudaAddressModeClamp)
      : textureReference{
            is_normalized, filter, {address, address, address}, tilescope_channels<T>(), 0} {}
};

// What a fetch gives: an element, or floats where integers are read as fractions.
template <class T, cudaTextureReadMode mode>
struct tilescope_texel {
  typedef T type;
};
#define TILESCOPE_FRACTIONS(T)                             \
  template <>                                              \
  struct tilescope_texel<T, cudaReadModeNormalizedFloat> { \
    typedef float type;                                    \
  };
#define TILESCOPE_FRACTIONS_OF(T)                             \
  template <>                                                 \
  struct tilescope_texel<T##1, cudaReadModeNormalizedFloat> { \
    typedef float1 type;                                      \
  };                                                          \
  template <>                                                 \
  struct tilescope_texel<T##2, cudaReadModeNormalizedFloat> { \
    typedef float2 type;                                      \
  };                                                          \
  template <>                                                 \
  struct tilescope_texel<T##4, cudaReadModeNormalizedFloat> { \
    typedef float4 type;                                      \
  };
TILESCOPE_FRACTIONS(char)
TILESCOPE_FRACTIONS(signed char)
TILESCOPE_FRACTIONS(unsigned char)
TILESCOPE_FRACTIONS(short)
TILESCOPE_FRACTIONS(unsigned short)
TILESCOPE_FRACTIONS_OF(char)
TILESCOPE_FRACTIONS_OF(uchar)
TILESCOPE_FRACTIONS_OF(short)
TILESCOPE_FRACTIONS_OF(ushort)

#define TILESCOPE_FETCH(NAME, PARAMETERS, VALUES)                                    \
  template <class T, int dimensions, cudaTextureReadMode mode>                       \
  static inline __device__ typename tilescope_texel<T, mode>::type NAME PARAMETERS { \
    return NAME<typename tilescope_texel<T, mode>::type> VALUES;                     \
  }
#define TILESCOPE_TEXTURE const tilescope_texture<T, dimensions, mode>& texture
TILESCOPE_FETCH(tex1Dfetch, (TILESCOPE_TEXTURE, int x), (texture.object, x))
TILESCOPE_FETCH(tex1D, (TILESCOPE_TEXTURE, float x), (texture.object, x))
TILESCOPE_FETCH(tex2D, (TILESCOPE_TEXTURE, float x, float y), (texture.object, x, y))
TILESCOPE_FETCH(tex3D, (TILESCOPE_TEXTURE, float x, float y, float z), (texture.object, x, y, z))
TILESCOPE_FETCH(tex1DLayered, (TILESCOPE_TEXTURE, float x, int layer), (texture.object, x, layer))
TILESCOPE_FETCH(tex2DLayered, (TILESCOPE_TEXTURE, float x, float y, int layer),
                (texture.object, x, y, layer))

template <class T, int dimensions, cudaTextureReadMode mode>
cudaError_t tilescope_bind(TILESCOPE_TEXTURE, const cudaResourceDesc& memory) {
  cudaTextureDesc how = {};
  for (int i = 0; i < 3; ++i) how.addressMode[i] = texture.addressMode[i];
  how.filterMode = texture.filterMode;
  how.readMode = mode;
  how.normalizedCoords = texture.normalized;
  cudaTextureObject_t object = 0;
  const cudaError_t error = cudaCreateTextureObject(&object, &memory, &how, NULL);
  if (error != cudaSuccess) return error;
  return cudaMemcpyToSymbol(texture, &object, sizeof object, offsetof(textureReference, object));
}
template <class T, int dimensions, cudaTextureReadMode mode>
cudaError_t cudaBindTexture(size_t* offset, TILESCOPE_TEXTURE, const void* begin,
                            const cudaChannelFormatDesc& channels, size_t bytes) {
  if (offset != NULL) *offset = 0;
  cudaResourceDesc memory = {};
  memory.resType = cudaResourceTypeLinear;
  memory.res.linear.devPtr = const_cast<void*>(begin);
  memory.res.linear.desc = channels;
  memory.res.linear.sizeInBytes = bytes;
  return tilescope_bind(texture, memory);
}
template <class T, int dimensions, cudaTextureReadMode mode>
cudaError_t cudaBindTexture(size_t* offset, TILESCOPE_TEXTURE, const void* begin,
                            size_t bytes = size_t(1) << 27) {
  return cudaBindTexture(offset, texture, begin, cudaCreateChannelDesc<T>(), bytes);
}
template <class T, int dimensions, cudaTextureReadMode mode>
cudaError_t cudaBindTexture2D(size_t* offset, TILESCOPE_TEXTURE, const void* begin,
                              const cudaChannelFormatDesc& channels, size_t width, size_t height,
                              size_t pitch) {
  if (offset != NULL) *offset = 0;
  cudaResourceDesc memory = {};
  memory.resType = cudaResourceTypePitch2D;
  memory.res.pitch2D.devPtr = const_cast<void*>(begin);
  memory.res.pitch2D.desc = channels;
  memory.res.pitch2D.width = width;
  memory.res.pitch2D.height = height;
  memory.res.pitch2D.pitchInBytes = pitch;
  return tilescope_bind(texture, memory);
}
template <class T, int dimensions, cudaTextureReadMode mode>
cudaError_t cudaBindTexture2D(size_t* offset, TILESCOPE_TEXTURE, const void* begin, size_t width,
                              size_t height, size_t pitch) {
  return cudaBindTexture2D(offset, texture, begin, cudaCreateChannelDesc<T>(), width, height,
                           pitch);
}
template <class T, int dimensions, cudaTextureReadMode mode>
cudaError_t cudaBindTextureToArray(TILESCOPE_TEXTURE, cudaArray_const_t array,
                                   const cudaChannelFormatDesc& = {}) {
  cudaResourceDesc memory = {};
  memory.resType = cudaResourceTypeArray;
  memory.res.array.array = const_cast<cudaArray_t>(array);
  return tilescope_bind(texture, memory);
}
template <class T, int dimensions, cudaTextureReadMode mode>
cudaError_t cudaUnbindTexture(TILESCOPE_TEXTURE) {
  return cudaSuccess;
}
#undef TILESCOPE_TEXTURE

struct surfaceReference {
  cudaSurfaceObject_t object;
};
template <class T, int dimensions = 1>
struct tilescope_surface : surfaceReference {};
template <class T, int dimensions>
cudaError_t cudaBindSurfaceToArray(const tilescope_surface<T, dimensions>& surface,
                                   cudaArray_const_t array, const cudaChannelFormatDesc& = {}) {
  cudaResourceDesc memory = {};
  memory.resType = cudaResourceTypeArray;
  memory.res.array.array = const_cast<cudaArray_t>(array);
  cudaSurfaceObject_t object = 0;
  const cudaError_t error = cudaCreateSurfaceObject(&object, &memory);
  if (error != cudaSuccess) return error;
  return cudaMemcpyToSymbol(surface, &object, sizeof object);
}
#define TILESCOPE_SURFACE(NAME, PLACE, VALUES)                                         \
  template <class V, class T, int dimensions>                                          \
  static inline __device__ void NAME##write(                                           \
      V value, const tilescope_surface<T, dimensions>& surface, TILESCOPE_LIST PLACE,  \
      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                           \
    NAME##write(value, surface.object, TILESCOPE_LIST VALUES, mode);                   \
  }                                                                                    \
  template <class V, class T, int dimensions>                                          \
  static inline __device__ void NAME##read(                                            \
      V* value, const tilescope_surface<T, dimensions>& surface, TILESCOPE_LIST PLACE, \
      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                           \
    NAME##read(value, surface.object, TILESCOPE_LIST VALUES, mode);                    \
  }
#define TILESCOPE_LIST(...) __VA_ARGS__
TILESCOPE_SURFACE(surf1D, (int x), (x))
TILESCOPE_SURFACE(surf2D, (int x, int y), (x, y))
TILESCOPE_SURFACE(surf3D, (int x, int y, int z), (x, y, z))

#define texture __device__ tilescope_texture
#define surface __device__ tilescope_surface
#endif
#endif

#include "emulator/decode/unsupported_instructions.h"

#include <array>

namespace tilescope {
namespace {

constexpr std::array kFamilies{
    UnsupportedFamily{"wgmma", ".sp", "a product of sparse matrices", "`wgmma.mma_async.sp`"},
    UnsupportedFamily{"tcgen05", "", "tensor memory and its products", "`tcgen05`"},
    UnsupportedFamily{"cp", ".tensor", "copying a tile through a tensor map",
                      "`cp.async.bulk.tensor`"},
    UnsupportedFamily{"cp", ".reduce", "an asynchronous reduction into memory",
                      "`cp.reduce.async.bulk`"},
    UnsupportedFamily{"tensormap", "", "changing a tensor map", "`tensormap.replace`"},
    UnsupportedFamily{"multimem", "", "memory of several GPUs at once", "`multimem`"},
    UnsupportedFamily{"st", ".bulk", "initialising shared memory in bulk", "`st.bulk`"},
    UnsupportedFamily{"mma", ".sp", "a product of sparse matrices", "`mma.sp`"},
    UnsupportedFamily{"mma", ".block_scale", "a product with block scaling",
                      "`mma` with `.block_scale`"},
    UnsupportedFamily{"ldmatrix", ".b8", "a matrix of bytes or of packed small floats",
                      "`ldmatrix` and `stmatrix` of `.b8`"},
    UnsupportedFamily{"stmatrix", ".b8", "a matrix of bytes", ""},
    UnsupportedFamily{"clusterlaunchcontrol", "", "work stealing between clusters",
                      "`clusterlaunchcontrol`"},
    UnsupportedFamily{"alloca", "", "local memory of a size known at run time only", "`alloca`"},
    UnsupportedFamily{"stacksave", "", "local memory of a size known at run time only", ""},
    UnsupportedFamily{"stackrestore", "", "local memory of a size known at run time only", ""},
    UnsupportedFamily{"tex", "", "reading a texture", "textures (`tex`, `tld4`, `txq`)"},
    UnsupportedFamily{"tld4", "", "reading a texture", ""},
    UnsupportedFamily{"txq", "", "asking about a texture", ""},
    UnsupportedFamily{"suld", "", "reading a surface", "surfaces (`suld`, `sust`, `sured`, `suq`)"},
    UnsupportedFamily{"sust", "", "writing a surface", ""},
    UnsupportedFamily{"sured", "", "reducing into a surface", ""},
    UnsupportedFamily{"suq", "", "asking about a surface", ""},
    UnsupportedFamily{"cvt", ".rs", "stochastic rounding", "`cvt.rs`"},
    UnsupportedFamily{"fma", ".oob", "an out-of-bounds marker in an operand", "`fma.oob`"},
};

}  // namespace

std::span<const UnsupportedFamily> unsupported_families() { return kFamilies; }

const UnsupportedFamily* find_unsupported(std::string_view mnemonic, std::string_view suffix) {
  for (const UnsupportedFamily& family : kFamilies) {
    if (family.mnemonic == mnemonic && suffix.find(family.word) != std::string_view::npos)
      return &family;
  }
  return nullptr;
}

}  // namespace tilescope

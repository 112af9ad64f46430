#include "kernel/same_instance.h"

#include <algorithm>

namespace tilescope {

bool same_instance(const KernelInstance& a, const KernelInstance& b) {
  return a.id == b.id && a.parameters == b.parameters && a.extents == b.extents &&
         a.source == b.source && a.kernel == b.kernel && a.grid == b.grid && a.block == b.block &&
         a.dynamic_shared_bytes == b.dynamic_shared_bytes &&
         std::ranges::equal(a.arguments, b.arguments, [](const Argument& x, const Argument& y) {
           return x.buffer == y.buffer && x.bits == y.bits && x.member == y.member;
         });
}

}  // namespace tilescope

#include "emulator/common_executors/families.h"

#include <array>

namespace tilescope {
namespace {

using Find = Executor (*)(const OperationKey& key);

struct Families {
  Find first = nullptr;
  Find second = nullptr;
};
// By operation.
constexpr std::array kFamilies{
#define OPERATION(name, ...) Families{__VA_ARGS__},
#include "emulator/operations.inc"
#undef OPERATION
};

}  // namespace

Executor find_common_executor(const OperationKey& key) {
  const Families& families = kFamilies[static_cast<std::size_t>(key.operation)];
  for (const Find find : {families.first, families.second}) {
    if (find == nullptr) continue;
    if (Executor found = find(key)) return found;
  }
  return nullptr;
}

}  // namespace tilescope

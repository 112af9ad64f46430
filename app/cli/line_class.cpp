#include "cli/line_class.h"

#include "emulator/program.h"

namespace tilescope {
namespace {

const char* space_name(MemorySpace space) {
  switch (space) {
    case MemorySpace::kGlobal:
      return "global_";
    case MemorySpace::kShared:
      return "shared_";
    case MemorySpace::kLocal:
      return "local_";
    case MemorySpace::kConstant:
      return "constant_";
    case MemorySpace::kParameter:
      return "parameter_";
    case MemorySpace::kGeneric:
      return "generic_";
    case MemorySpace::kClusterShared:
      return "cluster_";
    case MemorySpace::kNone:
      return "";
  }
  return "";
}

}  // namespace

std::string class_of(const LineCounters& row) {
  const std::string space = space_name(row.space);
  switch (row.access) {
    case AccessKind::kLoad:
      return space + "load";
    case AccessKind::kStore:
      return space + "store";
    case AccessKind::kAtomic:
      return space + "atomic";
    case AccessKind::kAsyncCopy:
      return "async_copy";
    case AccessKind::kLdmatrix:
      return "ldmatrix";
    case AccessKind::kStmatrix:
      return "stmatrix";
    case AccessKind::kNone:
      return std::string(name_of(row.instruction_class));
  }
  return "";
}

}  // namespace tilescope

#include "cli/line_class.h"

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
    case MemorySpace::kNone:
      return "";
  }
  return "";
}

const char* plain_class(InstructionClass instruction_class) {
  switch (instruction_class) {
    case InstructionClass::kMemory:
      return "memory";
    case InstructionClass::kFloat:
      return "float";
    case InstructionClass::kTensor:
      return "tensor";
    case InstructionClass::kInteger:
      return "integer";
    case InstructionClass::kConvert:
      return "convert";
    case InstructionClass::kControl:
      return "control";
    case InstructionClass::kSync:
      return "sync";
    case InstructionClass::kWarp:
      return "warp";
    case InstructionClass::kMove:
      return "move";
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
      return plain_class(row.instruction_class);
  }
  return "";
}

}  // namespace tilescope

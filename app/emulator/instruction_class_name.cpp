#include "emulator/instruction_class_name.h"

namespace tilescope {

std::string_view name_of(InstructionClass instruction_class) {
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

}  // namespace tilescope

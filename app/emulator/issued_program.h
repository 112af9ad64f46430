#pragma once
#include <memory>
#include <string_view>

#include "core/result.h"
#include "emulator/program.h"

namespace tilescope {

// The kernel as the machine executes it: what ptxas made of it (accesses merged, loops unrolled,
// loads dropped), from nvdisasm's listing of the cubin (`nvdisasm -gi`, sm_75 to sm_120). A program
// like any other: it is emulated on the same launch, gives the same results, and its counts are
// those of the instructions that the hardware issues. StaticInstruction::text is the machine's own.
//
// `written` is the program of the PTX that the cubin was made from, or that was made from the
// cubin: its parameters are taken. `text`: of the latter (emulator/machine_text.h), whose lines are
// then the instructions' own. Errors (kKernel): a listing without this kernel, code that calls
// itself. Instructions that are not known are unsupported(), as in any program.
[[nodiscard]] Result<std::shared_ptr<const Program>> decode_machine_code(
    std::string_view listing, const Program& written, std::string_view text = {});

}  // namespace tilescope

#pragma once
#include <TextEditor.h>

namespace tilescope {

// What the editor colours, for each of the texts that a kernel has.
[[nodiscard]] TextEditor::Language cuda_language();
[[nodiscard]] TextEditor::Language ptx_language();
[[nodiscard]] TextEditor::Language machine_language();

}  // namespace tilescope

#include "emulator/coverage_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/instruction_table.h"

namespace tilescope {
namespace {

std::string_view name_of_class(InstructionClass instruction_class) {
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

// "!async !commit_group ca" -> name "cp.async.commit_group", rest "ca".
void split_required(const InstructionForm& form, std::string* name, std::string* optional) {
  *name = std::string(form.mnemonic);
  std::string_view words = form.modifiers;
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    const std::string_view word = words.substr(0, end);
    words.remove_prefix(std::min(end + 1, words.size()));
    if (word.starts_with('!')) {
      *name += '.';
      *name += word.substr(1);
    } else {
      *optional += optional->empty() ? "." : " .";
      *optional += word;
    }
  }
}

constexpr std::string_view kHead = R"(# PTX coverage

What the emulator executes, generated from its instruction table (`app/emulator/instruction_table.cpp`);
a test fails when this page is out of date. Section numbers are those of the PTX ISA of CUDA 13.0.
Every form is executed exactly but for `.approx` and `.full` functions, whose last bits NVIDIA does
not document: they are computed to within the documented error. An instruction that is not here
decodes all the same; a launch that reaches it reports it by name and line (`unsupported`), and its
result is not complete.

| instruction | types | modifiers | class | PTX ISA |
| --- | --- | --- | --- | --- |
)";

constexpr std::string_view kTail = R"(
Not executed yet: `mbarrier`, `cp.async.bulk`, `cp.async.mbarrier`, `wmma`, `wgmma`, `tcgen05`,
`mma` of other shapes and types than f16, bf16 (m16n8k8, k16), tf32 (m16n8k4, k8), 8-bit integers (m16n8k16, k32), f64 (m8n8k4), textures and surfaces (`tex`, `tld4`, `suld`, `sust`), `multimem`, `alloca`, calls
through pointers, recursion, `min` and `max` of three inputs or with `.xorsign.abs`, `lop3` with a predicate, 8-bit
floating-point formats, vectors of atomics, clusters of more than one block.
)";

}  // namespace

std::string coverage_page() {
  std::string page(kHead);
  for (const InstructionForm& form : instruction_table()) {
    std::string name;
    std::string optional;
    split_required(form, &name, &optional);
    page += fmt::format("| `{}` | {} | {} | {} | {} |\n", name, form.types, optional,
                        name_of_class(form.instruction_class), form.section);
  }
  return page.append(kTail);
}

}  // namespace tilescope

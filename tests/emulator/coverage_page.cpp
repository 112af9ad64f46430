#include "emulator/coverage_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/decode/instruction_table.h"
#include "emulator/program.h"

namespace tilescope {
namespace {

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

What the emulator executes, generated from its instruction table (`app/emulator/decode/instruction_table.cpp`);
a test fails when this page is out of date. Section numbers are those of the PTX ISA of CUDA 13.0.
Every form is executed exactly but for `.approx` and `.full` functions, whose last bits NVIDIA does
not document: they are computed to within the documented error. An instruction that is not here
decodes all the same; a launch that reaches it reports it by name and line (`unsupported`), and its
result is not complete.

)";

// The form that decodes an opcode, if the table has one.
const InstructionForm* form_of(std::string_view opcode) {
  const std::size_t dot = std::min(opcode.find('.'), opcode.size());
  std::string_view reason;
  const auto modifiers = parse_modifiers(opcode.substr(dot), &reason);
  return modifiers ? find_form(parse_mnemonic(opcode.substr(0, dot)), *modifiers, &reason)
                   : nullptr;
}

}  // namespace

std::string coverage_page(const OpcodeCensus& census) {
  std::string page(kHead);
  std::map<const InstructionForm*, std::uint64_t> uses;
  std::uint64_t total = 0;
  std::string missing;
  for (const auto& [opcode, count] : census.opcodes) {
    const InstructionForm* form = form_of(opcode);
    total += count;
    uses[form] += count;
    if (form == nullptr) missing.append(missing.empty() ? "`" : ", `").append(opcode).append("`");
  }
  page += fmt::format(
      "The column *seen* counts how often an instruction stands in the PTX that {} makes of {} "
      "real\nkernels: CUB, Thrust, cooperative groups, libcu++, cuRAND, mathematical functions, "
      "the "
      "corpus and the\ncatalogue (`tests/kernels/census`). Of these {} instructions {} are not "
      "known{}{}.\n\n",
      census.compiler, census.kernels, total, uses[nullptr], missing.empty() ? "" : ": ", missing);
  page +=
      "| instruction | types | modifiers | class | seen | PTX ISA |\n"
      "| --- | --- | --- | --- | ---: | --- |\n";
  for (const InstructionForm& form : instruction_table()) {
    if (form.mnemonic.starts_with('$')) continue;  // not of PTX
    std::string name;
    std::string optional;
    split_required(form, &name, &optional);
    page += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", name, form.types, optional,
                        name_of(form.instruction_class),
                        uses.contains(&form) ? std::to_string(uses[&form]) : "", form.section);
  }
  page += "\nKnown, and answered with `unsupported` where a launch reaches them: ";
  bool first = true;
  for (const UnsupportedFamily& family : unsupported_families()) {
    if (family.name.empty()) continue;
    if (!first) page += ", ";
    page += family.name;
    first = false;
  }
  page +=
      ",\nclusters whose size the launch sets and not the kernel.\n`wmma.load` and `wmma.store` "
      "count "
      "as one 32-bit access per register; ";
  for (const InstructionForm& form : instruction_table()) {
    if (form.traits.access_bytes == 0) continue;
    std::string name;
    std::string optional;
    split_required(form, &name, &optional);
    page += fmt::format("`{}` as accesses of {} bytes; ", name, form.traits.access_bytes);
  }
  return page +
         "`cp.async.bulk`, `st.async` and `red.async`\nare not counted among the accesses of a "
         "warp.\n";
}

}  // namespace tilescope

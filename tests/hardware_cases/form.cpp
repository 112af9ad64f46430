#include "form.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace tilescope {
namespace {

// "a{b,c}d" -> "abd", "acd".
void spread(const std::string& text, std::vector<std::string>* all) {
  const std::size_t open = text.find('{');
  if (open == std::string::npos) {
    all->push_back(text);
    return;
  }
  const std::size_t close = text.find('}', open);
  std::stringstream parts(text.substr(open + 1, close - open - 1) + ",");
  for (std::string part; std::getline(parts, part, ',');) {
    spread(text.substr(0, open) + part + text.substr(close + 1), all);
  }
}

Slot slot_of(const std::string& word) {
  Slot slot;
  if (word.starts_with('=')) {
    slot.immediate = word.substr(1);
    return slot;
  }
  const std::size_t by = word.find('x');
  slot.type = word.substr(0, by);
  slot.is_vector = by != std::string::npos;
  if (slot.is_vector) slot.count = static_cast<unsigned>(std::stoul(word.substr(by + 1)));
  return slot;
}

// Class of the registers that hold a slot's elements.
std::string register_class(const Slot& slot) {
  if (slot.type == "h2" || slot.type == "bf2" || slot.type == "q4" || slot.type == "t1")
    return "b32";
  if (slot.type == "f1") return "f32";
  return slot.type == "d1" ? "f64" : slot.type;
}

std::string registers_text(const Slot& slot, const std::string& prefix) {
  if (!slot.immediate.empty()) return slot.immediate;
  if (!slot.is_vector) return prefix + "0";
  std::string text = "{";
  for (unsigned e = 0; e < slot.count; ++e)
    text += (e == 0 ? "" : ", ") + fmt::format("{}{}", prefix, e);
  return text + "}";
}

void declare(const Slot& slot, const std::string& prefix, std::string* text) {
  if (!slot.immediate.empty()) return;
  *text += fmt::format(".reg .{} {}<{}>;\n", register_class(slot), prefix, slot.count);
}

std::string kernel_for(const Form& form, std::size_t index) {
  std::string text = fmt::format(".visible .entry k{}(.param .u64 out", index);
  for (std::size_t i = 0; i < form.operands.size(); ++i)
    text += fmt::format(", .param .u64 in{}", i);
  text += ")\n{\n.reg .b32 %t<9>;\n.reg .b64 %a<9>;\n.reg .pred %zero;\n";
  declare(form.result, "%d", &text);
  for (std::size_t i = 0; i < form.operands.size(); ++i)
    declare(form.operands[i], fmt::format("%s{}_", i), &text);
  text +=
      "mov.u32 %t1, %ctaid.x;\nmov.u32 %t2, %ntid.x;\nmov.u32 %t3, %tid.x;\n"
      "mad.lo.u32 %t4, %t1, %t2, %t3;\nmul.wide.u32 %a1, %t4, 8;\n";
  std::string operands;
  for (std::size_t i = 0; i < form.operands.size(); ++i) {
    const Slot& slot = form.operands[i];
    const std::string prefix = fmt::format("%s{}_", i);
    operands += ", " + registers_text(slot, prefix);
    if (!slot.immediate.empty()) continue;
    text +=
        fmt::format("ld.param.u64 %a2, [in{}];\nmad.lo.u64 %a2, %a1, {}, %a2;\n", i, slot.count);
    for (unsigned e = 0; e < slot.count; ++e) {
      if (slot.type == "pred") {
        text += fmt::format("ld.global.u32 %t5, [%a2];\nsetp.ne.u32 {}{}, %t5, 0;\n", prefix, e);
      } else {
        text +=
            fmt::format("ld.global.{} {}{}, [%a2+{}];\n", register_class(slot), prefix, e, 8 * e);
      }
    }
  }
  text += fmt::format("{} {}{};\n", form.opcode, registers_text(form.result, "%d"), operands);
  text +=
      fmt::format("ld.param.u64 %a2, [out];\nmad.lo.u64 %a2, %a1, {}, %a2;\n", form.result.count);
  for (unsigned e = 0; e < form.result.count; ++e) {
    if (form.result.type == "pred") {
      text += "selp.b32 %t5, 1, 0, %d0;\nst.global.u32 [%a2], %t5;\n";
    } else {
      text += fmt::format("st.global.{} [%a2+{}], %d{};\n", register_class(form.result), 8 * e, e);
    }
  }
  return text + "ret;\n}\n";
}

}  // namespace

unsigned bytes_of_slot(const Slot& slot) {
  const std::string type = register_class(slot);
  if (type == "b64" || type == "f64") return 8;
  return type == "b16" ? 2 : 4;
}

std::vector<Form> load_forms(const std::filesystem::path& file) {
  std::vector<Form> forms;
  std::ifstream in(file);
  int line = 0;
  for (std::string text; std::getline(in, text);) {
    ++line;
    if (text.empty() || text[0] == '#') continue;
    std::stringstream words(text);
    std::string opcode;
    std::string word;
    words >> opcode >> word;
    Form form;
    form.line = line;
    form.result = slot_of(word);
    words >> word;  // =
    while (words >> word) {
      if (word[0] != '~') {
        form.operands.push_back(slot_of(word));
        continue;
      }
      const std::size_t colon = word.find(':');
      form.tolerance = {word.substr(1, colon - 1), std::strtod(word.c_str() + colon + 1, nullptr)};
    }
    std::vector<std::string> opcodes;
    spread(opcode, &opcodes);
    for (const std::string& one : opcodes) {
      form.opcode = one;
      forms.push_back(form);
    }
  }
  return forms;
}

std::string module_for(const std::vector<Form>& forms) {
  std::string text = ".version 8.6\n.target sm_90\n.address_size 64\n";
  for (std::size_t i = 0; i < forms.size(); ++i) text += kernel_for(forms[i], i);
  return text;
}

}  // namespace tilescope

#include "emulator/machine/module_head.h"

#include <algorithm>

#include "kernel/source/device_source.h"

namespace tilescope::machine {
namespace {

std::string initialiser(const std::vector<std::byte>& image) {
  if (image.empty()) return "";
  std::string text = " = {";
  for (std::size_t i = 0; i < image.size(); ++i) {
    text.append(i == 0 ? "" : ", ").append(std::to_string(std::to_integer<int>(image[i])));
  }
  return text + "}";
}

std::string memory_of(const Listing& listing) {
  std::string text;
  for (const GlobalData& global : listing.globals) {
    text += fmt::format(".visible .global .align 16 .b8 {}[{}]{};\n", global.name, global.bytes,
                        initialiser(global.image));
  }
  for (const auto& [bank, image] : listing.banks) {
    // The machine reads whole words, those that an odd size cuts too.
    text += fmt::format(".visible .const .align 16 .b8 bank{}[{}]{};\n", bank,
                        image.size() / 16 * 16 + 16, initialiser(image));
  }
  if (!listing.symbols.empty()) {
    text += fmt::format(".visible .const .align 16 .u64 bank4[{}] = {{", listing.symbols.size());
    for (std::size_t i = 0; i < listing.symbols.size(); ++i) {
      text.append(i == 0 ? "" : ", ").append(symbol_at(listing, i));
    }
    text += "};\n";
  }
  return text + ".extern .shared .align 16 .b8 dynamic_shared[];\n";
}

std::string entry_of(const LiftedModule& module) {
  std::string text = fmt::format(".visible .entry {}(", module.kernel);
  for (std::size_t i = 0; i < module.parameters.size(); ++i) {
    const KernelParameter& parameter = module.parameters[i];
    text += fmt::format("{}.param .align {} .b8 {}[{}]", i == 0 ? "" : ", ",
                        std::max(parameter.alignment, 1u), parameter.name, parameter.bytes);
  }
  text += ")\n";
  if (module.listing.explicit_cluster) text += ".explicitcluster\n";
  const Dim3& cluster = module.listing.cluster;
  if (module.listing.has_clusters())
    text += fmt::format(".reqnctapercluster {}, {}, {}\n", cluster.x, cluster.y, cluster.z);
  return text + "{\n";
}

std::string registers_of(const InstructionWriter& writer) {
  std::string text =
      ".reg .b32 %R<256>;\n.reg .b32 %UR<256>;\n.reg .pred %P<8>;\n.reg .pred %UP<8>;\n";
  text += fmt::format(
      ".reg .b32 %w<{}>;\n.reg .b64 %d<{}>;\n.reg .b16 %h<{}>;\n.reg .pred %q<{}>;\n",
      writer.words() + 1, writer.wides() + 1, writer.halves() + 1, writer.predicates() + 1);
  return text + ".reg .pred %true, %barrier_result;\n.reg .b32 %barrier_count, %frame;\n";
}

// The thread's and the block's memory; naming it keeps it where the machine has it.
std::string frame_of(const Listing& listing) {
  std::string text;
  if (listing.shared_bytes > 0) {
    text += fmt::format(".shared .align 128 .b8 static_shared[{}];\n", listing.shared_bytes);
  }
  if (listing.local_bytes > 0) {
    text += fmt::format(".local .align 16 .b8 stack[{}];\n", listing.local_bytes);
    text += "mov.b32 %frame, stack;\n";
  }
  if (listing.shared_bytes > 0) text += "mov.b32 %frame, static_shared;\n";
  return text + "mov.b32 %frame, dynamic_shared;\nsetp.eq.u32 %true, 0, 0;\n";
}

}  // namespace

std::string module_head(const LiftedModule& module) {
  std::string text = fmt::format(".version 9.0\n.target {}\n.address_size 64\n", module.target);
  for (std::size_t i = 0; i < module.files.size(); ++i) {
    text += fmt::format(".file {} \"{}\"\n", i + 1, escaped_name(module.files[i]));
  }
  return text + memory_of(module.listing) + entry_of(module) + registers_of(module.writer) +
         frame_of(module.listing);
}

}  // namespace tilescope::machine

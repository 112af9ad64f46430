// libFuzzer: any text goes through decode_ptx(); what decodes runs one small block for a few steps.
#include <cstdint>
#include <string_view>

#include "emulator/emulate.h"
#include "emulator/program.h"

namespace tilescope {
namespace {

void run_one_block(const Program& program) {
  if (program.static_shared_bytes() > (1u << 16)) return;
  DeviceMemory memory;
  Launch launch;
  launch.block = {64, 1, 1};
  auto contents = std::make_shared<std::vector<std::byte>>(4096);
  const std::uint64_t address =
      memory.buffers()[memory.add("b", ElementType::kU32, contents)].address;
  for (const KernelParameter& parameter : program.parameters())
    launch.arguments.push_back(parameter.bytes == 8 ? address : 7);
  EmulationOptions options;
  options.step_budget = 2000;
  const auto run = emulate(program, launch, memory, options, {}, {}, {});
  static_cast<void>(run);
}

// A module with several kernels needs a name: the first one's.
std::string_view first_kernel(std::string_view text) {
  const std::size_t entry = text.find(".entry");
  if (entry == std::string_view::npos) return {};
  const std::size_t begin = text.find_first_not_of(" \t\n", entry + 6);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_first_of("( \t\n", begin) - begin);
}

}  // namespace
}  // namespace tilescope

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto program = tilescope::decode_ptx(text, tilescope::first_kernel(text), "");
  if (program) tilescope::run_one_block(**program);
  return 0;
}

// Every instruction form of forms.txt in the emulator and on the GPU, bit for bit.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <span>

#include "comparison.h"
#include "emulator/emulate.h"
#include "emulator/program.h"
#include "form.h"
#include "on_gpu.h"

namespace tilescope {
namespace {

constexpr unsigned kThreads = 128;
constexpr unsigned kBlocks = 32;
constexpr std::size_t kLanes = kThreads * kBlocks;
using Cells = std::vector<std::uint64_t>;

const std::vector<Form>& forms() {
  static const std::vector<Form> all = [] {
    const std::filesystem::path here = "tests/hardware_cases/forms.txt";
    return load_forms(std::filesystem::exists(here)
                          ? here
                          : std::filesystem::path(__FILE__).parent_path() / "forms.txt");
  }();
  return all;
}

Result<Cells> emulated(const Form& form, const std::vector<Cells>& inputs) {
  const auto program = decode_ptx(module_for({form}), "k0", "");
  if (!program) return program.error();
  DeviceMemory memory;
  Launch launch;
  launch.grid = {kBlocks, 1, 1};
  launch.block = {kThreads, 1, 1};
  const auto add = [&](const Cells& cells) {
    auto contents =
        std::make_shared<std::vector<std::byte>>(std::max<std::size_t>(cells.size(), 1) * 8);
    if (!cells.empty()) std::memcpy(contents->data(), cells.data(), cells.size() * 8);
    launch.arguments.push_back(
        memory.buffers()[memory.add("b", ElementType::kU64, contents)].address);
  };
  add(Cells(kLanes * form.result.count, 0));
  for (const Cells& cells : inputs) add(cells);
  const auto run = emulate(**program, launch, memory, {}, {}, {}, {});
  if (!run) return run.error();
  if (!run->findings.empty()) return Error{ErrorCode::kKernel, run->findings[0].message, {}, {}};
  Cells result(kLanes * form.result.count);
  std::memcpy(result.data(), memory.buffers()[0].contents->data(), result.size() * 8);
  return result;
}

class FormsOnGpu : public OnGpu {
 protected:
  static Result<Cells> measured(CUmodule module, std::size_t index, const Form& form,
                                const std::vector<Cells>& inputs) {
    std::vector<Bytes> buffers{Bytes(kLanes * form.result.count * 8)};
    for (const Cells& cells : inputs) {
      const auto bytes = std::as_bytes(std::span(cells));
      buffers.emplace_back(bytes.begin(), bytes.end());
    }
    const Status done = launch(module, fmt::format("k{}", index), kBlocks, kThreads, buffers);
    if (!done) return done.error();
    Cells result(kLanes * form.result.count);
    std::memcpy(result.data(), buffers[0].data(), buffers[0].size());
    return result;
  }
};

// Needs no GPU: the emulator executes every form without a finding. With TILESCOPE_WRITE_FORMS=FILE
// the module is written there, for ptxas.
TEST(HardwareForms, RunInTheEmulator) {
  ASSERT_GT(forms().size(), 500u);
  if (const char* file = std::getenv("TILESCOPE_WRITE_FORMS"))
    std::ofstream(file) << module_for(forms());
  for (const Form& form : forms()) {
    const auto result = emulated(form, inputs_for(form, kLanes));
    EXPECT_TRUE(result.ok()) << form.opcode << ": " << result.error().message;
  }
}

TEST_F(FormsOnGpu, GiveWhatTheEmulatorGives) {
  constexpr std::size_t kAtOnce = 64;  // kernels of a module: a form that ptxas refuses spoils few
  std::uint64_t lanes = 0;
  std::uint64_t forms_wrong = 0;
  std::uint64_t forms_run = 0;
  std::string approximate;
  for (std::size_t first = 0; first < forms().size(); first += kAtOnce) {
    const std::vector<Form> some(
        forms().begin() + static_cast<std::ptrdiff_t>(first),
        forms().begin() + static_cast<std::ptrdiff_t>(std::min(first + kAtOnce, forms().size())));
    const auto module = load(module_for(some));
    if (!module) {
      ADD_FAILURE() << module.error().message;
      continue;
    }
    for (std::size_t i = 0; i < some.size(); ++i) {
      const Form& form = some[i];
      const auto inputs = inputs_for(form, kLanes);
      const auto own = emulated(form, inputs);
      ASSERT_TRUE(own.ok()) << form.opcode << ": " << own.error().message;
      const auto gpu = measured(*module, i, form, inputs);
      ASSERT_TRUE(gpu.ok()) << form.opcode << ": " << gpu.error().message;
      const FormReport report = compare(form, inputs, *own, *gpu);
      lanes += report.lanes;
      ++forms_run;
      if (!form.tolerance.kind.empty())
        approximate +=
            fmt::format("  {:64} largest error {:.3g} {} (allowed {:.3g})\n", form.opcode,
                        report.largest_error, form.tolerance.kind, form.tolerance.limit);
      if (report.nan_bits != 0)
        fmt::print("  {:64} {} NaNs with other bits{}\n", form.opcode, report.nan_bits,
                   report.first_nan);
      if (report.mismatches == 0) continue;
      ++forms_wrong;
      fmt::print("  {:64} {} of {} lanes differ{}\n", form.opcode, report.mismatches, report.lanes,
                 report.first);
    }
    unload(*module);
  }
  fmt::print("{}{} forms, {} lanes compared, {} forms with a mismatch\n", approximate, forms_run,
             lanes, forms_wrong);
  EXPECT_EQ(forms_wrong, 0u);
}

}  // namespace
}  // namespace tilescope

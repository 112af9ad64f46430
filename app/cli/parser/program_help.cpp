#include "cli/parser/program_help.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {
namespace {

constexpr std::string_view kBeginning =
    "Tilescope shows what a CUDA kernel does to the GPU: tiles, memory accesses, bank\n"
    "conflicts, races, time. It compiles the kernel and executes it on an emulator, so no\n"
    "GPU is needed.\n"
    "\n"
    "  tilescope                          open the window\n"
    "  tilescope mine.cu                  open your file: .cu, .ptx, a cubin, a program\n"
    "  tilescope trace mine.cu            count its accesses, per launch and per line\n"
    "  tilescope exec mine.cu             run a whole CUDA program and check its kernels\n"
    "  tilescope export mine.cu --view banks -o banks.svg     a picture without the window\n";

constexpr std::string_view kEnd =
    "\n"
    "Options of a command:    tilescope COMMAND --help\n"
    "Options of the window:   tilescope --help-all\n"
    "Does something not work? tilescope doctor\n";

struct Line {
  std::string_view command;
  std::string_view text;
};
struct Group {
  std::string_view title;
  std::vector<Line> commands;
};

const std::array<Group, 4>& groups() {
  static const std::array<Group, 4> all{{
      {"Learn",
       {{"explain", "what a term or a counter means: tilescope explain bank conflict"},
        {"lesson", "lessons that run real kernels: list, show, export as a page"},
        {"learn", "exercises that are checked while you edit: tilescope learn start"},
        {"list", "the kernels that come with the program, and their parameters"}}},
      {"Look at a kernel or a program, without a GPU",
       {{"trace", "counters of a kernel, per launch and per source line"},
        {"exec", "a whole program, CUDA or Python: its launches are emulated"},
        {"model", "how good modelled times are (model check); rates of your GPU (model calibrate)"},
        {"tune", "rank all combinations of parameters: tilescope tune gemm/naive --model"},
        {"export", "a view or chart as .svg, .pdf, .png, .html, .csv or .gif"}}},
      {"Measure, with a GPU",
       {{"run", "verify and time a kernel, beside cuBLAS or a device copy"},
        {"sweep", "measure many parameters and sizes, and list the best"},
        {"verify", "compare emulated counters with the hardware's"},
        {"history", "what was measured on this machine"}}},
      {"This machine",
       {{"doctor", "what it has, what is missing, and how to fix it"},
        {"fetch", "download NVIDIA's compilers, where no CUDA toolkit is installed"},
        {"completion", "completion for your shell, or the manual page"}}},
  }};
  return all;
}

class ProgramHelp final : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    if (mode == CLI::AppFormatMode::All) {  // the commands have a --help of their own
      return Formatter::make_help(app, std::move(name), CLI::AppFormatMode::Normal);
    }
    std::string text(kBeginning);
    for (const Group& group : groups()) {
      text += fmt::format("\n{}\n", group.title);
      for (const Line& line : group.commands) {
        text += fmt::format("  {:<12}{}\n", line.command, line.text);
      }
    }
    return text + std::string(kEnd);
  }
};

}  // namespace

void set_program_help(CLI::App& app) {
  app.set_help_all_flag("--help-all", "print the options of the window, too");
  app.formatter(std::make_shared<ProgramHelp>());
}

}  // namespace tilescope

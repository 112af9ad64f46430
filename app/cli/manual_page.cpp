#include "cli/manual_page.h"

#include <fmt/format.h>

#include <string_view>

#include "build_config.h"

namespace tilescope {
namespace {

// Text of a page: nothing in it is a request of man's.
std::string plain(std::string_view text) {
  std::string result;
  for (const char each : text) {
    if (each == '\\') {
      result += "\\e";
    } else if (each == '-') {
      result += "\\-";
    } else {
      result += each;
    }
  }
  const bool is_request = result.starts_with('.') || result.starts_with('\'');
  return is_request ? "\\&" + result : result;
}

std::string options_of(const CommandDescription& command) {
  std::string page;
  std::string heading;
  for (const OptionDescription& option : command.options) {
    if (option.heading != heading) {
      heading = option.heading;
      page += fmt::format(".PP\n\\fI{}\\fR\n", plain(heading));
    }
    page += ".TP\n";
    for (std::size_t i = 0; i < option.names.size(); ++i) {
      page += fmt::format("{}\\fB{}\\fR", i == 0 ? "" : ", ", plain(option.names[i]));
    }
    if (!option.value.empty() && !option.is_positional()) {
      page += fmt::format(" \\fI{}\\fR", plain(option.value));
    }
    page += "\n" + plain(option.text) + "\n";
  }
  return page;
}

std::string commands_of(const CommandDescription& command, const std::string& before) {
  std::string page;
  for (const CommandDescription& each : command.commands) {
    const std::string name = before + each.name;
    page += fmt::format(".SS {}\n{}.\n", plain(name), plain(each.text));
    page += options_of(each);
    page += commands_of(each, name + " ");
  }
  return page;
}

}  // namespace

std::string manual_page(const CommandDescription& program) {
  std::string page = fmt::format(
      ".TH TILESCOPE 1 \"version {}\" \"Tilescope\" \"User Commands\"\n"
      ".SH NAME\ntilescope \\- shows what a CUDA kernel does to the GPU\n"
      ".SH SYNOPSIS\n"
      ".B tilescope\n[\\fIoptions\\fR] [\\fIkernel\\fR]\n.br\n"
      ".B tilescope\n\\fIcommand\\fR [\\fIoptions\\fR] ...\n"
      ".SH DESCRIPTION\n"
      "Without a command the window opens. The kernel is one of the catalogue, or a file: .cu, "
      ".ptx, .tilescope, a cubin or a program.\n"
      ".SH OPTIONS\n",
      TILESCOPE_VERSION);
  page += options_of(program);
  page += ".SH COMMANDS\n" + commands_of(program, "");
  page +=
      ".SH EXIT STATUS\n" + plain(program.ending) + "\n" +
      ".SH ENVIRONMENT\n"
      ".TP\n\\fBCUDA_HOME\\fR\nthe CUDA toolkit to use\n"
      ".TP\n\\fBTILESCOPE_NVRTC\\fR\nanother libnvrtc.so, or the folder of one\n"
      ".TP\n\\fBTILESCOPE_PTXAS\\fR, \\fBTILESCOPE_NVDISASM\\fR\nanother ptxas, another nvdisasm\n"
      ".TP\n\\fBTILESCOPE_WORKER\\fR\ncommand that starts the worker on another machine with a "
      "GPU: ssh host tilescope worker\n"
      ".TP\n\\fBTILESCOPE_FONTS\\fR\nfolder with the fonts of pictures\n"
      ".SH FILES\n"
      ".TP\n\\fI~/.local/share/tilescope\\fR\nhistory, unsaved sessions, progress of exercises, "
      "your own kernels\n"
      ".TP\n\\fI~/.cache/tilescope\\fR\ncompiled kernels and what \\fBtilescope fetch\\fR "
      "downloaded; may be deleted\n";
  return page;
}

}  // namespace tilescope

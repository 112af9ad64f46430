#include "kernel/compile/compile_log.h"

#include <fmt/format.h>

#include <utility>

#include "core/number_text.h"

namespace tilescope {
namespace {

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

// The number that ends right before `position`, or nothing.
std::optional<int> number_before(std::string_view line, std::size_t position) {
  std::size_t first = position;
  while (first > 0 && line[first - 1] >= '0' && line[first - 1] <= '9') --first;
  return parse_number<int>(line.substr(first, position - first));
}

// "640 bytes spill loads" -> 640
int count_of(std::string_view line, std::string_view what) {
  const std::size_t at = line.find(what);
  return at == std::string_view::npos ? 0 : number_before(line, at).value_or(0);
}

// "file(12): error: text" split; "error" stands for catastrophic errors and numbered ones too.
struct Diagnostic {
  std::string_view file;
  int line = 0;
  bool is_error = false;
  std::string_view message;  // from its severity on: "warning #177-D: ..."
};

std::optional<Diagnostic> parse_diagnostic(std::string_view line) {
  const std::size_t close = line.find("): ");
  if (close == std::string_view::npos) return std::nullopt;
  const std::optional<int> number = number_before(line, close);
  const std::size_t open = line.rfind('(', close);
  if (!number || open == std::string_view::npos) return std::nullopt;
  Diagnostic found{line.substr(0, open), *number, false, line.substr(close + 3)};
  std::string_view severity = found.message;
  if (severity.starts_with("catastrophic ")) severity.remove_prefix(13);
  if (severity.starts_with("fatal ")) severity.remove_prefix(6);
  found.is_error = severity.starts_with("error");
  if (!found.is_error && !severity.starts_with("warning")) return std::nullopt;
  return found;
}

// After "error: " or "error #135-D: ".
std::string without_severity(std::string_view message) {
  const std::size_t colon = message.find(": ");
  return std::string(colon == std::string_view::npos ? message : message.substr(colon + 2));
}

// What the compilers say of dynamic parallelism does not say that it is not for us.
std::string in_plain_words(std::string message) {
  const bool launches = message.starts_with("device-side kernel launch") ||
                        message.starts_with("kernel launch from __device__");
  return launches ? "a kernel launches a kernel (dynamic parallelism), which is not emulated here: "
                    "run the whole program (tilescope exec)"
                  : std::move(message);
}

// The caret's column among the lines below a diagnostic; the log indents source lines by two.
int caret_column(const std::vector<std::string_view>& lines, std::size_t diagnostic) {
  for (std::size_t i = diagnostic + 1; i < lines.size() && !lines[i].empty(); ++i) {
    const std::size_t caret = lines[i].find_first_not_of(" \t");
    if (caret == std::string_view::npos || lines[i].substr(caret) != "^") continue;
    return caret >= 2 ? static_cast<int>(caret) - 1 : 0;
  }
  return 0;
}

bool is_ptxas_error(std::string_view line) {
  if (!line.starts_with("ptxas")) return false;
  return line.find("error") != std::string_view::npos ||
         line.find("fatal") != std::string_view::npos;
}

// Of "ptxas application ptx input, line 28; error   : Unknown symbol 'a'"; 0 where none is named.
int ptx_line_of(std::string_view line) {
  const std::size_t semicolon = line.find("; ");
  if (semicolon == std::string_view::npos || line.find(", line ") > semicolon) return 0;
  return number_before(line, semicolon).value_or(0);
}

}  // namespace

std::vector<CompileError> find_errors(std::string_view log) {
  std::vector<CompileError> errors;
  const std::vector<std::string_view> lines = split_lines(log);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (const std::optional<Diagnostic> found = parse_diagnostic(lines[i])) {
      if (!found->is_error) continue;
      errors.push_back({std::string(found->file), found->line, caret_column(lines, i),
                        in_plain_words(without_severity(found->message))});
    } else if (is_ptxas_error(lines[i]) || lines[i].starts_with("nvrtc: error: ")) {
      errors.push_back({"", 0, 0, without_severity(lines[i]), ptx_line_of(lines[i])});
    } else if (lines[i].starts_with("Command-line error: ")) {
      errors.push_back({"", 0, 0, without_severity(lines[i])});
    }
  }
  return errors;
}

bool is_slip_of_the_pen(std::string_view message) {
  return message.starts_with("expected a \"") || message.starts_with("unrecognized token") ||
         message.starts_with("missing closing quote");
}

std::optional<SharedOverflow> find_shared_overflow(std::string_view log, int most_bytes) {
  constexpr std::string_view kEntry = "Compiling entry function '";
  SharedOverflow most;
  std::string_view entry;
  for (std::string_view line : split_lines(log)) {
    if (const std::size_t at = line.find(kEntry); at != std::string_view::npos) {
      entry = line.substr(at + kEntry.size());
      entry = entry.substr(0, entry.find('\''));
    }
    const int bytes = count_of(line, " bytes smem");
    if (bytes > most.bytes) most = {std::string(entry), bytes};
  }
  if (most.bytes <= most_bytes) return std::nullopt;
  return most;
}

std::optional<KernelResources> find_resources(std::string_view log, std::string_view kernel) {
  const std::string entry = fmt::format("Compiling entry function '{}'", kernel);
  const std::string properties = fmt::format("Function properties for {}", kernel);
  KernelResources resources;
  bool in_entry = false;
  bool in_properties = false;
  bool found = false;
  for (std::string_view line : split_lines(log)) {
    if (line.find("Compiling entry function '") != std::string_view::npos) {
      in_entry = line.find(entry) != std::string_view::npos;
    }
    if (!in_entry) continue;
    if (line.find("Function properties for ") != std::string_view::npos) {
      in_properties = line.ends_with(properties);
    } else if (in_properties && line.find(" bytes stack frame") != std::string_view::npos) {
      resources.stack_bytes = count_of(line, " bytes stack frame");
      resources.spill_store_bytes = count_of(line, " bytes spill stores");
      resources.spill_load_bytes = count_of(line, " bytes spill loads");
    } else if (line.find(" registers") != std::string_view::npos) {
      resources.registers = count_of(line, " registers");
      resources.static_shared_bytes = count_of(line, " bytes smem");
      found = true;
    }
  }
  if (!found) return std::nullopt;
  return resources;
}

std::string find_warnings(std::string_view log) {
  std::string warnings;
  bool taking = false;
  for (std::string_view line : split_lines(log)) {
    if (const std::optional<Diagnostic> found = parse_diagnostic(line)) {
      // #177-D: declared but never referenced, as constants of host code that was set aside
      taking = !found->is_error && !found->message.starts_with("warning #177-D");
    } else if (line.empty() || line.starts_with("Remark: ") || line.starts_with("ptxas info")) {
      taking = false;
    } else if (line.starts_with("ptxas") && line.find("warning") != std::string_view::npos) {
      taking = true;
    }
    if (taking) warnings += fmt::format("{}\n", line);
  }
  return warnings;
}

}  // namespace tilescope

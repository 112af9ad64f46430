#include "exec/program_build.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <optional>
#include <regex>
#include <utility>

#include "core/file.h"
#include "core/parallel.h"
#include "core/paths.h"
#include "core/search_path.h"
#include "exec/nvcc_remedies.h"
#include "kernel/compile/compile_cache.h"
#include "kernel/compile/cuda_tool.h"
#include "kernel/compile/nvcc.h"
#include "kernel/compile/virtual_headers.h"
#include "kernel/launch/file_launch.h"
#include "kernel/source/header_folders.h"
#include "kernel/text/include_paths.h"
#include "kernel/text/markdown.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kProgramPatience{10};  // for nvcc: a person waits, and may interrupt

// "target: file file \", as nvcc -MD writes them; a blank within a name has a "\" before it.
std::vector<fs::path> files_in(const fs::path& dependencies) {
  std::ifstream text(dependencies);
  std::vector<fs::path> files;
  std::string name;
  std::string word;
  while (text >> word) {
    if (word == ":" && !files.empty()) files.pop_back();  // the target, apart from its colon
    if (word == "\\" || word == ":") continue;
    const bool goes_on = word.back() == '\\';
    if (goes_on) word.back() = ' ';
    name += word;
    if (goes_on) continue;
    if (!name.ends_with(':')) files.emplace_back(name);  // the target is followed by one
    name.clear();
  }
  return files;
}

bool is_current(const fs::path& program, const fs::path& dependencies) {
  std::error_code failure;
  const auto made = fs::last_write_time(program, failure);
  if (failure || !fs::exists(dependencies, failure)) return false;
  const std::vector<fs::path> files = files_in(dependencies);
  return !files.empty() && std::ranges::all_of(files, [&](const fs::path& file) {
    std::error_code missing;
    const auto written = fs::last_write_time(file, missing);
    return !missing && written <= made;
  });
}

// Whether the person chose an architecture: it may be one that we would not choose (sm_90a).
bool names_architecture(const std::vector<std::string>& nvcc_options) {
  return std::ranges::any_of(nvcc_options, [](const std::string& option) {
    return option.starts_with("-arch") || option.starts_with("--gpu-architecture") ||
           option.starts_with("-gencode") || option.starts_with("--generate-code");
  });
}

// "-arch=sm_90a" as the pass for that GPU alone: nvcc 13.0 adds one for compute_90, which refuses
// what only sm_90a has. Returns other options unchanged.
std::string with_one_pass(const std::string& option) {
  for (const std::string_view name : {"-arch=sm_", "--gpu-architecture=sm_"}) {
    if (!option.starts_with(name) || !(option.ends_with('a') || option.ends_with('f'))) continue;
    return fmt::format("-gencode=arch=compute_{0},code=[compute_{0},sm_{0}]",
                       option.substr(name.size()));
  }
  return option;
}

// The code of a file that nvcc cannot compile as it is (Markdown, Windows paths in #include lines),
// with the file's name and lines; nullopt: nvcc takes the file.
std::optional<std::string> changed_code(const fs::path& file) {
  const auto text = read_file(file, kMostSourceBytes);
  if (!text) return std::nullopt;
  const std::string code = with_forward_slashes(is_fenced(*text) ? without_fences(*text) : *text);
  if (code == *text) return std::nullopt;
  return fmt::format("#line 1 \"{}\"\n{}", file.string(), code);
}

// nvcc, and the host's compiler, which it needs.
Result<fs::path> compiler_for(const HostSource& source) {
  const auto tool = nvcc();
  if (!tool) {
    return Error{
        ErrorCode::kMachine,
        "nvcc was not found, which compiles host code",
        "tilescope fetch --nvcc downloads it (99 MB). Or name it in TILESCOPE_NVCC, or give the "
        "compiled program",
        {}};
  }
  const bool names_compiler =
      std::ranges::any_of(source.nvcc_options, [](const std::string& option) {
        return option.starts_with("-ccbin") || option.starts_with("--compiler-bindir");
      });
  if (!names_compiler && find_on_path("g++").empty()) {
    return Error{
        ErrorCode::kMachine,
        "nvcc needs g++, which is not installed",
        "Debian and Ubuntu: sudo apt install g++; Fedora: sudo dnf install gcc-c++. Or give "
        "the compiled program",
        {}};
  }
  return tool;
}

std::vector<std::string> options_for(const HostSource& source) {
  const fs::path own = source.file.parent_path();
  std::vector<std::string> options{"-cudart",
                                   "shared",
                                   "-lineinfo",
                                   "-g",
                                   "-O2",
                                   "--extended-lambda",
                                   "--expt-relaxed-constexpr",
                                   "-I",
                                   own.empty() ? "." : own.string(),
                                   "-I",
                                   shipped_headers().string()};
  if (!names_architecture(source.nvcc_options)) {
    options.push_back(source.compute_capability == 0
                          ? "-arch=native"
                          : fmt::format("-gencode=arch=compute_{0},code=[compute_{0},sm_{0}]",
                                        source.compute_capability));
  }
  for (const std::string& given : given_header_folders()) options.push_back("-I" + given);
  for (const fs::path& above : header_folders(own)) {  // after the system's
    options.emplace_back("-Xcompiler");
    options.push_back("-idirafter," + above.string());
  }
  for (const std::string& option : source.nvcc_options) options.push_back(with_one_pass(option));
  return options;
}

// One source of a program, compiled.
struct Unit {
  std::string source;
  fs::path object;
  bool is_made = false;
};

std::vector<std::string> lines_of_file(const fs::path& file) {
  std::vector<std::string> lines;
  std::ifstream text(file);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

class ProgramBuild {
 public:
  ProgramBuild(const HostSource& source, fs::path tool, const std::stop_token& stop)
      : source_(source), tool_(std::move(tool)), stop_(stop), options_(options_for(source)) {}

  Result<fs::path> run() {
    std::error_code failure;
    const fs::path folder = cache_directory() / "programs";
    fs::create_directories(folder / "objects", failure);
    const std::optional<std::string> code = changed_code(source_.file);
    program_ = folder / named(source_.file, code);
    if (is_current(program_, dependencies_of(program_))) return program_;
    std::string main = source_.file.string();
    if (code) {
      main = program_.string() + source_.file.extension().string();
      if (Status written = write_file(main, *code); !written) return written.error();
    }
    options_.push_back(main);
    units_.push_back({main, object_of(main), false});
    auto made = attempt_as_before();
    while (made && !made->succeeded && take_further(made->output)) made = attempt();
    if (!made) return made.error();
    if (!made->succeeded) return refusal(made->output);
    if (Status kept = keep_further(); !kept) return kept.error();
    return program_;
  }

 private:
  static fs::path dependencies_of(const fs::path& made) { return made.string() + ".d"; }

  // By what a person asks for; what nvcc asks for follows from that.
  [[nodiscard]] std::string named(const fs::path& file,
                                  const std::optional<std::string>& code = {}) const {
    std::error_code failure;
    CacheKey key;
    key.add(tool_identity(tool_));
    key.add(fs::absolute(file, failure).string());
    key.add(std::to_string(source_.compute_capability));
    for (const std::string& option : source_.nvcc_options) key.add(option);
    if (code) key.add(*code);
    return file.stem().string() + "-" + key.digest();
  }

  [[nodiscard]] fs::path object_of(const std::string& file) const {
    return program_.parent_path() / "objects" / (named(file) + ".o");
  }

  // Gives nvcc at once what its messages asked for the last time: else all sources are compiled
  // once in vain. Without it, if that fails: a file that has changed may not take it.
  Result<ToolRun> attempt_as_before() {
    given_ = options_.size();
    for (const std::string& option : lines_of_file(further_file())) options_.push_back(option);
    auto made = attempt();
    const bool is_in_the_way = made && !made->succeeded && options_.size() > given_;
    if (!is_in_the_way) return made;
    options_.resize(given_);
    units_.resize(1);
    is_new_ = true;
    return attempt();
  }

  [[nodiscard]] fs::path further_file() const { return program_.string() + ".options"; }

  [[nodiscard]] Status keep_further() const {
    std::string lines;
    for (std::size_t i = given_; i < options_.size(); ++i) lines += options_[i] + '\n';
    return write_file(further_file(), lines);
  }

  // Adds the options that nvcc's message asks for; false: it asks for none that is known.
  bool take_further(const std::string& message) {
    const std::vector<std::string> further =
        options_asked_for(message, source_.file, tool_, options_);
    options_.insert(options_.end(), further.begin(), further.end());
    const bool changes_all = std::ranges::any_of(further, [](const std::string& option) {
      return option == "-rdc=true" || option.starts_with("-D");
    });
    is_new_ = is_new_ || changes_all;
    if (changes_all) std::ranges::for_each(units_, [](Unit& unit) { unit.is_made = false; });
    return !further.empty();
  }

  // Compiles what is not compiled yet, and links. What nvcc says where that fails.
  Result<ToolRun> attempt() {
    for (const std::string& word : options_) {
      if (is_source_word(word) && std::ranges::find(units_, word, &Unit::source) == units_.end())
        units_.push_back({word, object_of(word), false});
    }
    if (units_.size() == 1) return make({units_.front().source}, program_, true);
    std::vector<Result<ToolRun>> runs(units_.size(), ToolRun{true, {}});
    for_each_parallel(units_.size(), processor_count(), [&](std::size_t i) {
      Unit& unit = units_[i];
      if (unit.is_made) return;
      const bool is_known = !is_new_ && is_current(unit.object, dependencies_of(unit.object));
      if (!is_known) runs[i] = make({"-c", unit.source}, unit.object, true);
      unit.is_made = runs[i] && runs[i]->succeeded;
    });
    ToolRun all{true, {}};
    for (const Result<ToolRun>& run : runs) {
      if (!run) return run.error();
      if (run->succeeded) continue;
      all.succeeded = false;
      all.output += run->output;
    }
    return all.succeeded ? link() : all;
  }

  Result<ToolRun> link() {
    std::vector<std::string> objects;
    std::string dependencies;
    for (const Unit& unit : units_) {
      objects.push_back(unit.object.string());
      dependencies += read_file(dependencies_of(unit.object), kMostSourceBytes).value_or("");
    }
    auto linked = make(std::move(objects), program_, false);
    if (linked && linked->succeeded) {
      if (Status written = write_file(dependencies_of(program_), dependencies); !written)
        return written.error();
    }
    return linked;
  }

  // Runs nvcc on these words, for a file that is there only when it is whole.
  Result<ToolRun> make(std::vector<std::string> words, const fs::path& made, bool compiles) {
    const std::string part = fmt::format("{}.{}", made.string(), ::getpid());
    if (compiles) {
      if (source_.file.extension() != ".cu" && !is_host_source(source_.file) &&
          words.back() == units_.front().source) {
        words.insert(words.begin(), {"-x", "cu"});
      }
      words.insert(words.begin(), {"-MD", "-MF", dependencies_of(made).string()});
    }
    words.insert(words.begin(), {"-o", part});
    std::ranges::copy_if(options_, std::back_inserter(words), [&](const std::string& option) {
      return std::ranges::find(units_, option, &Unit::source) == units_.end();
    });
    auto run = run_tool(tool_, words, stop_, kProgramPatience);
    std::error_code failure;
    if (!run || !run->succeeded) {
      fs::remove(part, failure);
      return run;
    }
    fs::rename(part, made, failure);
    if (failure)
      return Error{ErrorCode::kMachine, fmt::format("cannot write {}", made.string()), "", {}};
    return run;
  }

  [[nodiscard]] Error refusal(const std::string& output) const {
    if (output.find("undefined reference to `main'") != std::string::npos) {
      return {ErrorCode::kCompile,
              fmt::format("{} has no main(), and no source near it that has one calls it",
                          source_.file.string()),
              "Give the source with the main(), or name it with --nvcc",
              {}};
    }
    // "main.cu:3:10: fatal error: box.h: No such file or directory"
    static const std::regex missing(
        R"(([^\n:]+):(\d+):(?:\d+:)? fatal error: ([^:\n]+): No such file or directory)");
    if (std::smatch said; std::regex_search(output, said, missing)) {
      return {ErrorCode::kCompile,
              fmt::format("the header {} was found neither in the project nor in the system",
                          said[3].str()),
              "Install the library that it belongs to, or name its folder: --nvcc \"-I FOLDER\"",
              {said[1].str(), std::stoi(said[2].str()), 0}};
    }
    return {ErrorCode::kCompile,
            fmt::format("nvcc does not compile {}:\n{}", source_.file.string(), output),
            "",
            {}};
  }

  const HostSource& source_;
  const fs::path tool_;
  const std::stop_token& stop_;
  std::vector<std::string> options_;  // for each source; sources, too
  std::vector<Unit> units_;
  fs::path program_;
  std::size_t given_ = 0;  // of these; nvcc's messages asked for the others
  bool is_new_ = false;    // what was kept was made with other options
};

}  // namespace

bool is_host_source(const fs::path& file) {
  constexpr std::array<std::string_view, 4> kEndings{".cpp", ".cc", ".cxx", ".c"};
  return std::ranges::find(kEndings, file.extension().string()) != kEndings.end();
}

bool is_source_word(const std::string& word) {
  return !word.starts_with('-') && (fs::path(word).extension() == ".cu" || is_host_source(word));
}

Result<fs::path> build_program(const HostSource& source, const std::stop_token& stop) {
  auto tool = compiler_for(source);
  if (!tool) return tool.error();
  return ProgramBuild(source, *std::move(tool), stop).run();
}

}  // namespace tilescope

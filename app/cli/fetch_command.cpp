#include "cli/fetch_command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/parser/command_line.h"
#include "core/cuda_folders.h"
#include "core/cuda_packages.h"
#include "core/paths.h"
#include "kernel/compile/cuda_tool.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProgramCompiler = "nvidia-nvvm";  // large, and needed for nvcc alone

struct FetchArguments {
  std::string into;  // a folder that is carried to another machine
  std::string from;  // such a folder
  bool with_nvcc = false;
  bool list = false;
};

Error machine_error(std::string message, std::string remedy) {
  return {ErrorCode::kMachine, std::move(message), std::move(remedy), {}};
}

Result<std::vector<CudaPackage>> wanted_packages(const FetchArguments& arguments) {
  auto packages = cuda_packages(resource_directory() / "assets" / "cuda_packages.txt");
  if (packages && !arguments.with_nvcc) {
    std::erase_if(*packages, [](const CudaPackage& each) { return each.name == kProgramCompiler; });
  }
  return packages;
}

void say_what_comes(const std::vector<CudaPackage>& packages, const fs::path& target) {
  int total = 0;
  for (const CudaPackage& package : packages) {
    print_error("  {:>3} MB  {:<22} {}\n", package.megabytes, package.name, package.purpose);
    total += package.megabytes;
  }
  print_error("{} MB of NVIDIA's packages from PyPI (NVIDIA's licence), into {}\n", total,
              target.string());
}

enum class Shows : std::uint8_t { kAll, kNothing };

// Runs pip, which shows its progress on the terminal of this program. Its exit status; -1: there is
// no python3.
int run_pip(std::vector<std::string> words, Shows shows = Shows::kAll) {
  words.insert(words.begin(), {"python3", "-m", "pip"});
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  if (shows == Shows::kNothing) {
    ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  }
  pid_t child = 0;
  const int problem =
      ::posix_spawnp(&child, "python3", &actions, nullptr, pointers.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (problem != 0) return -1;
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

Status check_pip() {
  if (run_pip({"--version"}, Shows::kNothing) == 0) return ok_status();
  return machine_error("the packages are downloaded by pip, and python3 -m pip does not run",
                       "Install it (Debian and Ubuntu: sudo apt install --no-install-recommends "
                       "python3-pip; Fedora: "
                       "sudo dnf install python3-pip), or install the CUDA toolkit 12.4 or later");
}

// Wheels as PyPI has them, into a folder.
Status download(const std::vector<CudaPackage>& packages, const fs::path& folder) {
  if (Status ready = check_pip(); !ready) return ready;
  std::string requirements;
  for (const CudaPackage& package : packages) requirements += package.requirement + "\n";
  const TemporaryFile file(std::as_bytes(std::span(requirements)));
  if (Status written = file.written(); !written) return written;
  const int status = run_pip({"download", "--no-deps", "--require-hashes", "--only-binary",
                              ":all:", "--disable-pip-version-check", "--dest", folder.string(),
                              "--requirement", file.path()});
  if (status == 0) return ok_status();
  return machine_error("pip could not get the packages: the reason is above",
                       "Without a network: tilescope fetch --into FOLDER on a machine with one, "
                       "then tilescope fetch --from FOLDER here");
}

Status make_folder(const fs::path& folder) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (!failure) return ok_status();
  return machine_error(fmt::format("{}: {}", folder.string(), failure.message()),
                       "Choose a folder that can be written (XDG_CACHE_HOME)");
}

// A folder beside that of the fetched packages, gone again at the end.
class FolderBeside {
 public:
  explicit FolderBeside(const char* ending) : path_(fetched_packages().string() + ending) {
    remove();
  }
  ~FolderBeside() { remove(); }
  FolderBeside(const FolderBeside&) = delete;
  FolderBeside& operator=(const FolderBeside&) = delete;

  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  void remove() const {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  fs::path path_;
};

// Unpacks the wheels into the cache: all of them or none.
Status install(const std::vector<CudaPackage>& packages, const fs::path& wheels) {
  const FolderBeside part(".part");
  if (Status made = make_folder(part.path()); !made) return made;
  for (const CudaPackage& package : packages) {
    print_error("checking and unpacking {}\n", package.name);
    if (Status done = unpack_package(package, wheels, part.path()); !done) return done;
  }
  const fs::path target = fetched_packages();
  std::error_code failure;
  fs::remove_all(target, failure);
  fs::rename(part.path(), target, failure);
  if (failure) return machine_error(target.string() + ": " + failure.message(), "");
  return ok_status();
}

Status carry_out(const FetchArguments& arguments, const std::vector<CudaPackage>& packages) {
  if (!arguments.from.empty()) return install(packages, arguments.from);
  const FolderBeside wheels(".wheels");
  const fs::path folder = arguments.into.empty() ? wheels.path() : fs::path(arguments.into);
  if (Status made = make_folder(folder); !made) return made;
  if (Status done = download(packages, folder); !done) return done;
  return arguments.into.empty() ? install(packages, folder) : ok_status();
}

int fetch(const FetchArguments& arguments) {
  const auto packages = wanted_packages(arguments);
  if (!packages) return report(packages.error());
  const fs::path target = arguments.into.empty() ? fetched_packages() : fs::path(arguments.into);
  say_what_comes(*packages, target);
  if (arguments.list) return 0;
  if (Status done = carry_out(arguments, *packages); !done) return report(done.error());
  print_error("done; {}\n", arguments.into.empty()
                                ? "tilescope doctor says what is used"
                                : "on the other machine: tilescope fetch --from FOLDER");
  return 0;
}

}  // namespace

void add_fetch_command(CommandOptions app, CommandContext& context) {
  auto arguments = std::make_shared<FetchArguments>();
  CommandOptions command = app.add_subcommand(
      "fetch", "download NVIDIA's compilers (137 MB), where no CUDA toolkit is installed");
  command.add_flag("--nvcc", arguments->with_nvcc,
                   "also what nvcc needs to compile whole programs, for exec");
  command.add_flag("--list", arguments->list, "say what would be downloaded, and stop");
  CommandOption into =
      command.add_option("--into", arguments->into,
                         "download into a folder, to carry it to a machine without network");
  command.add_option("--from", arguments->from, "take the packages from such a folder")
      .excludes(into);
  command.callback([arguments, &context] { context.status = fetch(*arguments); });
}

}  // namespace tilescope

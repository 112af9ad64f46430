#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/compile/compile_log.h"
#include "kernel/compile/virtual_headers.h"
#include "kernel/launch/instance.h"
#include "kernel/source/device_source.h"

namespace tilescope {

// The person's own headers that a compiled program was made of, as they were read then: those that
// its source includes from beside it, in quotes or not, and those that they include in turn. CUDA's
// own and the small library's are not among them.
struct IncludedFiles {
  struct File {
    std::string name;  // from the source's folder: "tile.h", "../common/check.h"
    std::string text;
  };
  std::vector<File> files;  // in the order in which they were found
  // Every #include says its file's name itself, and every file was read. Else more than `files` may
  // have gone in.
  bool complete = true;

  [[nodiscard]] bool empty() const { return files.empty() && complete; }
};

// A .cu file with the files that it includes from beside it, made fit for NVRTC step by step:
// compile what is left, hand the errors back, and try again as long as that set something aside.
class DeviceProgram {
 public:
  // Reads the local headers. `cuda_folders`: where CUDA's own headers lie.
  [[nodiscard]] static Result<DeviceProgram> open(const KernelInstance& instance,
                                                  std::vector<std::string> cuda_folders);

  [[nodiscard]] const std::vector<DeviceSource>& files() const { return files_; }  // the .cu first
  // The beginning of the file that includes this one, and headers of it alone: taken where the file
  // does not compile without.
  [[nodiscard]] const std::vector<DeviceSource>& includer_files() const { return includer_files_; }
  [[nodiscard]] std::string text() const { return files_.front().text(); }
  // Local and stand-in headers, as named in #include.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> headers() const;
  [[nodiscard]] std::vector<std::string> include_options() const;
  // Whether all that goes into it is in files(), CUDA's own headers aside. Else the compiler itself
  // reads headers, in folders_read().
  [[nodiscard]] bool is_closed() const { return closed_; }
  [[nodiscard]] std::vector<std::string> folders_read() const;
  [[nodiscard]] IncludedFiles included() const;
  // Whether it is host code too: includes headers, or has functions without a mark.
  [[nodiscard]] bool has_host_code() const;

  // Whether a header that is included lies nowhere.
  [[nodiscard]] bool misses_a_header() const { return !missing_headers_.empty(); }
  // Whether an error of learn_from() tells of what only older versions of CUDA have.
  [[nodiscard]] static bool is_of_older_cuda(const Error& error);
  // Where a compiler that reads the files itself has to look for their headers.
  [[nodiscard]] std::vector<std::string> header_folders_used() const;

  // After a failed compilation: nothing when another try is worth while, else the error to report.
  // `kernel`: the plain name of the one that is meant; others that do not compile are set aside.
  [[nodiscard]] std::optional<Error> learn_from(const std::vector<CompileError>& errors,
                                                std::string_view kernel);
  // After the compiler did not find the kernel: defines the macros in whose #ifdef it stands.
  // Whether that is new.
  bool define_around(std::string_view kernel);
  // The error with the header that lies nowhere before it, from which it may follow.
  [[nodiscard]] Error after_missing_header(Error said) const;
  // After the last: all that was found wrong and not cured, that with the kernel first.
  [[nodiscard]] const std::vector<CompileError>& all_errors() const { return all_errors_; }
  // CompiledKernel::notes: kernels that were set aside, functions of older CUDA.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  DeviceProgram(const KernelInstance& instance, std::vector<std::string> cuda_folders);
  [[nodiscard]] Status read_local_headers(std::vector<DeviceSource>& files);
  bool take_includer(const std::vector<CompileError>& errors);  // whether that is new
  // Whether headers of the project that were left out are better taken now: its other headers do
  // not compile without them, round after round.
  [[nodiscard]] bool lacks_project_headers(const std::vector<CompileError>& errors);
  void take_project_headers();
  void begin_anew();
  std::vector<std::string> redirect_local_headers(DeviceSource& file);  // their paths
  struct Found {
    std::string path;
    std::string folder;  // that it was found in, by way of header_folders() alone; else empty
  };
  [[nodiscard]] std::optional<Found> find_local(const DeviceSource& from,
                                                const std::string& target) const;
  [[nodiscard]] std::optional<Found> find_in_brackets(const std::string& target) const;
  [[nodiscard]] std::optional<Found> find_in_project(const std::string& target) const;
  [[nodiscard]] bool is_left_to_compiler(const std::string& folder) const;
  [[nodiscard]] bool is_users(const std::string& target) const;
  [[nodiscard]] std::optional<std::string> project_folder_of(const std::string& target) const;
  void add_found_folder(const std::string& folder);
  void settle_includes();
  void drop_what_came_before();
  void take_back_device_functions();
  [[nodiscard]] bool is_known(const std::string& target) const;
  // Names of types that a missing header has: taken for float. Whether that is new.
  bool guess_types(const std::vector<CompileError>& errors);
  bool guess_constants(const std::vector<CompileError>& errors);  // likewise, in capitals
  [[nodiscard]] bool has_guesses() const {
    return !guessed_types_.empty() || !guessed_constants_.empty();
  }
  [[nodiscard]] bool set_aside_others(const std::vector<CompileError>& errors,
                                      std::string_view kernel);
  void settle(DeviceSource& file, const DeviceSource::Include& include);
  void take(const std::string& target, HeaderChoice choice);
  bool imply_headers(const CompileError& error);  // whether that is something new to try
  bool imply_standard(const CompileError& error);
  // Headers of CUDA's that have an unknown type or namespace. Whether that is new.
  bool take_headers_of_cuda(const std::vector<CompileError>& errors);
  // Headers that a file which the compiler itself reads includes, and that are nowhere: torch's,
  // gtest's. Nothing is in their place. Whether that is new.
  bool name_platform(const std::vector<CompileError>& errors);
  bool leave_out_headers(const std::vector<CompileError>& errors);
  [[nodiscard]] Error final_error(const CompileError& error) const;
  [[nodiscard]] Error error_of(const CompileError& error) const;
  // The compiler misses a semicolon where the next statement begins; a person, behind the last one.
  [[nodiscard]] CompileError at_end_of_statement(CompileError error) const;
  void note(const std::vector<CompileError>& errors, std::size_t before);  // of all_errors_

  std::vector<std::string> folders_;  // the file's own, then the user's include directories
  std::vector<std::string> cuda_folders_;
  std::vector<std::filesystem::path> project_folders_;  // header_folders()
  std::vector<std::string> found_folders_;
  StandardLibrary library_ = StandardLibrary::kSmall;
  std::vector<DeviceSource> files_;
  std::vector<DeviceSource> includer_files_;
  std::string pre_included_;  // plain name of the first of those, once they are taken; else empty
  std::vector<std::pair<std::string, std::string>> stand_ins_;
  std::vector<std::string> implied_;   // headers that nvcc has without being asked
  std::vector<std::string> standard_;  // the standard library's that the file has by another's
  // Headers that are nowhere: left out, for host code alone may want them.
  struct MissingHeader {
    std::string target;  // with its quotes or brackets
    std::string file;
    int line = 0;
  };
  void settle_left_out(const MissingHeader& header);

  std::vector<MissingHeader> missing_headers_;
  std::vector<MissingHeader> left_out_;  // of them, by leave_out_headers()
  std::vector<std::string> guessed_types_;
  // And macros: what follows the name in its #define, " 16" or "(a, b) ((a) < (b) ? (a) : (b))".
  std::vector<std::pair<std::string, std::string>> guessed_constants_;
  std::optional<Error> without_guess_;  // what there was to say before types were guessed
  bool lacks_standard_ = false;         // a header that only the full library has was left out
  // Headers in brackets that only header_folders() has are left out first: most are for host code.
  bool leaves_project_headers_out_ = false;
  bool takes_project_headers_ = false;
  bool names_platform_ = false;  // a header asks which one it is for
  int rounds_in_headers_ = 0;    // that complained of a header
  std::vector<std::string> notes_;
  std::vector<CompileError> all_errors_;
  bool needs_cuda_ = false;
  bool closed_ = true;
};

}  // namespace tilescope

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/text/declarations.h"

namespace tilescope {

// A CUDA file as people have it, of which host code is set aside: replaced by blanks, so that lines
// and columns stay what they were. Functions with no __device__ or __global__ go at once, other
// things (a class with a std::string in it) when the compiler stumbles over them.
class DeviceSource {
 public:
  DeviceSource(std::string name, std::string text);
  DeviceSource(const DeviceSource&) = default;
  DeviceSource(DeviceSource&&) = default;
  DeviceSource& operator=(DeviceSource&&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& original() const { return *original_; }
  [[nodiscard]] const std::vector<CudaToken>& tokens() const { return tokens_; }
  // Of those tokens.
  [[nodiscard]] const std::vector<Declaration>& declarations() const { return declarations_; }

  // What is left for the compiler.
  [[nodiscard]] std::string text() const;
  // Whether a name occurs in what is left; in directives too.
  [[nodiscard]] bool uses(std::string_view word) const;

  struct Include {
    std::size_t offset = 0;  // of its line
    std::string target;
    bool angle = false;    // <target> rather than "target"
    bool foreign = false;  // for another operating system: in an #ifdef _WIN32
  };
  [[nodiscard]] const std::vector<Include>& includes() const { return includes_; }
  [[nodiscard]] int line_of(const Include& include) const;
  void drop(const Include& include);
  void redirect(const Include& include,
                const std::string& name);  // to #include "name"; a plain_name()

  // Sets aside what stands at a place that the compiler complains of.
  enum class Blame {
    kSetAside,  // gone: worth another try
    kDevice,    // device code: the complaint stands
    kGone,      // set aside before: this follows from it
    kNowhere,   // no declaration there
  };
  Blame set_aside_at(int line, int column, const std::string& complaint);
  // Sets aside device code at a place, unless it is the kernel of this plain name. What it was;
  // nullptr: nothing is set aside.
  const Declaration* set_aside_device(int line, int column, const std::string& complaint,
                                      std::string_view kernel);
  [[nodiscard]] bool is_in_kernel(int line, int column, std::string_view kernel) const;
  // Whether anything was set aside.
  [[nodiscard]] bool sets_aside() const { return !set_aside_.empty(); }

  // Functions that are declared here for the device, "f" or "Class::f".
  [[nodiscard]] std::set<std::string> device_prototypes() const;
  // Takes back the functions that were set aside for they have no mark, if one of these declares
  // them with one: nvcc goes by either.
  void take_back(const std::set<std::string>& prototypes);
  // The macros whose #ifdef or #if a kernel of this plain name stands in, outermost first.
  [[nodiscard]] std::vector<std::string> conditions_around(std::string_view kernel) const;

  // Why a name is missing from what is left, as far as it was declared here.
  struct Missing {
    int line = 0;           // of the function or the complaint; 0: none of that name is gone
    std::string complaint;  // the compiler's, empty for a host function
  };
  [[nodiscard]] Missing find_missing(std::string_view name) const;

 private:
  struct SetAside {
    std::size_t first = 0;  // token indices
    std::size_t last = 0;
    int line = 0;
    std::string name;  // of a function
    std::string complaint;
  };
  void set_aside(const Declaration& declaration, int line, const std::string& complaint);
  void set_aside_host_functions(const std::vector<Declaration>& declarations);
  void blank(std::size_t first, std::size_t last);
  [[nodiscard]] std::string qualified_name(const SetAside& function) const;
  void find_includes();
  [[nodiscard]] std::size_t offset_of(std::size_t token) const;
  [[nodiscard]] std::size_t end_of(std::size_t token) const;
  [[nodiscard]] std::size_t offset_at(int line, int column) const;
  [[nodiscard]] bool covers(const Declaration& declaration, int line, int column) const;
  [[nodiscard]] bool is_blank(const Declaration& declaration) const;
  void part_literals_from_marks();
  void blank_marks_of_lambdas();
  const Declaration* device_code_at(const std::vector<Declaration>& declarations, int line,
                                    int column) const;
  Blame blame(const std::vector<Declaration>& declarations, int line, int column,
              const std::string& complaint);

  std::string name_;
  std::shared_ptr<const std::string> original_;  // tokens point into it, copies' too
  std::vector<CudaToken> tokens_;
  std::vector<Declaration> declarations_;
  std::vector<Include> includes_;
  std::string left_;                              // as original_, with blanks
  std::map<std::size_t, std::string> redirects_;  // offset of a line -> what it becomes
  std::vector<SetAside> set_aside_;
};

// A file's name as NVRTC is told it: printable ASCII without quotes, backslashes and per cents, all
// else as %XX. NVRTC 13.0 writes other bytes with C's escapes into what it makes and then takes the
// last backslash for a separator of folders, so that they do not come back. One name for each file.
[[nodiscard]] std::string plain_name(std::string_view name);

// A text with each `name` in it written `by`.
[[nodiscard]] std::string renamed(std::string text, std::string_view name, std::string_view by);

// NVRTC writes relative file names with the folder it ran in before them; a cached result may come
// from another one. `.file 1 "/anywhere/gemm/01_naive.cu"` gets its own name back.
[[nodiscard]] std::string with_given_name(std::string ptx, const std::string& name);

}  // namespace tilescope

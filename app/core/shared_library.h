#pragma once
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"

namespace tilescope {

// A library that is loaded at run time, because the program must also work where it is missing.
// Closed at the end of its life.
class SharedLibrary {
 public:
  // Tries the names in order of preference, each first as the system's loader finds it and then in
  // the folders. kMachine when none loads: the message names the first, and says why when one is
  // there but does not load.
  [[nodiscard]] static Result<SharedLibrary> open(
      const std::vector<std::string>& names,
      const std::vector<std::filesystem::path>& folders = {});

  ~SharedLibrary();
  SharedLibrary(SharedLibrary&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  SharedLibrary& operator=(SharedLibrary&&) = delete;

  // Sets *function to the symbol, or to nullptr when the library lacks it. False then.
  template <typename Function>
  [[nodiscard]] bool find(const char* symbol, Function** function) const {
    *function = reinterpret_cast<Function*>(address_of(symbol));
    return *function != nullptr;
  }

  [[nodiscard]] std::filesystem::path file() const;

  // It is not closed any more: for one that must outlive what it started.
  void keep_loaded() { handle_ = nullptr; }

 private:
  explicit SharedLibrary(void* handle) : handle_(handle) {}
  [[nodiscard]] void* address_of(const char* symbol) const;

  void* handle_ = nullptr;
};

}  // namespace tilescope

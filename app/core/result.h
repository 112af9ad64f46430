#pragma once
#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace tilescope {

// Who has to act on an error, and the command line's exit status.
enum class ErrorCode {
  kUsage,      // the request is malformed: unknown name, bad value, broken rule     -> exit 1
  kKernel,     // the user's kernel is wrong: it faults, its result is wrong      -> exit 2
  kMachine,    // this machine cannot: no GPU, no library, no permission, no file    -> exit 3
  kCancelled,  // a newer request took this one's place; never shown to a person
  kCompile,    // the user's file does not compile                                  -> exit 4
};

// Where in the user's input the error lies. Empty file: no place is known; line 0: whole file.
struct Place {
  std::string file;
  int line = 0;    // 1-based
  int column = 0;  // 1-based, 0 when unknown
};

struct Error {
  ErrorCode code = ErrorCode::kUsage;
  std::string message;  // one sentence: what is wrong
  std::string remedy;   // one sentence: what to do about it; may be empty
  Place place;
};

// "file:12:3: message. Remedy." on one line, without what is not known.
[[nodiscard]] std::string to_string(const Error& error);

// A value or the Error that took its place. Reading the one that is absent is a broken invariant.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  [[nodiscard]] T& value() & { return assert(ok()), std::get<0>(state_); }
  [[nodiscard]] const T& value() const& { return assert(ok()), std::get<0>(state_); }
  [[nodiscard]] T&& value() && { return assert(ok()), std::get<0>(std::move(state_)); }
  [[nodiscard]] const Error& error() const& { return assert(!ok()), std::get<1>(state_); }
  [[nodiscard]] Error&& error() && { return assert(!ok()), std::get<1>(std::move(state_)); }

  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  std::variant<T, Error> state_;
};

using Status = Result<std::monostate>;
[[nodiscard]] inline Status ok_status() { return std::monostate{}; }

}  // namespace tilescope

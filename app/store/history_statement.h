#pragma once
#include <sqlite3.h>

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "store/history.h"

namespace tilescope {

// A prepared statement; values are bound in the order of its question marks.
class History::Statement {
 public:
  Statement(const History& history, const std::string& sql) : history_(history) {
    sqlite3_prepare_v2(history.db_.get(), sql.c_str(), -1, &statement_, nullptr);
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(const std::string& text) {
    sqlite3_bind_text(statement_, ++bound_, text.data(), static_cast<int>(text.size()),
                      SQLITE_TRANSIENT);
    return *this;
  }
  Statement& bind(std::int64_t number) {
    sqlite3_bind_int64(statement_, ++bound_, number);
    return *this;
  }
  Statement& bind(double number) {
    sqlite3_bind_double(statement_, ++bound_, number);
    return *this;
  }

  // True: there is a row. False: the end.
  [[nodiscard]] Result<bool> step() {
    const int result = statement_ == nullptr ? SQLITE_ERROR : sqlite3_step(statement_);
    if (result == SQLITE_ROW) return true;
    if (result == SQLITE_DONE) return false;
    return history_.error();
  }
  [[nodiscard]] std::int64_t integer(int column) const {
    return sqlite3_column_int64(statement_, column);
  }
  [[nodiscard]] std::string text(int column) const {
    const auto* begin = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return begin == nullptr ? std::string() : std::string(begin);
  }

 private:
  const History& history_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
};

// As it stands in a column: JSON, keys in order.
inline std::string json_text(const std::map<std::string, std::int64_t>& values) {
  return nlohmann::json(values).dump();
}

}  // namespace tilescope

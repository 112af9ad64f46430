#include "store/history.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <utility>

#include "core/paths.h"

// What a History is asked for (store/history.h).

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

namespace fs = std::filesystem;
namespace {

constexpr int kApplication = 0x54494c45;  // "TILE", in the file's head
constexpr int kHistoryFormat = 1;
constexpr int kPatienceMilliseconds = 10'000;  // for another program that writes

constexpr const char* kTableCount = "SELECT count(*) FROM sqlite_master";
constexpr const char* kTables = R"(
  CREATE TABLE machine (
    id INTEGER PRIMARY KEY,
    gpu TEXT NOT NULL, compute_capability INTEGER NOT NULL, driver TEXT NOT NULL,
    cuda_driver TEXT NOT NULL, compiler TEXT NOT NULL, cublas TEXT NOT NULL,
    UNIQUE (gpu, compute_capability, driver, cuda_driver, compiler, cublas));
  CREATE TABLE run (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    machine INTEGER NOT NULL REFERENCES machine (id),
    milliseconds INTEGER NOT NULL,  -- since 1970, UTC
    kernel TEXT NOT NULL, source_hash TEXT NOT NULL,
    parameters TEXT NOT NULL, extents TEXT NOT NULL,  -- JSON, keys in order
    cold INTEGER NOT NULL,
    median_seconds REAL NOT NULL,
    record TEXT NOT NULL);  -- the whole, as in a file of recorded runs
  CREATE INDEX run_point ON run (kernel, source_hash, parameters, extents, cold, machine);
)";

// Whether it is there and this user may read it alone: SQLite writes beside it as well.
bool is_read_only(const fs::path& file) {
  if (::access(file.c_str(), F_OK) != 0) return false;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  return ::access(file.c_str(), W_OK) != 0 || ::access(folder.c_str(), W_OK) != 0;
}

// Of a file that nobody writes meanwhile: "immutable" spares SQLite the files beside it.
std::string read_only_address(const fs::path& file) {
  std::string address = "file:";
  for (const char c : file.string()) {
    if (c == '%' || c == '?' || c == '#') {
      address += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    } else {
      address += c;
    }
  }
  return address + (fs::exists(file.string() + "-wal") ? "?mode=ro" : "?immutable=1");
}

}  // namespace

void History::Close::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

fs::path History::default_file() { return data_directory() / "history.sqlite"; }

Result<History> History::open(const fs::path& file) {
  const bool read_only = is_read_only(file);
  std::error_code failure;
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), failure);
  sqlite3* database = nullptr;
  const int opened = read_only
                         ? sqlite3_open_v2(read_only_address(file).c_str(), &database,
                                           SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr)
                         : sqlite3_open_v2(file.c_str(), &database,
                                           SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  History history(file, database);
  if (opened != SQLITE_OK) return history.error();
  sqlite3_busy_timeout(database, kPatienceMilliseconds);
  if (Status s = read_only ? history.check_head() : history.prepare_tables(); !s) return s.error();
  return history;
}

Result<std::int64_t> History::number_of(const char* query) const {
  Statement statement(*this, query);
  auto row = statement.step();
  if (!row) return row.error();
  return statement.integer(0);
}

Status History::check_head() const {
  const auto application = number_of("PRAGMA application_id");
  if (!application) return application.error();
  const auto format = number_of("PRAGMA user_version");
  if (!format) return format.error();
  const auto tables = number_of(kTableCount);
  if (!tables) return tables.error();
  if (*application != kApplication && *tables != 0) {
    return Error{ErrorCode::kUsage,
                 fmt::format("{} is a database of another program", file_.string()),
                 "Name another file, or move it away",
                 {file_.string(), 0, 0}};
  }
  if (*format > kHistoryFormat) {
    return Error{ErrorCode::kUsage,
                 fmt::format("{} was written by a later release of Tilescope", file_.string()),
                 "Use that release, or move the file away to begin a new history",
                 {file_.string(), 0, 0}};
  }
  return ok_status();
}

Status History::prepare_tables() {
  // Before the first write, which turns an empty file into a database.
  for (const char* pragma : {"PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL",
                             "PRAGMA foreign_keys = ON", "BEGIN IMMEDIATE"}) {
    if (Status s = execute(pragma); !s) return s;
  }
  if (Status s = check_head(); !s) return s;
  const auto tables = number_of(kTableCount);
  if (!tables) return tables.error();
  if (*tables == 0) {
    if (Status s = execute(kTables); !s) return s;
    const std::string head = fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}",
                                         kApplication, kHistoryFormat);
    if (Status s = execute(head.c_str()); !s) return s;
  }
  return execute("COMMIT");
}

Status History::execute(const char* sql) const {
  if (sqlite3_exec(db_.get(), sql, nullptr, nullptr, nullptr) == SQLITE_OK) return ok_status();
  Error failed = error();
  if (sqlite3_get_autocommit(db_.get()) == 0) {
    sqlite3_exec(db_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
  return failed;
}

Error History::error() const {
  const int code = sqlite3_errcode(db_.get());
  const bool damaged = code == SQLITE_NOTADB || code == SQLITE_CORRUPT;
  return {damaged ? ErrorCode::kUsage : ErrorCode::kMachine,
          fmt::format("the history cannot be used: {}", sqlite3_errmsg(db_.get())),
          damaged ? "Move the file away to begin a new history; 'sqlite3 FILE .recover' may save "
                    "what is in it"
                  : "Check that you may write this file and its folder, and that there is room",
          {file_.string(), 0, 0}};
}

Result<std::int64_t> History::machine_id(const Machine& machine) const {
  const auto bind = [&](Statement& statement) {
    statement.bind(machine.gpu)
        .bind(std::int64_t{machine.compute_capability})
        .bind(machine.driver)
        .bind(machine.cuda_driver)
        .bind(machine.compiler)
        .bind(machine.cublas);
  };
  Statement insert(*this,
                   "INSERT OR IGNORE INTO machine (gpu, compute_capability, driver, cuda_driver, "
                   "compiler, cublas) VALUES (?, ?, ?, ?, ?, ?)");
  bind(insert);
  if (auto done = insert.step(); !done) return done.error();
  Statement select(*this,
                   "SELECT id FROM machine WHERE gpu = ? AND compute_capability = ? AND driver = ? "
                   "AND cuda_driver = ? AND compiler = ? AND cublas = ?");
  bind(select);
  auto row = select.step();
  if (!row) return row.error();
  return select.integer(0);
}

Result<std::int64_t> History::insert(const HistoryEntry& entry) const {
  const auto machine = machine_id(entry.run.machine);
  if (!machine) return machine.error();
  Statement insert(*this,
                   "INSERT INTO run (machine, milliseconds, kernel, source_hash, parameters, "
                   "extents, cold, median_seconds, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
  insert.bind(*machine)
      .bind(entry.milliseconds)
      .bind(entry.run.of.kernel)
      .bind(entry.run.of.source)
      .bind(json_text(entry.run.of.parameters))
      .bind(json_text(entry.run.of.extents))
      .bind(std::int64_t{entry.run.of.cold})
      .bind(entry.run.result.kernel.median_seconds)
      .bind(encode_run(entry.run));
  if (auto done = insert.step(); !done) return done.error();
  return std::int64_t{sqlite3_last_insert_rowid(db_.get())};
}

Result<std::int64_t> History::add(const HistoryEntry& entry) {
  if (Status s = execute("BEGIN IMMEDIATE"); !s) return s.error();
  auto id = insert(entry);
  if (!id) {
    if (Status s = execute("ROLLBACK"); !s) return s.error();
    return id;
  }
  if (Status s = execute("COMMIT"); !s) return s.error();
  return id;
}

Result<int> History::import(const RecordedRuns& runs) {
  if (Status s = execute("BEGIN IMMEDIATE"); !s) return s.error();
  int added = 0;
  for (const Measurement& run : runs.runs) {
    HistoryEntry entry{0, 0, run};
    const auto known = find_same(runs.machine, run.of);
    const bool same = known && known->has_value() && encode_run((*known)->run) == encode_run(run);
    const auto id = same || !known ? Result<std::int64_t>(0) : insert(entry);
    if (!known || !id) {
      if (Status s = execute("ROLLBACK"); !s) return s.error();
      return known ? id.error() : known.error();
    }
    if (!same) ++added;
  }
  if (Status s = execute("COMMIT"); !s) return s.error();
  return added;
}

Result<std::int64_t> History::count() const { return number_of("SELECT count(*) FROM run"); }

namespace {

constexpr const char* kSelect =
    "SELECT run.id, milliseconds, record, gpu, compute_capability, driver, cuda_driver, compiler, "
    "cublas FROM run JOIN machine ON machine.id = run.machine";

// A condition for each part of the filter that is given, and the texts to bind.
struct SqlConditions {
  std::string sql = " WHERE 1";
  std::vector<std::string> texts;

  void add(const std::string& condition, const std::string& text) {
    sql += " AND " + condition;
    texts.push_back(text);
  }
  void add_values(const char* column, const std::map<std::string, std::int64_t>& values) {
    for (const auto& [name, value] : values) {
      add(fmt::format("json_extract({}, '$.' || ?) = {}", column, value), name);
    }
  }
};

SqlConditions conditions_of(const HistoryFilter& filter) {
  SqlConditions conditions;
  if (!filter.kernel.empty()) {
    conditions.add("(kernel = ? OR kernel LIKE ? || '/%')", filter.kernel);
    conditions.texts.push_back(filter.kernel);
  }
  if (!filter.gpu.empty()) conditions.add("instr(lower(gpu), lower(?)) > 0", filter.gpu);
  if (!filter.driver.empty()) conditions.add("driver = ?", filter.driver);
  if (!filter.since.empty()) conditions.add("json_extract(record, '$.date') >= ?", filter.since);
  if (!filter.until.empty()) conditions.add("json_extract(record, '$.date') <= ?", filter.until);
  conditions.add_values("parameters", filter.parameters);
  conditions.add_values("extents", filter.extents);
  return conditions;
}

}  // namespace

Result<std::vector<HistoryEntry>> History::find(const HistoryFilter& filter) const {
  const SqlConditions conditions = conditions_of(filter);
  std::string sql = kSelect + conditions.sql + " ORDER BY run.id DESC";
  if (filter.limit > 0) sql += fmt::format(" LIMIT {}", filter.limit);
  Statement select(*this, sql);
  for (const std::string& text : conditions.texts) select.bind(text);
  std::vector<HistoryEntry> entries;
  while (true) {
    const auto row = select.step();
    if (!row) return row.error();
    if (!*row) return entries;
    auto run = decode_run(select.text(2));
    if (!run) return run.error();
    run->machine = {select.text(3), static_cast<int>(select.integer(4)),
                    select.text(5), select.text(6),
                    select.text(7), select.text(8)};
    entries.push_back({select.integer(0), select.integer(1), *std::move(run)});
  }
}

Result<std::optional<HistoryEntry>> History::find_same(const Machine& machine,
                                                       const LaunchKey& of) const {
  Statement select(
      *this, std::string(kSelect) +
                 " WHERE kernel = ? AND source_hash = ? AND parameters = ? AND extents = ? AND "
                 "cold = ? AND gpu = ? AND compute_capability = ? AND driver = ? AND cuda_driver = "
                 "? AND compiler = ? AND cublas = ? ORDER BY run.id DESC");
  select.bind(of.kernel)
      .bind(of.source)
      .bind(json_text(of.parameters))
      .bind(json_text(of.extents))
      .bind(std::int64_t{of.cold})
      .bind(machine.gpu)
      .bind(std::int64_t{machine.compute_capability})
      .bind(machine.driver)
      .bind(machine.cuda_driver)
      .bind(machine.compiler)
      .bind(machine.cublas);
  while (true) {
    const auto row = select.step();
    if (!row) return row.error();
    if (!*row) return std::optional<HistoryEntry>();
    auto run = decode_run(select.text(2));
    if (!run) return run.error();
    // These have no columns of their own.
    if (run->of.factors != of.factors || run->of.launch != of.launch) continue;
    run->machine = machine;
    return std::optional<HistoryEntry>(
        HistoryEntry{select.integer(0), select.integer(1), *std::move(run)});
  }
}

HistoryEntry history_entry(Measurement run) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(now);
  return {0, milliseconds.count(), std::move(run)};
}

HistoryWriter::HistoryWriter(std::filesystem::path file)
    : file_(std::move(file)), thread_([this] { run(); }) {}

HistoryWriter::~HistoryWriter() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  arrived_.notify_one();
  thread_.join();
}

void HistoryWriter::keep(HistoryEntry entry) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(entry));
  }
  arrived_.notify_one();
}

std::optional<Error> HistoryWriter::problem() const {
  const std::lock_guard lock(mutex_);
  return problem_;
}

// The file is opened at the first entry: looking at kernels makes none.
void HistoryWriter::run() {
  std::optional<History> history;
  std::unique_lock lock(mutex_);
  while (true) {
    arrived_.wait(lock, [this] { return closing_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const HistoryEntry entry = std::move(waiting_.front());
    waiting_.pop_front();
    if (problem_) continue;
    lock.unlock();
    std::optional<Error> problem;
    if (!history) {
      auto opened = History::open(file_);
      if (opened) {
        history.emplace(*std::move(opened));
      } else {
        problem = opened.error();
      }
    }
    if (history) {
      if (auto id = history->add(entry); !id) problem = id.error();
    }
    lock.lock();
    if (problem) problem_ = std::move(problem);
  }
}

}  // namespace tilescope

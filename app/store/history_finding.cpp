// What a History is asked for (store/history.h).
#include <fmt/format.h>

#include <utility>

#include "store/history_statement.h"

namespace tilescope {
namespace {

constexpr const char* kSelect =
    "SELECT run.id, milliseconds, record, gpu, compute_capability, driver, cuda_driver, compiler, "
    "cublas FROM run JOIN machine ON machine.id = run.machine";

// A condition for each part of the filter that is given, and the texts to bind.
struct Conditions {
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

Conditions conditions_of(const HistoryFilter& filter) {
  Conditions conditions;
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
  const Conditions conditions = conditions_of(filter);
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
    entries.push_back({select.integer(0),
                       select.integer(1),
                       {select.text(3), static_cast<int>(select.integer(4)), select.text(5),
                        select.text(6), select.text(7), select.text(8)},
                       *std::move(run)});
  }
}

Result<std::optional<HistoryEntry>> History::find_same(const RecordedMachine& machine,
                                                       const RecordedRun& point) const {
  Statement select(
      *this, std::string(kSelect) +
                 " WHERE kernel = ? AND source_hash = ? AND parameters = ? AND extents = ? AND "
                 "cold = ? AND gpu = ? AND compute_capability = ? AND driver = ? AND cuda_driver = "
                 "? AND compiler = ? AND cublas = ? ORDER BY run.id DESC");
  select.bind(point.kernel)
      .bind(point.source_hash)
      .bind(json_text(point.parameters))
      .bind(json_text(point.extents))
      .bind(std::int64_t{point.cold})
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
    if (run->factors != point.factors || run->launch != point.launch) continue;
    return std::optional<HistoryEntry>(
        HistoryEntry{select.integer(0), select.integer(1), machine, *std::move(run)});
  }
}

}  // namespace tilescope

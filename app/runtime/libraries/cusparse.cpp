#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "runtime/device_access.h"

// cuSPARSE on the CPU: the generic functions for matrices in CSR, CSC and COO, in single and double
// precision, as plain loops in double precision.
namespace {

using Status = int;  // cusparseStatus_t
constexpr Status kSuccess = 0;
constexpr Status kInvalidValue = 3;
constexpr Status kExecutionFailed = 6;
constexpr Status kNotSupported = 10;

enum class Format : std::uint8_t { kCsr, kCsc, kCoo };
constexpr int kSingle = 0;  // cudaDataType_t
constexpr int kDouble = 1;
constexpr int kIndex32 = 2;  // cusparseIndexType_t
constexpr int kByRows = 2;   // cusparseOrder_t
constexpr std::size_t kBuffer = 256;

std::size_t size_of(int type) { return type == kDouble ? 8 : 4; }
std::size_t index_bytes(int type) { return type == kIndex32 ? 4 : 8; }
bool is_known(int type) { return type == kSingle || type == kDouble; }

struct Handle {
  void* stream = nullptr;
  int pointer_mode = 0;
};

struct Sparse {
  Format format = Format::kCsr;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t entries = 0;
  void* first = nullptr;   // offsets of the rows or columns; of COO the rows
  void* second = nullptr;  // columns; of CSC rows
  void* values = nullptr;
  int first_type = kIndex32;
  int second_type = kIndex32;
  int base = 0;
  int type = kSingle;

  [[nodiscard]] std::int64_t firsts() const {
    return format == Format::kCsr ? rows + 1 : format == Format::kCsc ? columns + 1 : entries;
  }
};

struct Dense {
  std::int64_t rows = 0;
  std::int64_t columns = 1;
  std::int64_t leading = 0;
  void* values = nullptr;
  int type = kSingle;
  bool by_rows = false;

  [[nodiscard]] std::size_t place(std::int64_t row, std::int64_t column) const {
    return static_cast<std::size_t>(by_rows ? row * leading + column : column * leading + row);
  }
  [[nodiscard]] std::size_t count() const {
    return rows <= 0 || columns <= 0 ? 0 : place(rows - 1, columns - 1) + 1;
  }
};

struct LegacyDescription {
  int type = 0;
  int fill = 0;
  int diagonal = 0;
  int base = 0;
};

double number_at(const std::byte* from, std::size_t index, int type) {
  if (type == kDouble) {
    double value = 0;
    std::memcpy(&value, from + index * 8, 8);
    return value;
  }
  float value = 0;
  std::memcpy(&value, from + index * 4, 4);
  return value;
}

void put_number(std::byte* to, std::size_t index, int type, double number) {
  if (type == kDouble) {
    std::memcpy(to + index * 8, &number, 8);
  } else {
    const auto value = static_cast<float>(number);
    std::memcpy(to + index * 4, &value, 4);
  }
}

std::int64_t index_at(const std::byte* from, std::int64_t at, int type) {
  if (type != kIndex32) {
    std::int64_t value = 0;
    std::memcpy(&value, from + at * 8, 8);
    return value;
  }
  std::int32_t value = 0;
  std::memcpy(&value, from + at * 4, 4);
  return value;
}

void put_index(std::byte* to, std::int64_t at, int type, std::int64_t index) {
  if (type != kIndex32) {
    std::memcpy(to + at * 8, &index, 8);
  } else {
    const auto value = static_cast<std::int32_t>(index);
    std::memcpy(to + at * 4, &value, 4);
  }
}

std::byte* place(const void* pointer, std::size_t bytes, bool writes) {
  static std::byte nothing;
  if (bytes == 0) return &nothing;
  return static_cast<std::byte*>(cudaTilescopePlace(pointer, bytes, writes ? 1 : 0));
}

struct Entry {
  std::int64_t row = 0;
  std::int64_t column = 0;
  double value = 0;
};

// All entries, in the order in which they are stored.
Status read_entries(const Sparse& matrix, std::vector<Entry>* entries) {
  if (!is_known(matrix.type)) return kNotSupported;
  const auto count = static_cast<std::size_t>(matrix.entries);
  const auto firsts = static_cast<std::size_t>(matrix.firsts());
  const std::byte* first = place(matrix.first, firsts * index_bytes(matrix.first_type), false);
  const std::byte* second = place(matrix.second, count * index_bytes(matrix.second_type), false);
  const std::byte* values = place(matrix.values, count * size_of(matrix.type), false);
  if (first == nullptr || second == nullptr || values == nullptr) return kExecutionFailed;
  entries->reserve(count);
  const auto add = [&](std::int64_t line, std::int64_t at) {
    const std::int64_t other = index_at(second, at, matrix.second_type) - matrix.base;
    const bool swapped = matrix.format == Format::kCsc;
    const Entry entry{swapped ? other : line, swapped ? line : other,
                      number_at(values, static_cast<std::size_t>(at), matrix.type)};
    const bool is_inside = entry.row >= 0 && entry.row < matrix.rows && entry.column >= 0 &&
                           entry.column < matrix.columns;
    if (is_inside) entries->push_back(entry);
    return is_inside;
  };
  if (matrix.format == Format::kCoo) {
    for (std::int64_t i = 0; i < matrix.entries; ++i)
      if (!add(index_at(first, i, matrix.first_type) - matrix.base, i)) return kExecutionFailed;
    return kSuccess;
  }
  for (std::int64_t line = 0; line + 1 < matrix.firsts(); ++line) {
    const std::int64_t begin = index_at(first, line, matrix.first_type) - matrix.base;
    const std::int64_t end = index_at(first, line + 1, matrix.first_type) - matrix.base;
    if (begin < 0 || end > matrix.entries) return kExecutionFailed;
    for (std::int64_t i = begin; i < end; ++i)
      if (!add(line, i)) return kExecutionFailed;
  }
  return kSuccess;
}

// C = alpha op(A) op(B) + beta C; a vector is a matrix of one column.
Status multiply(int transposes_a, int transposes_b, const void* alpha, const Sparse* a,
                const Dense* b, const void* beta, Dense* c, int compute) {
  if (a == nullptr || b == nullptr || c == nullptr) return kInvalidValue;
  if (!is_known(compute) || !is_known(b->type) || !is_known(c->type)) return kNotSupported;
  const std::int64_t rows = transposes_a != 0 ? a->columns : a->rows;
  const std::int64_t inner = transposes_a != 0 ? a->rows : a->columns;
  const std::int64_t b_rows = transposes_b != 0 ? b->columns : b->rows;
  const std::int64_t b_columns = transposes_b != 0 ? b->rows : b->columns;
  if (rows != c->rows || inner != b_rows || b_columns != c->columns) return kInvalidValue;
  const std::byte* alpha_at = place(alpha, size_of(compute), false);
  const std::byte* beta_at = place(beta, size_of(compute), false);
  if (alpha_at == nullptr || beta_at == nullptr) return kInvalidValue;
  const double by = number_at(alpha_at, 0, compute);
  const double keep = number_at(beta_at, 0, compute);
  std::vector<Entry> entries;
  if (const Status read = read_entries(*a, &entries); read != kSuccess) return read;
  const std::byte* from = place(b->values, b->count() * size_of(b->type), false);
  if (from == nullptr) return kExecutionFailed;
  const std::byte* before =
      keep == 0 ? nullptr : place(c->values, c->count() * size_of(c->type), false);
  if (keep != 0 && before == nullptr) return kExecutionFailed;
  std::vector<double> sums(static_cast<std::size_t>(rows * c->columns));
  for (const Entry& entry : entries) {
    const std::int64_t row = transposes_a != 0 ? entry.column : entry.row;
    const std::int64_t k = transposes_a != 0 ? entry.row : entry.column;
    for (std::int64_t j = 0; j < c->columns; ++j) {
      const std::size_t at = transposes_b != 0 ? b->place(j, k) : b->place(k, j);
      sums[static_cast<std::size_t>(row * c->columns + j)] +=
          entry.value * number_at(from, at, b->type);
    }
  }
  std::vector<double> kept(sums.size());
  for (std::int64_t row = 0; keep != 0 && row < rows; ++row)
    for (std::int64_t j = 0; j < c->columns; ++j)
      kept[static_cast<std::size_t>(row * c->columns + j)] =
          number_at(before, c->place(row, j), c->type);
  std::byte* to = place(c->values, c->count() * size_of(c->type), true);
  if (to == nullptr) return kExecutionFailed;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t j = 0; j < c->columns; ++j) {
      const auto at = static_cast<std::size_t>(row * c->columns + j);
      put_number(to, c->place(row, j), c->type, by * sums[at] + keep * kept[at]);
    }
  }
  constexpr double kStart = 3e-6;         // seconds
  constexpr double kShareOfPeak = 0.006;  // the memory limits it: 400 GFLOP/s of an H100
  const double flops = 2.0 * static_cast<double>(entries.size()) * static_cast<double>(c->columns);
  cudaTilescopeSpend(kStart + flops / (cudaTilescopePeak() * kShareOfPeak));
  return kSuccess;
}

Status make(Sparse** made, const Sparse& matrix) {
  if (made == nullptr || matrix.rows < 0 || matrix.columns < 0 || matrix.entries < 0)
    return kInvalidValue;
  *made = new Sparse(matrix);
  return kSuccess;
}

Status make(Dense** made, const Dense& matrix) {
  if (made == nullptr || matrix.rows < 0 || matrix.columns < 0) return kInvalidValue;
  *made = new Dense(matrix);
  return kSuccess;
}

template <class T>
Status destroy(const T* object) {
  delete object;
  return kSuccess;
}

Status tell_buffer(std::size_t* bytes) {
  if (bytes == nullptr) return kInvalidValue;
  *bytes = kBuffer;
  return kSuccess;
}

// Entries that are not zero, line by line of the format.
Status gather(const Dense& from, const Sparse& to, std::vector<Entry>* entries) {
  if (!is_known(from.type) || from.rows != to.rows || from.columns != to.columns)
    return kInvalidValue;
  const std::byte* values = place(from.values, from.count() * size_of(from.type), false);
  if (values == nullptr) return kExecutionFailed;
  const bool by_columns = to.format == Format::kCsc;
  for (std::int64_t i = 0; i < (by_columns ? from.columns : from.rows); ++i) {
    for (std::int64_t j = 0; j < (by_columns ? from.rows : from.columns); ++j) {
      const std::int64_t row = by_columns ? j : i;
      const std::int64_t column = by_columns ? i : j;
      const double value = number_at(values, from.place(row, column), from.type);
      if (value != 0) entries->push_back({row, column, value});
    }
  }
  return kSuccess;
}

// The offsets of the lines, which the entries fill in order.
Status write_offsets(const Sparse& to, const std::vector<Entry>& entries) {
  if (to.format == Format::kCoo) return kSuccess;
  std::byte* offsets =
      place(to.first, static_cast<std::size_t>(to.firsts()) * index_bytes(to.first_type), true);
  if (offsets == nullptr) return kExecutionFailed;
  std::size_t at = 0;
  for (std::int64_t line = 0; line < to.firsts(); ++line) {
    const auto is_before = [&](const Entry& entry) {
      return (to.format == Format::kCsc ? entry.column : entry.row) < line;
    };
    while (at < entries.size() && is_before(entries[at])) ++at;
    put_index(offsets, line, to.first_type, static_cast<std::int64_t>(at) + to.base);
  }
  return kSuccess;
}

}  // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT Status cusparseCreate(Handle** handle) {
  if (handle == nullptr) return kInvalidValue;
  *handle = new Handle;
  return kSuccess;
}
EXPORT Status cusparseDestroy(Handle* handle) { return destroy(handle); }
EXPORT Status cusparseSetStream(Handle* handle, void* stream) {
  handle->stream = stream;
  return kSuccess;
}
EXPORT Status cusparseGetStream(Handle* handle, void** stream) {
  *stream = handle->stream;
  return kSuccess;
}
EXPORT Status cusparseSetPointerMode(Handle* handle, int mode) {
  handle->pointer_mode = mode;
  return kSuccess;
}
EXPORT Status cusparseGetPointerMode(Handle* handle, int* mode) {
  *mode = handle->pointer_mode;
  return kSuccess;
}
EXPORT Status cusparseGetVersion(Handle*, int* version) {
  *version = 12600;
  return kSuccess;
}
EXPORT const char* cusparseGetErrorName(Status status) {
  switch (status) {
    case kSuccess:
      return "CUSPARSE_STATUS_SUCCESS";
    case kInvalidValue:
      return "CUSPARSE_STATUS_INVALID_VALUE";
    case kExecutionFailed:
      return "CUSPARSE_STATUS_EXECUTION_FAILED";
    case kNotSupported:
      return "CUSPARSE_STATUS_NOT_SUPPORTED";
    default:
      return "unknown error";
  }
}
EXPORT const char* cusparseGetErrorString(Status status) {
  switch (status) {
    case kSuccess:
      return "success";
    case kInvalidValue:
      return "invalid value";
    case kExecutionFailed:
      return "execution failed";
    case kNotSupported:
      return "operation not supported";
    default:
      return "unknown error";
  }
}

EXPORT Status cusparseCreateMatDescr(LegacyDescription** made) {
  *made = new LegacyDescription;
  return kSuccess;
}
EXPORT Status cusparseDestroyMatDescr(LegacyDescription* matrix) { return destroy(matrix); }
EXPORT Status cusparseSetMatType(LegacyDescription* matrix, int type) {
  matrix->type = type;
  return kSuccess;
}
EXPORT Status cusparseSetMatIndexBase(LegacyDescription* matrix, int base) {
  matrix->base = base;
  return kSuccess;
}
EXPORT Status cusparseSetMatFillMode(LegacyDescription* matrix, int fill) {
  matrix->fill = fill;
  return kSuccess;
}
EXPORT Status cusparseSetMatDiagType(LegacyDescription* matrix, int diagonal) {
  matrix->diagonal = diagonal;
  return kSuccess;
}

EXPORT Status cusparseCreateCsr(Sparse** made, std::int64_t rows, std::int64_t columns,
                                std::int64_t entries, void* offsets, void* indices, void* values,
                                int offset_type, int index_type, int base, int type) {
  return make(made, {Format::kCsr, rows, columns, entries, offsets, indices, values, offset_type,
                     index_type, base, type});
}
EXPORT Status cusparseCreateConstCsr(Sparse** made, std::int64_t rows, std::int64_t columns,
                                     std::int64_t entries, void* offsets, void* indices,
                                     void* values, int offset_type, int index_type, int base,
                                     int type) {
  return cusparseCreateCsr(made, rows, columns, entries, offsets, indices, values, offset_type,
                           index_type, base, type);
}
EXPORT Status cusparseCreateCsc(Sparse** made, std::int64_t rows, std::int64_t columns,
                                std::int64_t entries, void* offsets, void* indices, void* values,
                                int offset_type, int index_type, int base, int type) {
  return make(made, {Format::kCsc, rows, columns, entries, offsets, indices, values, offset_type,
                     index_type, base, type});
}
EXPORT Status cusparseCreateCoo(Sparse** made, std::int64_t rows, std::int64_t columns,
                                std::int64_t entries, void* row_indices, void* column_indices,
                                void* values, int index_type, int base, int type) {
  return make(made, {Format::kCoo, rows, columns, entries, row_indices, column_indices, values,
                     index_type, index_type, base, type});
}
EXPORT Status cusparseDestroySpMat(const Sparse* matrix) { return destroy(matrix); }
EXPORT Status cusparseSpMatGetSize(const Sparse* matrix, std::int64_t* rows, std::int64_t* columns,
                                   std::int64_t* entries) {
  *rows = matrix->rows;
  *columns = matrix->columns;
  *entries = matrix->entries;
  return kSuccess;
}
EXPORT Status cusparseCsrSetPointers(Sparse* matrix, void* offsets, void* indices, void* values) {
  matrix->first = offsets;
  matrix->second = indices;
  matrix->values = values;
  return kSuccess;
}
EXPORT Status cusparseCscSetPointers(Sparse* matrix, void* offsets, void* indices, void* values) {
  return cusparseCsrSetPointers(matrix, offsets, indices, values);
}
EXPORT Status cusparseCooSetPointers(Sparse* matrix, void* rows, void* columns, void* values) {
  return cusparseCsrSetPointers(matrix, rows, columns, values);
}
EXPORT Status cusparseSpMatSetValues(Sparse* matrix, void* values) {
  matrix->values = values;
  return kSuccess;
}
// Properties for solvers, which are not there.
EXPORT Status cusparseSpMatSetAttribute(Sparse*, int, void*, std::size_t) { return kSuccess; }

EXPORT Status cusparseCreateDnVec(Dense** made, std::int64_t size, void* values, int type) {
  return make(made, {size, 1, size, values, type, false});
}
EXPORT Status cusparseCreateConstDnVec(Dense** made, std::int64_t size, void* values, int type) {
  return cusparseCreateDnVec(made, size, values, type);
}
EXPORT Status cusparseDestroyDnVec(const Dense* vector) { return destroy(vector); }
EXPORT Status cusparseDnVecSetValues(Dense* vector, void* values) {
  vector->values = values;
  return kSuccess;
}
EXPORT Status cusparseCreateDnMat(Dense** made, std::int64_t rows, std::int64_t columns,
                                  std::int64_t leading, void* values, int type, int order) {
  const bool by_rows = order == kByRows;
  if (leading < (by_rows ? columns : rows)) return kInvalidValue;
  return make(made, {rows, columns, leading, values, type, by_rows});
}
EXPORT Status cusparseCreateConstDnMat(Dense** made, std::int64_t rows, std::int64_t columns,
                                       std::int64_t leading, void* values, int type, int order) {
  return cusparseCreateDnMat(made, rows, columns, leading, values, type, order);
}
EXPORT Status cusparseDestroyDnMat(const Dense* matrix) { return destroy(matrix); }
EXPORT Status cusparseDnMatSetValues(Dense* matrix, void* values) {
  matrix->values = values;
  return kSuccess;
}

EXPORT Status cusparseSpMV_bufferSize(Handle*, int, const void*, const Sparse*, const Dense*,
                                      const void*, Dense*, int, int, std::size_t* bytes) {
  return tell_buffer(bytes);
}
EXPORT Status cusparseSpMV_preprocess(Handle*, int, const void*, const Sparse*, const Dense*,
                                      const void*, Dense*, int, int, void*) {
  return kSuccess;
}
EXPORT Status cusparseSpMV(Handle*, int transposes, const void* alpha, const Sparse* a,
                           const Dense* x, const void* beta, Dense* y, int compute, int, void*) {
  return multiply(transposes, 0, alpha, a, x, beta, y, compute);
}
EXPORT Status cusparseSpMM_bufferSize(Handle*, int, int, const void*, const Sparse*, const Dense*,
                                      const void*, Dense*, int, int, std::size_t* bytes) {
  return tell_buffer(bytes);
}
EXPORT Status cusparseSpMM_preprocess(Handle*, int, int, const void*, const Sparse*, const Dense*,
                                      const void*, Dense*, int, int, void*) {
  return kSuccess;
}
EXPORT Status cusparseSpMM(Handle*, int transposes_a, int transposes_b, const void* alpha,
                           const Sparse* a, const Dense* b, const void* beta, Dense* c, int compute,
                           int, void*) {
  return multiply(transposes_a, transposes_b, alpha, a, b, beta, c, compute);
}

EXPORT Status cusparseSparseToDense_bufferSize(Handle*, const Sparse*, Dense*, int,
                                               std::size_t* bytes) {
  return tell_buffer(bytes);
}
EXPORT Status cusparseSparseToDense(Handle*, const Sparse* from, Dense* to, int, void*) {
  if (!is_known(to->type) || from->rows != to->rows || from->columns != to->columns)
    return kInvalidValue;
  std::vector<Entry> entries;
  if (const Status read = read_entries(*from, &entries); read != kSuccess) return read;
  std::byte* values = place(to->values, to->count() * size_of(to->type), true);
  if (values == nullptr) return kExecutionFailed;
  for (std::int64_t row = 0; row < to->rows; ++row)
    for (std::int64_t column = 0; column < to->columns; ++column)
      put_number(values, to->place(row, column), to->type, 0);
  for (const Entry& entry : entries)
    put_number(values, to->place(entry.row, entry.column), to->type, entry.value);
  return kSuccess;
}
EXPORT Status cusparseDenseToSparse_bufferSize(Handle*, const Dense*, Sparse*, int,
                                               std::size_t* bytes) {
  return tell_buffer(bytes);
}
// How many entries there are, and where lines begin; the program then makes room for the entries.
EXPORT Status cusparseDenseToSparse_analysis(Handle*, const Dense* from, Sparse* to, int, void*) {
  std::vector<Entry> entries;
  if (const Status read = gather(*from, *to, &entries); read != kSuccess) return read;
  to->entries = static_cast<std::int64_t>(entries.size());
  return write_offsets(*to, entries);
}
EXPORT Status cusparseDenseToSparse_convert(Handle*, const Dense* from, Sparse* to, int, void*) {
  std::vector<Entry> entries;
  if (const Status read = gather(*from, *to, &entries); read != kSuccess) return read;
  if (const Status written = write_offsets(*to, entries); written != kSuccess) return written;
  std::byte* second = place(to->second, entries.size() * index_bytes(to->second_type), true);
  std::byte* values = place(to->values, entries.size() * size_of(to->type), true);
  const bool has_rows = to->format == Format::kCoo;
  std::byte* first =
      has_rows ? place(to->first, entries.size() * index_bytes(to->first_type), true) : nullptr;
  if (second == nullptr || values == nullptr || (has_rows && first == nullptr))
    return kExecutionFailed;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    const bool by_columns = to->format == Format::kCsc;
    put_index(second, at, to->second_type,
              (by_columns ? entries[i].row : entries[i].column) + to->base);
    if (first != nullptr) put_index(first, at, to->first_type, entries[i].row + to->base);
    put_number(values, i, to->type, entries[i].value);
  }
  return kSuccess;
}

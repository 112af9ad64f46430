#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/device_table.h"
#include "kernel/catalogue.h"
#include "ui/workbench/compile_ahead.h"

namespace tilescope {

struct Variant;

// Plans what is compiled ahead of a person, for the active variant: all that one slider may reach
// next, and when nothing else is to be done the next values of all sliders. UI thread.
class LookAhead {
 public:
  // The numbers of threads that compile; `around_threads` 0: look_around() does nothing.
  LookAhead(const Catalogue& catalogue, unsigned ahead_threads, unsigned around_threads);

  // What this parameter's slider may reach next, from where the variant stands.
  void look_ahead(const Variant& variant, const DeviceModel& device, const std::string& parameter);
  // The next values of all sliders.
  void look_around(const Variant& variant, const DeviceModel& device);
  [[nodiscard]] bool may_look_around() const { return around_threads_ > 0 && !ahead_.working(); }
  void stop_looking_around();
  // Another kernel: what was planned ahead is dropped.
  void drop();

  // Whether the variant with another value of this parameter was compiled ahead.
  [[nodiscard]] bool compiled(const Variant& variant, const std::string& parameter,
                              std::int64_t value) const;
  [[nodiscard]] bool take_news() { return ahead_.take_news(); }
  [[nodiscard]] const CompileAhead& ahead() const { return ahead_; }
  [[nodiscard]] const CompileAhead& around() const { return around_; }

 private:
  struct Of {  // what is compiled ahead belongs to this
    const CatalogueEntry* entry = nullptr;
    std::optional<std::string> edited;
    ParameterSet parameters;
    ParameterSet extents;
    std::string parameter;
    const DeviceModel* device = nullptr;
    friend bool operator==(const Of&, const Of&) = default;
  };
  [[nodiscard]] static Of of(const Variant& variant, const DeviceModel& device,
                             const std::string& parameter);
  [[nodiscard]] std::vector<CompileAhead::Variant> alternatives(const Variant& variant,
                                                                const DeviceModel& device,
                                                                const ParameterSpec& spec) const;

  const Catalogue& catalogue_;
  unsigned around_threads_;
  Of ahead_of_;
  CompileAhead ahead_;
  Of around_of_;
  CompileAhead around_;
};

}  // namespace tilescope

#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/study/parameter_occupancy.h"
#include "analysis/time/littles_law.h"
#include "scene/drawing/pen.h"
#include "scene/view/view.h"
#include "scene/view/view_descriptor.h"

namespace tilescope {

// What the occupancy view shows: the study's block on the chosen device.
struct OccupancyPicture {
  const KernelStudy* study = nullptr;
  const DeviceModel* device = nullptr;
  std::string device_name;   // short_name() of it
  bool as_compiled = true;   // the registers are those of the device's own architecture
  std::string architecture;  // that they are of, "sm_90"
  OccupancyRequest request;
  // nullopt: more threads than a block of the device has, or against a rule of the kernel
  std::optional<Occupancy> occupancy;
  std::string against;  // that rule, "warp groups multiply on sm_90 alone; the device is sm_100"
  OutstandingLoads loads;
  MemoryLatency latency;
  int loading_warps = 0;  // of the fullest SM: a small grid has fewer than fit
  BytesInFlight flight;   // where there is an occupancy

  [[nodiscard]] bool runs() const { return occupancy && occupancy->blocks_per_multiprocessor > 0; }
  // Where the number of resident blocks comes from: a model of what the compiler would do
  // elsewhere.
  [[nodiscard]] Source source() const {
    return as_compiled ? Source::kEmulated : Source::kModelled;
  }
};
// nullopt while the compiled kernel's registers are not known. Precondition: context.prepared.
[[nodiscard]] std::optional<OccupancyPicture> occupancy_picture(const ViewContext& context);

// How the study's block would stand on a device of the table; neither: more threads than its blocks
// have.
struct OnDevice {
  std::optional<Occupancy> occupancy;
  std::string against;  // a rule of the kernel that does not hold there, where resources allow it
  [[nodiscard]] bool runs() const { return occupancy && occupancy->blocks_per_multiprocessor > 0; }
};
[[nodiscard]] OnDevice on_device(const ViewContext& context, const OccupancyRequest& request,
                                 const DeviceModel& device);

// "NVIDIA GeForce GTX 1080 Ti" -> "GTX 1080 Ti".
[[nodiscard]] std::string short_name(const DeviceModel& device);

void draw_occupancy(Canvas& canvas, const Rect& area, const ViewContext& context);

// Parts of the view.
// The percentage, and below it warp slots, registers, shared memory and block slots of one SM,
// filled block by block.
void draw_sm_resources(Pen& pen, const Rect& area, const OccupancyPicture& picture);
// Little's law: what the resident warps can have under way beside what the memory needs.
void draw_bytes_in_flight(Pen& pen, const Rect& area, const OccupancyPicture& picture);
// All devices with their occupancy; a click chooses one. Height is that of the row, or of two where
// one is too short.
[[nodiscard]] float device_row_height(const Pen& pen, float width, const ViewContext& context);
void draw_device_row(Pen& pen, const Rect& area, const ViewContext& context,
                     const OccupancyPicture& picture);

// The parts that make a picture alone.
[[nodiscard]] std::span<const ViewPart> occupancy_parts();

}  // namespace tilescope

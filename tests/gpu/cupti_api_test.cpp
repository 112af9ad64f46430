#include "gpu/cupti_api.h"

#include <gtest/gtest.h>

#if __has_include(<cupti_range_profiler.h>)
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#endif

namespace tilescope {
namespace {

#if __has_include(<cupti_range_profiler.h>)

// Size, and where the last field that is set or read lies.
#define EXPECT_SAME(Ours, our_last, Theirs, their_last)                              \
  EXPECT_EQ(cupti::kBytes<cupti::Ours>, std::size_t{Theirs##_STRUCT_SIZE}) << #Ours; \
  EXPECT_EQ(offsetof(cupti::Ours, our_last), offsetof(Theirs, their_last)) << #Ours

TEST(CuptiApi, StructsAreThoseOfTheHeaders) {
  EXPECT_EQ(sizeof(cupti::Initialize), std::size_t{CUpti_Profiler_Initialize_Params_STRUCT_SIZE});
  EXPECT_SAME(ChipName, name, CUpti_Device_GetChipName_Params, pChipName);
  EXPECT_SAME(CounterAvailability, image, CUpti_Profiler_GetCounterAvailability_Params,
              pCounterAvailabilityImage);
  EXPECT_SAME(HostInitialize, host, CUpti_Profiler_Host_Initialize_Params, pHostObject);
  EXPECT_SAME(HostDeinitialize, host, CUpti_Profiler_Host_Deinitialize_Params, pHostObject);
  EXPECT_SAME(AddMetrics, count, CUpti_Profiler_Host_ConfigAddMetrics_Params, numMetrics);
  EXPECT_SAME(ConfigSize, bytes, CUpti_Profiler_Host_GetConfigImageSize_Params, configImageSize);
  EXPECT_SAME(ConfigImage, image, CUpti_Profiler_Host_GetConfigImage_Params, pConfigImage);
  EXPECT_SAME(Evaluate, values, CUpti_Profiler_Host_EvaluateToGpuValues_Params, pMetricValues);
  EXPECT_SAME(Enable, profiler, CUpti_RangeProfiler_Enable_Params, pRangeProfilerObject);
  EXPECT_SAME(OfProfiler, profiler, CUpti_RangeProfiler_Start_Params, pRangeProfilerObject);
  EXPECT_SAME(OfProfiler, profiler, CUpti_RangeProfiler_PopRange_Params, pRangeProfilerObject);
  EXPECT_SAME(OfProfiler, profiler, CUpti_RangeProfiler_Disable_Params, pRangeProfilerObject);
  EXPECT_SAME(CounterDataSize, bytes, CUpti_RangeProfiler_GetCounterDataSize_Params,
              counterDataSize);
  EXPECT_SAME(CounterDataInitialize, data, CUpti_RangeProfiler_CounterDataImage_Initialize_Params,
              pCounterData);
  EXPECT_SAME(SetConfig, target_nesting_level, CUpti_RangeProfiler_SetConfig_Params,
              targetNestingLevel);
  EXPECT_EQ(offsetof(cupti::SetConfig, replay),
            offsetof(CUpti_RangeProfiler_SetConfig_Params, replayMode));
  EXPECT_SAME(PushRange, name, CUpti_RangeProfiler_PushRange_Params, pRangeName);
  EXPECT_SAME(Stop, all_passes_done, CUpti_RangeProfiler_Stop_Params, isAllPassSubmitted);
  EXPECT_SAME(DecodeData, ranges_dropped, CUpti_RangeProfiler_DecodeData_Params, numOfRangeDropped);
  EXPECT_EQ(static_cast<int>(cupti::RangeMode::kUser), CUPTI_UserRange);
  EXPECT_EQ(static_cast<int>(cupti::ReplayMode::kUser), CUPTI_UserReplay);
  EXPECT_EQ(static_cast<int>(cupti::ProfilerType::kRange), CUPTI_PROFILER_TYPE_RANGE_PROFILER);
  EXPECT_EQ(cupti::kInsufficientPrivileges, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
  EXPECT_EQ(cupti::kVirtualInsufficientPrivileges,
            CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES);
}

#else

TEST(CuptiApi, StructsAreThoseOfTheHeaders) { GTEST_SKIP() << "no CUPTI headers here"; }

#endif

TEST(CuptiApi, AStructKnowsItsSize) {
  EXPECT_EQ(cupti::make<cupti::Stop>().size, 41U);
  EXPECT_EQ(cupti::make<cupti::Initialize>().size, 16U);
  EXPECT_EQ(cupti::make<cupti::Enable>().profiler, nullptr);
}

}  // namespace
}  // namespace tilescope

#pragma once
#include <cstddef>
#include <cstdint>

// How the stand-ins for CUDA's libraries reach the device's memory: functions of the stand-in
// runtime, which is loaded before them.
extern "C" {
// Where the library may read (or, where `writes`, write) `bytes` bytes of device memory; host
// memory is itself. nullptr: they are not all in one allocation, or a stream is captured: which is
// reported.
void* cudaTilescopePlace(const void* pointer, std::size_t bytes, int writes);
// The library has done something that takes so long on the device, by a rule of thumb.
void cudaTilescopeSpend(double seconds);
// A function that is not there: named once.
void cudaTilescopeMissing(const char* name);
// Peak FP32 rate of the device, flop/s.
double cudaTilescopePeak();
}

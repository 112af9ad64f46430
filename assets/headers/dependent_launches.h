// What a kernel calls to overlap with the launch before it and the one after it: CUDA C++
// Programming Guide, "Programmatic Dependent Launch and Synchronization". NVRTC has no runtime.
#ifndef TILESCOPE_DEPENDENT_LAUNCHES
#define TILESCOPE_DEPENDENT_LAUNCHES
__device__ inline void cudaGridDependencySynchronize() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
__device__ inline void cudaTriggerProgrammaticLaunchCompletion() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
#endif

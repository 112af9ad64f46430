// Every thread takes a lock, adds to a total and gives the lock back. Before Volta the lanes that wait
// kept the one that has the lock from going on; since then it ends, thread after thread, and so must
// the emulation. But nothing orders the additions: an atomicCAS that takes a lock needs a fence after
// it, and its release one before. With both it is sound.
// trace: --grid 1 --block 64 --arg i32[1]=zero --arg f32[1]=zero --arg f32[64]=random:1
// trace 1: -D NO_FENCE
// mutant 1: global_race at add (nothing orders the additions)
__global__ void added(int* lock, volatile float* total, const float* in) {
#ifdef NO_FENCE
  float* sum = const_cast<float*>(total);
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  *sum += in[threadIdx.x];  //@add
  atomicExch(lock, 0);
#else
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) != 0) continue;
    __threadfence();
    *total += in[threadIdx.x];
    __threadfence();
    atomicExch(lock, 0);
    done = true;
  }
#endif
}

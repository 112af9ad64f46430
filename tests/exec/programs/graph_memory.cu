// Memory that a graph allocates has one address for all its launches, also where the program frees it
// between them; it goes with the graph.
// output: 30 30
// launches: 4
#include <cstdio>
__global__ void put(int* to, int value) { *to = value; }
__global__ void add(const int* from, int* sum) { *sum += *from; }
int main() {
  int* sum;
  cudaMalloc(&sum, sizeof(int));
  cudaMemset(sum, 0, sizeof(int));
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaGraphCreate(&graph, 0);
  cudaMemAllocNodeParams memory = {};
  memory.poolProps.allocType = cudaMemAllocationTypePinned;
  memory.poolProps.location.type = cudaMemLocationTypeDevice;
  memory.bytesize = 1024;
  cudaGraphNode_t allocate, write, read;
  cudaGraphAddMemAllocNode(&allocate, graph, nullptr, 0, &memory);
  int value = 15;
  void* of_put[] = {&memory.dptr, &value};
  cudaKernelNodeParams kernel = {};
  kernel.func = reinterpret_cast<void*>(put);
  kernel.gridDim = kernel.blockDim = 1;
  kernel.kernelParams = of_put;
  cudaGraphAddKernelNode(&write, graph, &allocate, 1, &kernel);
  void* of_add[] = {&memory.dptr, &sum};
  kernel.func = reinterpret_cast<void*>(add);
  kernel.kernelParams = of_add;
  cudaGraphAddKernelNode(&read, graph, &write, 1, &kernel);
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphDestroy(graph);
  int host[2] = {};
  for (int i = 0; i < 2; ++i) {
    cudaGraphLaunch(executable, 0);
    cudaMemcpy(&host[i], sum, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(memory.dptr);
  }
  printf("%d %d\n", host[0] * 2, host[1]);
  cudaGraphExecDestroy(executable);
  cudaFree(sum);
}

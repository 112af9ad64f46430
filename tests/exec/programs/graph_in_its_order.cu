// The nodes of a graph are executed in the order of its edges, not in that in which they were made.
// output: 9
// output: a cycle: 1
// host: failed_call
#include <cstdio>

__global__ void add(int* value, int by) { *value += by; }
__global__ void multiply(int* value, int by) { *value *= by; }

int main() {
  int* value = nullptr;
  cudaMalloc(&value, sizeof *value);
  const int one = 1;
  cudaMemcpy(value, &one, sizeof one, cudaMemcpyHostToDevice);
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  int seven = 7;
  int two = 2;
  void* of_add[] = {&value, &seven};
  void* of_multiply[] = {&value, &two};
  cudaKernelNodeParams node = {};
  node.gridDim = dim3(1);
  node.blockDim = dim3(1);
  cudaGraphNode_t late;
  cudaGraphNode_t early;
  node.func = reinterpret_cast<void*>(add);
  node.kernelParams = of_add;
  cudaGraphAddKernelNode(&late, graph, nullptr, 0, &node);
  node.func = reinterpret_cast<void*>(multiply);
  node.kernelParams = of_multiply;
  cudaGraphAddKernelNode(&early, graph, nullptr, 0, &node);
#if CUDART_VERSION >= 13000
  cudaGraphAddDependencies(graph, &early, &late, nullptr, 1);
#else
  cudaGraphAddDependencies(graph, &early, &late, 1);
#endif
  cudaGraphExec_t made;
  cudaGraphInstantiate(&made, graph, 0);
  cudaGraphLaunch(made, nullptr);
  int result = 0;
  cudaMemcpy(&result, value, sizeof result, cudaMemcpyDeviceToHost);
  std::printf("%d\n", result);
#if CUDART_VERSION >= 13000
  cudaGraphAddDependencies(graph, &late, &early, nullptr, 1);
#else
  cudaGraphAddDependencies(graph, &late, &early, 1);
#endif
  cudaGraphExec_t none;
  std::printf("a cycle: %d\n", cudaGraphInstantiate(&none, graph, 0));
  cudaGetLastError();
  cudaGraphExecDestroy(made);
  cudaGraphDestroy(graph);
  cudaFree(value);
}

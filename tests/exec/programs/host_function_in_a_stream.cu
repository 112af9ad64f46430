// output: 7
// output: 7
// What the stream has done before is there when the function runs.
#include <cstdio>
__global__ void seven(int* out) { *out = 7; }
void show(void* value) { printf("%d\n", *static_cast<int*>(value)); }
int main() {
  int *on_device, *on_host;
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamCreate(&stream);
  cudaMalloc(&on_device, sizeof(int));
  cudaMallocHost(&on_host, sizeof(int));
  seven<<<1, 1, 0, stream>>>(on_device);
  cudaMemcpyAsync(on_host, on_device, sizeof(int), cudaMemcpyDeviceToHost, stream);
  cudaLaunchHostFunc(stream, show, on_host);
  cudaStreamSynchronize(stream);
  *on_host = 0;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaMemcpyAsync(on_host, on_device, sizeof(int), cudaMemcpyDeviceToHost, stream);
  cudaLaunchHostFunc(stream, show, on_host);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphLaunch(executable, stream);
  cudaStreamSynchronize(stream);
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
  cudaFreeHost(on_host);
  cudaFree(on_device);
}

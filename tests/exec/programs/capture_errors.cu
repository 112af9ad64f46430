// output: cudaErrorStreamCaptureUnjoined
// output: cudaErrorStreamCaptureUnsupported
// output: cudaErrorStreamCaptureInvalidated
// output: cudaSuccess
// output: 3
// host: failed_call
// host: failed_call
// host: failed_call
#include <cstdio>

__global__ void add(int* sum, int value) { *sum += value; }

int main() {
  int *sum, host;
  cudaMalloc(&sum, sizeof(int));
  cudaMemset(sum, 0, sizeof(int));
  cudaStream_t stream, other;
  cudaEvent_t begun, done;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamCreate(&stream);
  cudaStreamCreate(&other);
  cudaEventCreate(&begun);
  cudaEventCreate(&done);
  for (int way = 0; way < 3; ++way) {
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaEventRecord(begun, stream);
    cudaStreamWaitEvent(other, begun, 0);
    add<<<1, 1, 0, stream>>>(sum, 1);
    add<<<1, 1, 0, other>>>(sum + 0, 2);
    cudaEventRecord(done, other);
    if (way != 0) cudaStreamWaitEvent(stream, done, 0);
    if (way == 1) printf("%s\n", cudaGetErrorName(cudaStreamSynchronize(stream)));
    printf("%s\n", cudaGetErrorName(cudaStreamEndCapture(stream, &graph)));
  }
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphLaunch(executable, stream);
  cudaMemcpyAsync(&host, sum, sizeof host, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  printf("%d\n", host);
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaEventDestroy(begun);
  cudaEventDestroy(done);
  cudaStreamDestroy(other);
  cudaStreamDestroy(stream);
  cudaFree(sum);
}

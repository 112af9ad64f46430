#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

#include "runtime/graph.h"
#include "runtime/program_state.h"

// Graphs: capture of streams, nodes that are added, launches.
namespace tilescope::runtime {
namespace {

Graph* of(void* graph) { return static_cast<Graph*>(graph); }

// Nodes have no identity here: each is its place in the graph.
void name_node(void** node, const Graph& graph) {
  if (node != nullptr) *node = reinterpret_cast<void*>(graph.work.size());
}

// Other work for a node of an executable graph.
Error replace(void* graph, void* node, std::function<Error()> work) {
  const auto place = reinterpret_cast<std::size_t>(node);
  if (place == 0 || place > of(graph)->work.size()) return kInvalidValue;
  of(graph)->work[place - 1] = std::move(work);
  return kSuccess;
}

std::mutex graph_memory_mutex;
std::map<const void*, std::size_t> graph_memory;  // bytes, by address
std::size_t most_graph_memory = 0;                // bytes that there were at once

// Precondition: the mutex is held.
std::size_t graph_bytes() {
  std::size_t bytes = 0;
  for (const auto& [pointer, size] : graph_memory) bytes += size;
  return bytes;
}

struct KernelNode {  // cudaKernelNodeParams
  void* function;
  Extents grid, block;
  unsigned shared_bytes;
  void** arguments;
  void** extra;
};
struct AllocationNode {  // cudaMemAllocNodeParams
  std::byte pool_properties[88];
  const void* access;
  std::size_t access_count;
  std::size_t bytes;
  void* pointer;
};
struct SetNode {  // cudaMemsetParams
  void* to;
  std::size_t pitch;
  unsigned value, element_bytes;
  std::size_t width, height;
};
struct HostNode {  // cudaHostNodeParams
  void (*function)(void*);
  void* data;
};

Error instantiate(void** made, void* graph) {
  if (made == nullptr || graph == nullptr) return kInvalidValue;
  *made = new Graph(*of(graph));
  return kSuccess;
}

}  // namespace

Graph* capture_of(const void* stream) {
  return stream_id(stream) == 0 ? nullptr : static_cast<const Stream*>(stream)->graph;
}

bool is_graph_memory(const void* pointer) {
  const std::scoped_lock lock(graph_memory_mutex);
  return graph_memory.contains(pointer);
}

}  // namespace tilescope::runtime

using namespace tilescope::runtime;

TILESCOPE_EXPORT Error cudaMalloc(void** pointer, std::size_t bytes);
TILESCOPE_EXPORT Error cudaFree(void* pointer);

TILESCOPE_EXPORT Error cudaStreamBeginCapture(void* stream, int) {
  if (stream_id(stream) == 0) return finish(900, __func__);  // the legacy stream cannot be captured
  static_cast<Stream*>(stream)->graph = new Graph;
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaStreamEndCapture(void* stream, void** graph) {
  Graph* captured = capture_of(stream);
  if (captured == nullptr) return finish(901, __func__);
  ProgramState& state = ProgramState::get();
  const std::scoped_lock lock(state.mutex);
  for (Stream* other : state.streams) {  // those that joined by an event
    if (other->graph == captured) other->graph = nullptr;
  }
  *graph = captured;
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaStreamIsCapturing(void* stream, int* status) {
  *status = capture_of(stream) != nullptr ? 1 : 0;
  return finish(kSuccess, __func__);
}
// Programs ask whether and in which capture they are; the graph itself is told by
// cudaStreamEndCapture.
TILESCOPE_EXPORT Error cudaStreamGetCaptureInfo(void* stream, int* status, unsigned long long* id) {
  const Graph* graph = capture_of(stream);
  if (status == nullptr) return finish(kInvalidValue, __func__);
  *status = graph != nullptr ? 1 : 0;
  if (id != nullptr) *id = reinterpret_cast<std::uintptr_t>(graph);
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaThreadExchangeStreamCaptureMode(int*) {
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaGraphCreate(void** graph, unsigned) {
  *graph = new Graph;
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaGraphDestroy(void* graph) {
  delete of(graph);
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaGraphClone(void** copy, void* graph) {
  return finish(instantiate(copy, graph), __func__);
}
TILESCOPE_EXPORT Error cudaGraphGetNodes(void* graph, void**, std::size_t* count) {
  *count = of(graph)->work.size();
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaGraphInstantiate(void** made, void* graph) {
  return finish(instantiate(made, graph), __func__);
}
TILESCOPE_EXPORT Error cudaGraphInstantiateWithFlags(void** made, void* graph, unsigned long long) {
  return finish(instantiate(made, graph), __func__);
}
TILESCOPE_EXPORT Error cudaGraphExecDestroy(void* graph) {
  delete of(graph);
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaGraphExecUpdate(void* made, void* graph, void*) {
  of(made)->work = of(graph)->work;
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaGraphUpload(void*, void*) { return finish(kSuccess, __func__); }
TILESCOPE_EXPORT Error cudaGraphLaunch(void* graph, void* stream) {
  if (graph == nullptr) return finish(kInvalidValue, __func__);
  if (Graph* outer = capture_of(stream)) {
    return finish(outer->add([work = *of(graph)] { return work.run(); }), __func__);
  }
  return finish(of(graph)->run(), __func__);
}
TILESCOPE_EXPORT Error cudaGraphAddKernelNode(void** node, void* graph, const void*, std::size_t,
                                              const KernelNode* kernel) {
  Error error = kSuccess;
  auto work = kernel_work(kernel->function, kernel->grid, kernel->block, kernel->shared_bytes,
                          kernel->arguments, &error);
  if (error == kSuccess) of(graph)->add(std::move(work));
  name_node(node, *of(graph));
  return finish(error, __func__);
}
TILESCOPE_EXPORT Error cudaGraphAddMemcpyNode(void** node, void* graph, const void*, std::size_t,
                                              const Copy3* copy) {
  of(graph)->add(copy_work(*copy));
  name_node(node, *of(graph));
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaGraphAddMemcpyNode1D(void** node, void* graph, const void*, std::size_t,
                                                void* to, const void* from, std::size_t bytes,
                                                int kind) {
  Copy3 copy;
  copy.from = {const_cast<void*>(from), bytes, bytes, 1};
  copy.to = {to, bytes, bytes, 1};
  copy.extent = {bytes, 1, 1};
  copy.kind = kind;
  of(graph)->add(copy_work(copy));
  name_node(node, *of(graph));
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaGraphAddMemsetNode(void** node, void* graph, const void*, std::size_t,
                                              const SetNode* set) {
  of(graph)->add(set_work(set->to, static_cast<int>(set->value), set->element_bytes, set->pitch,
                          set->width * set->element_bytes, set->height));
  name_node(node, *of(graph));
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaGraphAddHostNode(void** node, void* graph, const void*, std::size_t,
                                            const HostNode* host) {
  of(graph)->add(host_work(host->function, host->data));
  name_node(node, *of(graph));
  return finish(kSuccess, __func__);
}
// The memory has its address from now on. It is freed with the last graph that has the node.
TILESCOPE_EXPORT Error cudaGraphAddMemAllocNode(void** node, void* graph, const void*, std::size_t,
                                                AllocationNode* allocation) {
  const Error error = cudaMalloc(&allocation->pointer, allocation->bytes);
  if (error != kSuccess) return error;
  {
    const std::scoped_lock lock(graph_memory_mutex);
    graph_memory.emplace(allocation->pointer, allocation->bytes);
    most_graph_memory = std::max(most_graph_memory, graph_bytes());
  }
  const std::shared_ptr<void> holder(allocation->pointer, [](void* pointer) {
    {
      const std::scoped_lock lock(graph_memory_mutex);
      graph_memory.erase(pointer);
    }
    cudaFree(pointer);
  });
  of(graph)->add([holder] { return kSuccess; });
  name_node(node, *of(graph));
  return finish(kSuccess, __func__);
}
// Nothing is reserved beyond what is used.
TILESCOPE_EXPORT Error cudaDeviceGetGraphMemAttribute(int, int attribute, void* value) {
  const std::scoped_lock lock(graph_memory_mutex);
  const bool is_most = (attribute & 1) != 0;  // cudaGraphMemAttr...High
  const std::uint64_t bytes = is_most ? most_graph_memory : graph_bytes();
  std::memcpy(value, &bytes, sizeof bytes);
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaDeviceSetGraphMemAttribute(int, int, void*) {  // forgets the most
  const std::scoped_lock lock(graph_memory_mutex);
  most_graph_memory = graph_bytes();
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaDeviceGraphMemTrim(int) { return finish(kSuccess, __func__); }
TILESCOPE_EXPORT Error cudaGraphAddMemFreeNode(void** node, void* graph, const void*, std::size_t,
                                               void*) {
  of(graph)->add([] { return kSuccess; });
  name_node(node, *of(graph));
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaGraphAddEmptyNode(void** node, void* graph, const void*, std::size_t) {
  of(graph)->add([] { return kSuccess; });
  name_node(node, *of(graph));
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaGraphAddChildGraphNode(void** node, void* graph, const void*,
                                                  std::size_t, void* child) {
  of(graph)->add([work = *of(child)] { return work.run(); });
  name_node(node, *of(graph));
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaGraphExecKernelNodeSetParams(void* graph, void* node,
                                                        const KernelNode* kernel) {
  Error error = kSuccess;
  auto work = kernel_work(kernel->function, kernel->grid, kernel->block, kernel->shared_bytes,
                          kernel->arguments, &error);
  if (error == kSuccess) error = replace(graph, node, std::move(work));
  return finish(error, __func__);
}
TILESCOPE_EXPORT Error cudaGraphExecMemsetNodeSetParams(void* graph, void* node,
                                                        const SetNode* set) {
  return finish(replace(graph, node,
                        set_work(set->to, static_cast<int>(set->value), set->element_bytes,
                                 set->pitch, set->width * set->element_bytes, set->height)),
                __func__);
}
TILESCOPE_EXPORT Error cudaGraphExecMemcpyNodeSetParams(void* graph, void* node,
                                                        const Copy3* copy) {
  return finish(replace(graph, node, copy_work(*copy)), __func__);
}
TILESCOPE_EXPORT Error cudaGraphExecHostNodeSetParams(void* graph, void* node,
                                                      const HostNode* host) {
  return finish(replace(graph, node, host_work(host->function, host->data)), __func__);
}
TILESCOPE_EXPORT Error cudaGraphAddDependencies(void*, const void*, const void*, const void*,
                                                std::size_t) {
  return finish(kSuccess, __func__);
}

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "runtime/graph.h"
#include "runtime/program_state.h"

// Graphs: capture of streams, nodes that are added, launches.
namespace tilescope::runtime {
namespace {

Graph* of(void* graph) { return static_cast<Graph*>(graph); }

// Nodes have no identity here: each is its place in the graph, from 1.
std::size_t place_of(const void* node) { return reinterpret_cast<std::size_t>(node); }
void* node_at(std::size_t place) { return reinterpret_cast<void*>(place); }

Error add_node(void** node, void* graph, void* const* dependencies, std::size_t count,
               std::function<Error()> work) {
  of(graph)->add(std::move(work));
  void* const made = node_at(of(graph)->work.size());
  if (node != nullptr) *node = made;
  const std::vector<void*> after(count, made);
  return add_edges(graph, dependencies, after.data(), count);
}

// Other work for a node of an executable graph.
Error replace(void* graph, void* node, std::function<Error()> work) {
  const std::size_t place = place_of(node);
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
  if (of(graph)->order().size() != of(graph)->work.size()) return kInvalidValue;  // a cycle
  *made = new Graph(*of(graph));
  return kSuccess;
}

}  // namespace

std::vector<std::size_t> Graph::order() const {
  std::vector<std::size_t> waits_for(work.size(), 0);
  for (const Edge& edge : edges) ++waits_for[edge.after];
  std::set<std::size_t> ready;
  for (std::size_t node = 0; node < work.size(); ++node) {
    if (waits_for[node] == 0) ready.insert(node);
  }
  std::vector<std::size_t> ordered;
  while (!ready.empty()) {
    const std::size_t node = *ready.begin();
    ready.erase(ready.begin());
    ordered.push_back(node);
    for (const Edge& edge : edges) {
      if (edge.before == node && --waits_for[edge.after] == 0) ready.insert(edge.after);
    }
  }
  return ordered;
}

Error Graph::run() const {
  for (const std::size_t node : order()) {
    if (const Error error = work[node](); error != kSuccess) return error;
  }
  return kSuccess;
}

Error add_edges(void* graph, void* const* before, void* const* after, std::size_t count) {
  Graph& to = *of(graph);
  const auto is_node = [&](const void* node) {
    return place_of(node) != 0 && place_of(node) <= to.work.size();
  };
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_node(before[i]) || !is_node(after[i])) return kInvalidValue;
    to.edges.push_back({place_of(before[i]) - 1, place_of(after[i]) - 1});
  }
  return kSuccess;
}

Graph* capture_of(const void* stream) {
  return stream_id(stream) == 0 ? nullptr : static_cast<const Stream*>(stream)->graph;
}

bool break_capture(const void* stream) {
  Graph* const graph = capture_of(stream);
  if (graph != nullptr) graph->is_broken = true;
  return graph != nullptr;
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
  if (stream_id(stream) == 0)
    return finish(kStreamCaptureUnsupported, __func__);  // the legacy stream cannot be captured
  static_cast<Stream*>(stream)->graph = new Graph;
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaStreamEndCapture(void* stream, void** graph) {
  Graph* captured = capture_of(stream);
  if (captured == nullptr) return finish(kStreamCaptureInvalidated, __func__);
  ProgramState& state = ProgramState::get();
  const std::scoped_lock lock(state.mutex);
  Error error = captured->is_broken ? kStreamCaptureInvalidated : kSuccess;
  for (Stream* other : state.streams) {  // those that joined by an event
    if (other->graph != captured) continue;
    if (other != stream && other->must_join && error == kSuccess) error = kStreamCaptureUnjoined;
    other->graph = nullptr;
    other->must_join = false;
  }
  *graph = error == kSuccess ? captured : nullptr;
  return finish(error, __func__);
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
  of(made)->edges = of(graph)->edges;
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
TILESCOPE_EXPORT Error cudaGraphAddKernelNode(void** node, void* graph, void* const* dependencies,
                                              std::size_t count, const KernelNode* kernel) {
  Error error = kSuccess;
  auto work = kernel_work(kernel->function, kernel->grid, kernel->block, kernel->shared_bytes,
                          kernel->arguments, &error);
  if (error == kSuccess) error = add_node(node, graph, dependencies, count, std::move(work));
  return finish(error, __func__);
}
TILESCOPE_EXPORT Error cudaGraphAddMemcpyNode(void** node, void* graph, void* const* dependencies,
                                              std::size_t count, const Copy3* copy) {
  return finish(add_node(node, graph, dependencies, count, copy_work(*copy)), __func__);
}
TILESCOPE_EXPORT Error cudaGraphAddMemcpyNode1D(void** node, void* graph, void* const* dependencies,
                                                std::size_t count, void* to, const void* from,
                                                std::size_t bytes, int kind) {
  Copy3 copy;
  copy.from = {const_cast<void*>(from), bytes, bytes, 1};
  copy.to = {to, bytes, bytes, 1};
  copy.extent = {bytes, 1, 1};
  copy.kind = kind;
  return finish(add_node(node, graph, dependencies, count, copy_work(copy)), __func__);
}
TILESCOPE_EXPORT Error cudaGraphAddMemsetNode(void** node, void* graph, void* const* dependencies,
                                              std::size_t count, const SetNode* set) {
  return finish(add_node(node, graph, dependencies, count,
                         set_work(set->to, static_cast<int>(set->value), set->element_bytes,
                                  set->pitch, set->width * set->element_bytes, set->height)),
                __func__);
}
TILESCOPE_EXPORT Error cudaGraphAddHostNode(void** node, void* graph, void* const* dependencies,
                                            std::size_t count, const HostNode* host) {
  return finish(add_node(node, graph, dependencies, count, host_work(host->function, host->data)),
                __func__);
}
// The memory has its address from now on. It is freed with the last graph that has the node.
TILESCOPE_EXPORT Error cudaGraphAddMemAllocNode(void** node, void* graph, void* const* dependencies,
                                                std::size_t count, AllocationNode* allocation) {
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
  return finish(add_node(node, graph, dependencies, count, [holder] { return kSuccess; }),
                __func__);
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
TILESCOPE_EXPORT Error cudaGraphAddMemFreeNode(void** node, void* graph, void* const* dependencies,
                                               std::size_t count, void*) {
  return finish(add_node(node, graph, dependencies, count, [] { return kSuccess; }), __func__);
}
TILESCOPE_EXPORT Error cudaGraphAddEmptyNode(void** node, void* graph, void* const* dependencies,
                                             std::size_t count) {
  return finish(add_node(node, graph, dependencies, count, [] { return kSuccess; }), __func__);
}
TILESCOPE_EXPORT Error cudaGraphAddChildGraphNode(void** node, void* graph,
                                                  void* const* dependencies, std::size_t count,
                                                  void* child) {
  return finish(
      add_node(node, graph, dependencies, count, [work = *of(child)] { return work.run(); }),
      __func__);
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

#pragma once
#include <functional>
#include <utility>
#include <vector>

#include "runtime/cuda_abi.h"

namespace tilescope::runtime {

// A graph: work in the order in which it was captured or added, which is one that its edges allow.
// Its nodes are only counted.
struct Graph {
  struct Edge {
    std::size_t before = 0;  // places in work
    std::size_t after = 0;
  };
  std::vector<std::function<Error()>> work;  // the nodes, as they were made
  std::vector<Edge> edges;
  bool is_broken = false;  // its capture: by a call that cannot be captured

  Error add(std::function<Error()> piece) {
    work.push_back(std::move(piece));
    return kSuccess;
  }
  // The nodes so that each comes after those that it depends on, else as they were made; of a graph
  // with a cycle those that are in none and depend on none.
  [[nodiscard]] std::vector<std::size_t> order() const;
  [[nodiscard]] Error run() const;
};

// after[i] comes after before[i], handles of nodes; kInvalidValue: there is no such node.
Error add_edges(void* graph, void* const* before, void* const* after, std::size_t count);

// What the stream's work is captured into; nullptr: it is done at once.
[[nodiscard]] Graph* capture_of(const void* stream);

// The stream's work is captured, so nobody can wait for it: the capture is over. False: it is not.
bool break_capture(const void* stream);

// Whether the memory is a graph's: a program may free it, and the graph has it again with its next
// launch, at the same address.
[[nodiscard]] bool is_graph_memory(const void* pointer);

// Pieces of work, of the other sources of calls.
[[nodiscard]] std::function<Error()> kernel_work(const void* function, Extents grid, Extents block,
                                                 std::size_t shared_bytes, void** arguments,
                                                 Error* error);
[[nodiscard]] std::function<Error()> copy_work(const Copy3& box);
[[nodiscard]] std::function<Error()> set_work(void* to, int value, std::size_t element_bytes,
                                              std::size_t pitch, std::size_t width,
                                              std::size_t height);
// A function of the program's, after what the stream has done; without one, what all have.
[[nodiscard]] std::function<Error()> host_work(void (*function)(void*), void* data,
                                               const void* stream = nullptr);

}  // namespace tilescope::runtime

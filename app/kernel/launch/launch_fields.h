#pragma once

#include "kernel/source/structure_layout.h"

namespace tilescope {

// In session files and in messages to the worker (core/fields.h).
template <typename Visitor>
void fields(Visitor& visit, StructureMember& member) {
  visit("parameter", member.parameter, {.most = 1024});
  visit("offset", member.offset, {.most = kMostParameterBytes});
  visit("structure_bytes", member.structure_bytes, {.most = kMostParameterBytes});
}

}  // namespace tilescope

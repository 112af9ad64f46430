#pragma once
#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>

#include "core/result.h"
#include "gpu/message_fields.h"
#include "gpu/messages.h"

namespace tilescope {

// The structs that messages are made of, to and from CBOR's data model. decode_... throws a
// FieldError; only protocol.cpp calls these.

[[nodiscard]] nlohmann::json encode(const Error& error);
[[nodiscard]] nlohmann::json encode(const DeviceInfo& device);
[[nodiscard]] nlohmann::json encode(const RunResult& result);
[[nodiscard]] Error decode_error(const Fields& fields);
[[nodiscard]] DeviceInfo decode_device(const Fields& fields);
[[nodiscard]] RunResult decode_result(const Fields& fields);

[[nodiscard]] nlohmann::json encode(const KernelInstance& instance);
[[nodiscard]] nlohmann::json encode(const CompiledKernel& compiled);
[[nodiscard]] nlohmann::json encode(const TimingOptions& timing);
[[nodiscard]] KernelInstance decode_instance(const Fields& fields);
[[nodiscard]] std::shared_ptr<const CompiledKernel> decode_compiled(const Fields& fields);
[[nodiscard]] TimingOptions decode_timing(const Fields& fields);

[[nodiscard]] nlohmann::json encode_bytes(std::span<const std::byte> bytes);

}  // namespace tilescope

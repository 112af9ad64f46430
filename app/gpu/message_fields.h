#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <vector>

namespace tilescope {

// A field that is missing, of another type or out of range. Thrown and caught inside protocol.cpp.
struct FieldError {
  std::string field;
};

// Checked reading of a decoded message, field by field.
class Fields {
 public:
  explicit Fields(const nlohmann::json& json, const std::string& name = "message") : json_(json) {
    if (!json.is_object()) throw FieldError{name};
  }

  [[nodiscard]] const nlohmann::json& any(const char* name) const {
    const auto found = json_.find(name);
    if (found == json_.end()) throw FieldError{name};
    return *found;
  }
  [[nodiscard]] Fields object(const char* name) const { return Fields(any(name), name); }
  [[nodiscard]] bool has(const char* name) const { return json_.contains(name); }

  [[nodiscard]] const nlohmann::json& array(const char* name) const {
    const nlohmann::json& value = any(name);
    if (!value.is_array()) throw FieldError{name};
    return value;
  }

  [[nodiscard]] std::string text(const char* name) const { return as_text(any(name), name); }
  [[nodiscard]] bool flag(const char* name) const {
    const nlohmann::json& value = any(name);
    if (!value.is_boolean()) throw FieldError{name};
    return value.get<bool>();
  }
  // May be NaN or infinite: a kernel's error can be.
  [[nodiscard]] double real(const char* name) const { return as_real(any(name), name); }

  template <typename T>
  [[nodiscard]] T integer(const char* name, T least = std::numeric_limits<T>::lowest(),
                          T most = std::numeric_limits<T>::max()) const {
    return as_integer<T>(any(name), name, least, most);
  }

  // Enumerators are sent as their numbers, 0 to `last`.
  template <typename E>
  [[nodiscard]] E enumerator(const char* name, E last) const {
    return static_cast<E>(integer<int>(name, 0, static_cast<int>(last)));
  }

  [[nodiscard]] std::vector<std::byte> bytes(const char* name) const {
    return as_bytes(any(name), name);
  }

  [[nodiscard]] static std::string as_text(const nlohmann::json& value, const char* name) {
    if (!value.is_string()) throw FieldError{name};
    return value.get<std::string>();
  }
  [[nodiscard]] static double as_real(const nlohmann::json& value, const char* name) {
    if (!value.is_number()) throw FieldError{name};
    return value.get<double>();
  }
  template <typename T>
  [[nodiscard]] static T as_integer(const nlohmann::json& value, const char* name,
                                    T least = std::numeric_limits<T>::lowest(),
                                    T most = std::numeric_limits<T>::max()) {
    if (!value.is_number_integer()) throw FieldError{name};
    const bool negative = !value.is_number_unsigned() && value.get<std::int64_t>() < 0;
    if (negative) {
      const auto number = value.get<std::int64_t>();
      if (std::is_signed_v<T> && number >= static_cast<std::int64_t>(least) &&
          number <= static_cast<std::int64_t>(most)) {
        return static_cast<T>(number);
      }
    } else if (most >= 0) {
      const auto number = value.get<std::uint64_t>();
      if (number <= static_cast<std::uint64_t>(most) && static_cast<T>(number) >= least) {
        return static_cast<T>(number);
      }
    }
    throw FieldError{name};
  }
  [[nodiscard]] static std::vector<std::byte> as_bytes(const nlohmann::json& value,
                                                       const char* name) {
    if (!value.is_binary()) throw FieldError{name};
    const auto& binary = value.get_binary();
    const auto* begin = reinterpret_cast<const std::byte*>(binary.data());
    return {begin, begin + binary.size()};
  }

 private:
  const nlohmann::json& json_;
};

}  // namespace tilescope

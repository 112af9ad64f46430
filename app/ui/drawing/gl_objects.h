#pragma once
#include <cstdint>
#include <string>

#include "core/result.h"

namespace tilescope {

// Owns one OpenGL program; the context that made it must be current when it dies.
class ShaderProgram {
 public:
  // Compiles shaders/<name>.vert.glsl and <name>.frag.glsl. Errors carry the file and the driver's
  // words.
  [[nodiscard]] static Result<ShaderProgram> load(const std::string& name);
  ~ShaderProgram();
  ShaderProgram(ShaderProgram&& other) noexcept;
  ShaderProgram& operator=(ShaderProgram&& other) noexcept;

  [[nodiscard]] unsigned id() const { return id_; }
  [[nodiscard]] int uniform(const char* name) const;

 private:
  explicit ShaderProgram(unsigned id) : id_(id) {}
  unsigned id_ = 0;
};

// Owns one OpenGL texture.
class Texture {
 public:
  Texture();
  ~Texture();
  Texture(Texture&& other) noexcept;
  Texture& operator=(Texture&& other) noexcept;
  [[nodiscard]] unsigned id() const { return id_; }

 private:
  unsigned id_ = 0;
};

}  // namespace tilescope

#include "ui/drawing/gl_objects.h"

#include <epoxy/gl.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "core/paths.h"

namespace tilescope {
namespace {

Result<unsigned> compile_stage(GLenum stage, const std::filesystem::path& file) {
  std::ifstream stream(file);
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (text.empty()) {
    return Error{ErrorCode::kMachine,
                 "cannot read the shader " + file.string(),
                 "The installation is incomplete: set TILESCOPE_RESOURCES or install again.",
                 {}};
  }
  const GLuint shader = glCreateShader(stage);
  const char* source = text.c_str();
  glShaderSource(shader, 1, &source, nullptr);
  glCompileShader(shader);
  GLint compiled = GL_FALSE;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
  if (compiled == GL_TRUE) return shader;
  std::string log(4096, '\0');
  GLsizei length = 0;
  glGetShaderInfoLog(shader, static_cast<GLsizei>(log.size()), &length, log.data());
  log.resize(static_cast<std::size_t>(length));
  glDeleteShader(shader);
  return Error{
      ErrorCode::kMachine, "the OpenGL driver rejects a shader: " + log, "", {file.string()}};
}

}  // namespace

Result<ShaderProgram> ShaderProgram::load(const std::string& name) {
  const std::filesystem::path folder = resource_directory() / "shaders";
  const Result<unsigned> vertex = compile_stage(GL_VERTEX_SHADER, folder / (name + ".vert.glsl"));
  if (!vertex.ok()) return vertex.error();
  const Result<unsigned> fragment =
      compile_stage(GL_FRAGMENT_SHADER, folder / (name + ".frag.glsl"));
  if (!fragment.ok()) {
    glDeleteShader(vertex.value());
    return fragment.error();
  }
  ShaderProgram program(glCreateProgram());
  glAttachShader(program.id_, vertex.value());
  glAttachShader(program.id_, fragment.value());
  glLinkProgram(program.id_);
  glDeleteShader(vertex.value());
  glDeleteShader(fragment.value());
  GLint linked = GL_FALSE;
  glGetProgramiv(program.id_, GL_LINK_STATUS, &linked);
  if (linked != GL_TRUE) {
    return Error{ErrorCode::kMachine, "the OpenGL driver cannot link the shader " + name, "", {}};
  }
  return program;
}

ShaderProgram::~ShaderProgram() {
  if (id_ != 0) glDeleteProgram(id_);
}
ShaderProgram::ShaderProgram(ShaderProgram&& other) noexcept : id_(std::exchange(other.id_, 0)) {}
ShaderProgram& ShaderProgram::operator=(ShaderProgram&& other) noexcept {
  std::swap(id_, other.id_);
  return *this;
}
int ShaderProgram::uniform(const char* name) const { return glGetUniformLocation(id_, name); }

Texture::Texture() { glGenTextures(1, &id_); }
Texture::~Texture() {
  if (id_ != 0) glDeleteTextures(1, &id_);
}
Texture::Texture(Texture&& other) noexcept : id_(std::exchange(other.id_, 0)) {}
Texture& Texture::operator=(Texture&& other) noexcept {
  std::swap(id_, other.id_);
  return *this;
}

}  // namespace tilescope

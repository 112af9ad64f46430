#include "ui/platform/second_picture.h"

#include <imgui.h>
#include <imgui_impl_opengl3.h>

#include "ui/platform/gl.h"

namespace tilescope {

SecondPicture::~SecondPicture() {
  if (framebuffer_ != 0) glDeleteFramebuffers(1, &framebuffer_);
  if (texture_ != 0) glDeleteTextures(1, &texture_);
}

void SecondPicture::draw(ImDrawData* page) {
  const auto width = static_cast<int>(page->DisplaySize.x * page->FramebufferScale.x);
  const auto height = static_cast<int>(page->DisplaySize.y * page->FramebufferScale.y);
  if (framebuffer_ == 0) {
    glGenFramebuffers(1, &framebuffer_);
    glGenTextures(1, &texture_);
  }
  GLint before = 0;
  glGetIntegerv(GL_FRAMEBUFFER_BINDING, &before);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
  if (width != width_ || height != height_) {
    glBindTexture(GL_TEXTURE_2D, texture_);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glBindTexture(GL_TEXTURE_2D, 0);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture_, 0);
    width_ = width;
    height_ = height;
  }
  glViewport(0, 0, width, height);
  glClearColor(0, 0, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(page);
  glBindFramebuffer(GL_FRAMEBUFFER, static_cast<GLuint>(before));
}

Screenshot SecondPicture::read() const {
  GLint before = 0;
  glGetIntegerv(GL_FRAMEBUFFER_BINDING, &before);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
  Screenshot picture = read_framebuffer(width_, height_);
  glBindFramebuffer(GL_FRAMEBUFFER, static_cast<GLuint>(before));
  return picture;
}

}  // namespace tilescope

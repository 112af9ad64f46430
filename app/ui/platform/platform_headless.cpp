#include "ui/platform/platform_headless.h"

#include <epoxy/egl.h>
// EGL before GL: epoxy then resolves GL through EGL.
#include <epoxy/gl.h>
#include <imgui.h>
#include <imgui_impl_opengl3.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <thread>

#include "ui/platform/platform.h"
#include "ui/platform/second_picture.h"

namespace tilescope {
namespace {

struct EglContext {
  EGLDisplay display = EGL_NO_DISPLAY;
  EGLContext context = EGL_NO_CONTEXT;
  std::string kind;
};

// An OpenGL 3.3 core context on `display`, current without a surface. False: this display has none.
bool make_current(EglContext* egl) {
  if (egl->display == EGL_NO_DISPLAY ||
      eglInitialize(egl->display, nullptr, nullptr) == EGL_FALSE) {
    return false;
  }
  if (!epoxy_has_egl_extension(egl->display, "EGL_KHR_surfaceless_context") ||
      eglBindAPI(EGL_OPENGL_API) == EGL_FALSE) {
    eglTerminate(egl->display);
    return false;
  }
  const std::array<EGLint, 5> wanted{EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, 0,
                                     EGL_NONE};
  EGLConfig config = nullptr;
  EGLint count = 0;
  if (eglChooseConfig(egl->display, wanted.data(), &config, 1, &count) == EGL_FALSE || count == 0) {
    config = EGL_NO_CONFIG_KHR;
  }
  const std::array<EGLint, 7> version{EGL_CONTEXT_MAJOR_VERSION,
                                      3,
                                      EGL_CONTEXT_MINOR_VERSION,
                                      3,
                                      EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                      EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                      EGL_NONE};
  egl->context = eglCreateContext(egl->display, config, EGL_NO_CONTEXT, version.data());
  if (egl->context == EGL_NO_CONTEXT ||
      eglMakeCurrent(egl->display, EGL_NO_SURFACE, EGL_NO_SURFACE, egl->context) == EGL_FALSE) {
    if (egl->context != EGL_NO_CONTEXT) eglDestroyContext(egl->display, egl->context);
    eglTerminate(egl->display);
    egl->context = EGL_NO_CONTEXT;
    return false;
  }
  return true;
}

// Hardware first: every EGL device, then Mesa without a surface, which llvmpipe answers.
bool open_egl(EglContext* egl) {
  if (epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_platform_device") &&
      epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_device_enumeration")) {
    std::array<EGLDeviceEXT, 16> devices{};
    EGLint count = 0;
    if (eglQueryDevicesEXT(static_cast<EGLint>(devices.size()), devices.data(), &count) ==
        EGL_TRUE) {
      for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        egl->display = eglGetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT, devices[i], nullptr);
        egl->kind = "EGL device " + std::to_string(i);
        if (make_current(egl)) return true;
      }
    }
  }
  if (epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless")) {
    egl->display =
        eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
    egl->kind = "EGL surfaceless";
    if (make_current(egl)) return true;
  }
  return false;
}

class HeadlessPlatform final : public Platform {
 public:
  HeadlessPlatform(EglContext egl, int width, int height) : egl_(std::move(egl)) {
    glGenFramebuffers(1, &framebuffer_);
    glGenRenderbuffers(1, &colour_);
    resize(width, height);
    ImGui_ImplOpenGL3_Init("#version 330 core");
    ImGui::GetIO().BackendPlatformName = "tilescope_headless";
  }
  ~HeadlessPlatform() override {
    beside_.reset();
    ImGui_ImplOpenGL3_Shutdown();
    glDeleteFramebuffers(1, &framebuffer_);
    glDeleteRenderbuffers(1, &colour_);
    eglMakeCurrent(egl_.display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(egl_.display, egl_.context);
    eglTerminate(egl_.display);
  }
  HeadlessPlatform(const HeadlessPlatform&) = delete;
  HeadlessPlatform& operator=(const HeadlessPlatform&) = delete;

  void begin_frame() override {
    ImGui_ImplOpenGL3_NewFrame();
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = ImVec2(static_cast<float>(width_), static_cast<float>(height_));
    io.DisplayFramebufferScale = ImVec2(1, 1);
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<float> passed = now - last_frame_;
    io.DeltaTime = frames_ == 0 ? 1.0F / 60 : std::max(passed.count(), 1e-4F);
    last_frame_ = now;
    ++frames_;
  }
  void end_frame() override {
    // Dear ImGui counts on each frame's textures.
    for (ImTextureData* texture : ImGui::GetPlatformIO().Textures) {
      if (texture->Status != ImTextureStatus_OK) ImGui_ImplOpenGL3_UpdateTexture(texture);
    }
  }
  bool wait_for_input(double most_seconds) override {
    constexpr double kMost = 0.01;
    const double wait = most_seconds < 0 ? kMost : std::min(most_seconds, kMost);
    std::this_thread::sleep_for(std::chrono::duration<double>(wait));
    return false;
  }
  bool closed() const override { return false; }
  void resize(int width, int height) override {
    width_ = width;
    height_ = height;
    glBindRenderbuffer(GL_RENDERBUFFER, colour_);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width, height);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colour_);
  }
  float display_scale() const override { return 1; }
  Screenshot read_pixels() const override {
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
    glViewport(0, 0, width_, height_);
    glClearColor(0, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    if (ImDrawData* frame = ImGui::GetDrawData()) ImGui_ImplOpenGL3_RenderDrawData(frame);
    return read_framebuffer(width_, height_);
  }
  std::string description() const override { return describe_gl() + ", " + egl_.kind; }
  std::vector<std::string> take_dropped_files() override { return {}; }
  void show_beside(ImDrawData* page) override {
    if (page == nullptr) {
      beside_.reset();
      return;
    }
    if (beside_ == nullptr) beside_ = std::make_unique<SecondPicture>();
    beside_->draw(page);
  }
  Screenshot read_beside() const override {
    return beside_ != nullptr ? beside_->read() : Screenshot{};
  }

 private:
  EglContext egl_;
  std::unique_ptr<SecondPicture> beside_;
  GLuint framebuffer_ = 0;
  GLuint colour_ = 0;
  int width_ = 0;
  int height_ = 0;
  std::uint64_t frames_ = 0;
  std::chrono::steady_clock::time_point last_frame_;
};

}  // namespace

Result<std::unique_ptr<Platform>> open_headless(const PlatformOptions& options) {
  spare_full_disk_of_shader_cache();
  EglContext egl;
  if (!open_egl(&egl)) {
    return Error{ErrorCode::kMachine,
                 "EGL gives no OpenGL 3.3 context on this machine",
                 "Install Mesa's software renderer (Debian: libegl1 libgl1-mesa-dri).",
                 {}};
  }
  return std::unique_ptr<Platform>(
      std::make_unique<HeadlessPlatform>(std::move(egl), options.width, options.height));
}

}  // namespace tilescope

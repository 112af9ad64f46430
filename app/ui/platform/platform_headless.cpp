#include "ui/platform/platform_headless.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <imgui.h>
#include <imgui_impl_opengl3.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>

#include "core/shared_library.h"
#include "ui/platform/gl.h"
#include "ui/platform/platform.h"
#include "ui/platform/second_picture.h"

namespace tilescope {
namespace {

// EGL's functions. The library stays loaded: drivers that it loads have threads of their own.
struct Egl {
  decltype(::eglGetProcAddress)* get_address = nullptr;
  decltype(::eglQueryString)* query_string = nullptr;
  decltype(::eglInitialize)* initialize = nullptr;
  decltype(::eglTerminate)* terminate = nullptr;
  decltype(::eglBindAPI)* bind_api = nullptr;
  decltype(::eglChooseConfig)* choose_config = nullptr;
  decltype(::eglCreateContext)* create_context = nullptr;
  decltype(::eglDestroyContext)* destroy_context = nullptr;
  decltype(::eglMakeCurrent)* make_current = nullptr;
  PFNEGLQUERYDEVICESEXTPROC query_devices = nullptr;               // may be missing
  PFNEGLGETPLATFORMDISPLAYEXTPROC get_platform_display = nullptr;  // may be missing

  [[nodiscard]] static std::optional<Egl> load() {
    auto library = SharedLibrary::open({"libEGL.so.1"});
    if (!library) return std::nullopt;
    Egl egl;
    const bool whole = library->find("eglGetProcAddress", &egl.get_address) &&
                       library->find("eglQueryString", &egl.query_string) &&
                       library->find("eglInitialize", &egl.initialize) &&
                       library->find("eglTerminate", &egl.terminate) &&
                       library->find("eglBindAPI", &egl.bind_api) &&
                       library->find("eglChooseConfig", &egl.choose_config) &&
                       library->find("eglCreateContext", &egl.create_context) &&
                       library->find("eglDestroyContext", &egl.destroy_context) &&
                       library->find("eglMakeCurrent", &egl.make_current);
    if (!whole) return std::nullopt;
    egl.query_devices =
        reinterpret_cast<PFNEGLQUERYDEVICESEXTPROC>(egl.get_address("eglQueryDevicesEXT"));
    egl.get_platform_display = reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(
        egl.get_address("eglGetPlatformDisplayEXT"));
    library->keep_loaded();
    return egl;
  }

  [[nodiscard]] bool has(EGLDisplay display, std::string_view extension) const {
    const char* all = query_string(display, EGL_EXTENSIONS);
    std::istringstream words(all != nullptr ? all : "");
    for (std::string word; words >> word;) {
      if (word == extension) return true;
    }
    return false;
  }
};

struct EglContext {
  Egl egl;
  EGLDisplay display = EGL_NO_DISPLAY;
  EGLContext context = EGL_NO_CONTEXT;
  std::string kind;
};

// An OpenGL 3.3 core context on `display`, current without a surface. False: this display has none.
bool make_current(EglContext* context) {
  const Egl& egl = context->egl;
  if (context->display == EGL_NO_DISPLAY ||
      egl.initialize(context->display, nullptr, nullptr) == EGL_FALSE) {
    return false;
  }
  if (!egl.has(context->display, "EGL_KHR_surfaceless_context") ||
      egl.bind_api(EGL_OPENGL_API) == EGL_FALSE) {
    egl.terminate(context->display);
    return false;
  }
  const std::array<EGLint, 5> wanted{EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, 0,
                                     EGL_NONE};
  EGLConfig config = nullptr;
  EGLint count = 0;
  if (egl.choose_config(context->display, wanted.data(), &config, 1, &count) == EGL_FALSE ||
      count == 0) {
    config = EGL_NO_CONFIG_KHR;
  }
  const std::array<EGLint, 7> version{EGL_CONTEXT_MAJOR_VERSION,
                                      3,
                                      EGL_CONTEXT_MINOR_VERSION,
                                      3,
                                      EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                      EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                      EGL_NONE};
  context->context = egl.create_context(context->display, config, EGL_NO_CONTEXT, version.data());
  if (context->context == EGL_NO_CONTEXT ||
      egl.make_current(context->display, EGL_NO_SURFACE, EGL_NO_SURFACE, context->context) ==
          EGL_FALSE) {
    if (context->context != EGL_NO_CONTEXT) {
      egl.destroy_context(context->display, context->context);
    }
    egl.terminate(context->display);
    context->context = EGL_NO_CONTEXT;
    return false;
  }
  return true;
}

// Hardware first: every EGL device, then Mesa without a surface, which llvmpipe answers.
bool open_egl(EglContext* context) {
  const Egl& egl = context->egl;
  if (egl.get_platform_display == nullptr) return false;
  if (egl.query_devices != nullptr && egl.has(EGL_NO_DISPLAY, "EGL_EXT_platform_device") &&
      egl.has(EGL_NO_DISPLAY, "EGL_EXT_device_enumeration")) {
    std::array<EGLDeviceEXT, 16> devices{};
    EGLint count = 0;
    if (egl.query_devices(static_cast<EGLint>(devices.size()), devices.data(), &count) ==
        EGL_TRUE) {
      for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        context->display = egl.get_platform_display(EGL_PLATFORM_DEVICE_EXT, devices[i], nullptr);
        context->kind = "EGL device " + std::to_string(i);
        if (make_current(context)) return true;
      }
    }
  }
  if (egl.has(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless")) {
    context->display =
        egl.get_platform_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
    context->kind = "EGL surfaceless";
    if (make_current(context)) return true;
  }
  return false;
}

class HeadlessPlatform final : public Platform {
 public:
  HeadlessPlatform(EglContext context, int width, int height) : context_(std::move(context)) {
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
    const Egl& egl = context_.egl;
    egl.make_current(context_.display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    egl.destroy_context(context_.display, context_.context);
    egl.terminate(context_.display);
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
  std::string description() const override { return describe_gl() + ", " + context_.kind; }
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
  EglContext context_;
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
  const std::optional<Egl> egl = Egl::load();
  EglContext context;
  context.egl = egl.value_or(Egl{});
  if (!egl || !open_egl(&context) || !load_gl(egl->get_address)) {
    return Error{ErrorCode::kMachine,
                 egl ? "EGL gives no OpenGL 3.3 context on this machine"
                     : "a picture of the window needs OpenGL, and libEGL.so.1 is not installed",
                 "Install Mesa's software renderer (Debian and Ubuntu: libegl1 libgl1-mesa-dri; "
                 "Fedora: mesa-libEGL mesa-dri-drivers). export draws its pictures without it",
                 {}};
  }
  return std::unique_ptr<Platform>(
      std::make_unique<HeadlessPlatform>(std::move(context), options.width, options.height));
}

}  // namespace tilescope

#include "ui/platform/platform_glfw.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "ui/platform/gl.h"
#include "ui/platform/platform.h"
#include "ui/platform/second_picture.h"

namespace tilescope {
namespace {

std::string last_glfw_error() {
  const char* text = nullptr;
  glfwGetError(&text);
  return text != nullptr ? text : "no reason given";
}

class GlfwPlatform final : public Platform {
 public:
  explicit GlfwPlatform(GLFWwindow* window) : window_(window) {
    glfwSetWindowUserPointer(window_, this);
    glfwSetDropCallback(window_, [](GLFWwindow* w, int count, const char** paths) {
      auto* self = static_cast<GlfwPlatform*>(glfwGetWindowUserPointer(w));
      self->dropped_.insert(self->dropped_.end(), paths, paths + count);
      self->input_seen_ = true;
    });
    glfwSetWindowRefreshCallback(window_, note_input);
    glfwSetKeyCallback(window_, [](GLFWwindow* w, int, int, int, int) { note_input(w); });
    glfwSetCharCallback(window_, [](GLFWwindow* w, unsigned) { note_input(w); });
    glfwSetCursorPosCallback(window_, [](GLFWwindow* w, double, double) { note_input(w); });
    glfwSetCursorEnterCallback(window_, [](GLFWwindow* w, int) { note_input(w); });
    glfwSetMouseButtonCallback(window_, [](GLFWwindow* w, int, int, int) { note_input(w); });
    glfwSetScrollCallback(window_, [](GLFWwindow* w, double, double) { note_input(w); });
    glfwSetWindowFocusCallback(window_, [](GLFWwindow* w, int) { note_input(w); });
    glfwSetFramebufferSizeCallback(window_, [](GLFWwindow* w, int, int) { note_input(w); });
    ImGui_ImplGlfw_InitForOpenGL(window_, true);  // chains the callbacks above
    ImGui_ImplOpenGL3_Init("#version 330 core");
  }
  ~GlfwPlatform() override {
    close_beside();
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
    glfwDestroyWindow(window_);
    glfwTerminate();
  }
  GlfwPlatform(const GlfwPlatform&) = delete;
  GlfwPlatform& operator=(const GlfwPlatform&) = delete;

  void begin_frame() override {
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
  }
  void end_frame() override {
    int width = 0;
    int height = 0;
    glfwGetFramebufferSize(window_, &width, &height);
    glViewport(0, 0, width, height);
    glClearColor(0, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    if (keep_pixels_) pixels_ = read_framebuffer(width, height);
    glfwSwapBuffers(window_);
  }
  bool wait_for_input(double most_seconds) override {
    input_seen_ = false;
    if (most_seconds < 0) {
      glfwWaitEvents();
    } else if (most_seconds == 0) {
      glfwPollEvents();
    } else {
      glfwWaitEventsTimeout(most_seconds);
    }
    return std::exchange(input_seen_, false);
  }
  bool closed() const override { return glfwWindowShouldClose(window_) != 0; }
  void resize(int width, int height) override { glfwSetWindowSize(window_, width, height); }
  void set_title(const std::string& title) override { glfwSetWindowTitle(window_, title.c_str()); }
  float display_scale() const override {
    float x = 1;
    float y = 1;
    glfwGetWindowContentScale(window_, &x, &y);
    return x > 0 ? x : 1.0F;
  }
  // The back buffer is undefined after the swap, so pixels are kept from the first request on.
  Screenshot read_pixels() const override {
    keep_pixels_ = true;
    return pixels_;
  }
  std::string description() const override { return describe_gl() + ", GLFW window"; }
  std::vector<std::string> take_dropped_files() override { return std::exchange(dropped_, {}); }
  void show_beside(ImDrawData* page) override {
    if (page == nullptr) return close_beside();
    if (beside_ == nullptr) beside_ = std::make_unique<SecondPicture>();
    beside_->draw(page);
    if (beside_window_ == nullptr) open_beside();
    if (beside_window_ != nullptr) blit_beside();
  }
  Screenshot read_beside() const override {
    return beside_ != nullptr ? beside_->read() : Screenshot{};
  }
  bool take_beside_closed() override {
    return beside_window_ != nullptr && glfwWindowShouldClose(beside_window_) != 0;
  }

 private:
  // On another screen where there is one.
  void open_beside() {
    beside_window_ = glfwCreateWindow(beside_->width(), beside_->height(), "Tilescope, speaker",
                                      nullptr, window_);
    if (beside_window_ == nullptr) return;
    int count = 0;
    GLFWmonitor** monitors = glfwGetMonitors(&count);
    int left = 0;
    int top = 0;
    glfwGetWindowPos(window_, &left, &top);
    for (int i = 0; i < count && count > 1; ++i) {
      int x = 0;
      int y = 0;
      int width = 0;
      int height = 0;
      glfwGetMonitorWorkarea(monitors[i], &x, &y, &width, &height);
      const bool has_first = left >= x && left < x + width && top >= y && top < y + height;
      if (!has_first) glfwSetWindowPos(beside_window_, x + width / 20, y + height / 20);
    }
    glfwSetWindowUserPointer(beside_window_, this);
    glfwSetWindowRefreshCallback(beside_window_, note_input);
    glfwSetWindowCloseCallback(beside_window_, note_input);
    glfwSetFramebufferSizeCallback(beside_window_, [](GLFWwindow* w, int, int) { note_input(w); });
    glfwSetKeyCallback(beside_window_, [](GLFWwindow* w, int key, int code, int action, int mods) {
      note_input(w);
      auto* self = static_cast<GlfwPlatform*>(glfwGetWindowUserPointer(w));
      ImGui_ImplGlfw_KeyCallback(self->window_, key, code, action, mods);
    });
  }
  // As large as it fits, in the middle.
  void blit_beside() {
    glFlush();
    glfwMakeContextCurrent(beside_window_);
    int width = 0;
    int height = 0;
    glfwGetFramebufferSize(beside_window_, &width, &height);
    if (beside_framebuffer_ == 0) {
      glfwSwapInterval(0);
      glGenFramebuffers(1, &beside_framebuffer_);
    }
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    glClearColor(0, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, beside_framebuffer_);
    glFramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
                           beside_->texture(), 0);
    const double scale = std::min(static_cast<double>(width) / beside_->width(),
                                  static_cast<double>(height) / beside_->height());
    const auto w = static_cast<int>(scale * beside_->width());
    const auto h = static_cast<int>(scale * beside_->height());
    const int x = (width - w) / 2;
    const int y = (height - h) / 2;
    glBlitFramebuffer(0, 0, beside_->width(), beside_->height(), x, y, x + w, y + h,
                      GL_COLOR_BUFFER_BIT, GL_LINEAR);
    glfwSwapBuffers(beside_window_);
    glfwMakeContextCurrent(window_);
  }
  void close_beside() {
    if (beside_window_ != nullptr) {
      if (beside_framebuffer_ != 0) {
        glfwMakeContextCurrent(beside_window_);
        glDeleteFramebuffers(1, &beside_framebuffer_);
        glfwMakeContextCurrent(window_);
      }
      glfwDestroyWindow(beside_window_);
    }
    beside_window_ = nullptr;
    beside_framebuffer_ = 0;
    beside_.reset();
  }

  static void note_input(GLFWwindow* window) {
    static_cast<GlfwPlatform*>(glfwGetWindowUserPointer(window))->input_seen_ = true;
  }

  GLFWwindow* window_;
  std::unique_ptr<SecondPicture> beside_;
  GLFWwindow* beside_window_ = nullptr;  // that shows it
  GLuint beside_framebuffer_ = 0;        // of its context
  std::vector<std::string> dropped_;
  bool input_seen_ = false;
  mutable bool keep_pixels_ = false;
  Screenshot pixels_;
};

// Of the window, in GLFW's screen coordinates.
std::pair<int, int> size_on_screen(const PlatformOptions& options) {
  std::pair size{options.width, options.height};
  GLFWmonitor* monitor = options.fits_screen ? glfwGetPrimaryMonitor() : nullptr;
  if (monitor == nullptr) return size;
  int left = 0;
  int top = 0;
  int width = 0;
  int height = 0;
  glfwGetMonitorWorkarea(monitor, &left, &top, &width, &height);
  if (width > 0) size.first = std::min(size.first, width);
  if (height > 0) size.second = std::min(size.second, height);
  return size;
}

// GLFW 3.4 can do Wayland and X11, earlier ones what they were built for. X11 is what is tested,
// and a Wayland desktop has it, too.
bool init_glfw() {
#ifdef GLFW_PLATFORM
  glfwInitHint(GLFW_PLATFORM, GLFW_PLATFORM_X11);
  if (glfwInit() == GLFW_TRUE) return true;
  glfwInitHint(GLFW_PLATFORM, GLFW_ANY_PLATFORM);
#endif
  return glfwInit() == GLFW_TRUE;
}

}  // namespace

Result<std::unique_ptr<Platform>> open_glfw_window(const PlatformOptions& options) {
  spare_full_disk_of_shader_cache();
  if (!init_glfw()) {
    return Error{ErrorCode::kMachine,
                 "no display for a window (" + last_glfw_error() + ")",
                 "Set DISPLAY, or use --headless --screenshot FILE, which needs none.",
                 {}};
  }
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHintString(GLFW_X11_CLASS_NAME, "tilescope");  // StartupWMClass of the desktop entry
  glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "tilescope");
  const auto [width, height] = size_on_screen(options);
  GLFWwindow* window = glfwCreateWindow(width, height, options.title.c_str(), nullptr, nullptr);
  if (window != nullptr) glfwMakeContextCurrent(window);
  if (window == nullptr || !load_gl(glfwGetProcAddress)) {
    const std::string reason = last_glfw_error();
    glfwTerminate();
    return Error{ErrorCode::kMachine,
                 "this display gives no OpenGL 3.3 window (" + reason + ")",
                 "Install Mesa's drivers (libgl1-mesa-dri), or use --headless --screenshot FILE.",
                 {}};
  }
  // What is smaller has no room for all of the bar at the top and a picture below it.
  constexpr int kLeastWidth = 1000;
  constexpr int kLeastHeight = 640;
  glfwSetWindowSizeLimits(window, std::min(width, kLeastWidth), std::min(height, kLeastHeight),
                          GLFW_DONT_CARE, GLFW_DONT_CARE);
  glfwSwapInterval(1);
  return std::unique_ptr<Platform>(std::make_unique<GlfwPlatform>(window));
}

}  // namespace tilescope

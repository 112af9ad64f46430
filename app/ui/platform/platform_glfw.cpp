#include "ui/platform/platform_glfw.h"

#include <epoxy/gl.h>
// GLFW after epoxy, which must define the OpenGL prototypes.
#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>

#include <algorithm>
#include <utility>

#include "ui/platform/platform.h"

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

 private:
  static void note_input(GLFWwindow* window) {
    static_cast<GlfwPlatform*>(glfwGetWindowUserPointer(window))->input_seen_ = true;
  }

  GLFWwindow* window_;
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

}  // namespace

Result<std::unique_ptr<Platform>> open_glfw_window(const PlatformOptions& options) {
  spare_full_disk_of_shader_cache();
  if (glfwInit() != GLFW_TRUE) {
    return Error{ErrorCode::kMachine,
                 "no display for a window (" + last_glfw_error() + ")",
                 "Set DISPLAY, or use --headless --screenshot FILE, which needs none.",
                 {}};
  }
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHintString(GLFW_X11_CLASS_NAME, "tilescope");
  const auto [width, height] = size_on_screen(options);
  GLFWwindow* window = glfwCreateWindow(width, height, options.title.c_str(), nullptr, nullptr);
  if (window == nullptr) {
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
  glfwMakeContextCurrent(window);
  glfwSwapInterval(1);
  return std::unique_ptr<Platform>(std::make_unique<GlfwPlatform>(window));
}

}  // namespace tilescope

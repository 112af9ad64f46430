#include "ui/drawing/cell_renderer.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "core/paths.h"
#include "ui/platform/gl.h"

namespace tilescope {
namespace {

constexpr std::uint32_t kTile = 1024;  // cells on a side
constexpr int kUploadsPerFrame = 3;    // tiles; about 1 ms each with software OpenGL
constexpr float kLineOpacity = 0.55F;  // between cells, of the tint

struct Tile {
  std::optional<Texture> heat;  // absent until uploaded
};

// The tiles of one heat map, row by row.
struct HeatMap {
  std::weak_ptr<const std::vector<std::uint8_t>> owner;
  std::uint32_t rows = 0;
  std::uint32_t cols = 0;
  std::uint32_t tiles_across = 0;
  std::vector<Tile> tiles;
};

Texture upload(const std::vector<std::uint8_t>& heat, std::uint32_t cols, std::uint32_t first_row,
               std::uint32_t first_col, std::uint32_t rows_here, std::uint32_t cols_here) {
  Texture texture;
  glBindTexture(GL_TEXTURE_2D, texture.id());
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, static_cast<GLint>(cols));
  glTexImage2D(GL_TEXTURE_2D, 0, GL_R8, static_cast<GLsizei>(cols_here),
               static_cast<GLsizei>(rows_here), 0, GL_RED, GL_UNSIGNED_BYTE,
               heat.data() + std::size_t{first_row} * cols + first_col);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
  glGenerateMipmap(GL_TEXTURE_2D);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  return texture;
}

Texture make_colour_table(ColourRole tint, Theme theme) {
  std::array<std::uint8_t, 256 * 4> bytes{};
  const auto byte = [](float v) {
    return static_cast<std::uint8_t>(std::lround(std::clamp(v, 0.0F, 1.0F) * 255.0F));
  };
  for (std::size_t i = 0; i < 256; ++i) {
    const Rgba c = cell_colour(static_cast<std::uint8_t>(i), tint, theme);
    bytes[i * 4] = byte(c.r);
    bytes[i * 4 + 1] = byte(c.g);
    bytes[i * 4 + 2] = byte(c.b);
    bytes[i * 4 + 3] = byte(c.a);
  }
  Texture texture;
  glBindTexture(GL_TEXTURE_2D, texture.id());
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 256, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, bytes.data());
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  return texture;
}

}  // namespace

struct CellRenderer::State {
  explicit State(ShaderProgram p) : program(std::move(p)) { glGenVertexArrays(1, &vertex_array); }
  ~State() { glDeleteVertexArrays(1, &vertex_array); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  ShaderProgram program;
  GLuint vertex_array = 0;
  std::map<const std::vector<std::uint8_t>*, HeatMap> maps;
  std::map<std::pair<ColourRole, Theme>, Texture> colours;
  float display_width = 1;
  float display_height = 1;
  float framebuffer_scale = 1;
  int uploads_left = 0;
  bool waiting = false;
};

// One grid, as the draw list's callback receives it (copied into the list).
struct CellRenderer::Job {
  State* state = nullptr;
  const std::vector<std::uint8_t>* heat = nullptr;  // held by the study that is drawn this frame
  Rect rect;
  CellWindow window;
  std::uint32_t rows = 0;
  std::uint32_t cols = 0;
  ColourRole tint = ColourRole::kFirst;
  Theme theme = Theme::kDark;
  float opacity = 1;
};

CellRenderer::CellRenderer(std::unique_ptr<State> state) : state_(std::move(state)) {}
CellRenderer::~CellRenderer() = default;
CellRenderer::CellRenderer(CellRenderer&&) noexcept = default;
CellRenderer& CellRenderer::operator=(CellRenderer&&) noexcept = default;

Result<CellRenderer> CellRenderer::create() {
  Result<ShaderProgram> program = ShaderProgram::load("cells");
  if (!program.ok()) return program.error();
  return CellRenderer(std::make_unique<State>(std::move(program).value()));
}

void CellRenderer::begin_frame(float display_width, float display_height, float framebuffer_scale) {
  state_->display_width = display_width;
  state_->display_height = display_height;
  state_->framebuffer_scale = framebuffer_scale;
  state_->uploads_left = kUploadsPerFrame;
  state_->waiting = false;
  std::erase_if(state_->maps, [](const auto& entry) { return entry.second.owner.expired(); });
}

bool CellRenderer::uploading() const { return state_->waiting; }

void CellRenderer::draw(ImDrawList* list, const Rect& rect, const CellGrid& grid,
                        const CellWindow& window, Theme theme, float opacity) {
  if (rect.w <= 0 || rect.h <= 0 || window.rows <= 0 || window.cols <= 0) return;
  State& state = *state_;
  const auto colours = std::pair(grid.tint, theme);
  if (!state.colours.contains(colours)) {
    state.colours.emplace(colours, make_colour_table(grid.tint, theme));
  }
  if (grid.heat && grid.heat->size() == std::size_t{grid.rows} * grid.cols) {
    HeatMap& map = state.maps[grid.heat.get()];
    if (map.owner.expired()) {
      map.owner = grid.heat;
      map.rows = grid.rows;
      map.cols = grid.cols;
      map.tiles_across = (grid.cols + kTile - 1) / kTile;
      map.tiles.clear();
      map.tiles.resize(std::size_t{map.tiles_across} * ((grid.rows + kTile - 1) / kTile));
    }
    for (std::size_t i = 0; i < map.tiles.size(); ++i) {
      if (map.tiles[i].heat) continue;
      if (state.uploads_left == 0) {
        state.waiting = true;
        break;
      }
      --state.uploads_left;
      const auto row = static_cast<std::uint32_t>(i / map.tiles_across) * kTile;
      const auto col = static_cast<std::uint32_t>(i % map.tiles_across) * kTile;
      map.tiles[i].heat = upload(*grid.heat, grid.cols, row, col, std::min(kTile, grid.rows - row),
                                 std::min(kTile, grid.cols - col));
    }
  }
  Job job{.state = state_.get(),
          .heat = grid.heat.get(),
          .rect = rect,
          .window = window,
          .rows = grid.rows,
          .cols = grid.cols,
          .tint = grid.tint,
          .theme = theme,
          .opacity = opacity};
  list->AddCallback(&CellRenderer::execute, &job, sizeof(job));
  list->AddCallback(ImDrawCallback_ResetRenderState, nullptr);
}

void CellRenderer::execute(const ImDrawList*, const ImDrawCmd* command) {
  const Job& job = *static_cast<const Job*>(command->UserCallbackData);
  State& state = *job.state;
  const GLuint program = state.program.id();
  const float fb = state.framebuffer_scale;
  const ImVec4 clip = command->ClipRect;
  if (clip.z <= clip.x || clip.w <= clip.y) return;
  glScissor(
      static_cast<GLint>(clip.x * fb), static_cast<GLint>((state.display_height - clip.w) * fb),
      static_cast<GLsizei>((clip.z - clip.x) * fb), static_cast<GLsizei>((clip.w - clip.y) * fb));
  glUseProgram(program);
  glBindVertexArray(state.vertex_array);
  const auto at = [&](const char* name) { return state.program.uniform(name); };
  glUniform2f(at("u_display"), state.display_width, state.display_height);
  glUniform1f(at("u_opacity"), job.opacity);
  glUniform1i(at("u_heat"), 0);
  glUniform1i(at("u_colours"), 1);
  const Rgba line = colour(Paint(job.tint, kLineOpacity), job.theme);
  glUniform4f(at("u_line"), line.r, line.g, line.b, line.a);
  glActiveTexture(GL_TEXTURE1);
  glBindTexture(GL_TEXTURE_2D, state.colours.at({job.tint, job.theme}).id());
  glBindSampler(0, 0);
  glBindSampler(1, 0);
  glActiveTexture(GL_TEXTURE0);

  const auto found = state.maps.find(job.heat);
  const HeatMap* map = found == state.maps.end() ? nullptr : &found->second;
  const CellWindow& w = job.window;
  // The tiles that the window shows, each over its part of the rectangle.
  const auto tile_range = [](float first, float count, std::uint32_t cells) {
    const auto low = static_cast<std::uint32_t>(std::max(0.0F, first)) / kTile;
    const float end = std::min(static_cast<float>(cells), first + count);
    return std::pair(low, static_cast<std::uint32_t>(
                              std::ceil(std::max(0.0F, end) / static_cast<float>(kTile))));
  };
  const auto [row_low, row_high] = tile_range(w.first_row, w.rows, job.rows);
  const auto [col_low, col_high] = tile_range(w.first_col, w.cols, job.cols);
  for (std::uint32_t r = row_low; r < row_high; ++r) {
    for (std::uint32_t c = col_low; c < col_high; ++c) {
      const float row0 = std::max(w.first_row, static_cast<float>(r * kTile));
      const float col0 = std::max(w.first_col, static_cast<float>(c * kTile));
      const auto tile_rows = static_cast<float>(std::min(kTile, job.rows - r * kTile));
      const auto tile_cols = static_cast<float>(std::min(kTile, job.cols - c * kTile));
      const float row1 = std::min(w.first_row + w.rows, static_cast<float>(r * kTile) + tile_rows);
      const float col1 = std::min(w.first_col + w.cols, static_cast<float>(c * kTile) + tile_cols);
      const Tile* tile =
          map != nullptr ? &map->tiles[std::size_t{r} * map->tiles_across + c] : nullptr;
      const bool has_heat = tile != nullptr && tile->heat.has_value();
      glUniform1i(at("u_has_heat"), has_heat ? 1 : 0);
      if (has_heat) glBindTexture(GL_TEXTURE_2D, tile->heat->id());
      glUniform2f(at("u_tile_origin"), static_cast<float>(c * kTile),
                  static_cast<float>(r * kTile));
      glUniform2f(at("u_tile_size"), tile_cols, tile_rows);
      glUniform4f(at("u_cells"), col0, row0, col1 - col0, row1 - row0);
      glUniform4f(at("u_rect"), job.rect.x + (col0 - w.first_col) / w.cols * job.rect.w,
                  job.rect.y + (row0 - w.first_row) / w.rows * job.rect.h,
                  (col1 - col0) / w.cols * job.rect.w, (row1 - row0) / w.rows * job.rect.h);
      glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    }
  }
}

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

#version 330 core
// One rectangle as two triangles, made from the vertex number; there is no vertex buffer.
uniform vec4 u_rect;      // x, y, width, height in px of the screen, y down
uniform vec2 u_display;   // px of the screen
uniform vec4 u_cells;     // first column, first row, columns, rows that the rectangle shows
out vec2 v_cell;          // column, row; fractional

void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  vec2 position = (u_rect.xy + corner * u_rect.zw) / u_display;
  v_cell = u_cells.xy + corner * u_cells.zw;
  gl_Position = vec4(position.x * 2.0 - 1.0, 1.0 - position.y * 2.0, 0.0, 1.0);
}

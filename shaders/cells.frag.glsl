#version 330 core
// Cells of a matrix: heat through a table of colours, and lines between cells once they are large.
uniform sampler2D u_heat;     // this tile's cells, 0..255 as 0..1, with mipmaps
uniform sampler2D u_colours;  // 256 x 1: heat -> colour
uniform vec2 u_tile_origin;   // column, row of the tile's first cell
uniform vec2 u_tile_size;     // columns, rows of the tile
uniform vec4 u_line;          // colour between cells
uniform float u_opacity;
uniform bool u_has_heat;
in vec2 v_cell;
out vec4 colour;

void main() {
  vec2 inside = (v_cell - u_tile_origin) / u_tile_size;
  float heat = u_has_heat ? texture(u_heat, inside).r : 0.0;
  colour = texture(u_colours, vec2((heat * 255.0 + 0.5) / 256.0, 0.5));

  vec2 per_px = fwidth(v_cell);                  // cells in a px
  vec2 to_edge = (0.5 - abs(fract(v_cell) - 0.5)) / per_px;  // px to the nearest cell edge
  vec2 line = 1.0 - smoothstep(0.3, 0.8, to_edge);
  float large = 1.0 - smoothstep(1.0 / 12.0, 1.0 / 5.0, max(per_px.x, per_px.y));
  float amount = max(line.x, line.y) * large * u_line.a;
  colour = vec4(mix(colour.rgb, u_line.rgb, amount), max(colour.a, amount));
  colour.a *= u_opacity;
}

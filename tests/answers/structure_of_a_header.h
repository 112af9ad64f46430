struct Mesh {
  int count, start;
  int* corners;
};

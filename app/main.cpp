#include <cstdio>
#include <string_view>

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--version") {
    std::puts("tilescope " TILESCOPE_VERSION);
    return 0;
  }
  std::fputs("tilescope: only --version is answered yet\n", stderr);
  return 1;
}

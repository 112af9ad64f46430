// For a program whose main() returns nothing, which g++ refuses: it is compiled under another name.
#undef main
__attribute__((weak)) void tilescope_void_main();
__attribute__((weak)) void tilescope_void_main(int, char**);

int main(int count, char** words) {
  void (*const plain)() = &tilescope_void_main;
  void (*const with_words)(int, char**) = &tilescope_void_main;
  if (with_words != nullptr) {
    with_words(count, words);
  } else {
    plain();
  }
  return 0;
}

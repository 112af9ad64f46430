#include "run_tests.h"

int main(int argc, char** argv) { return tilescope::testing::run_tests(argc, argv); }

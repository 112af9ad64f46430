#include "kernel/host/host_contents.h"

#include <gtest/gtest.h>

#include <string>

namespace tilescope {
namespace {

std::string contents(const std::string& host) {
  return written_contents("__global__ void k(int* a) { a[threadIdx.x] = 3; }\n" + host, {"a"})[0];
}

TEST(WrittenContents, AreZeroAfterMemset) {
  EXPECT_EQ(contents("int main() { cudaMemset(a, 0, n); k<<<1, 32>>>(a); }"), "0");
  EXPECT_EQ(contents("int main() { cudaMemset(a, 255, n); k<<<1, 32>>>(a); }"), "");
}

TEST(WrittenContents, AreWhatTheCopiedArrayGets) {
  const auto copied = [](const std::string& statement) {
    return contents("#define BINS 8\nint main() { for (int j = 0; j < n; ++j) " + statement +
                    " cudaMemcpy(a, (void*)h, 4 * n, cudaMemcpyHostToDevice); }");
  };
  EXPECT_EQ(copied("h[j] = rand() % BINS;"), "random % 8");
  EXPECT_EQ(copied("h[j] = (int)(j * 2);"), "(i * 2 )");
  EXPECT_EQ(copied("h[j] = j;"), "iota");
  EXPECT_EQ(copied("h[j * w + x] = j * w + x;"), "iota");
  EXPECT_EQ(copied("h[j] = 1.0f;"), "1");
}

TEST(WrittenContents, AreUnknownWhereTheTextIsNoWholeExpression) {
  for (const char* statement :
       {"h[j] = 0.5f;", "h[j] = (float)j / n;", "h[j] = other[j];", "h[j] = rand() / 3.0f;",
        "h[0] = 7;", "h[j] += 1;", "h[j] = 1; h[j] = 2;", "h[j] = j < 3 ? 1 : 2;"}) {
    EXPECT_EQ(contents("int main() { for (int j = 0; j < 9; ++j) { " + std::string(statement) +
                       " } cudaMemcpy(a, h, 36, cudaMemcpyHostToDevice); }"),
              "")
        << statement;
  }
}

TEST(WrittenContents, AreFollowedIntoTheFunctionThatFills) {
  const std::string fill = "void fill(int n, int* to) { for (int j = 0; j < n; ++j) to[j] = 5; }\n";
  EXPECT_EQ(contents(fill + "int main() { fill(9, h); cudaMemcpy(a, h, 36, kind); }"), "5");
  EXPECT_EQ(contents(fill + "int main() { cudaMallocManaged(&a, 36); fill(9, a); }"), "5");
}

TEST(WrittenContents, AreNotThoseOfDeviceCode) {
  EXPECT_EQ(contents("int main() { k<<<1, 32>>>(a); }"), "");
}

}  // namespace
}  // namespace tilescope

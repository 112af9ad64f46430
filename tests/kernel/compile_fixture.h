#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "kernel/compile/compile.h"
#include "test_catalogue.h"

namespace tilescope::testing {

inline CompileRequest catalogue_request(const CatalogueEntry& kernel, const ParameterSet& changes,
                                        int compute_capability = 90) {
  const Result<ParameterSet> parameters = complete_parameters(kernel, changes);
  EXPECT_TRUE(parameters.ok()) << to_string(parameters.error());
  Result<KernelInstance> instance =
      instantiate(kernel, *parameters, kernel.default_extents, device(compute_capability));
  EXPECT_TRUE(instance.ok()) << to_string(instance.error());
  CompileRequest request;
  if (instance.ok()) request.instance = *instance;
  request.compute_capability = compute_capability;
  return request;
}

// Compiles into a cache of its own, empty at first.
class CompileTest : public ::testing::Test {
 protected:
  CompileTest() { ::setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1); }

  static Result<CompiledKernel> compile_text(const std::string& source,
                                             const std::string& kernel = "",
                                             bool want_cubin = false,
                                             const std::string& file_name = "test.cu") {
    CompileRequest request;
    request.instance.file_name = file_name;
    request.instance.source = source;
    request.instance.kernel = kernel;
    request.want_cubin = want_cubin;
    return compile(request, {});
  }

  static Result<CompiledKernel> compile_file(const std::string& path,
                                             const std::string& kernel = "",
                                             const std::vector<std::string>& defines = {}) {
    CompileRequest request;
    request.instance.file_name = path;
    request.instance.source = read_file(path);
    request.instance.kernel = kernel;
    request.instance.defines = defines;
    return compile(request, {});
  }

  static void expect_error(const Result<CompiledKernel>& result, int line, const std::string& part,
                           ErrorCode code = ErrorCode::kCompile) {
    ASSERT_FALSE(result.ok()) << part;
    EXPECT_EQ(result.error().code, code) << to_string(result.error());
    EXPECT_EQ(result.error().place.line, line) << to_string(result.error());
    EXPECT_NE(to_string(result.error()).find(part), std::string::npos) << to_string(result.error());
  }

  TemporaryFolder folder_;
};

}  // namespace tilescope::testing

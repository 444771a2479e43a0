#include "heed/base/shared_library.h"

#include <gtest/gtest.h>

#include <string>

#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

TEST(SharedLibrary, ItsFunctionsAreCalled) {
  const SharedLibrary library("libm.so.6", "libc6");
  double (*const cosine)(double) = library["cos"];
  EXPECT_EQ(cosine(0), 1);
}

TEST(SharedLibrary, WhatIsMissingNamesThePackage) {
  const std::string message = MessageOf<IoError>(
      [] { const SharedLibrary missing("libnone.so.9", "libnone9"); });
  EXPECT_EQ(Count(message, "libnone.so.9 cannot be loaded ("), 1) << message;
  EXPECT_EQ(Count(message, "): install the package libnone9"), 1) << message;
}

TEST(SharedLibrary, AFunctionThatIsMissingIsNamed) {
  const SharedLibrary library("libm.so.6", "libc6");
  EXPECT_EQ(MessageOf<IoError>([&] { library["no_such_function"]; }),
            "libm.so.6 has no function no_such_function: it is another "
            "version");
}

}  // namespace
}  // namespace heed

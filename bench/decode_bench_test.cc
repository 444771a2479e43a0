#include "bench/decode_bench.h"

#include <gtest/gtest.h>

#include "heed/base/errors.h"

namespace heed {
namespace {

DecodeBenchOptions Small(const std::string& model) {
  DecodeBenchOptions options;
  options.model = model;
  options.batch = 2;
  options.beam = 2;
  options.length = 3;
  options.src_len = 4;
  options.vocab = 20;
  options.seconds = 0.01;
  return options;
}

TEST(DecodeBench, TimesEveryModelInEveryType) {
  for (const char* model : {"transformer-tiny", "bahdanau", "luong", "fixed"}) {
    for (const char* dtype : {"f32", "bf16", "int8"}) {
      DecodeBenchOptions options = Small(model);
      options.dtype = dtype;
      const DecodeBenchResult r = BenchDecoding(options);
      EXPECT_GT(r.tokens_per_second, 0);
      EXPECT_GT(r.first_token_ms, 0);
      EXPECT_GT(r.batch_ms, 0);
      EXPECT_GT(r.peak_bytes, 0);
      EXPECT_GT(r.peak_rss_bytes, r.peak_bytes);
      EXPECT_GT(r.floor_ms, 0);
      EXPECT_NEAR(r.fraction, r.floor_ms / r.batch_ms, 1e-9);
    }
  }
}

TEST(DecodeBench, TokensAreThoseOfTheBestHypotheses) {
  const DecodeBenchOptions options = Small("transformer-tiny");
  const DecodeBenchResult r = BenchDecoding(options);
  EXPECT_NEAR(r.tokens_per_second * r.batch_ms / 1e3,
              options.batch * options.length * r.threads, 1e-6);
}

TEST(DecodeBench, AModelNobodyKnowsIsAnError) {
  EXPECT_THROW(BenchDecoding(Small("nothing")), ConfigError);
}

}  // namespace
}  // namespace heed

#include "heed/models/text_reader.h"

#include <utility>

#include "heed/models/outline_parts.h"

namespace heed {
namespace {

PoolingOptions WithFeatures(PoolingOptions options, int64_t features) {
  options.features = features;
  return options;
}

}  // namespace

PooledReader::PooledReader(const Scope& scope, PoolingOptions pooling,
                           std::unique_ptr<TextEncoder> encoder)
    : encoder_(std::move(encoder)),
      pooling_(scope,
               WithFeatures(std::move(pooling), encoder_->output_size())) {}

Var PooledReader::operator()(const Context& ctx, const TextInput& text) const {
  const Var x = (*encoder_)(ctx, text);
  return pooling_(ctx, x, text.lengths);
}

std::vector<OutlineSequence> PooledReader::Outline() const {
  return {{.axis = "source",
           .blocks = WithBlock(encoder_->Outline(),
                               PoolingOutline(pooling_.options()))}};
}

}  // namespace heed

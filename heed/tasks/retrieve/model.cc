#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "heed/tasks/retrieve/retrieve.h"

namespace heed {
namespace {

constexpr size_t kTextsAtOnce = 128;
// Of texts that are encoded together, padding included.
constexpr size_t kTokensAtOnce = 8192;
constexpr size_t kTextsEncodedAtOnce = 1024;

}  // namespace

RetrievalModel::RetrievalModel(RetrievalConfig settings, Vocabulary learnt,
                               uint64_t seed)
    : config(std::move(settings)),
      vocabulary(std::move(learnt)),
      parameters_(seed, DType::kF32, config.encoder->precision()),
      network(Scope(parameters_, ""), config.bi_encoder,
              config.encoder->MakeText(Scope(parameters_, "encoder"),
                                       vocabulary.size(), 1)) {}

LabelledCorpus RetrievalModel::Encode(
    const Context& ctx, const std::vector<std::string>& texts) const {
  const RetrievalDataConfig& data = config.data;
  LabelledCorpus all;
  for (size_t begin = 0; begin < texts.size(); begin += kTextsEncodedAtOnce) {
    ctx.CheckCancelled();
    const auto some = std::span(texts).subspan(begin).first(
        std::min(kTextsEncodedAtOnce, texts.size() - begin));
    LabelledCorpus next =
        EncodeLabelled({{some.begin(), some.end()}, {}, {}}, vocabulary,
                       nullptr, {data.max_length, data.vocabulary.lowercase});
    std::ranges::move(next.corpus.source,
                      std::back_inserter(all.corpus.source));
    std::ranges::move(next.corpus.target,
                      std::back_inserter(all.corpus.target));
    std::ranges::copy(next.first, std::back_inserter(all.first));
    all.cut += next.cut;
  }
  WarnOfCut(all, data.max_length);
  return all;
}

Tensor RetrievalModel::Vectors(const Context& ctx, const LabelledCorpus& corpus,
                               const std::vector<int64_t>& places) const {
  // By length, so that little is padding.
  std::vector<int64_t> order(places.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  const auto length = [&](int64_t i) {
    return corpus.corpus
        .source[static_cast<size_t>(places[static_cast<size_t>(i)])]
        .size();
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return length(a) < length(b); });
  Tensor vectors({std::ssize(places), network.output_size()});
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin + 1;
    while (end < order.size() && end - begin < kTextsAtOnce &&
           (end + 1 - begin) * length(order[end]) <= kTokensAtOnce) {
      ++end;
    }
    const auto now = std::span(order).subspan(begin, end - begin);
    begin = end;
    std::vector<int64_t> some;
    for (const int64_t i : now) {
      some.push_back(places[static_cast<size_t>(i)]);
    }
    const LabelledBatch batch = MakeLabelledBatch(corpus, some);
    const Tensor encoded =
        network.Encode(ctx, batch.ids, batch.lengths).value();
    for (int64_t i = 0; i < std::ssize(now); ++i) {
      vectors[now[static_cast<size_t>(i)]].CopyFrom(encoded[i]);
    }
  }
  return vectors;
}

Tensor RetrievalModel::Vectors(const Context& ctx,
                               const std::vector<std::string>& texts) const {
  std::vector<int64_t> all(texts.size());
  std::iota(all.begin(), all.end(), int64_t{0});
  return Vectors(ctx, Encode(ctx, texts), all);
}

}  // namespace heed


#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/rng.h"
#include "heed/base/text.h"
#include "heed/data/bm25.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/matmul.h"
#include "heed/ops/shape.h"
#include "heed/tasks/retrieve/retrieve.h"

namespace heed::retrieve {
namespace {

constexpr size_t kTextsAtOnce = 128;
// Maximum tokens of a block of texts, including padding.
constexpr size_t kTokensAtOnce = 8192;
// Maximum words of a block, per side, if words of both sides are compared.
constexpr size_t kWordsComparedAtOnce = 2048;
constexpr size_t kTextsEncodedAtOnce = 1024;
// Maximum numbers in the states of a corpus: 2 GB.
constexpr int64_t kMaxNumbersKept = 500000000;
// Factor of the learnt weights of the cosine and of shared words.
constexpr double kRateOfWeights = 10;

using OverlapVector = std::array<double, kOverlapFeatures>;

constexpr int64_t kQueriesFitted = 500;
constexpr int64_t kWrongTexts = 50;  // maximum per query
constexpr int kFitSteps = 500;
constexpr double kFitStepSize = 0.8;  // 1 / the largest curvature, 5 / 4
// Prior: normal around BM25 alone, whose weight is 1 with the default
// temperature of 0.05.
constexpr OverlapVector kPriorMean = {20};
constexpr double kPriorDeviation = 10;

/// OverlapFeatures of an answer minus those of each wrong text.
using OverlapDifferences = std::vector<OverlapVector>;

/// Wrong texts of a query: its candidates, or random texts.
std::vector<int64_t> WrongTexts(const Data& texts, const RetrievalQuery& query,
                                Rng& rng) {
  std::vector<int64_t> wrong;
  const auto all = static_cast<uint64_t>(texts.corpus.size());
  const auto add = [&](int64_t text) {
    const bool itself = !texts.queries && text == query.query;
    if (!itself && !Contains(query.positives, text)) wrong.push_back(text);
  };
  for (const int64_t text : query.candidates) {
    if (std::ssize(wrong) < kWrongTexts) add(text);
  }
  for (int64_t i = 0; query.candidates.empty() && i < kWrongTexts; ++i) {
    add(static_cast<int64_t>(rng.Below(all)));
  }
  return wrong;
}

std::vector<OverlapDifferences> ReadOverlapDifferences(
    const Data& texts, const Bm25Statistics& statistics, Rng& rng) {
  std::vector<OverlapDifferences> all;
  const int64_t step =
      std::max<int64_t>(1, std::ssize(texts.train) / kQueriesFitted);
  for (int64_t i = 0; i < std::ssize(texts.train); i += step) {
    const RetrievalQuery& query = At(texts.train, i);
    const std::vector<int64_t> wrong = WrongTexts(texts, query, rng);
    const auto counted = [&](const TextCollection& from, int64_t place) {
      return statistics.Count({&At(from.texts(), place), 1}).front();
    };
    const CountedWords words = counted(texts.query_texts(), query.query);
    std::vector<OverlapVector> of_wrong;
    for (const int64_t text : wrong) {
      of_wrong.push_back(OverlapFeatures(words, counted(texts.corpus, text)));
    }
    for (const int64_t answer : query.positives) {
      const OverlapVector right =
          OverlapFeatures(words, counted(texts.corpus, answer));
      OverlapDifferences& differences = all.emplace_back(of_wrong);
      for (OverlapVector& features : differences) {
        for (size_t k = 0; k < kOverlapFeatures; ++k) {
          features[k] = right[k] - features[k];
        }
      }
    }
  }
  return all;
}

/// Adds the gradient of log(1 + Σ exp(−w · d)) over the differences d.
void AddOverlapGradient(const OverlapVector& weights,
                        const OverlapDifferences& differences,
                        OverlapVector& gradient) {
  std::vector<double> logits;
  double max = 0;  // the logit of the answer
  for (const OverlapVector& d : differences) {
    double logit = 0;
    for (size_t k = 0; k < kOverlapFeatures; ++k) logit -= weights[k] * d[k];
    logits.push_back(logit);
    max = std::max(max, logit);
  }
  double sum = std::exp(-max);
  for (double& logit : logits) sum += logit = std::exp(logit - max);
  for (size_t n = 0; n < differences.size(); ++n) {
    for (size_t k = 0; k < kOverlapFeatures; ++k) {
      gradient[k] -= logits[n] / sum * differences[n][k];
    }
  }
}

}  // namespace

OverlapVector FitOverlap(const Data& texts, const Bm25Statistics& statistics,
                         uint64_t seed) {
  Rng rng(seed);
  const std::vector<OverlapDifferences> all =
      ReadOverlapDifferences(texts, statistics, rng);
  const double prior = 1 / (kPriorDeviation * kPriorDeviation);
  const double step = kFitStepSize / (static_cast<double>(all.size()) + prior);
  OverlapVector weights = kPriorMean, last = weights;
  for (int i = 0; i < kFitSteps; ++i) {  // Nesterov's accelerated gradient
    const double momentum = i / (i + 3.0);
    OverlapVector ahead, gradient;
    for (size_t k = 0; k < kOverlapFeatures; ++k) {
      ahead[k] = weights[k] + momentum * (weights[k] - last[k]);
      gradient[k] = prior * (ahead[k] - kPriorMean[k]);
    }
    for (const OverlapDifferences& d : all)
      AddOverlapGradient(ahead, d, gradient);
    last = weights;
    for (size_t k = 0; k < kOverlapFeatures; ++k) {
      weights[k] = ahead[k] - step * gradient[k];
    }
  }
  return weights;
}

Model::Model(Config settings, Vocabulary words, Learned others, uint64_t seed)
    : config(std::move(settings)),
      vocabulary(std::move(words)),
      learned(std::move(others)),
      parameters_(seed, DType::kF32, config.encoder->precision()),
      network(Scope(parameters_, ""), config.bi_encoder,
              config.encoder->MakeText(
                  Scope(parameters_, "encoder"),
                  SizesOf(vocabulary, learned.vectors.get()))) {
  if (!learned.statistics) return;
  if (config.data.shared_words == SharedWordMeasures::kBm25) {
    weight_of_shared_ = &parameters_.Add("shared_words.weight", {1},
                                         {Init::Kind::kConstant, 1});
    return;
  }
  weight_of_shared_ =
      &parameters_.Add("shared_words.weight",
                       {static_cast<int64_t>(kOverlapFeatures), 1}, kZeroInit);
  const bool margin = config.bi_encoder.match_loss == MatchLossKind::kMargin;
  weight_of_cosine_ = &parameters_.Add(
      "shared_words.cosine", {1},
      {Init::Kind::kConstant, margin ? 1 / kRateOfWeights : 0});
}

void Model::StartFromOverlap(const Data& texts, uint64_t seed) {
  if (weight_of_cosine_ == nullptr) return;
  const auto fitted = FitOverlap(texts, *learned.statistics, seed);
  Tensor start(weight_of_shared_->value().shape());
  for (size_t k = 0; k < fitted.size(); ++k) {
    start.data<float>()[k] = static_cast<float>(
        fitted[k] * config.bi_encoder.temperature / kRateOfWeights);
  }
  weight_of_shared_->Set(start);
}

ModelFiles Model::Files() const {
  ModelFiles files = {
      {config.data.vocabulary.FileName(), vocabulary.Serialize()}};
  AddWordVectors(learned.vectors.get(), files);
  if (learned.statistics) {
    files[kStatisticsFile] = learned.statistics->Serialize();
  }
  return files;
}

std::string Model::Prompted(const std::string& text, TextSide side) const {
  const DataConfig& data = config.data;
  const std::string all =
      (side == TextSide::kQuery ? data.query_prompt : data.text_prompt) + text;
  return vocabulary.kind() == VocabularyKind::kTokenizer
             ? std::string(TrimBlanks(all))
             : all;
}

ReadableCorpus Model::Encode(const Context& ctx,
                             const std::vector<std::string>& texts,
                             TextSide side) const {
  const DataConfig& data = config.data;
  ReadableCorpus result;
  if (learned.statistics) result.words = learned.statistics->Count(texts);
  LabelledCorpus& all = result.tokens;
  for (size_t begin = 0; begin < texts.size(); begin += kTextsEncodedAtOnce) {
    ctx.CheckCancelled();
    const auto some = std::span(texts).subspan(begin).first(
        std::min(kTextsEncodedAtOnce, texts.size() - begin));
    LabelledText prompted;
    for (const std::string& text : some) {
      prompted.text.push_back(Prompted(text, side));
    }
    LabelledCorpus next =
        EncodeLabelled(prompted, vocabulary, nullptr,
                       {.max_length = data.max_length,
                        .lowercase = data.vocabulary.lowercase,
                        .vectors = learned.vectors.get()});
    std::ranges::move(next.corpus.source,
                      std::back_inserter(all.corpus.source));
    std::ranges::move(next.corpus.target,
                      std::back_inserter(all.corpus.target));
    std::ranges::move(next.vector_rows, std::back_inserter(all.vector_rows));
    std::ranges::copy(next.first, std::back_inserter(all.first));
    all.vectors = next.vectors;
    all.cut += next.cut;
  }
  WarnOfCut(all, data.max_length);
  return result;
}

EncodedCorpus::Block Model::ReadBlock(const Context& ctx,
                                      const ReadableCorpus& corpus,
                                      std::span<const int64_t> places) const {
  EncodedCorpus::Block block;
  block.texts =
      network.Encode(ctx, InputOf(MakeLabelledBatch(corpus.tokens, places)));
  for (const int64_t place : places) {
    if (corpus.words.empty()) break;
    block.words.push_back(At(corpus.words, place));
  }
  return block;
}

Var Model::Scores(const Context& ctx, const EncodedCorpus::Block& queries,
                  const EncodedCorpus::Block& texts) const {
  Var cosines = network.Cosines(ctx, queries.texts, texts.texts);
  if (weight_of_shared_ == nullptr) return cosines;
  const Var shared = SharedWordScores(ctx, queries, texts);
  if (weight_of_cosine_ == nullptr) return Add(cosines, shared);
  return Scale(Add(ScaleBy(cosines, ctx.Use(*weight_of_cosine_)), shared),
               kRateOfWeights);
}

/// Weighted sum of the measures of shared words. Shapes: result [queries,
/// texts].
Var Model::SharedWordScores(const Context& ctx,
                            const EncodedCorpus::Block& queries,
                            const EncodedCorpus::Block& texts) const {
  const int64_t B = std::ssize(queries.words), N = std::ssize(texts.words);
  const int64_t F = weight_of_shared_->value().numel();
  Tensor features({B * N, F});
  for (int64_t b = 0; b < B; ++b) {
    for (int64_t n = 0; n < N; ++n) {
      const auto values =
          OverlapFeatures(At(queries.words, b), At(texts.words, n));
      for (int64_t k = 0; k < F; ++k) {
        features.row<float>(b * N + n)[k] = static_cast<float>(At(values, k));
      }
    }
  }
  const Var weights = Reshape(ctx.Use(*weight_of_shared_), {F, 1});
  return Reshape(MatMul(features, weights), {B, N});
}

EncodedCorpus Model::Read(const Context& ctx, const ReadableCorpus& corpus,
                          const std::vector<int64_t>& places) const {
  // Sorted by length, to reduce padding.
  std::vector<int64_t> order(places.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  const auto length = [&](int64_t i) {
    return At(corpus.tokens.corpus.source, At(places, i)).size();
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return length(a) < length(b); });
  const bool words = network.compares_words();
  const size_t at_once = words ? kWordsComparedAtOnce : kTokensAtOnce;
  EncodedCorpus encoded;
  encoded.size = std::ssize(places);
  int64_t kept = 0;
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin + 1;
    while (end < order.size() && end - begin < kTextsAtOnce &&
           (end + 1 - begin) * length(order[end]) <= at_once) {
      ++end;
    }
    const std::vector<int64_t> rows(
        order.begin() + static_cast<std::ptrdiff_t>(begin),
        order.begin() + static_cast<std::ptrdiff_t>(end));
    begin = end;
    std::vector<int64_t> some;
    for (const int64_t i : rows) some.push_back(At(places, i));
    if (words) {
      kept += std::ssize(rows) * static_cast<int64_t>(length(rows.back())) *
              network.output_size();
    }
    if (kept > kMaxNumbersKept) {
      throw ConfigError(
          "the words of {} texts take more than {} GB, as match '{}' compares "
          "them with those of a query; give each query its candidates (query, "
          "tab, text, tab, text), or train with --match separate",
          places.size(), kMaxNumbersKept * 4 / 1000000000,
          config.bi_encoder.match.word());
    }
    EncodedCorpus::Block block = ReadBlock(ctx, corpus, some);
    block.places = rows;
    encoded.blocks.push_back(std::move(block));
  }
  return encoded;
}

EncodedCorpus Model::Read(const Context& ctx,
                          const std::vector<std::string>& texts,
                          TextSide side) const {
  std::vector<int64_t> all(texts.size());
  std::iota(all.begin(), all.end(), int64_t{0});
  return Read(ctx, Encode(ctx, texts, side), all);
}

Tensor Model::Scores(const Context& ctx, const EncodedCorpus& queries,
                     const EncodedCorpus& texts) const {
  Tensor all({queries.size, texts.size});
  for (const EncodedCorpus::Block& q : queries.blocks) {
    for (const EncodedCorpus::Block& d : texts.blocks) {
      ctx.CheckCancelled();
      const Tensor some = Scores(ctx, q, d).value();
      for (int64_t b = 0; b < some.dim(0); ++b) {
        float* row = all.row<float>(At(q.places, b));
        for (int64_t n = 0; n < some.dim(1); ++n) {
          row[At(d.places, n)] = some.row<float>(b)[n];
        }
      }
    }
  }
  return all;
}

std::unique_ptr<Model> Settings::Open(const ModelFiles& files,
                                      const std::string& folder,
                                      uint64_t seed) const {
  Model::Learned learned = {data.vectors.Find(files, folder), std::nullopt};
  if (data.shared_words != SharedWordMeasures::kNone) {
    learned.statistics =
        Bm25Statistics::Parse(FindFile(files, folder, kStatisticsFile),
                              PathIn(folder, kStatisticsFile));
  }
  return std::make_unique<Model>(*this, data.vocabulary.Find(files, folder),
                                 std::move(learned), seed);
}

}  // namespace heed::retrieve

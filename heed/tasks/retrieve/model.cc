
#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/data/bm25.h"
#include "heed/ops/elementwise.h"
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

}  // namespace

Model::Model(Config settings, Vocabulary words, Learned others, uint64_t seed)
    : config(std::move(settings)),
      vocabulary(std::move(words)),
      learned(std::move(others)),
      parameters_(seed, DType::kF32, config.encoder->precision()),
      network(
          Scope(parameters_, ""), config.bi_encoder,
          config.encoder->MakeText(Scope(parameters_, "encoder"),
                                   SizesOf(vocabulary, learned.vectors.get()))),
      weight_of_shared_(learned.statistics
                            ? &parameters_.Add("shared_words.weight", {1},
                                               {Init::Kind::kConstant, 1})
                            : nullptr) {}

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
  Tensor shared(cosines.shape());
  for (int64_t b = 0; b < shared.dim(0); ++b) {
    for (int64_t n = 0; n < shared.dim(1); ++n) {
      shared.row<float>(b)[n] = static_cast<float>(
          SharedWords(At(queries.words, b), At(texts.words, n)));
    }
  }
  return Add(cosines, ScaleBy(shared, ctx.Use(*weight_of_shared_)));
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
  if (data.shared_words) {
    learned.statistics =
        Bm25Statistics::Parse(FindFile(files, folder, kStatisticsFile),
                              PathIn(folder, kStatisticsFile));
  }
  return std::make_unique<Model>(*this, data.vocabulary.Find(files, folder),
                                 std::move(learned), seed);
}

}  // namespace heed::retrieve

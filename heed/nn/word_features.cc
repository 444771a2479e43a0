#include "heed/nn/word_features.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "heed/kernels/elementwise.h"
#include "heed/ops/check.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/matmul.h"
#include "heed/ops/shape.h"
#include "heed/ops/window_max.h"

namespace heed {
namespace {

/// Transposes ids from [U, L] to [L, U].
Tensor Transposed(const Tensor& ids) {
  return kernels::TransposeLeading(ids.Reshape({ids.dim(0), ids.dim(1), 1}))
      .Reshape({ids.dim(1), ids.dim(0)});
}

/// Number of ids before the first 0 of each row.
Tensor RowLengths(const Tensor& ids) {
  Tensor lengths({ids.dim(0)}, DType::kI32);
  for (int64_t u = 0; u < ids.dim(0); ++u) {
    const int32_t* row = ids.row<int32_t>(u);
    lengths.data<int32_t>()[u] =
        static_cast<int32_t>(std::find(row, row + ids.dim(1), 0) - row);
  }
  return lengths;
}

}  // namespace

void WordFeaturesConfig::Visit(FieldList& v) {
  v.Section("Words");
  v("word_embedding", word_embedding, Range(1, 16384), "features of a word");
  v("characters", characters, "encoder of the characters of a word");
  v("character_embedding", character_embedding, Range(1, 4096),
    "features of a character");
  v("character_units", character_units, Range(1, 4096),
    "features of the characters of a word; cnn: for each width");
  v("character_widths", character_widths,
    OneOf{"1", "2", "3", "4", "5", "6", "7"},
    "widths of the filters of the cnn, in characters");
  v("casing_embedding", casing_embedding, Range(0, 4096),
    "features of the casing of a word (lower, Title, UPPER, ...); 0: none");
  v("word_dropout", word_dropout, UpToBelow(0, 1),
    "probability of replacing a word by the unknown word, and independently of "
    "dropping its pretrained vector");
}

WordFeatures::WordFeatures(const Scope& scope, const WordFeaturesConfig& config,
                           const WordSizes& sizes, Init init)
    : config_(config),
      unknown_(sizes.unknown),
      vector_features_(sizes.vector_features),
      output_size_(config.word_embedding + sizes.vector_features),
      words_(scope / "words", sizes.words, config.word_embedding,
             kEmbeddingInit) {
  const WordFeaturesConfig& c = config_;
  if (c.characters != CharacterEncoder::kNone) {
    characters_.emplace(scope / "characters", sizes.characters,
                        c.character_embedding, kEmbeddingInit);
  }
  if (c.characters == CharacterEncoder::kCnn) {
    // A set, to use each width once, in order.
    for (const std::string& text :
         std::set(c.character_widths.begin(), c.character_widths.end())) {
      const int64_t width = std::stoll(text);
      const Scope filter = scope / fmt::format("filters.{}", width);
      filters_.push_back(
          {width,
           &filter.Add("weight",
                       {c.character_embedding, width * c.character_units},
                       init),
           &filter.Add("bias", {c.character_units}, kZeroInit)});
      output_size_ += c.character_units;
    }
    if (filters_.empty()) {
      throw ConfigError("character_widths: a cnn needs at least one");
    }
  }
  if (c.characters == CharacterEncoder::kLstm) {
    EncoderOptions o;
    o.cell = Cell::kLstm;
    o.inputs = c.character_embedding;
    o.units = (c.character_units + 1) / 2;
    o.input_init = init;
    o.recurrent_init = init;
    reader_.emplace(scope / "reader", o);
    output_size_ += reader_->output_size();
  }
  if (c.casing_embedding > 0) {
    casings_.emplace(scope / "casings", sizes.casings, c.casing_embedding,
                     kEmbeddingInit);
    output_size_ += c.casing_embedding;
  }
}

Var WordFeatures::operator()(const Context& ctx, const WordIds& ids) const {
  CheckShapes(
      ids.words.rank() == 2 && ids.spelling.shape() == ids.words.shape(),
      "word features", "words that are not [B, T] with their spelling",
      {ids.words.shape(), ids.spelling.shape()});
  InlineVector<Var, 4> parts;
  parts.push_back(words_(ctx, DropWords(ctx, ids.words)));
  if (!filters_.empty()) {
    parts.push_back(Embed(Convolve(ctx, ids.characters), ids.spelling));
  }
  if (reader_) parts.push_back(Embed(Read(ctx, ids.characters), ids.spelling));
  if (casings_) {
    parts.push_back(Embed((*casings_)(ctx, ids.casings), ids.spelling));
  }
  if (vector_features_ > 0) parts.push_back(Var(Given(ctx, ids)));
  return ctx.Input("source", ConcatColumns(parts.span()));
}

template <class Drop>
void WordFeatures::ForDropped(const Context& ctx, int64_t n,
                              const Drop& drop) const {
  if (!Drops(ctx)) return;
  Rng rng(ctx.NextKey());
  for (int64_t i = 0; i < n; ++i) {
    if (rng.Uniform() < config_.word_dropout) drop(i);
  }
}

Tensor WordFeatures::DropWords(const Context& ctx, const Tensor& words) const {
  if (!Drops(ctx)) return words;
  Tensor dropped = words.Clone();
  ForDropped(ctx, words.numel(),
             [&](int64_t i) { dropped.data<int32_t>()[i] = unknown_; });
  return dropped;
}

Tensor WordFeatures::Given(const Context& ctx, const WordIds& ids) const {
  CheckShapes(ids.vectors.defined() && ids.vectors.rank() == 2 &&
                  ids.vectors.dim(1) == vector_features_,
              "word features", "vectors of words that are not [U, D]",
              {ids.vectors.shape(), {vector_features_}});
  if (ids.vectors.dtype() != words_.weight().dtype()) {
    throw ShapeError("word features: vectors of another dtype");
  }
  Tensor given = Embed(Var(ids.vectors), ids.spelling).value();
  Tensor rows = given.Reshape({ids.spelling.numel(), vector_features_});
  ForDropped(ctx, rows.dim(0), [&](int64_t i) { rows[i].Fill(0); });
  return given;
}

Var WordFeatures::Convolve(const Context& ctx, const Tensor& characters) const {
  const Var table =
      characters_->Rows(ctx, 0, characters_->weight().value().dim(0));
  InlineVector<Var, 7> parts;
  for (const Filters& filters : filters_) {
    // Each distinct character is multiplied once. Bias and relu are monotonic,
    // so they can follow the maximum.
    const Var products = MatMul(table, ctx.Use(*filters.weight));
    const Var largest = WindowMax(products, characters, filters.width);
    parts.push_back(Relu(AddRow(largest, ctx.Use(*filters.bias))));
  }
  return parts.size() == 1 ? parts[0] : ConcatColumns(parts.span());
}

Var WordFeatures::Read(const Context& ctx, const Tensor& characters) const {
  const EncoderResult read = (*reader_)(
      ctx, (*characters_)(ctx, Transposed(characters)), RowLengths(characters));
  return ConcatColumns({Recurrent::Hidden(read.states.back()),
                        Recurrent::Hidden(read.backward_states.back())});
}

}  // namespace heed

#include "heed/models/transformer/transformer_config.h"

#include <fmt/format.h>

#include <cmath>

#include "heed/base/at.h"
#include "heed/models/registry.h"

namespace heed {
namespace {

Range Rate() {
  Range range = UpToBelow(0, 1);
  range.min = -1;
  return range;
}

/// Activations in the order of FeedForward.
constexpr Activation kActivations[] = {Activation::kRelu, Activation::kGelu,
                                       Activation::kGeluTanh,
                                       Activation::kSwish, Activation::kSwish};

/// Implementation of a Position: positions added to embeddings, and a modifier
/// of queries, keys or scores. In the order of Position.
struct PositionParts {
  PositionKind added;
  const char* modifier;
};
constexpr PositionParts kPositions[] = {
    {PositionKind::kSinusoidal, "none"},
    {PositionKind::kSinusoidalConcat, "none"},
    {PositionKind::kSinusoidalT2t, "none"},
    {PositionKind::kLearned, "none"},
    {PositionKind::kNone, "rotary"},
    {PositionKind::kNone, "alibi"},
    {PositionKind::kNone, "relative_bias"},
    {PositionKind::kNone, "none"},
};

const PositionParts& PartsOf(Position position) {
  return At(kPositions, position);
}

void CheckSizes(const TransformerConfig& c) {
  Require(c.width % c.heads == 0,
          fmt::format("heads: a width of {} does not divide into {} heads",
                      c.width, c.heads));
  Require(c.heads % c.key_heads == 0,
          fmt::format("key_heads: {} heads cannot share {}; choose a divisor",
                      c.heads, c.key_heads));
  const PositionKind added = AddedPositions(c.position.value());
  Require(c.width % 2 == 0 || added == PositionKind::kNone ||
              added == PositionKind::kLearned,
          fmt::format("position: sines and cosines need an even width, not {}",
                      c.width));
  Require(!(c.position == Position::kRotary) || c.width / c.heads % 2 == 0,
          fmt::format("position: rotary turns pairs of features, but a head "
                      "has {}",
                      c.width / c.heads));
  Require(c.alignment_layer < c.decoder_layers,
          fmt::format("alignment_layer: {} is counted from 0, and there are {} "
                      "layers",
                      c.alignment_layer, c.decoder_layers));
  Require(c.alignment_head < c.heads,
          fmt::format("alignment_head: {} is counted from 0, and there are {} "
                      "heads",
                      c.alignment_head, c.heads));
}

void VisitDecoder(FieldList& v, int& layers,
                  Auto<DecoderRecurrence>& recurrence) {
  v("decoder_layers", layers, Range(0, 256),
    "layers of the decoder; 0: as layers");
  v("decoder_recurrence", recurrence,
    "ssru: decoder layers of a translation model have a recurrence (SSRU) "
    "instead of self-attention, for fast decoding");
}

void VisitSegments(FieldList& v, int& segments, bool& embeddings) {
  v("segments", segments, Range(0, 256),
    "segment (token type) embeddings; 0: model default");
  v("segment_embeddings", embeddings,
    "add a vector to each token for the first or second text of a pair; "
    "without it, separators alone mark the texts, as in RoBERTa");
}

}  // namespace

PositionKind AddedPositions(Position position) {
  return PartsOf(position).added;
}

void TransformerConfig::VisitFor(FieldList& v, bool decoder) {
  v.Section("Model");
  v("layers", layers, Range(0, 256), "layers of the encoder; 0: model default")
      .Alias("num_layers");
  if (decoder) VisitDecoder(v, decoder_layers, decoder_recurrence);
  v("width", width, Range(0, 65536),
    "features of a token, the width of the model; 0: model default")
      .Alias("hidden")
      .Alias("hidden_size")
      .Alias("d_model");
  v("ff", ff, Range(0, 262144),
    "width of the feed-forward layers; 0: model default")
      .Alias("ffn")
      .Alias("d_ff");
  v("norm", norm,
    "layer normalisation before (pre) or after (post) each sublayer; auto: pre "
    "for tiny models, which then need no warm-up; as published for others");
  v("final_norm", final_norm,
    "normalise the output of the last layer; auto: if norm is pre");
  v("activation", activation,
    "activation of the feed-forward layers; swiglu has a third matrix");
  v("norm_epsilon", epsilon, Range(0, 1),
    "constant added to the variance of a norm; 0: model default");

  v.Section("Embeddings");
  v("position", position, "position encoding");
  v("max_positions", max_positions, Range(0, 1 << 20),
    "length of the table of learned positions; 0: model default");
  if (decoder) {
    v("tie", tie,
      "tied embeddings: target and output projection (output), source and "
      "target (source_target, for a joint vocabulary), or all three");
  }
  v("embedding_scale", embedding_scale,
    "multiply embeddings by the root of the width");
  v("embedding_norm", embedding_norm,
    "layer normalisation of the sum of embeddings");
  VisitSegments(v, segments, segment_embeddings);
  if (decoder) {
    v("output_bias", output_bias, "add a bias to the output projection");
  }

  v.Section("Attention");
  v("heads", heads, Range(0, 1024), "heads; 0: default").Alias("num_heads");
  v("key_heads", key_heads, Range(0, 1024),
    "heads of keys and values, shared by heads of queries; 0: as heads");
  VisitParts(
      v, {"scaled_dot", "soft_cap(30)",
          "positions that self-attention may attend to, such as 'window(16)'"});
  v("attention_bias", attention_bias,
    "add a bias to queries, keys, values and outputs");
  if (decoder) {
    v("alignment_layer", alignment_layer, Range(-1, 255),
      "decoder layer whose attention is the alignment, from 0; -1: the last, "
      "or with guided_alignment the second-last (ssru: the last)");
    v("alignment_head", alignment_head, Range(-1, 1023),
      "head of the alignment layer, from 0; -1: the mean of all, or with "
      "guided_alignment head 0");
  }

  v.Section("Regularisation and numbers");
  v("dropout", dropout, Rate(),
    "probability to drop embeddings and sublayer outputs; -1: model default");
  v("attention_dropout", attention_dropout, Rate(),
    "dropout rate of attention weights; -1: model default");
  v("activation_dropout", activation_dropout, Rate(),
    "probability to drop feed-forward activations; -1: model default");
  v("init", init, OneOf{"auto", "glorot", "normal"}, "initial weights");
  v("init_scale", init_scale, Range(1e-6, 10),
    "standard deviation of init normal");
  VisitPrecision(v, precision);
}

void TransformerConfig::Fill(const std::string& model) {
  FillPreset(FieldsOf(*this), FindModel(model).Variant("auto").preset);
  if (decoder_layers == 0) decoder_layers = layers;
  if (decoder_recurrence.open()) decoder_recurrence = DecoderRecurrence::kNone;
  if (key_heads == 0) key_heads = heads;
  if (final_norm.open()) final_norm = ToYesNo(norm == NormPlace::kPre);
}

ResolvedTransformer TransformerConfig::Resolve(const std::string& model) const {
  TransformerConfig c = *this;
  c.Fill(model);
  CheckSizes(c);
  const AttentionSpec attention = c.Spec(/*self=*/true);
  const InitSettings inits = {c.init.value(), c.init_scale};
  ResolvedTransformer r;
  TransformerOptions& o = r.stack;
  o.layers = c.layers;
  o.width = c.width;
  o.feed_forward = c.ff;
  o.heads = c.heads;
  o.key_heads = c.key_heads;
  o.pre_norm = c.norm == NormPlace::kPre;
  o.final_norm = c.final_norm == YesNo::kYes;
  o.epsilon = c.epsilon;
  o.gated = c.activation == FeedForward::kSwiGlu;
  o.activation = At(kActivations, c.activation.value());
  o.attention_bias = c.attention_bias;
  o.dropout = c.dropout;
  o.attention_dropout = attention.dropout;
  o.activation_dropout = c.activation_dropout;
  o.score = attention.score;
  o.modifiers = attention.modifiers;
  o.self_modifiers = ChooseModifiers(PartsOf(c.position.value()).modifier);
  o.mask = attention.mask;
  o.normalizer = attention.normalizer;
  o.positions = c.max_positions;
  o.init = o.output_init = inits.Matrix();
  if (!o.pre_norm && c.decoder_recurrence == DecoderRecurrence::kSsru) {
    // Deep post-norm models learn late otherwise (Zhang, Titov and Sennrich
    // 2019, D19-1083).
    o.output_init.scale /= std::sqrt(static_cast<double>(c.layers));
  }
  o.precision = PrecisionOf(c.precision);

  r.decoder_layers = c.decoder_layers;
  r.recurrent_decoder = c.decoder_recurrence == DecoderRecurrence::kSsru;
  r.positions = AddedPositions(c.position.value());
  r.max_positions = c.max_positions;
  const double root = std::sqrt(static_cast<double>(c.width));
  r.embedding_scale = c.embedding_scale == YesNo::kYes ? root : 1;
  r.embedding_norm = c.embedding_norm == YesNo::kYes;
  r.segments = c.segment_embeddings ? c.segments : 0;
  r.embedding_init = c.init == InitKind::kNormal
                         ? inits.Matrix()
                         : Init{Init::Kind::kNormal, 1 / root};
  r.tie = c.tie.value();
  r.output_bias = c.output_bias;
  r.alignment_layer =
      c.alignment_layer < 0 ? c.decoder_layers - 1 : c.alignment_layer;
  r.alignment_head = c.alignment_head;
  return r;
}

}  // namespace heed

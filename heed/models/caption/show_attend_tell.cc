#include "heed/models/caption/show_attend_tell.h"

#include <fmt/format.h>

#include <utility>

#include "heed/base/errors.h"
#include "heed/models/outline_parts.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/score_modifiers.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

constexpr int64_t kCellLayers = 3;
constexpr Init kPositionInit = {Init::Kind::kNormal, 0.1};

/// Features of a cell: given, or after all three layers.
int64_t CellFeatures(const ShowAttendTellConfig& config, const ImageUse& use) {
  return use.of_features ? use.channels : int64_t{2} * config.filters;
}

int64_t SideOfCell(const ShowAttendTellConfig& config, const ImageUse& use) {
  if (use.of_features) return 1;
  const bool pools = config.pool_cells == YesNo::kYes;
  return ConvolutionStack::ScaleOf(pools ? kCellLayers : kCellLayers - 1);
}

std::optional<ConvolutionStack> ImageLayers(const Scope& scope,
                                            const ShowAttendTellConfig& config,
                                            const ImageUse& use) {
  if (use.of_features) return std::nullopt;
  const int64_t features = CellFeatures(config, use);
  return ConvolutionStack(scope, use.channels,
                          {config.filters, features, features});
}

PoolingOptions MeanOf(int64_t features) {
  PoolingOptions options;
  options.features = features;
  return options;
}

}  // namespace

void ShowAttendTellConfig::Visit(FieldList& v) {
  v.Section("Model");
  v("look", look,
    "soft: attend to all cells of the image, weighted; hard: to one sampled "
    "cell, learned by reward")
      .Main();
  v("filters", filters, Range(1, 4096),
    "filters of the first convolution; the others have twice as many");
  v("pool_cells", pool_cells,
    "pool the last convolution: a quarter as many cells (the paper: no)");
  v("embedding", embedding, Range(1, 16384), "features of a word");
  v("units", units, Range(1, 16384), "units of the decoder").Main();
  VisitParts(
      v, {.score = "additive", .modifiers = "softcap(20)", .mask = nullptr});
  VisitHeads(v);
  VisitUnits(v);
  VisitPositions(v, "cells of an image");
  AttentionSettings::VisitDropout(v);
  v("gate", gate, "scale the attended vector by a gate of the state");
  v("cell_positions", cell_positions,
    "add a learned vector of its place to each cell");
  RecurrentNumbers::VisitDropout(v, "a feature of words, states and read-outs");
  VisitInit(v);
  VisitForgetBias(v);
  VisitPrecision(v, precision);
}

void ShowAttendTellConfig::Fill(const ImageUse& use) {
  const int64_t side = SideOfCell(*this, use);
  if (use.height < side || use.width < side || use.height % side != 0 ||
      use.width % side != 0) {
    throw ConfigError(
        "image_size: the model sees cells of {0} × {0} pixels, which do not "
        "divide images of {1} × {2}; choose a multiple of {0}",
        side, use.width, use.height);
  }
  if (score == "auto") score = "mlp";
  if (attention_units == 0) attention_units = units;
  if (look == CaptionLook::kHard) {
    Require(normalizer == "softmax" || normalizer == "hard",
            "look 'hard' draws a cell by softmax; leave out normalizer '" +
                normalizer + "'");
    normalizer = "hard";
  } else if (normalizer == "hard") {
    look = CaptionLook::kHard;
  }
  (void)Attention(use);
}

AttentionSpec ShowAttendTellConfig::Attention(const ImageUse& use) const {
  const int64_t features = CellFeatures(*this, use);
  AttentionSpec spec = Spec(/*self=*/false, units, features, Inits().Matrix());
  Require(units % heads == 0 && features % heads == 0,
          fmt::format("heads: {} units and {} features of a cell do not divide "
                      "into {} heads",
                      units, features, heads));
  Require(!spec.score.info.equal_sizes || features == units,
          fmt::format("score '{}' needs queries and keys of one size: units is "
                      "{}, a cell has {} features",
                      score, units, features));
  spec.query_axis = "target";
  return spec;
}

ShowAttendTell::ShowAttendTell(const ShowAttendTellConfig& config,
                               const ImageUse& use, int64_t vocabulary,
                               uint64_t seed, DType dtype)
    : Captioner(seed, dtype, PrecisionOf(config.precision)),
      use_(use),
      cell_(SideOfCell(config, use)),
      dropout_(config.dropout),
      variational_(config.variational),
      hard_(config.Attention(use).normalizer.info.chooses),
      layers_(ImageLayers(Scope(parameters_, "image"), config, use)),
      embedding_(Scope(parameters_, "decoder.embedding"), vocabulary,
                 config.embedding, config.Inits().Matrix()),
      mean_(Scope(parameters_, "decoder.mean"),
            MeanOf(CellFeatures(config, use))),
      start_(Scope(parameters_, "decoder.start"), CellFeatures(config, use),
             config.units, config.Inits().Matrix()),
      state_(Scope(parameters_, "decoder.state"), config.units,
             {config.units, config.units}, config.Inits().Matrix()),
      attention_(Scope(parameters_, "decoder.attention"),
                 config.Attention(use)),
      lstm_(Scope(parameters_, "decoder.lstm"),
            RecurrentOptions{Cell::kLstm,
                             {config.embedding, CellFeatures(config, use)},
                             config.units,
                             config.Inits().Matrix(),
                             config.Inits().Recurrent(),
                             config.forget_bias}),
      read_state_(Scope(parameters_, "decoder.read_state"), config.units,
                  config.embedding, config.Inits().Matrix()),
      read_context_(Scope(parameters_, "decoder.read_context"),
                    CellFeatures(config, use), config.embedding,
                    config.Inits().Matrix(), /*bias=*/false),
      output_(Scope(parameters_, "decoder.output"), config.embedding,
              vocabulary, config.Inits().Matrix(), /*bias=*/true,
              /*by_token=*/false) {
  if (config.cell_positions == YesNo::kYes) {
    const int64_t cells = use.height / cell_ * (use.width / cell_);
    positions_ = &Scope(parameters_, "image")
                      .Add("positions", {cells * CellFeatures(config, use)},
                           kPositionInit);
  }
  if (config.gate == YesNo::kYes) {
    gate_.emplace(Scope(parameters_, "decoder.gate"), config.units, 1,
                  config.Inits().Matrix());
  }
}

Var ShowAttendTell::Cells(const Context& ctx, const Var& images) const {
  CheckImages("captioner", images, use_);
  Var x = ObservedImages(ctx, images, cell_);
  if (layers_) {
    const bool pools = cell_ == layers_->scale();
    x = pools ? (*layers_)(ctx, x) : layers_->Activations(ctx, x);
  }
  if (positions_ == nullptr) return x;
  return Reshape(AddRow(FlatImages(x), ctx.Use(*positions_)), x.shape());
}

Encoding ShowAttendTell::Encode(const Context& /*ctx*/,
                                const Inputs& inputs) const {
  inputs.Check("captioner", read_context_.weight().value().dim(0));
  Encoding encoding;
  encoding.sources = inputs.size();
  encoding.vectors = inputs.vectors;
  encoding.lengths = inputs.lengths;
  return encoding;
}

DecoderState ShowAttendTell::Start(const Context& ctx,
                                   const Encoding& encoding) const {
  DecoderState state(encoding.sources);
  const Var mean = mean_(ctx, encoding.vectors, encoding.lengths);
  LayerStates layers;
  layers.push_back(StateOf(Tanh(state_(ctx, Relu(start_(ctx, mean)))),
                           StatesOfCell(Cell::kLstm)));
  KeepLayers(layers, state);
  state.MemoryOf(attention_.info().path) = attention_.Prepare(
      ctx, encoding.vectors, encoding.vectors, encoding.lengths, state);
  return state;
}

Var ShowAttendTell::Features(const Context& ctx, const Tensor& tokens,
                             DecoderState& kept) const {
  const Var embedded = SequenceDropout(
      ctx, ObservedSteps(ctx, "target_inputs", embedding_(ctx, tokens)),
      dropout_, variational_);
  const Var projected = lstm_.Project(ctx, embedded);
  LayerStates layers = KeptLayers(kept);
  std::vector<Var> states;
  std::vector<Var> contexts;
  for (int64_t t = 0; t < embedded.dim(0); ++t) {
    ctx.CheckCancelled();
    const Var before = Recurrent::Hidden(layers.back());
    const int64_t rows = before.dim(0);
    const Attended attended = attention_.Attend(
        ctx, Reshape(before, {rows, 1, before.dim(1)}),
        &kept.MemoryOf(attention_.info().path), WantedWeights(kept));
    kept.weights = attended.last;
    ++kept.position;
    Var context = Reshape(attended.context, {rows, attended.context.dim(2)});
    if (gate_) {
      const Var open = Sigmoid((*gate_)(ctx, before));
      context = ScaleRows(context, Reshape(open, {rows}));
    }
    const Var input =
        lstm_.AddProjection(ctx, Select(projected, t), context, 1);
    RecurrentResult result =
        lstm_.Forward(ctx, AddTimeAxis(input), layers.back(), {});
    layers.back() = std::move(result.state);
    states.push_back(DropTimeAxis(result.outputs));
    contexts.push_back(context);
  }
  KeepLayers(layers, kept);
  const Var state = SequenceDropout(ctx, Stack(states), dropout_, variational_);
  Var read = Add(read_state_(ctx, state), read_context_(ctx, Stack(contexts)));
  read = Tanh(Add(read, embedded));
  return SequenceDropout(ctx, read, dropout_, variational_);
}

ModelOutline ShowAttendTell::Outline() const {
  using Kind = OutlinePart::Kind;
  const Shape& words = embedding_.weight().value().shape();
  const int64_t units = read_state_.weight().value().dim(0);
  const int64_t features = read_context_.weight().value().dim(0);
  OutlineSequence image = {.name = "image", .axis = "source"};
  if (layers_) {
    image.blocks = ConvolutionOutline(*layers_);
    if (cell_ < layers_->scale()) {
      image.blocks.back().parts[0].detail = "3 × 3, relu";
    }
  } else {
    image.blocks.push_back({{{.name = "features", .features = features}}});
  }
  if (positions_ != nullptr) {
    image.blocks.push_back(
        {{{.name = "+ vector of the place", .features = features}}});
  }
  image.blocks.back().parts.back().result = "hⱼ";
  OutlineSequence decoder = {
      .name = "decoder", .axis = "target_inputs", .writes = true};
  const auto add = [&decoder](const OutlinePart& part) {
    decoder.blocks.push_back({{part}});
  };
  const std::string seen = gate_ ? "{ĉᵢ}" : "{cᵢ}";
  add(EmbeddingOutline(words[0], words[1], "", "yᵢ₋₁").parts[0]);
  add(AttentionOutline(attention_.info(), Kind::kSource, features, "sᵢ₋₁"));
  if (gate_) {
    add({Kind::kEach, "gate", features, "", "ĉᵢ", "σ(w {sᵢ₋₁}) {cᵢ}"});
  }
  add({Kind::kForward, "LSTM", units, "", "sᵢ",
       "LSTM([{yᵢ₋₁}; " + seen + "], {sᵢ₋₁})"});
  add({Kind::kEach, "read-out", words[1], "tanh", "tᵢ",
       "tanh({yᵢ₋₁} + L {sᵢ} + L " + seen + ")"});
  add({Kind::kEach, "softmax", words[0], "", "yᵢ", "softmax(W {tᵢ})"});
  ModelOutline outline;
  outline.sequences = {std::move(image), std::move(decoder)};
  outline.bridge = "z = tanh(W relu(W h̄)), with h̄ the mean of all hⱼ";
  outline.bridge_features = units;
  outline.attention = attention_.info().path;
  return outline;
}

}  // namespace heed

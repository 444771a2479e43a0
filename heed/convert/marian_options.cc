#include "heed/convert/marian_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

namespace heed {
namespace {

using enum MarianUse;

constexpr auto kModelOptions = std::to_array<MarianOption>({
    // Both
    {"type", kRead, kRead, "transformer|s2s|amun", ""},
    {"version", kAny, kAny, "", ""},
    {"dim-vocabs", kAny, kAny, "", ""},
    {"dim-emb", kRead, kRead, "512", ""},
    {"enc-depth", kRead, kRead, "1", ""},
    {"dec-depth", kRead, kRead, "1", ""},
    {"tied-embeddings", kRead, kRead, "false", ""},
    {"tied-embeddings-src", kRead, kRead, "false", ""},
    {"tied-embeddings-all", kRead, kRead, "false", ""},
    {"output-omit-bias", kRead, kRead, "false", ""},
    {"right-left", kDefault, kDefault, "false",
     "it writes the last word first"},
    {"input-types", kDefault, kDefault, "sequence|alignment|weight",
     "it reads more than a sentence"},
    {"input-reorder", kDefault, kDefault, "", "it reads more than a sentence"},
    {"input-join-fields", kDefault, kDefault, "false",
     "it reads more than a sentence"},
    {"special-vocab", kDefault, kDefault, "",
     "some tokens have ids of their own"},
    // Factored vocabularies, which are refused by themselves
    {"factors-combine", kAny, kAny, "sum", ""},
    {"factors-dim-emb", kAny, kAny, "0", ""},
    {"lemma-dependency", kDefault, kDefault, "",
     "its vocabulary is one of factors"},
    {"lemma-dim-emb", kDefault, kDefault, "0",
     "its vocabulary is one of factors"},
    // Universal lexical representation
    {"ulr", kDefault, kDefault, "false",
     "its embeddings are mixed from those of other words"},
    {"ulr-dim-emb", kAny, kAny, "", ""},
    {"ulr-trainable-transformation", kAny, kAny, "", ""},
    {"ulr-dropout", kAny, kAny, "", ""},
    {"ulr-keys-vectors", kAny, kAny, "", ""},
    {"ulr-query-vectors", kAny, kAny, "", ""},
    {"ulr-softmax-temperature", kAny, kAny, "", ""},
    // Recurrent
    {"dim-rnn", kAny, kRead, "1024", ""},
    {"enc-type", kAny, kRead, "bidirectional", ""},
    {"enc-cell", kAny, kRead, "gru", ""},
    {"enc-cell-depth", kAny, kRead, "1", ""},
    {"dec-cell", kAny, kRead, "gru", ""},
    {"dec-cell-base-depth", kAny, kRead, "2", ""},
    {"dec-cell-high-depth", kAny, kAny, "1", ""},  // of layers above the first
    {"skip", kAny, kDefault, "false", "layers add what they read"},
    {"layer-normalization", kAny, kDefault, "false",
     "the cells normalise their sums"},
    {"best-deep", kAny, kAny, "", ""},
    // Transformer
    {"transformer-heads", kRead, kAny, "8", ""},
    {"transformer-dim-ffn", kRead, kAny, "2048", ""},
    {"transformer-decoder-dim-ffn", kRead, kAny, "0", ""},
    {"transformer-ffn-depth", kRead, kAny, "2", ""},
    {"transformer-decoder-ffn-depth", kRead, kAny, "0", ""},
    {"transformer-ffn-activation", kRead, kAny, "swish", ""},
    {"transformer-preprocess", kRead, kAny, "", ""},
    {"transformer-postprocess", kRead, kAny, "dan", ""},
    {"transformer-postprocess-emb", kRead, kAny, "d", ""},
    {"transformer-postprocess-top", kRead, kAny, "", ""},
    {"transformer-decoder-autoreg", kRead, kAny, "self-attention", ""},
    {"transformer-tied-layers", kRead, kAny, "", ""},
    {"transformer-no-projection", kRead, kAny, "false", ""},
    {"transformer-disable-position-embeddings", kRead, kAny, "false", ""},
    // The tensor Wpos tells whether positions were trained.
    {"transformer-train-positions", kAny, kAny, "", ""},
    {"transformer-train-position-embeddings", kAny, kAny, "", ""},
    {"transformer-pool", kDefault, kAny, "false",
     "the decoder reads one state of the encoder, without attention"},
    {"transformer-attention-mask", kDefault, kAny, "default",
     "attention adds a bias for distances"},
    // With another mask alone
    {"transformer-alibi-shift", kAny, kAny, "", ""},
    {"transformer-alibi-trainable", kAny, kAny, "", ""},
    {"separator-symbol", kAny, kAny, "[eos]", ""},
    {"alibi", kAny, kAny, "", ""},
    // Of transformer-new alone
    {"transformer-no-bias", kAny, kAny, "", ""},
    {"transformer-no-affine", kAny, kAny, "", ""},
    {"transformer-dim-model", kAny, kAny, "", ""},
    // With another transformer-decoder-autoreg alone
    {"transformer-dim-aan", kAny, kAny, "2048", ""},
    {"transformer-aan-depth", kAny, kAny, "2", ""},
    {"transformer-aan-activation", kAny, kAny, "swish", ""},
    {"transformer-aan-nogate", kAny, kAny, "false", ""},
    {"transformer-rnn-projection", kAny, kAny, "false", ""},
    // Of training
    {"transformer-depth-scaling", kAny, kAny, "", ""},
    {"transformer-guided-alignment-layer", kAny, kAny, "last", ""},
    // Of other types
    {"bert-class-symbol", kAny, kAny, "[CLS]", ""},
    {"bert-mask-symbol", kAny, kAny, "[MASK]", ""},
    {"bert-masking-fraction", kAny, kAny, "0.15", ""},
    {"bert-sep-symbol", kAny, kAny, "[SEP]", ""},
    {"bert-train-type-embeddings", kAny, kAny, "true", ""},
    {"bert-type-vocab-size", kAny, kAny, "2", ""},
    {"char-conv-filters-num", kAny, kAny, "", ""},
    {"char-conv-filters-widths", kAny, kAny, "", ""},
    {"char-highway", kAny, kAny, "4", ""},
    {"char-stride", kAny, kAny, "5", ""},
    {"comet-augment-bad", kAny, kAny, "", ""},
    {"comet-dropout", kAny, kAny, "0.1", ""},
    {"comet-final-sigmoid", kAny, kAny, "", ""},
    {"comet-mix", kAny, kAny, "", ""},
    {"comet-mix-norm", kAny, kAny, "", ""},
    {"comet-mix-transformation", kAny, kAny, "softmax", ""},
    {"comet-mixup", kAny, kAny, "", ""},
    {"comet-mixup-reg", kAny, kAny, "", ""},
    {"comet-pool", kAny, kAny, "avg", ""},
    {"comet-pooler-ffn", kAny, kAny, "", ""},
    {"comet-prepend-zero", kAny, kAny, "", ""},
    {"comet-stop-grad", kAny, kAny, "", ""},
    {"comet-use-separator", kAny, kAny, "", ""},
});

// clang-format off
constexpr auto kRunOptions = std::to_array<std::string_view>({
    "after", "after-batches", "after-epochs", "alignment", "all-caps-every",
    "allow-special", "allow-unk", "authors", "average", "beam-size", "binary",
    "build-info", "check-gradient-nan", "check-nan", "cite", "clip-gemm",
    "clip-norm", "compute-similarity", "config", "cost-scaling", "cost-type",
    "cpu-threads", "custom-fallbacks", "data-threads", "data-weighting",
    "data-weighting-type", "devices", "disp-first", "disp-freq",
    "disp-label-counts", "disp-label-index", "dropout-rnn", "dropout-src",
    "dropout-trg", "dump-config", "dynamic-gradient-scaling", "early-stopping",
    "early-stopping-epsilon", "early-stopping-on", "embedding-fix-src",
    "embedding-fix-trg", "embedding-normalization", "embedding-vectors",
    "encryption-key-path", "english-title-case-every", "exponential-smoothing",
    "exponential-smoothing-replace-freq", "factor-weight", "force-decode",
    "fp16", "fp16-fallback-to-fp32", "gemm-type", "grad-dropping-momentum",
    "grad-dropping-rate", "grad-dropping-warmup", "gradient-checkpointing",
    "gradient-norm-average-window", "guided-alignment", "guided-alignment-cost",
    "guided-alignment-weight", "ignore-model-config", "inference", "input",
    "interpolate-env-vars", "keep-best", "label-smoothing", "learn-rate",
    "like", "log", "log-level", "log-time-zone", "logical-epoch", "lr-decay",
    "lr-decay-freq", "lr-decay-inv-sqrt", "lr-decay-repeat-warmup",
    "lr-decay-reset-optimizer", "lr-decay-start", "lr-decay-strategy",
    "lr-report", "lr-warmup", "lr-warmup-at-reload", "lr-warmup-cycle",
    "lr-warmup-start-rate", "max-length", "max-length-crop",
    "max-length-factor", "maxi-batch", "maxi-batch-sort", "mini-batch",
    "mini-batch-fit", "mini-batch-fit-step", "mini-batch-round-up",
    "mini-batch-track-lr", "mini-batch-warmup", "mini-batch-words",
    "mini-batch-words-ref", "model", "model-mmap", "models", "multi-loss-type",
    "multi-node", "multi-node-overlap", "n-best", "n-best-feature", "no-nccl",
    "no-optimizer-reload", "no-reload", "no-restore-corpus", "no-shuffle",
    "no-spm-decode", "no-spm-encode", "normalize", "normalize-gradient",
    "normalize-gradient-by-ratio", "num-devices", "optimize", "optimizer",
    "optimizer-delay", "optimizer-params", "original-type", "output",
    "output-approx-knn", "output-sampling", "overwrite", "overwrite-checkpoint",
    "port", "precision", "prefix", "pretrained-model", "quantize-biases",
    "quantize-bits", "quantize-log-based", "quantize-optimization-steps",
    "quantize-range", "quiet", "quiet-translation", "quiet-validation",
    "recover-from-fallback-after", "relative-paths", "save-freq", "seed",
    "sentencepiece-alphas", "sentencepiece-max-lines", "sentencepiece-options",
    "sharding", "shortlist", "shuffle", "shuffle-in-ram", "sigterm",
    "skip-cost", "sqlite", "sqlite-drop", "stat-freq", "summary", "sync-freq",
    "sync-sgd", "task", "tempdir", "throw-on-divergence", "train-embedder-rank",
    "train-sets", "transformer-dropout", "transformer-dropout-attention",
    "transformer-dropout-ffn", "tsv", "tsv-fields", "unlikelihood-loss",
    "usage", "valid-freq", "valid-log", "valid-max-length", "valid-metrics",
    "valid-mini-batch", "valid-reset-all", "valid-reset-stalled",
    "valid-script-args", "valid-script-path", "valid-sets",
    "valid-translation-output", "vocabs", "weights", "width", "word-penalty",
    "word-scores", "workspace",
});
// clang-format on

const MarianOption* FindModelOption(std::string_view name) {
  const auto* const found =
      std::ranges::find(kModelOptions, name, &MarianOption::name);
  return found == kModelOptions.end() ? nullptr : found;
}

/// Whether `value` is one of "a|b|c".
bool IsAmong(std::string_view value, std::string_view names) {
  while (!names.empty()) {
    const size_t end = std::min(names.find('|'), names.size());
    if (names.substr(0, end) == value) return true;
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return false;
}

bool IsHarmless(const nlohmann::json& value, const MarianOption& option) {
  if (IsOff(value)) return true;
  if (value.is_array()) {
    return std::ranges::all_of(
        value, [&](const auto& v) { return IsHarmless(v, option); });
  }
  return value.is_string() &&
         IsAmong(value.get_ref<const std::string&>(), option.harmless);
}

}  // namespace

std::span<const MarianOption> MarianModelOptions() { return kModelOptions; }

std::span<const std::string_view> MarianRunOptions() { return kRunOptions; }

void CheckMarianOptions(const ImportOptions& options, bool transformer,
                        Notes& notes) {
  for (const auto& [name, value] : options.NotAskedFor()) {
    if (std::ranges::find(kRunOptions, name) != kRunOptions.end()) continue;
    const std::string text = ValueText(value);
    const MarianOption* option = FindModelOption(name);
    if (option == nullptr) {
      if (!IsOff(value)) {
        options.Fail(
            name,
            fmt::format("{}: not known to Heed, which knows the options of "
                        "Marian up to {}; if translations do not depend on it, "
                        "import with --ignore-option {}",
                        text, kNewestMarian, name));
      }
      notes.push_back(fmt::format(
          "{}: option {}: {}: not known to Heed, and taken to be off",
          options.file(), name, text));
      continue;
    }
    const MarianUse use = transformer ? option->transformer : option->recurrent;
    if (use == kDefault && !IsHarmless(value, *option)) {
      options.Fail(
          name, fmt::format("Heed cannot do {}: {}; translate with Marian, or "
                            "train a model without it",
                            text, option->meaning));
    }
  }
}

}  // namespace heed

#include "heed/convert/marian_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "heed/base/text.h"

namespace heed {
namespace {

using enum MarianUse;

constexpr auto kModelOptions = std::to_array<MarianOption>({
    // Both
    {"type", kRead, kRead, "transformer|s2s|amun", ""},
    {"dim-emb", kRead, kRead, "512", ""},
    {"enc-depth", kRead, kRead, "1", ""},
    {"dec-depth", kRead, kRead, "1", ""},
    {"tied-embeddings", kRead, kRead, "false", ""},
    {"tied-embeddings-src", kRead, kRead, "false", ""},
    {"tied-embeddings-all", kRead, kRead, "false", ""},
    {"output-omit-bias", kRead, kRead, "false", ""},
    {"right-left", kDefault, kDefault, "false",
     "it writes the last word first"},
    {"allow-unk", kRead, kRead, "false", ""},
    {"max-length-factor", kRead, kRead, "3", ""},
    {"input-types", kDefault, kDefault, "sequence|alignment|weight",
     "it reads more than a sentence"},
    {"input-reorder", kDefault, kDefault, "", "it reads more than a sentence"},
    {"input-join-fields", kDefault, kDefault, "false",
     "it reads more than a sentence"},
    {"special-vocab", kDefault, kDefault, "",
     "some tokens have ids of their own"},
    // Factored vocabularies, which are rejected elsewhere
    {"lemma-dependency", kDefault, kDefault, "",
     "its vocabulary is one of factors"},
    {"lemma-dim-emb", kDefault, kDefault, "0",
     "its vocabulary is one of factors"},
    // Universal lexical representation
    {"ulr", kDefault, kDefault, "false",
     "its embeddings are mixed from those of other words"},
    // Recurrent
    {"dim-rnn", kAny, kRead, "1024", ""},
    {"enc-type", kAny, kRead, "bidirectional", ""},
    {"enc-cell", kAny, kRead, "gru", ""},
    {"enc-cell-depth", kAny, kRead, "1", ""},
    {"dec-cell", kRead, kRead, "gru|gru-nematus", ""},
    {"dec-cell-base-depth", kAny, kRead, "2", ""},
    {"skip", kAny, kDefault, "false", "layers add what they read"},
    {"layer-normalization", kRead, kDefault, "false",
     "the cells normalise their sums"},
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
    {"transformer-decoder-autoreg", kRead, kDefault, "self-attention",
     "the decoder of another type of model"},
    {"transformer-rnn-projection", kRead, kAny, "false", ""},
    {"transformer-no-bias", kDefault, kAny, "false",
     "its layers add no biases"},
    {"transformer-no-affine", kDefault, kAny, "false",
     "its norms have no gains"},
    {"transformer-tied-layers", kRead, kAny, "", ""},
    {"transformer-no-projection", kRead, kAny, "false", ""},
    {"transformer-disable-position-embeddings", kRead, kAny, "false", ""},
    {"transformer-pool", kDefault, kAny, "false",
     "the decoder reads one state of the encoder, without attention"},
    {"transformer-attention-mask", kDefault, kAny, "default",
     "attention adds a bias for distances"},
});

// Includes options of higher layers, other model types and masks. Whether
// positions were trained follows from tensor Wpos.
constexpr std::string_view kUnusedOptions =
    "after after-batches after-epochs alibi alignment all-caps-every "
    "allow-special authors average beam-size bert-class-symbol "
    "bert-mask-symbol bert-masking-fraction bert-sep-symbol "
    "bert-train-type-embeddings bert-type-vocab-size best-deep binary "
    "build-info char-conv-filters-num char-conv-filters-widths char-highway "
    "char-stride check-gradient-nan check-nan cite clip-gemm clip-norm "
    "comet-augment-bad comet-dropout comet-final-sigmoid comet-mix "
    "comet-mix-norm comet-mix-transformation comet-mixup comet-mixup-reg "
    "comet-pool comet-pooler-ffn comet-prepend-zero comet-stop-grad "
    "comet-use-separator compute-similarity config cost-scaling cost-type "
    "cpu-threads custom-fallbacks data-threads data-weighting "
    "data-weighting-type dec-cell-high-depth devices dim-vocabs disp-first "
    "disp-freq disp-label-counts disp-label-index dropout-rnn dropout-src "
    "dropout-trg dump-config dynamic-gradient-scaling early-stopping "
    "early-stopping-epsilon early-stopping-on embedding-fix-src "
    "embedding-fix-trg embedding-normalization embedding-vectors "
    "encryption-key-path english-title-case-every exponential-smoothing "
    "exponential-smoothing-replace-freq factor-weight factors-combine "
    "factors-dim-emb force-decode fp16 fp16-fallback-to-fp32 gemm-type "
    "grad-dropping-momentum grad-dropping-rate grad-dropping-warmup "
    "gradient-checkpointing gradient-norm-average-window guided-alignment "
    "guided-alignment-cost guided-alignment-weight ignore-model-config "
    "inference input interpolate-env-vars keep-best label-smoothing "
    "learn-rate like log log-level log-time-zone logical-epoch lr-decay "
    "lr-decay-freq lr-decay-inv-sqrt lr-decay-repeat-warmup "
    "lr-decay-reset-optimizer lr-decay-start lr-decay-strategy lr-report "
    "lr-warmup lr-warmup-at-reload lr-warmup-cycle lr-warmup-start-rate "
    "max-length max-length-crop maxi-batch maxi-batch-sort "
    "mini-batch mini-batch-fit mini-batch-fit-step mini-batch-round-up "
    "mini-batch-track-lr mini-batch-warmup mini-batch-words "
    "mini-batch-words-ref model model-mmap models multi-loss-type multi-node "
    "multi-node-overlap n-best n-best-feature no-nccl no-optimizer-reload "
    "no-reload no-restore-corpus no-shuffle no-spm-decode no-spm-encode "
    "normalize normalize-gradient normalize-gradient-by-ratio num-devices "
    "optimize optimizer optimizer-delay optimizer-params original-type output "
    "output-approx-knn output-sampling overwrite overwrite-checkpoint port "
    "precision prefix pretrained-model quantize-biases quantize-bits "
    "quantize-log-based quantize-optimization-steps quantize-range quiet "
    "quiet-translation quiet-validation recover-from-fallback-after "
    "relative-paths save-freq seed sentencepiece-alphas "
    "sentencepiece-max-lines sentencepiece-options separator-symbol sharding "
    "shortlist shuffle shuffle-in-ram sigterm skip-cost sqlite sqlite-drop "
    "stat-freq summary sync-freq sync-sgd task tempdir throw-on-divergence "
    "train-embedder-rank train-sets transformer-aan-activation "
    "transformer-aan-depth transformer-aan-nogate transformer-alibi-shift "
    "transformer-alibi-trainable transformer-depth-scaling "
    "transformer-dim-aan transformer-dim-model transformer-dropout "
    "transformer-dropout-attention transformer-dropout-ffn "
    "transformer-guided-alignment-layer "
    "transformer-train-position-embeddings transformer-train-positions tsv "
    "tsv-fields ulr-dim-emb ulr-dropout ulr-keys-vectors ulr-query-vectors "
    "ulr-softmax-temperature ulr-trainable-transformation unlikelihood-loss "
    "usage valid-freq valid-log valid-max-length valid-metrics "
    "valid-mini-batch valid-reset-all valid-reset-stalled valid-script-args "
    "valid-script-path valid-sets valid-translation-output version vocabs "
    "weights width word-penalty word-scores workspace";

const MarianOption* FindModelOption(std::string_view name) {
  const auto* const found =
      std::ranges::find(kModelOptions, name, &MarianOption::name);
  return found == kModelOptions.end() ? nullptr : found;
}

/// True if `value` is in the list "a|b|c".
bool IsAmong(std::string_view value, std::string_view names) {
  return std::ranges::count(SplitAt(names, "|"), value) > 0;
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

const std::vector<std::string_view>& MarianUnusedOptions() {
  static const auto options = SplitWhitespace(kUnusedOptions);
  return options;
}

void CheckMarianOptions(const ImportOptions& options, bool transformer,
                        Notes& notes) {
  for (const auto& [name, value] : options.UnreadOptions()) {
    if (std::ranges::count(MarianUnusedOptions(), name) > 0) continue;
    const std::string text = ValueText(value);
    const MarianOption* option = FindModelOption(name);
    if (option == nullptr) {
      if (!IsOff(value)) {
        options.Fail(name,
                     fmt::format("{}: unknown option (Heed knows those of "
                                 "Marian up to {}); if translations do not "
                                 "depend on it, import with --ignore-option {}",
                                 text, kNewestMarian, name));
      }
      notes.push_back(fmt::format(
          "{}: option {}: {}: unknown to Heed and assumed to be off",
          options.file(), name, text));
      continue;
    }
    const MarianUse use = transformer ? option->transformer : option->recurrent;
    if (use == kDefault && !IsHarmless(value, *option)) {
      options.Fail(name, fmt::format("Heed does not support {}: {}; translate "
                                     "with Marian, or train a model without it",
                                     text, option->meaning));
    }
  }
}

}  // namespace heed

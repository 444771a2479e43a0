#include "heed/convert/huggingface_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "heed/base/errors.h"
#include "heed/convert/huggingface.h"
#include "heed/train/model_folder.h"

namespace heed {
namespace {

// Keys of PretrainedConfig that do not change the result of given weights, from
// Transformers 4.57 and published folders.

/// Origin of the folder, and programs that saved it.
constexpr std::string_view kOrigin =
    "_commit_hash _name_or_path architectures custom_pipelines finetuning_task "
    "language license model_type name name_or_path sentence_transformers "
    "task_specific_params tokenizer_class transformers.js_config "
    "transformers_version";
/// Execution: number types, kernels, return values.
constexpr std::string_view kRunning =
    "_attn_implementation _attn_implementation_autoset "
    "_attn_implementation_internal _experts_implementation attn_implementation "
    "chunk_size_feed_forward dtype gradient_checkpointing output_attentions "
    "output_hidden_states output_past output_scores return_dict "
    "return_dict_in_generate tf_legacy_loss torch_dtype torchscript "
    "use_bfloat16 use_cache xla_device";
/// Training.
constexpr std::string_view kTraining =
    "classif_dropout classifier_dropout decoder_layerdrop encoder_layerdrop "
    "init_std initializer_factor initializer_range layerdrop";
/// Keys of classification heads, which the importers of these heads read.
constexpr std::string_view kHeads =
    "_num_labels id2label label2id num_labels problem_type";
/// Keys of tokenizers, which tokenizer files repeat, and keys of the search
/// (see NotesOfSearch).
constexpr std::string_view kGeneration =
    "bad_words_ids begin_suppress_tokens bos_token_id cls_token_id "
    "diversity_penalty do_sample early_stopping encoder_no_repeat_ngram_size "
    "encoder_repetition_penalty epsilon_cutoff eta_cutoff "
    "exponential_decay_length_penalty force_bos_token_to_be_generated "
    "forced_bos_token_id forced_decoder_ids forced_eos_token_id guidance_scale "
    "length_penalty mask_token_id max_length max_new_tokens min_length "
    "min_new_tokens no_repeat_ngram_size num_beam_groups num_beams "
    "num_return_sequences penalty_alpha prefix remove_invalid_values "
    "renormalize_logits repetition_penalty sep_token_id suppress_tokens "
    "temperature top_k top_p typical_p unk_token_id";

/// Keys that change the result unless they are off.
constexpr std::pair<const char*, const char*> kRefused[] = {
    {"auto_map",
     "code in the folder computes it, which Heed never runs; import a model of "
     "one of Transformers' own classes"},
    {"quantization_config",
     "its weights are quantised; save the model in f32 (dequantize())"},
    {"pruned_heads", "some of its heads are taken out"},
    {"adapters", "adapters stand between its layers"},
    {"add_cross_attention", "it attends to another model"},
    {"cross_attention_hidden_size", "it attends to another model"},
    {"is_decoder", "its attention looks back alone"},
    {"tie_encoder_decoder", "its two sides share their layers"},
};

/// True if two tensors of f32 or bf16 hold equal numbers.
bool SameNumbers(const Tensor& a, const Tensor& b) {
  if (a.dtype() == DType::kBF16 && b.dtype() == DType::kBF16) {
    constexpr int kAllButSign = 0x7fff;
    return std::equal(a.data<bfloat16>(), a.data<bfloat16>() + a.numel(),
                      b.data<bfloat16>(), [](bfloat16 x, bfloat16 y) {
                        return x.bits == y.bits ||
                               ((x.bits | y.bits) & kAllButSign) == 0;
                      });
  }
  const Tensor x = a.dtype() == DType::kF32 ? a : a.To(DType::kF32);
  const Tensor y = b.dtype() == DType::kF32 ? b : b.To(DType::kF32);
  return std::equal(x.data<float>(), x.data<float>() + x.numel(),
                    y.data<float>());
}

}  // namespace

bool HasFile(const std::string& folder, const std::string& file) {
  return std::filesystem::exists(PathIn(folder, file));
}

void SkipGeneral(ImportOptions& options) {
  for (const std::string_view keys :
       {kOrigin, kRunning, kTraining, kHeads, kGeneration}) {
    options.SkipEach(keys);
  }
  for (const auto& [key, why] : kRefused) {
    const nlohmann::json value = options.Value(key);
    options.Skip(key);
    if (IsOff(value)) continue;
    options.Fail(key, fmt::format("Heed does not support {}: {}",
                                  ValueText(value), why));
  }
}

std::string ActivationOf(ImportOptions& options, const std::string& key,
                         const std::string& otherwise) {
  const std::string theirs = options.Text(key, otherwise);
  std::vector<std::string> names;
  for (const auto& [their_name, name] : kActivations) {
    if (theirs == their_name) return name;
    names.emplace_back(their_name);
  }
  options.Fail(key, fmt::format("Heed does not support '{}' (supported: {})",
                                theirs, fmt::join(names, ", ")));
}

void CheckArchitecture(const ImportOptions& options,
                       std::initializer_list<std::string_view> known) {
  const nlohmann::json classes = options.Value("architectures");
  if (!classes.is_array() || classes.empty()) return;
  const std::string name =
      classes[0].is_string() ? classes[0].get<std::string>() : "";
  if (std::ranges::find(known, name) != known.end()) return;
  options.Fail("architectures",
               fmt::format("Heed has no task for {} (only {})",
                           ValueText(classes[0]), fmt::join(known, ", ")));
}

void RefuseBertRequest(const ImportRequest& request, const std::string& file) {
  if (!request.encoder_only && !request.pairs) return;
  throw ConfigError("{}: {}: the model is no BERT",
                    request.pairs ? "pairs" : "encoder_only", file);
}

void ResolveImported(TaskSettings& settings, const std::string& file) {
  try {
    FieldList fields;
    settings.Visit(fields);
    CheckFields(fields.fields());
    settings.Resolve();
  } catch (const ConfigError& error) {
    throw FormatError("{}: {}", file, error.what());
  }
}

int SameNumber(ImportOptions& options, const std::string& key,
               const std::string& other, int otherwise) {
  const int number = options.Number(key, otherwise);
  const int second = options.Number(other, number);
  if (number != second) {
    options.Fail(other,
                 fmt::format("Heed does not support {} together with {} {}",
                             second, key, number));
  }
  return number;
}

Tensor TakeShared(SourceWeights& weights, const std::vector<std::string>& names,
                  const Shape& shape) {
  std::string first;
  Tensor shared;
  for (const std::string& name : names) {
    if (!weights.Has(name)) continue;
    const Tensor tensor = weights.TakeStored(name, shape);
    if (first.empty()) {
      first = name;
      shared = tensor;
    } else if (!SameNumbers(tensor, shared)) {
      throw FormatError(
          "{}: the configuration says that '{}' and '{}' are one, but they "
          "differ",
          weights.file(), first, name);
    }
  }
  return first.empty() ? weights.TakeStored(names[0], shape) : shared;
}

}  // namespace heed

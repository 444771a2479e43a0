#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/convert/families/encoder.h"
#include "heed/convert/huggingface_folder.h"
#include "heed/data/labelled.h"
#include "heed/tasks/classify/classify.h"
#include "heed/tasks/pretrain/pretrain.h"
#include "heed/tasks/tag/tag.h"

namespace heed {
namespace {

/// Head on top of the encoder.
enum class EncoderHead : uint8_t { kPretraining, kTags, kClasses };

/// Architectures and their heads, without the family's name.
constexpr std::pair<std::string_view, EncoderHead> kArchitectures[] = {
    {"Model", EncoderHead::kPretraining},
    {"ForPreTraining", EncoderHead::kPretraining},
    {"ForMaskedLM", EncoderHead::kPretraining},
    {"ForNextSentencePrediction", EncoderHead::kPretraining},
    {"ForTokenClassification", EncoderHead::kTags},
    {"ForSequenceClassification", EncoderHead::kClasses},
};

/// A head during import.
struct HeadSource {
  EncoderHead kind = EncoderHead::kPretraining;
  bool several_labels = false;
  std::vector<std::string> labels;  // by id
  std::vector<int32_t> order;       // ids of labels, sorted by name
  uint64_t seed = kNoSeed;          // of heads that the file lacks
};

std::string WeightOf(const std::string& layer) { return layer + ".weight"; }

EncoderHead HeadOf(const ImportOptions& options, const OpenedEncoder& from) {
  const nlohmann::json classes = options.Value("architectures");
  const std::string family = from.family.classes;
  if (classes.is_array() && !classes.empty() && classes[0].is_string()) {
    const auto name = classes[0].get<std::string>();
    for (const auto& [known, head] : kArchitectures) {
      if (name == family + std::string(known)) return head;
    }
    options.Fail(
        "architectures",
        fmt::format("Heed has no task for the head of {0} (it has for those of "
                    "{1}ForTokenClassification, {1}ForSequenceClassification "
                    "and pre-training); import the encoder without it: "
                    "--encoder-only",
                    name, family));
  }
  const EncoderNames& names = from.names;
  const auto has = [&](const std::string& layer) {
    return from.weights.Has(WeightOf(layer));
  };
  if (has(names.class_dense) && has(names.class_scores)) {
    return EncoderHead::kClasses;
  }
  return has(names.tag_scores) ? EncoderHead::kTags : EncoderHead::kPretraining;
}

const std::string& ScoresOf(const OpenedEncoder& from, EncoderHead head) {
  return head == EncoderHead::kTags ? from.names.tag_scores
                                    : from.names.class_scores;
}

/// Names of labels by id, from id2label or else "LABEL_0", "LABEL_1" etc.
/// `scores`: matrix of scores.
std::vector<std::string> LabelsOf(const ImportOptions& options,
                                  const std::string& scores, int64_t count) {
  std::vector<std::string> labels(static_cast<size_t>(count));
  const nlohmann::json names = options.Value("id2label");
  for (int64_t i = 0; i < count; ++i) {
    std::string& label = At(labels, i);
    label = fmt::format("LABEL_{}", i);
    if (!names.is_object() || names.empty()) continue;
    const std::string key = std::to_string(i);
    if (!names.contains(key) || !names[key].is_string()) {
      options.Fail("id2label",
                   fmt::format("has no name for label {} of {}", i, count));
    }
    label = names[key].get<std::string>();
    if (label.empty() || label.find('\n') != std::string::npos) {
      options.Fail("id2label", fmt::format("the name of label {} is no line of "
                                           "text",
                                           i));
    }
  }
  if (names.is_object() && std::ssize(names) > count) {
    options.Fail("id2label", fmt::format("names {} labels, but '{}' has {} "
                                         "rows",
                                         names.size(), scores, count));
  }
  return labels;
}

void ReadLabels(ImportOptions& options, const OpenedEncoder& from,
                HeadSource& head) {
  const std::string scores = WeightOf(ScoresOf(from, head.kind));
  const Shape* shape = from.weights.FindShape(scores);
  if (shape == nullptr || shape->rank() != 2) {
    throw FormatError("{}: tensor '{}' is missing or no matrix",
                      from.weights.file(), scores);
  }
  const int64_t count = (*shape)[0];
  const std::string problem = options.Text("problem_type", "");
  if (problem == "regression" || count < 2) {
    options.Fail(problem.empty() ? "id2label" : "problem_type",
                 "the model gives a number, not labels, for which Heed has no "
                 "task; import the encoder without its head: --encoder-only");
  }
  head.several_labels = problem == "multi_label_classification";
  head.labels = LabelsOf(options, scores, count);
  head.order.resize(head.labels.size());
  std::iota(head.order.begin(), head.order.end(), 0);
  const auto name = [&head](int32_t i) -> const std::string& {
    return At(head.labels, i);
  };
  std::ranges::sort(head.order, {}, name);
  const auto twice = std::ranges::adjacent_find(head.order, {}, name);
  if (twice != head.order.end()) {
    options.Fail("id2label",
                 fmt::format("two labels are called '{}'", name(*twice)));
  }
}

LabelSet LabelSetOf(const HeadSource& head, const std::string& file) {
  std::string lines;
  for (const int32_t i : head.order) lines += At(head.labels, i) + "\n";
  return LabelSet::Parse(lines, file);
}

Imported MakePretraining(const OpenedEncoder& from, const HeadSource& head,
                         Vocabulary vocabulary) {
  auto settings = std::make_unique<pretrain::Settings>();
  SetEncoder(from, settings->model);
  settings->data.vocabulary = VocabularyConfigOf(vocabulary);
  PretrainingOptions& instances = settings->data.instances;
  instances.next_sentence = from.family.next_sentence;
  instances.max_length =
      std::min(instances.max_length, from.options.config.max_positions);
  ResolveImported(*settings, from.file);
  Imported imported;
  imported.model = std::make_unique<pretrain::Model>(
      *settings, std::move(vocabulary), head.seed);
  imported.settings = std::move(settings);
  return imported;
}

Imported MakeTagger(const OpenedEncoder& from, const HeadSource& head,
                    Vocabulary vocabulary) {
  auto settings = std::make_unique<tag::Settings>();
  SetEncoder(from, settings->encoder);
  settings->input.vocabulary = VocabularyConfigOf(vocabulary);
  settings->tagger.tag_decoder = TagDecoder::kSoftmax;
  settings->tagger.output_dropout = from.options.head_dropout;
  ResolveImported(*settings, from.file);
  Imported imported;
  imported.model = std::make_unique<tag::Model>(
      *settings,
      tag::MakePieceInput(settings->input, settings->encoder,
                          std::move(vocabulary)),
      LabelSetOf(head, from.file), std::nullopt, head.seed);
  imported.settings = std::move(settings);
  return imported;
}

Imported MakeClassifier(const OpenedEncoder& from, const HeadSource& head,
                        Vocabulary vocabulary, bool pairs) {
  auto settings = std::make_unique<classify::Settings>();
  SetEncoder(from, settings->encoder);
  classify::DataConfig& data = settings->data;
  data.vocabulary = VocabularyConfigOf(vocabulary);
  data.max_length = from.options.config.max_positions;
  data.format.multi_label = head.several_labels;
  if (pairs) data.format.second_column = data.format.text_column + 1;
  settings->classifier.pooling = PoolingKind::kCls;
  settings->classifier.pooler = true;
  settings->classifier.pooler_activation = from.names.class_activation;
  settings->classifier.head_dropout = from.options.head_dropout;
  ResolveImported(*settings, from.file);
  Imported imported;
  imported.model = std::make_unique<classify::Model>(
      *settings, std::move(vocabulary), LabelSetOf(head, from.file), nullptr,
      head.seed);
  imported.settings = std::move(settings);
  return imported;
}

Imported MakeModel(const OpenedEncoder& from, const HeadSource& head,
                   Vocabulary vocabulary, bool pairs) {
  if (pairs && head.kind != EncoderHead::kClasses) {
    throw ConfigError("pairs: {} does not classify sequences", from.file);
  }
  switch (head.kind) {
    case EncoderHead::kTags:
      return MakeTagger(from, head, std::move(vocabulary));
    case EncoderHead::kClasses:
      return MakeClassifier(from, head, std::move(vocabulary), pairs);
    case EncoderHead::kPretraining:
      break;
  }
  return MakePretraining(from, head, std::move(vocabulary));
}

constexpr const char* kNextScores = "cls.seq_relationship.weight";

/// First tensor of the head of masked words.
std::string WordTransform(const OpenedEncoder& from) {
  const std::string& layer = from.names.word_parts[0].theirs[0];
  return layer.substr(0, layer.find('*')) + "weight";
}

std::string PoolerOf(const OpenedEncoder& from) {
  return from.prefix + "pooler.dense.weight";
}

/// True if the file lacks a head for pre-training.
bool LacksHeads(const OpenedEncoder& from) {
  const SourceWeights& weights = from.weights;
  if (!weights.Has(WordTransform(from))) return true;
  return from.family.next_sentence &&
         (!weights.Has(PoolerOf(from)) || !weights.Has(kNextScores));
}

/// Fills the pre-training heads that the file contains.
void FillPretrainingHeads(OpenedEncoder& from, WeightReader& reader) {
  SourceWeights& weights = from.weights;
  const auto read = [&](const std::vector<Part>& parts) {
    reader.Read(parts, kHuggingFaceLayout);
  };
  const bool next = from.family.next_sentence;
  if (!next) {
    weights.SkipAll(from.prefix + "pooler.");  // untrained
  } else if (weights.Has(PoolerOf(from))) {
    read({BertPooler(from.prefix)});
  }
  if (weights.Has(WordTransform(from))) {
    read(from.names.word_parts);
    const Tensor bias =
        TakeShared(weights, from.names.word_biases, {from.options.rows});
    reader.Set("words.bias", bias.Slice(0, reader.ShapeOf("words.bias")[0]));
  }
  if (next && weights.Has(kNextScores)) read({BertNext()});
}

/// Fills scores at `ours`.weight and .bias, with labels in Heed's order.
void FillScores(OpenedEncoder& from, const HeadSource& head,
                const std::string& ours, WeightReader& reader) {
  const std::string& theirs = ScoresOf(from, head.kind);
  const auto count = std::ssize(head.order);
  const Tensor weight = from.weights.TakeStored(
      WeightOf(theirs), {count, from.options.config.width});
  const Tensor bias = from.weights.Take(theirs + ".bias", {count});
  reader.Set(ours + ".weight", Transposed(TakeRows(weight, head.order)));
  reader.Set(ours + ".bias", TakeRows(bias, head.order));
}

void FillHead(OpenedEncoder& from, const HeadSource& head,
              WeightReader& reader) {
  switch (head.kind) {
    case EncoderHead::kTags:
      from.weights.SkipAll(from.prefix + "pooler.");  // unused by tags
      FillScores(from, head, "tags", reader);
      break;
    case EncoderHead::kClasses: {
      const std::string& dense = from.names.class_dense;
      reader.Read(
          std::array{Part{Part::Kind::kLinear, "pooler", {dense + ".*"}}},
          kHuggingFaceLayout);
      from.weights.SkipAll(from.prefix + "pooler.");
      FillScores(from, head, "output", reader);
      break;
    }
    case EncoderHead::kPretraining:
      FillPretrainingHeads(from, reader);
      break;
  }
}

/// Refuses scores of words that Heed computes in another way.
void CheckWordScores(const ImportOptions& options, const OpenedEncoder& from) {
  const EncoderNames& names = from.names;
  if (!from.options.tied && from.weights.Has(names.word_scores)) {
    options.Fail("tie_word_embeddings",
                 "Heed scores words by their embeddings; import the encoder "
                 "without its head: --encoder-only");
  }
  const std::string& activation = names.word_activation;
  if (activation.empty() || from.options.config.activation == activation ||
      !from.weights.Has(WordTransform(from))) {
    return;
  }
  options.Fail("hidden_act",
               fmt::format("the head that scores words has {}, which Heed "
                           "needs in all layers then; import the encoder "
                           "without its head: --encoder-only",
                           activation));
}

/// Finds the head, or skips it.
HeadSource OpenHead(ImportOptions& options, const ImportRequest& request,
                    OpenedEncoder& from) {
  HeadSource head;
  if (request.encoder_only) {
    for (const std::string& prefix : from.names.heads) {
      from.weights.SkipAll(prefix);
    }
  } else {
    head.kind = HeadOf(options, from);
  }
  CheckWordScores(options, from);
  if (head.kind != EncoderHead::kPretraining) {
    ReadLabels(options, from, head);
  } else if (LacksHeads(from)) {
    head.seed = 1;
  }
  return head;
}

}  // namespace

Imported ImportEncoder(const std::string& folder, ImportOptions& options,
                       const ImportRequest& request,
                       const EncoderFamily& family) {
  OpenedEncoder from = OpenEncoder(folder, options, family, request.storage);
  const HeadSource head = OpenHead(options, request, from);
  EncoderTokenizer tokenizer =
      ReadEncoderTokenizer(folder, options, from.options.rows);
  Imported imported =
      MakeModel(from, head, std::move(tokenizer.vocabulary), request.pairs);
  imported.notes = std::move(tokenizer.notes);
  imported.dtypes = from.weights.matrix_dtypes();
  WeightReader reader(from.weights, imported.model->parameters());
  FillEncoder(from, tokenizer.file, reader, imported.notes);
  FillHead(from, head, reader);
  from.weights.CheckAllTaken();
  if (head.seed == kNoSeed) reader.CheckComplete();
  if (const auto fresh = reader.Unread(); !fresh.empty()) {
    imported.notes.push_back(fmt::format("the file has no {}: they start fresh",
                                         fmt::join(fresh, ", ")));
  }
  return imported;
}

}  // namespace heed

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/convert/bert_tokenizer.h"
#include "heed/convert/huggingface.h"
#include "heed/convert/huggingface_folder.h"
#include "heed/convert/translation_parts.h"
#include "heed/convert/weight_files.h"
#include "heed/data/labelled.h"
#include "heed/tasks/classify/classify.h"
#include "heed/tasks/pretrain/pretrain.h"
#include "heed/tasks/tag/tag.h"

namespace heed {
namespace {

/// Keys of published folders that BERT's classes ignore.
constexpr std::string_view kUnread =
    "decoder_start_token_id directionality embedding_size eos_token_id "
    "eos_token_ids is_encoder_decoder max_seq_length model_max_length "
    "pad_token_id sbert_ce_default_activation_function";
constexpr const char* kClassifier = "classifier.weight";

/// Head on top of the encoder.
enum class BertHead : uint8_t { kPretraining, kTags, kClasses };

/// Architectures in config.json and their heads.
constexpr std::pair<std::string_view, BertHead> kArchitectures[] = {
    {"BertModel", BertHead::kPretraining},
    {"BertForPreTraining", BertHead::kPretraining},
    {"BertForMaskedLM", BertHead::kPretraining},
    {"BertForNextSentencePrediction", BertHead::kPretraining},
    {"BertForTokenClassification", BertHead::kTags},
    {"BertForSequenceClassification", BertHead::kClasses},
};

/// A BERT during import.
struct BertSource {
  TransformerConfig config;
  int64_t rows = 0;  // rows of the word embedding
  BertHead head = BertHead::kPretraining;
  BertTokenizer tokenizer;
  std::string file;  // config.json
  double head_dropout = 0;
  bool several_labels = false;
  std::vector<std::string> labels;  // by id
  std::vector<int32_t> order;       // ids of labels, sorted by name
  uint64_t seed = kNoSeed;          // of heads that the file lacks
};

TransformerConfig ReadBertConfig(ImportOptions& options) {
  TransformerConfig c;
  CheckTokenizerClass(options);
  SkipGeneral(options);
  options.SkipEach(kUnread);
  // The standard pooler has no keys; other versions of BERT configure theirs.
  options.SkipAll("pooler_");
  c.layers = options.Number("num_hidden_layers", 12);
  c.width = options.Number("hidden_size", 768);
  c.heads = options.Number("num_attention_heads", 12);
  c.ff = options.Number("intermediate_size", 3072);
  c.activation = ActivationOf(options, "hidden_act");
  c.dropout = options.Real("hidden_dropout_prob", 0.1);
  c.attention_dropout = options.Real("attention_probs_dropout_prob", 0.1);
  c.max_positions = options.Number("max_position_embeddings", 512);
  c.segments = options.Number("type_vocab_size", 2);
  c.epsilon = options.Real("layer_norm_eps", 1e-12);
  options.OneOf("position_embedding_type", "absolute", {"absolute"});
  return c;
}

BertHead HeadOf(const ImportOptions& options, const SourceWeights& weights) {
  const nlohmann::json classes = options.Value("architectures");
  if (classes.is_array() && !classes.empty() && classes[0].is_string()) {
    const auto name = classes[0].get<std::string>();
    for (const auto& [known, head] : kArchitectures) {
      if (name == known) return head;
    }
    options.Fail(
        "architectures",
        fmt::format("Heed has no task for the head of {} (it has for those of "
                    "BertForTokenClassification, BertForSequenceClassification "
                    "and pre-training); import the encoder without it: "
                    "--encoder-only",
                    name));
  }
  if (!weights.Has(kClassifier)) return BertHead::kPretraining;
  return weights.Has("bert.pooler.dense.weight") ? BertHead::kClasses
                                                 : BertHead::kTags;
}

/// Names of labels by id, from id2label or else "LABEL_0", "LABEL_1" etc.
std::vector<std::string> LabelsOf(const ImportOptions& options, int64_t count) {
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
    options.Fail("id2label",
                 fmt::format("names {} labels, but '{}' has {} rows",
                             names.size(), kClassifier, count));
  }
  return labels;
}

void ReadLabels(ImportOptions& options, const SourceWeights& weights,
                BertSource& bert) {
  const Shape* classifier = weights.FindShape(kClassifier);
  if (classifier == nullptr || classifier->rank() != 2) {
    throw FormatError("{}: tensor '{}' is missing or no matrix", weights.file(),
                      kClassifier);
  }
  const int64_t count = (*classifier)[0];
  const std::string problem = options.Text("problem_type", "");
  if (problem == "regression" || count < 2) {
    options.Fail(problem.empty() ? "id2label" : "problem_type",
                 "the model gives a number, not labels, for which Heed has no "
                 "task; import the encoder without its head: --encoder-only");
  }
  bert.several_labels = problem == "multi_label_classification";
  bert.head_dropout = options.Real("classifier_dropout", bert.config.dropout);
  bert.labels = LabelsOf(options, count);
  bert.order.resize(bert.labels.size());
  std::iota(bert.order.begin(), bert.order.end(), 0);
  const auto name = [&bert](int32_t i) -> const std::string& {
    return At(bert.labels, i);
  };
  std::ranges::sort(bert.order, {}, name);
  const auto twice = std::ranges::adjacent_find(bert.order, {}, name);
  if (twice != bert.order.end()) {
    options.Fail("id2label",
                 fmt::format("two labels are called '{}'", name(*twice)));
  }
}

LabelSet LabelSetOf(const BertSource& bert) {
  std::string lines;
  for (const int32_t i : bert.order) {
    lines += At(bert.labels, i) + "\n";
  }
  return LabelSet::Parse(lines, bert.file);
}

/// Sets the encoder of a task to the BERT.
template <typename Role>
void SetEncoder(const BertSource& bert, ModelChoice<Role>& encoder) {
  encoder.Choose(ModelForImport(kBertFormat).model);
  encoder.template As<TransformerConfig>() = bert.config;
}

TextVocabularyConfig VocabularyConfigOf(const BertSource& bert,
                                        const Vocabulary& vocabulary) {
  TextVocabularyConfig config;
  config.vocabulary = Name(bert.tokenizer.kind);
  config.vocabulary_size = vocabulary.size();
  return config;
}

Imported MakePretraining(const BertSource& bert, Vocabulary vocabulary) {
  auto settings = std::make_unique<pretrain::Settings>();
  SetEncoder(bert, settings->model);
  settings->data.vocabulary = VocabularyConfigOf(bert, vocabulary);
  PretrainingOptions& instances = settings->data.instances;
  instances.max_length =
      std::min(instances.max_length, bert.config.max_positions);
  ResolveImported(*settings, bert.file);
  Imported imported;
  imported.model = std::make_unique<pretrain::Model>(
      *settings, std::move(vocabulary), bert.seed);
  imported.settings = std::move(settings);
  return imported;
}

Imported MakeTagger(const BertSource& bert, Vocabulary vocabulary) {
  auto settings = std::make_unique<tag::Settings>();
  SetEncoder(bert, settings->encoder);
  settings->input.vocabulary = VocabularyConfigOf(bert, vocabulary);
  settings->tagger.tag_decoder = TagDecoder::kSoftmax;
  settings->tagger.output_dropout = bert.head_dropout;
  ResolveImported(*settings, bert.file);
  Imported imported;
  imported.model = std::make_unique<tag::Model>(
      *settings,
      tag::MakePieceInput(settings->input, settings->encoder,
                          std::move(vocabulary)),
      LabelSetOf(bert), std::nullopt, bert.seed);
  imported.settings = std::move(settings);
  return imported;
}

Imported MakeClassifier(const BertSource& bert, Vocabulary vocabulary,
                        bool pairs) {
  auto settings = std::make_unique<classify::Settings>();
  SetEncoder(bert, settings->encoder);
  classify::DataConfig& data = settings->data;
  data.vocabulary = VocabularyConfigOf(bert, vocabulary);
  data.max_length = bert.config.max_positions;
  data.format.multi_label = bert.several_labels;
  if (pairs) data.format.second_column = data.format.text_column + 1;
  settings->classifier.pooling = PoolingKind::kCls;
  settings->classifier.pooler = true;
  settings->classifier.head_dropout = bert.head_dropout;
  ResolveImported(*settings, bert.file);
  Imported imported;
  imported.model = std::make_unique<classify::Model>(
      *settings, std::move(vocabulary), LabelSetOf(bert), nullptr, bert.seed);
  imported.settings = std::move(settings);
  return imported;
}

Imported MakeModel(const BertSource& bert, bool pairs) {
  const BertTokenizer& tokenizer = bert.tokenizer;
  Vocabulary vocabulary =
      Vocabulary::Parse(tokenizer.vocabulary, tokenizer.kind, tokenizer.file);
  if (vocabulary.size() > bert.rows) {
    throw FormatError("{}: has {} tokens, but vocab_size is {}", tokenizer.file,
                      vocabulary.size(), bert.rows);
  }
  if (pairs && bert.head != BertHead::kClasses) {
    throw ConfigError("pairs: {} does not classify sequences", bert.file);
  }
  switch (bert.head) {
    case BertHead::kTags:
      return MakeTagger(bert, std::move(vocabulary));
    case BertHead::kClasses:
      return MakeClassifier(bert, std::move(vocabulary), pairs);
    case BertHead::kPretraining:
      break;
  }
  return MakePretraining(bert, std::move(vocabulary));
}

/// Fills the embedding tables. The word table is truncated to the number of
/// tokens.
void FillBertTables(const std::string& prefix, const BertSource& bert,
                    WeightReader& reader, Notes& notes) {
  for (const auto& [ours, theirs] : BertTables(prefix)) {
    Shape shape = reader.ShapeOf(ours);
    const int64_t wanted = shape[0];
    const bool words = ours == "encoder.embedding.weight";
    if (words) shape.Set(0, bert.rows);
    Tensor table =
        words ? TakeShared(reader.from(),
                           {theirs, "cls.predictions.decoder.weight"}, shape)
              : reader.from().Take(theirs, shape);
    if (words && wanted < bert.rows) {
      notes.push_back(fmt::format(
          "{}: {} tokens; {} further row{} of the model stand{} for none and "
          "{} left out",
          bert.tokenizer.file, wanted, bert.rows - wanted,
          bert.rows - wanted == 1 ? "" : "s",
          bert.rows - wanted == 1 ? "s" : "",
          bert.rows - wanted == 1 ? "is" : "are"));
    }
    if (wanted < shape[0]) table = table.Slice(0, wanted).Clone();
    reader.Set(ours, std::move(table));
  }
}

constexpr const char* kWordTransform = "cls.predictions.transform.dense.weight";
constexpr const char* kNextScores = "cls.seq_relationship.weight";

std::string PoolerOf(const std::string& prefix) {
  return prefix + "pooler.dense.weight";
}

/// True if the file lacks a head for pre-training.
bool LacksHeads(const std::string& prefix, const SourceWeights& weights) {
  return !weights.Has(PoolerOf(prefix)) || !weights.Has(kWordTransform) ||
         !weights.Has(kNextScores);
}

/// Fills the pre-training heads that the file contains.
void FillPretrainingHeads(const std::string& prefix, int64_t rows,
                          WeightReader& reader) {
  SourceWeights& from = reader.from();
  const auto read = [&](const std::vector<Part>& parts) {
    reader.Read(parts, kHuggingFaceLayout);
  };
  if (from.Has(PoolerOf(prefix))) read({BertPooler(prefix)});
  if (from.Has(kWordTransform)) {
    read(BertWordParts());
    const Tensor bias = TakeShared(
        from, {kBertWordBias, "cls.predictions.decoder.bias"}, {rows});
    reader.Set("words.bias", bias.Slice(0, reader.ShapeOf("words.bias")[0]));
  }
  if (from.Has(kNextScores)) read({BertNext()});
}

/// Fills a classifier at `ours`.weight and .bias, with labels in Heed's order.
void FillClassifier(const BertSource& bert, const std::string& ours,
                    WeightReader& reader) {
  const auto count = std::ssize(bert.order);
  const Tensor weight =
      reader.from().Take(kClassifier, {count, bert.config.width});
  const Tensor bias = reader.from().Take("classifier.bias", {count});
  reader.Set(ours + ".weight", Transposed(TakeRows(weight, bert.order)));
  reader.Set(ours + ".bias", TakeRows(bias, bert.order));
}

void FillHead(const std::string& prefix, const BertSource& bert,
              WeightReader& reader) {
  switch (bert.head) {
    case BertHead::kTags:
      reader.from().SkipAll(prefix + "pooler.");  // unused by tags
      FillClassifier(bert, "tags", reader);
      break;
    case BertHead::kClasses:
      reader.Read(std::vector<Part>{BertPooler(prefix)}, kHuggingFaceLayout);
      FillClassifier(bert, "output", reader);
      break;
    case BertHead::kPretraining:
      FillPretrainingHeads(prefix, bert.rows, reader);
      break;
  }
}

}  // namespace

Imported ImportBert(const std::string& folder, ImportOptions& options,
                    const ImportRequest& request) {
  BertSource bert;
  bert.file = options.file();
  bert.config = ReadBertConfig(options);
  bert.rows = options.Number("vocab_size", 30522);
  const bool tied = options.Flag("tie_word_embeddings", true);
  options.CheckAllUnderstood();
  SourceWeights weights = OpenSourceWeights(folder);
  weights.CheckCount(CountWeights(bert.config, bert.rows, 0));
  const std::string prefix =
      weights.Has("embeddings.word_embeddings.weight") ? "" : "bert.";
  if (request.encoder_only) {
    for (const char* head : {"classifier.", "cls.", "qa_outputs."}) {
      weights.SkipAll(head);
    }
  } else {
    bert.head = HeadOf(options, weights);
  }
  if (!tied && weights.Has("cls.predictions.decoder.weight")) {
    options.Fail("tie_word_embeddings",
                 "Heed scores words by their embeddings; import the encoder "
                 "without its head: --encoder-only");
  }
  if (bert.head != BertHead::kPretraining) ReadLabels(options, weights, bert);
  bert.tokenizer = ReadBertTokenizer(folder);
  if (bert.head == BertHead::kPretraining && LacksHeads(prefix, weights)) {
    bert.seed = 1;
  }
  Imported imported = MakeModel(bert, request.pairs);
  imported.notes = bert.tokenizer.notes;
  weights.Skip(prefix + "embeddings.position_ids");
  weights.Skip(prefix + "embeddings.token_type_ids");
  WeightReader reader(weights, imported.model->parameters());
  FillBertTables(prefix, bert, reader, imported.notes);
  reader.Read(BertEncoderParts(prefix, bert.config.layers), kHuggingFaceLayout);
  FillHead(prefix, bert, reader);
  weights.CheckAllTaken();
  if (bert.seed == kNoSeed) reader.CheckComplete();
  if (const auto fresh = reader.Unread(); !fresh.empty()) {
    imported.notes.push_back(fmt::format("the file has no {}: they start fresh",
                                         fmt::join(fresh, ", ")));
  }
  return imported;
}

}  // namespace heed

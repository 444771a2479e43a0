#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "heed/base/console.h"
#include "heed/data/input_lines.h"
#include "heed/metrics/entities.h"
#include "heed/tasks/tag/long_sentences.h"
#include "heed/tasks/tag/tag.h"
#include "heed/tasks/text_vocabulary.h"

namespace heed::tag {
namespace {

constexpr int32_t kUnknownLabel = -1;

/// Maps labels to ids; labels unknown to the model have none.
class LabelIds {
 public:
  explicit LabelIds(const LabelSet& labels) {
    for (int32_t id = 0; id < labels.size(); ++id) ids_[labels.Name(id)] = id;
  }
  int32_t operator()(const std::string& label) const {
    const auto found = ids_.find(label);
    return found == ids_.end() ? kUnknownLabel : found->second;
  }

 private:
  std::unordered_map<std::string, int32_t> ids_;
};

constexpr const char* kTagsFile = "tags.txt";
constexpr const char* kIntentsFile = "intents.txt";

std::set<std::string> NamesOf(const LabelSet& labels) {
  std::set<std::string> names;
  for (int32_t id = 0; id < labels.size(); ++id) names.insert(labels.Name(id));
  return names;
}
}  // namespace

EncodedSentences Model::Encode(
    std::span<const TaggedSentence> sentences) const {
  const LabelIds tag_ids(tags);
  EncodedSentences encoded;
  std::vector<Words> all;
  for (const TaggedSentence& sentence : sentences) {
    all.push_back(sentence.words);
    encoded.words.push_back(std::ssize(sentence.words));
    std::vector<int32_t>& ids = encoded.plan.target.emplace_back();
    for (const std::string& tag : sentence.tags) ids.push_back(tag_ids(tag));
  }
  TagSentences read = words->Encode(all);
  encoded.batch = std::move(read.batch);
  encoded.plan.source = std::move(read.ids);
  if (!intents) return encoded;
  const LabelIds intent_ids(*intents);
  for (const TaggedSentence& sentence : sentences) {
    encoded.intents.push_back(intent_ids(sentence.label));
  }
  return encoded;
}

TagBatch Model::MakeBatch(const EncodedSentences& sentences,
                          std::span<const int64_t> indices) const {
  TagBatch batch;
  batch.sentences = sentences.batch(indices);
  batch.tags =
      Tensor::Full(batch.sentences.shape(), kUnknownLabel, DType::kI32);
  batch.intents =
      Tensor::Full({std::ssize(indices)}, kUnknownLabel, DType::kI32);
  for (size_t b = 0; b < indices.size(); ++b) {
    const auto i = static_cast<size_t>(indices[b]);
    const std::vector<int32_t>& ids = sentences.plan.target[i];
    std::copy(ids.begin(), ids.end(),
              batch.tags.row<int32_t>(static_cast<int64_t>(b)));
    if (intents) batch.intents.data<int32_t>()[b] = sentences.intents[i];
  }
  return batch;
}

std::vector<SentenceTags> Model::Tag(const Context& ctx,
                                     const EncodedSentences& sentences) const {
  std::vector<SentenceTags> answers(sentences.plan.source.size());
  for (const auto& indices :
       PlanBatches(sentences.plan, config.data.batches(), 0, 0)) {
    const TagPrediction p = network.Predict(ctx, MakeBatch(sentences, indices));
    for (size_t b = 0; b < indices.size(); ++b) {
      const auto row = static_cast<int64_t>(b);
      const auto i = static_cast<size_t>(indices[b]);
      SentenceTags& answer = answers[i];
      for (int64_t t = 0; t < sentences.words[i]; ++t) {
        answer.tags.push_back(tags.Name(p.tags.row<int32_t>(row)[t]));
        answer.probabilities.push_back(
            static_cast<double>(p.tag_probabilities.row<float>(row)[t]));
      }
      if (!intents) continue;
      answer.intent = intents->Name(p.intents.data<int32_t>()[b]);
      answer.intent_probability =
          static_cast<double>(p.intent_probabilities.data<float>()[b]);
    }
  }
  return answers;
}

std::vector<SentenceTags> Model::Tag(const Context& ctx,
                                     std::span<const TaggedSentence> sentences,
                                     int64_t first) const {
  const DividedSentences divided =
      Divide(sentences, config.words_at_once(), first);
  std::vector<SentenceTags> parts = Tag(ctx, Encode(divided.parts));
  if (parts.size() == sentences.size()) return parts;
  std::vector<SentenceTags> all(sentences.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    SentenceTags& whole = all[divided.sentence[i]];
    const auto append = [](auto& to, auto& from) {
      std::move(from.begin(), from.end(), std::back_inserter(to));
    };
    // The first part determines the intent.
    if (whole.tags.empty()) {
      whole = std::move(parts[i]);
      continue;
    }
    append(whole.tags, parts[i].tags);
    append(whole.probabilities, parts[i].probabilities);
  }
  return all;
}

TaggingLoss Model::LossOf(const EncodedSentences& sentences) const {
  double nll = 0;
  for (const auto& indices :
       PlanBatches(sentences.plan, config.data.batches(), 0, 0)) {
    nll += network.Loss({}, MakeBatch(sentences, indices), {}).nll;
  }
  const bool whole = config.tagger.tag_decoder == TagDecoder::kCrf;
  TaggingLoss loss;
  for (const std::vector<int32_t>& ids : sentences.plan.target) {
    const auto known = std::ssize(ids) - std::ranges::count(ids, kUnknownLabel);
    if (known == std::ssize(ids) || !whole) loss.words += known;
  }
  loss.per_word = RatioOf(nll, loss.words);
  return loss;
}

int64_t Model::CountUnknown(std::span<const TaggedSentence> gold) const {
  const LabelIds ids(tags);
  int64_t unknown = 0;
  for (const TaggedSentence& sentence : gold) {
    unknown += std::ranges::count_if(
        sentence.tags,
        [&](const std::string& tag) { return ids(tag) == kUnknownLabel; });
  }
  return unknown;
}

void WarnOfUnknown(const Model& model, std::span<const TaggedSentence> gold,
                   const std::string& name) {
  const auto warn = [&](int64_t unknown, int64_t all, const char* what,
                        const std::string& first) {
    if (unknown == 0) return;
    Warn(
        fmt::format("{}: {} of {} {} are not known to the model, such as '{}'; "
                    "they count as wrong, and not in the loss",
                    name, unknown, all, what, first));
  };
  const auto first_unknown = [](const LabelSet& known,
                                const std::set<std::string>& labels) {
    const LabelIds ids(known);
    const auto found = std::ranges::find_if(
        labels, [&](const auto& label) { return ids(label) == kUnknownLabel; });
    return found == labels.end() ? "" : *found;
  };
  int64_t words = 0;
  for (const TaggedSentence& s : gold) words += std::ssize(s.tags);
  warn(model.CountUnknown(gold), words, "gold tags",
       first_unknown(model.tags, DifferentTags(TagsOf(gold))));
  if (!model.intents) return;
  const LabelIds ids(*model.intents);
  std::set<std::string> intents;
  int64_t unknown = 0;
  for (const TaggedSentence& s : gold) {
    intents.insert(s.label);
    unknown += ids(s.label) == kUnknownLabel ? 1 : 0;
  }
  warn(unknown, std::ssize(gold), "gold intents",
       first_unknown(*model.intents, intents));
}

Metrics Model::Score(std::span<const TaggedSentence> gold,
                     std::span<const SentenceTags> answers) const {
  const auto right = TagsOf(gold);
  const std::optional<TagNotation> own = NotationOf(DifferentTags(right));
  const TaggingScore score =
      ScoreTags(right, TagsOf(answers), own.value_or(TagNotation()),
                notation.value_or(TagNotation()));
  Metrics metrics;
  if (own && notation && score.entities.gold > 0) {
    metrics = {{"f1", score.entities.F1()},
               {"precision", score.entities.Precision()},
               {"recall", score.entities.Recall()}};
  }
  metrics.emplace_back("accuracy", score.WordAccuracy());
  metrics.emplace_back("sentence_accuracy", score.SentenceAccuracy());
  if (!intents) return metrics;
  double chosen = 0;
  double joint = 0;
  for (size_t i = 0; i < gold.size(); ++i) {
    if (answers[i].intent != gold[i].label) continue;
    chosen += 1;
    joint += answers[i].tags == gold[i].tags ? 1 : 0;
  }
  const int64_t sentences = std::ssize(gold);
  metrics.emplace_back("intent_accuracy", RatioOf(100 * chosen, sentences));
  metrics.emplace_back("joint_accuracy", RatioOf(100 * joint, sentences));
  return metrics;
}

std::unique_ptr<Model> Settings::Open(const ModelFiles& files,
                                      const std::string& folder,
                                      uint64_t seed) const {
  const auto labels = [&](const char* file) {
    return LabelSet::Parse(FindFile(files, folder, file), PathIn(folder, file));
  };
  std::optional<LabelSet> intents;
  if (with_intents()) intents = labels(kIntentsFile);
  return std::make_unique<Model>(*this,
                                 FindTagInput(input, encoder, files, folder),
                                 labels(kTagsFile), std::move(intents), seed);
}

Model::Model(Config settings, std::unique_ptr<const TagInput> read,
             LabelSet tag_set, std::optional<LabelSet> intent_set,
             uint64_t seed)
    : config(std::move(settings)),
      words(std::move(read)),
      tags(std::move(tag_set)),
      intents(std::move(intent_set)),
      notation(NotationOf(NamesOf(tags))),
      parameters_(seed, DType::kF32, config.encoder->precision()),
      network(Scope(parameters_, ""), config.tagger,
              {tags.size(), intents ? intents->size() : 0},
              words->MakeEncoder(Scope(parameters_, ""), *config.encoder,
                                 intents.has_value())) {}

ModelFiles Model::Files() const {
  ModelFiles files = words->Files();
  files[kTagsFile] = tags.Serialize();
  if (intents) files[kIntentsFile] = intents->Serialize();
  return files;
}

std::vector<std::pair<std::string, int64_t>> Model::Sizes() const {
  std::vector<std::pair<std::string, int64_t>> sizes = words->Sizes();
  sizes.emplace_back("tags", tags.size());
  if (intents) sizes.emplace_back("intents", intents->size());
  return sizes;
}

}  // namespace heed::tag

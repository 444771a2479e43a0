#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "heed/attention/attention.h"
#include "heed/base/at.h"
#include "heed/base/timing.h"
#include "heed/metrics/cider.h"
#include "heed/metrics/error_rate.h"
#include "heed/metrics/text_measures.h"
#include "heed/ops/loss.h"
#include "heed/tasks/caption/caption.h"
#include "heed/tasks/target_loss.h"
#include "heed/text/word_tokens.h"
#include "heed/train/progress.h"

namespace heed::caption {
namespace {

constexpr int64_t kCaptionsAtOnce = 64;

/// Calls `visit` with batches of indices below `count`.
template <typename Visit>
void ForEachBatch(int64_t count, const Visit& visit) {
  std::vector<int64_t> indices;
  for (int64_t begin = 0; begin < count; begin += kCaptionsAtOnce) {
    indices.resize(
        static_cast<size_t>(std::min(count - begin, kCaptionsAtOnce)));
    std::iota(indices.begin(), indices.end(), begin);
    visit(indices);
  }
}

/// Adds a word with a box: whether the most attended cell touches the box or is
/// next to it.
void AddNoun(const WordBox& box, int64_t cell, int64_t columns,
             std::span<const float> weights, PointingResult& result) {
  const auto max = std::ranges::max_element(weights) - weights.begin();
  int64_t touching = 0;
  int64_t near = 0;
  for (int64_t i = 0; i < std::ssize(weights); ++i) {
    const int64_t x = i % columns * cell, y = i / columns * cell;
    const auto reaches = [&](int64_t beyond) {
      return x - beyond < box.right && x + cell + beyond > box.left &&
             y - beyond < box.bottom && y + cell + beyond > box.top;
    };
    const bool touches = reaches(0);
    const bool is_near = reaches(cell);
    touching += touches ? 1 : 0;
    near += is_near ? 1 : 0;
    if (i != max) continue;
    result.touching += touches ? 1 : 0;
    result.near += is_near ? 1 : 0;
  }
  ++result.nouns;
  const auto cells = static_cast<double>(weights.size());
  result.touching_by_chance += static_cast<double>(touching) / cells;
  result.near_by_chance += static_cast<double>(near) / cells;
}

double EntropyOf(std::span<const float> weights) {
  double entropy = 0;
  for (const float w : weights) {
    if (w > 0) entropy -= double{w} * std::log(double{w});
  }
  return entropy;
}

PointingResult PointAtBatch(const Model& model, const CaptionedImages& set,
                            std::span<const int64_t> captions) {
  Corpus targets;
  std::vector<int64_t> images;
  std::vector<std::vector<int32_t>> words;
  std::vector<int64_t> places;
  for (const int64_t i : captions) {
    const std::string& caption = At(set.captions, i);
    images.push_back(At(set.image_of, i));
    places.push_back(targets.size());
    targets.source.emplace_back();
    targets.target.push_back(model.Encode(caption).ids);
    WordTokens tokens = EncodeWordTokens(model.vocabulary, caption);
    // If the tokenisation differs, the word of each token is unknown.
    if (tokens.ids != targets.target.back()) tokens.words.clear();
    words.push_back(std::move(tokens.words));
  }
  const Batch batch = MakeBatch(targets, places);
  const DecoderExamples given = ExamplesOf(batch);
  AttentionWatch watch([&](const AttentionInfo& info) {
    return AttentionRequest{.weights = info.path ==
                                       model.network->alignment_attention()};
  });
  Context ctx;
  ctx.observer = &watch;
  const CrossEntropyLoss loss =
      model.network->Loss(ctx, model.CellsOf({}, set.Batch(images)),
                          given.target_in, given.targets, {});
  PointingResult result;
  result.nll = loss.nll;
  result.tokens = loss.tokens;
  const int64_t cell = model.network->cell();
  for (size_t t = 0; t < watch.seen.size(); ++t) {
    const Tensor weights = HeadWeights(watch.seen[t].weights.value());
    for (size_t b = 0; b < captions.size(); ++b) {
      if (t >= targets.target[b].size()) continue;
      const std::span<const float> row(
          weights[static_cast<int64_t>(b)].data<float>(),
          static_cast<size_t>(weights.dim(2)));
      result.entropy += EntropyOf(row);
      for (const WordBox& box : At(set.boxes, captions[b])) {
        // Only the first token of the word counts.
        const auto found = std::ranges::find(words[b], box.word);
        if (found == words[b].end() ||
            found - words[b].begin() != static_cast<int64_t>(t)) {
          continue;
        }
        AddNoun(box, cell, model.source.format.width / cell, row, result);
      }
    }
  }
  return result;
}

}  // namespace

void PointingResult::Add(const PointingResult& other) {
  nouns += other.nouns;
  touching += other.touching;
  near += other.near;
  touching_by_chance += other.touching_by_chance;
  near_by_chance += other.near_by_chance;
  nll += other.nll;
  tokens += other.tokens;
  entropy += other.entropy;
}

PointingResult PointAt(const Model& model, const CaptionedImages& set) {
  PointingResult all;
  ForEachBatch(std::ssize(set.captions),
               [&](const std::vector<int64_t>& indices) {
                 all.Add(PointAtBatch(model, set, indices));
               });
  return all;
}

std::vector<std::string> CaptionsOf(const Model& model,
                                    const CaptionedImages& set,
                                    const Prediction& options) {
  std::vector<std::string> written;
  ForEachBatch(set.size(), [&](const std::vector<int64_t>& indices) {
    for (const auto& found :
         WriteCaptions(model, set.Batch(indices), options)) {
      written.push_back(model.vocabulary.Decode(found.front().tokens));
    }
  });
  return written;
}

namespace {

/// A metric that is shown only if --metric names it.
Figure CaptionFigure(const char* key, const char* label,
                     const std::vector<std::string>& written,
                     const std::vector<References>& references) {
  return {key, label, MeasureTexts(key, written, references), 2, "%", "", true};
}

}  // namespace

Report MeasureCaptions(const Model& model, const CaptionedImages& set,
                       const Prediction& options,
                       Auto<BleuTokenizer> tokenize) {
  const auto start = Clock::now();
  const std::vector<std::string> written = CaptionsOf(model, set, options);
  const double seconds = SecondsSince(start);
  const PointingResult pointing = PointAt(model, set);
  const auto tokens =
      static_cast<double>(std::max<int64_t>(1, pointing.tokens));
  const int64_t cell = model.network->cell();
  const int64_t cells =
      model.source.format.height / cell * (model.source.format.width / cell);
  Report report;
  report.heading =
      fmt::format("{} in {:.1f} s", Counted(set.size(), "image"), seconds);
  const std::vector<References> references = set.References();
  const BleuTokenizer tokenizer = BleuTokenizerFor(tokenize, set.captions);
  const BleuScore bleu =
      CorpusBleu(written, references, {.tokenizer = tokenizer});
  report.figures = {
      {"exact_match", "exact", 100 * ExactMatchRate(written, references), 2,
       "%", "captions that equal a reference in all words"},
      {"bleu", "BLEU", bleu.score, 2, "", bleu.signature},
      {"cider", "CIDEr", CorpusCider(written, references, tokenizer), 3, "",
       fmt::format("CIDEr-D, 0 to 10; lower case, tok:{}, no punctuation",
                   Named<BleuTokenizer>(tokenizer).word())},
      CaptionFigure("chrf", "chrF2", written, references),
      CaptionFigure("word_error_rate", "word errors", written, references),
      CaptionFigure("rouge_l", "ROUGE-L", written, references),
      {"perplexity", "perplexity", std::exp(pointing.nll / tokens), 4, "",
       "of the tokens, </s> among them"},
      {"attention_entropy", "attention", pointing.entropy / tokens, 3, "nats",
       fmt::format("entropy of a step's attention, of {:.2f} at most",
                   std::log(static_cast<double>(cells)))}};
  report.details["images"] = set.size();
  report.details["references"] = set.captions.size();
  if (pointing.nouns == 0) return report;
  const auto nouns = static_cast<double>(pointing.nouns);
  const auto share = [nouns](double count) { return 100 * count / nouns; };
  report.figures.push_back(
      {"pointing", "pointing", share(static_cast<double>(pointing.near)), 2,
       "%",
       fmt::format("nouns whose cell of the most attention is at their box or "
                   "beside it; chance {:.1f} %",
                   share(pointing.near_by_chance))});
  report.figures.push_back(
      {"pointing_touching", "touching",
       share(static_cast<double>(pointing.touching)), 2, "%",
       fmt::format("the same without the cells beside it; chance {:.1f} %",
                   share(pointing.touching_by_chance))});
  report.details["nouns"] = pointing.nouns;
  report.details["pointing_by_chance"] = share(pointing.near_by_chance);
  report.details["touching_by_chance"] = share(pointing.touching_by_chance);
  return report;
}

}  // namespace heed::caption

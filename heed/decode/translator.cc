#include "heed/decode/translator.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/console.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/data/batches.h"
#include "heed/data/corpus.h"
#include "heed/data/input_lines.h"
#include "heed/decode/beam.h"
#include "heed/decode/sample.h"
#include "heed/text/copied_tokens.h"

namespace heed {
namespace {

constexpr int64_t kLinesPerChunk = 64;
// Smaller batches would not fill the rows that matrix products are fast with.
constexpr int64_t kMinSentencesOfThread = 4;

void CheckUtf8(std::span<const std::string> lines, int64_t first) {
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!IsValidUtf8(lines[i])) {
      throw FormatError("line {} to translate is not valid UTF-8",
                        first + static_cast<int64_t>(i) + 1);
    }
  }
}

// Index of the source token, except </s>, with the highest attention of target
// token t.
size_t MostAttended(const Hypothesis& hypothesis, size_t t) {
  const float* row = hypothesis.attention.data() +
                     t * static_cast<size_t>(hypothesis.source_length);
  return static_cast<size_t>(
      std::max_element(row, row + hypothesis.source_length - 1) - row);
}

/// Truncates a source to the position limit and keeps </s>; true if truncated.
bool CutToPositions(int64_t positions, Encoded& encoded) {
  if (positions == 0 || std::ssize(encoded.ids) <= positions) return false;
  const auto kept = static_cast<size_t>(positions);
  encoded.ids[kept - 1] = encoded.ids.back();
  encoded.pieces[kept - 1] = encoded.pieces.back();
  encoded.ids.resize(kept);
  encoded.pieces.resize(kept);
  return true;
}

/// Ids of tokens. Throws: ConfigError that names an unknown token.
std::vector<int32_t> IdsOfTokens(const Vocabulary& vocabulary,
                                 const std::vector<std::string>& tokens) {
  std::vector<int32_t> ids;
  for (const std::string& token : tokens) {
    int32_t id = 0;
    while (id < vocabulary.size() && vocabulary.Piece(id) != token) ++id;
    if (id == vocabulary.size()) {
      throw ConfigError("suppress: the target vocabulary has no token '{}'",
                        token);
    }
    ids.push_back(id);
  }
  return ids;
}

}  // namespace

Encoded EncodeSource(const Decoder& model, const Vocabulary& vocabulary,
                     const std::string& line, bool lowercase, bool* cut) {
  Encoded encoded = model.copies()
                        ? EncodeCopiedSource(vocabulary, line, lowercase)
                        : EncodeSentence(vocabulary, line, lowercase);
  const bool shortened = CutToPositions(model.positions(), encoded);
  if (cut != nullptr) *cut = shortened;
  return encoded;
}

void WarnOfPositions(const Decoder& model, std::span<const Translations> all) {
  int64_t cut = 0;
  int64_t ended = 0;
  for (const Translations& translations : all) {
    cut += translations.front().source_cut ? 1 : 0;
    ended += translations.front().at_last_position ? 1 : 0;
  }
  if (cut + ended == 0) return;
  Warn(fmt::format(
      "the model has {} positions: of {} translations, {} ended at the last "
      "one, and the end of {} sources was not read",
      model.positions(), all.size(), ended, cut));
}

std::string LinesOf(int64_t index, const Translations& translations,
                    bool nbest) {
  std::string lines;
  for (const Translation& t : translations) {
    lines += nbest
                 ? fmt::format("{} ||| {} ||| {:.4f}\n", index, t.text, t.score)
                 : t.text + '\n';
  }
  return lines;
}

std::shared_ptr<const Shortlist> ReadShortlist(const DecodeOptions& options,
                                               const std::string& model_folder,
                                               const Vocabulary& source,
                                               const Vocabulary& target) {
  if (options.shortlist == "none") return nullptr;
  if (options.shortlist == "model") {
    const auto path = std::filesystem::path(model_folder) / kShortlistFile;
    return std::make_shared<Shortlist>(
        Shortlist::Read(path.string(), source.size(), target.size()));
  }
  return std::make_shared<Shortlist>(
      Shortlist::ReadLexicon(options.shortlist, source, target, {}));
}

Translator::Translator(const Decoder& model, Vocabulary source,
                       Vocabulary target, bool lowercase,
                       const DecodeOptions& options,
                       std::shared_ptr<const Shortlist> shortlist)
    : model_(model),
      source_(std::move(source)),
      target_(std::move(target)),
      lowercase_(lowercase),
      options_(options),
      shortlist_(std::move(shortlist)) {
  CheckOptions(options);
  options_.special = target_.special();
  options_.suppressed_ids = IdsOfTokens(target_, options.suppress);
  // A model that copies can write a word of the source instead.
  if (model.copies()) {
    options_.suppressed_ids.push_back(target_.special().unk);
  }
  // An unknown token that is replaced must not be suppressed.
  if (options.replace_unknown) {
    std::erase(options_.suppressed_ids, target_.special().unk);
  }
  const bool alike = source_.kind() == target_.kind() ||
                     (IsSubword(source_.kind()) && IsSubword(target_.kind()));
  if (options.replace_unknown && !alike) {
    throw ConfigError(
        "replace_unknown copies a token of the source, but the source has {} "
        "and the target {}",
        Name(source_.kind()), Name(target_.kind()));
  }
}

std::vector<Translations> Translator::Translate(
    std::span<const std::string> lines, int64_t first,
    const TranslateHooks& hooks) const {
  CheckUtf8(lines, first);
  const Sentences sentences = Encode(lines);
  std::vector<Translations> results(lines.size(), Translations(1));
  const std::vector<std::vector<int64_t>> batches = PlanBatches(sentences);
  ParallelTasks(std::ssize(batches), [&](int64_t i) {
    TranslateBatch(sentences, At(batches, i), first, hooks, results);
  });
  return results;
}

void Translator::TranslateBatch(const Sentences& sentences,
                                const std::vector<int64_t>& indices,
                                int64_t first, const TranslateHooks& hooks,
                                std::vector<Translations>& results) const {
  const Batch batch = MakeSourceBatch(sentences.ids, indices);
  const Tensor source = Tensor::Of(batch.source, {batch.S, batch.B});
  const Tensor lengths = Tensor::Of(batch.source_lengths, {batch.B});
  std::vector<int64_t> numbers = indices;
  for (int64_t& number : numbers) number += first;
  OutputLists outputs;
  for (size_t b = 0; b < indices.size() && shortlist_; ++b) {
    outputs.push_back(shortlist_->Outputs(At(sentences.ids, indices[b])));
  }
  SearchHooks of_batch;
  if (hooks.observer) {
    of_batch.observer = [&](int64_t sentence, std::span<const int32_t> tokens,
                            bool whole) {
      const int64_t line = At(indices, sentence);
      hooks.observer(line, Settled(tokens, At(sentences.pieces, line)), whole);
    };
  }
  if (!hooks.cancellations.empty()) {
    for (const int64_t i : indices) {
      of_batch.cancellations.push_back(At(hooks.cancellations, i));
    }
  }
  std::vector<std::vector<Hypothesis>> hypotheses;
  try {
    hypotheses = options_.sample ? Sample(model_, {source, lengths}, options_,
                                          numbers, outputs, of_batch)
                                 : BeamSearch(model_, {source, lengths},
                                              options_, outputs, of_batch);
  } catch (const Cancelled&) {
    return;  // other batches may not be cancelled
  }
  for (size_t b = 0; b < indices.size(); ++b) {
    if (hypotheses[b].empty()) continue;  // cancelled
    const auto index = static_cast<size_t>(indices[b]);
    results[index].clear();
    for (Hypothesis& hypothesis : hypotheses[b]) {
      results[index].push_back(
          Write(sentences.pieces[index], std::move(hypothesis)));
      results[index].back().source_cut = sentences.cut[index] != 0;
    }
  }
}

Translator::Sentences Translator::Encode(
    std::span<const std::string> lines) const {
  Sentences sentences;
  sentences.ids.resize(lines.size());
  sentences.pieces.resize(lines.size());
  sentences.cut.resize(lines.size());
  ParallelForEach(std::ssize(lines), kLinesPerChunk, [&](int64_t n) {
    const auto i = static_cast<size_t>(n);
    if (SplitUnicodeWhitespace(lines[i]).empty()) return;
    bool cut = false;
    Encoded encoded = EncodeSource(model_, source_, lines[i], lowercase_, &cut);
    if (encoded.ids.size() == 1) return;
    sentences.cut[i] = cut ? 1 : 0;
    sentences.ids[i] = std::move(encoded.ids);
    sentences.pieces[i] = std::move(encoded.pieces);
  });
  return sentences;
}

std::vector<std::vector<int64_t>> Translator::PlanBatches(
    const Sentences& sentences) const {
  const auto length = [&](int64_t index) {
    return std::ssize(At(sentences.ids, index));
  };
  std::vector<int64_t> order(sentences.ids.size());
  std::iota(order.begin(), order.end(), 0);
  std::erase_if(order, [&](int64_t index) { return length(index) == 0; });
  // Longest sentences first, so that the first batch uses the most memory.
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return length(a) > length(b); });
  // Few sentences are divided among the threads by tokens, but each batch must
  // fill the rows that matrix products are fast with.
  int64_t tokens = 0;
  for (const int64_t index : order) tokens += length(index);
  const int64_t shares = std::clamp<int64_t>(
      std::ssize(order) / kMinSentencesOfThread, 1, ThreadCount());
  std::vector<std::vector<int64_t>> batches;
  int64_t planned = 0;    // tokens in all batches
  int64_t share_end = 0;  // end of the current batch's share
  for (const int64_t index : order) {
    const bool same_share = planned < share_end;
    while (share_end <= planned) share_end += (tokens + shares - 1) / shares;
    const bool room =
        same_share && std::ssize(batches.back()) < options_.batch_sentences &&
        (std::ssize(batches.back()) + 1) * length(batches.back().front()) <=
            options_.batch_tokens;
    if (!room) batches.emplace_back();
    batches.back().push_back(index);
    planned += length(index);
  }
  return batches;
}

// Final pieces before the first unknown token; its replacement is known only at
// the end.
std::vector<std::string> Translator::Settled(
    std::span<const int32_t> tokens,
    const std::vector<std::string>& source_pieces) const {
  std::vector<std::string> pieces;
  for (const int32_t token : tokens) {
    if (options_.replace_unknown && token == target_.special().unk) break;
    pieces.push_back(PieceOrCopy(target_, token, source_pieces));
  }
  return pieces;
}

Translation Translator::Write(const std::vector<std::string>& source_pieces,
                              Hypothesis hypothesis) const {
  std::vector<std::string> pieces;
  for (size_t t = 0; t < hypothesis.tokens.size(); ++t) {
    const int32_t token = hypothesis.tokens[t];
    pieces.push_back(options_.replace_unknown && token == target_.special().unk
                         ? source_pieces[MostAttended(hypothesis, t)]
                         : PieceOrCopy(target_, token, source_pieces));
  }
  Translation translation;
  translation.text = target_.DecodePieces(pieces);
  const int32_t eos = target_.special().eos;
  pieces.push_back(target_.Piece(eos));
  translation.score = hypothesis.score;
  translation.log_probability = hypothesis.log_probability;
  translation.log_probabilities = std::move(hypothesis.log_probabilities);
  translation.at_last_position = hypothesis.at_last_position;
  translation.source_pieces = source_pieces;
  translation.target_pieces = std::move(pieces);
  translation.target_ids = std::move(hypothesis.tokens);
  translation.target_ids.push_back(eos);
  translation.attention = std::move(hypothesis.attention);
  return translation;
}

}  // namespace heed

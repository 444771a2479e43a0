#include "heed/serve/translation_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "heed/base/json.h"
#include "heed/base/text.h"
#include "heed/decode/document_translation.h"
#include "heed/serve/api.h"
#include "heed/text/markup/mark_placement.h"
#include "heed/text/markup/text_escapes.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

Json ToJson(const Detection& detection) {
  return {{"confidence", detection.confidence},
          {"language", detection.language}};
}

bool IsLanguage(const Engine& engine, const std::string& language) {
  return std::ranges::any_of(engine.queues(), [&](const auto& queue) {
    const auto model = queue->model();
    return model->translates() && model->Knows(language);
  });
}

}  // namespace

TranslationWork::TranslationWork(std::shared_ptr<Exchange> exchange,
                                 TranslateCall call, std::string client)
    : exchange_(std::move(exchange)),
      call_(std::move(call)),
      client_(std::move(client)),
      events_(exchange_) {}

/// Cuts the texts into sentences.
void TranslationWork::Split(const SplitOptions& options) {
  texts_.clear();
  sentences_.clear();
  texts_.reserve(call_.texts.size());
  for (const std::string& text : call_.texts) {
    Text& place = texts_.emplace_back();
    place.segments = SplitMarkup(text, call_.format, options);
    place.first = sentences_.size();
    for (Segment& segment : place.segments) {
      if (segment.translate) sentences_.push_back(&segment);
    }
    place.count = sentences_.size() - place.first;
    place.sentence = place.first;
  }
}

// Texts for language detection, without tags.
std::vector<std::string> TranslationWork::PlainTexts() {
  Split({});
  std::vector<std::string> texts;
  for (const Segment* sentence : sentences_) texts.push_back(sentence->text);
  return texts.empty() ? call_.texts : texts;
}

void TranslationWork::Start(Engine& engine) {
  source_ = call_.source;
  if (source_ != "auto") return Choose(engine);
  if (!IsLanguage(engine, call_.target)) {
    throw HttpError(400, call_.target + " is not supported");
  }
  const auto self = shared_from_this();
  DetectLanguages(
      engine, PlainTexts(), CancellationOf(exchange_),
      [self, &engine](const std::vector<Detection>& found) {
        self->detected_ = found.front();
        self->source_ = found.front().language;
        try {
          self->Choose(engine);
        } catch (...) {
          self->Fail(std::current_exception());
        }
      },
      [self](const std::exception_ptr& error) { self->Fail(error); });
}

void TranslationWork::Choose(Engine& engine) {
  for (const std::string& language : {source_, call_.target}) {
    if (!IsLanguage(engine, language)) {
      throw HttpError(400, language + " is not supported");
    }
  }
  const LanguagePair wanted = {source_, call_.target};
  ModelQueue* queue = engine.Find(wanted);
  if (!call_.model.empty()) {
    queue = engine.Find(call_.model);
    if (queue == nullptr || !queue->model()->translates()) {
      throw HttpError(400, "no translator is called '{}'", call_.model);
    }
    const LanguagePair pair = queue->model()->languages();
    if (!queue->model()->DistanceTo(wanted)) {
      throw HttpError(400,
                      "model '{}' translates from {} to {}, not from {} "
                      "to {}",
                      call_.model, pair.source, pair.target, source_,
                      call_.target);
    }
  }
  const bool same = WithoutRegion(source_) == WithoutRegion(call_.target);
  const bool guessed =
      queue != nullptr && call_.model.empty() &&
      queue->model()->DistanceTo(wanted) >= ServedModel::kUnknownDistance;
  if (same && guessed) queue = nullptr;
  if (queue == nullptr && !same) {
    throw HttpError(400,
                    "{} ({}) is not available as a target "
                    "language from {} ({})",
                    LanguageName(call_.target), call_.target,
                    LanguageName(source_), source_);
  }
  if (queue != nullptr) {
    Split(SplitOptionsOf(queue->model()->source_vocabulary(), source_));
    if (!sentences_.empty()) return Submit(*queue);
  }
  // Returns the text unchanged, like LibreTranslate.
  sentences_.clear();
  texts_.assign(call_.texts.size(), {});
  for (size_t i = 0; i < texts_.size(); ++i) {
    texts_[i].segments = {{.text = call_.texts[i]}};
  }
  Finish({});
}

void TranslationWork::Submit(ModelQueue& queue) {
  const auto self = shared_from_this();
  const auto model = model_ = queue.model();
  Job job;
  for (std::string& sentence : Marked(model->marks())) {
    job.inputs.push_back({std::move(sentence)});
  }
  const bool attention = std::ranges::any_of(
      sentences_, [](const Segment* one) { return !one->marks.empty(); });
  job.options =
      model->SearchOptions({.beam = call_.beam.value_or(0),
                            .nbest = marked_up() ? 1 : call_.alternatives + 1,
                            .scores = call_.confidence,
                            .attention = attention});
  job.parts = false;
  job.client = client_;
  job.seconds = model->PredictionSeconds(job.inputs, job.options);
  job.cancellation = CancellationOf(exchange_);
  if (call_.stream) {
    written_.resize(sentences_.size());
    job.observer = [self](size_t sentence, const WrittenAnswer& written) {
      self->Report(sentence, written);
    };
    job.answered = [self](size_t sentence, const Answer& answer) {
      self->ReportMarked(sentence, TranslationsOf(answer).front());
    };
  }
  job.predicted = [self](const ServedModel& /*model*/,
                         const std::vector<Answer>& answers) {
    self->Finish(answers);
  };
  job.failed = [self](const std::exception_ptr& error) { self->Fail(error); };
  queue.Submit(std::move(job));
}

// Sentences with the mark of the target language, in the model's format. A mark
// in front of a text applies to all of its sentences.
std::vector<std::string> TranslationWork::Marked(const TargetMarks& marks) {
  std::vector<std::string> sentences;
  const std::string mark = marks.MarkFor(call_.target);
  for (const Text& text : texts_) {
    const auto of_text = std::span(sentences_).subspan(text.first, text.count);
    std::ranges::move(MarkSentences(of_text, {marks, mark}),
                      std::back_inserter(sentences));
  }
  return sentences;
}

// Reports text that later pieces cannot change. A sentence with marks waits for
// its end, because their places are only known then.
void TranslationWork::Report(size_t sentence, const WrittenAnswer& written) {
  if (!sentences_[sentence]->marks.empty()) return;
  // A backslash may depend on the following characters.
  if (call_.format == TextFormat::kMarkdown && !written.whole) return;
  Write(sentence,
        EscapeText(written.text, sentences_[sentence]->text,
                   sentences_[sentence]->format),
        written.tokens, written.whole);
}

void TranslationWork::ReportMarked(size_t sentence,
                                   const Translation& translation) {
  const Segment& segment = *sentences_[sentence];
  if (segment.marks.empty()) return;
  std::vector<std::string> pieces = translation.target_pieces;
  if (!pieces.empty()) pieces.pop_back();  // </s>
  Write(sentence, WriteTarget(segment, translation), pieces, true);
}

// Sentences are generated in parallel, but shown one after the other.
void TranslationWork::Write(size_t sentence, std::string text,
                            const std::vector<std::string>& pieces,
                            bool whole) {
  const std::lock_guard lock(mutex_);
  Written& written = written_[sentence];
  if (written.whole) return;  // computed a second time in a batch that failed
  written.whole = whole;
  if (text.starts_with(written.text)) {
    written.text = std::move(text);
    written.tokens = pieces;
  }
  const auto behind =
      std::ranges::upper_bound(texts_, sentence, {}, &Text::first);
  const auto index = static_cast<size_t>(behind - texts_.begin()) - 1;
  if (texts_[index].sentence == sentence) Show(index);
}

// Shows new text of the current sentence, and of later ones if it is complete.
void TranslationWork::Show(size_t index) {
  Text& text = texts_[index];
  while (text.sentence < text.first + text.count) {
    const bool whole = written_[text.sentence].whole;
    PassSeparators(text);
    if (whole) ++text.next;
    ShowSentence(index);
    if (!whole) return;
    ++text.sentence;
  }
}

// Collects the segments before the next sentence.
void TranslationWork::PassSeparators(Text& text) const {
  while (text.next < text.segments.size() &&
         !text.segments[text.next].translate) {
    text.separator += text.segments[text.next++].text;
  }
}

void TranslationWork::ShowSentence(size_t index) {
  Text& text = texts_[index];
  Written& written = written_[text.sentence];
  std::string fresh = written.text.substr(written.shown_text);
  if (!fresh.empty() || written.whole) {
    fresh = std::exchange(text.separator, "") + fresh;
  }
  if (written.whole && text.sentence + 1 == text.first + text.count) {
    PassSeparators(text);
    fresh += std::exchange(text.separator, "");
  }
  if (fresh.empty()) return;
  const std::vector<std::string> tokens(
      written.tokens.begin() + static_cast<long>(written.shown_tokens),
      written.tokens.end());
  written.shown_text = written.text.size();
  written.shown_tokens = written.tokens.size();
  events_.Send("token", {{"index", index},
                         {"text", fresh},
                         {"sentence", text.sentence - text.first},
                         {"tokens", tokens}});
}

std::string TranslationWork::TextOf(const Text& text,
                                    std::span<const Answer> answers,
                                    size_t rank) const {
  std::vector<std::string> sentences;
  for (size_t i = text.first; i < text.first + text.count; ++i) {
    const Translations& all = TranslationsOf(answers[i]);
    sentences.push_back(
        WriteTarget(*sentences_[i], all[std::min(rank, all.size() - 1)]));
  }
  return JoinSegments(text.segments, sentences);
}

// Joins the second-best translations of all sentences, then the third-best, and
// so on.
Json TranslationWork::AlternativesOf(const Text& text,
                                     std::span<const Answer> answers) const {
  Json alternatives = Json::array();
  if (marked_up() || text.count == 0) return alternatives;
  std::vector<std::string> seen = {TextOf(text, answers, 0)};
  for (int rank = 1; rank <= call_.alternatives; ++rank) {
    std::string next = TextOf(text, answers, static_cast<size_t>(rank));
    if (std::ranges::find(seen, next) != seen.end()) continue;
    alternatives.push_back(next);
    seen.push_back(std::move(next));
  }
  return alternatives;
}

// The confidence of a text is the mean of its sentences, weighted by their
// words. A word has offsets unless tags, placeholders or escapes have changed
// its sentence.
void TranslationWork::AddConfidence(const Text& text,
                                    std::span<const Answer> answers,
                                    Json& confidences, Json& words) const {
  double sum = 0;
  Json& all = words.emplace_back(Json::array());
  int64_t characters = 0;  // of the segments so far
  size_t next = text.first;
  for (const Segment& segment : text.segments) {
    if (!segment.translate || next >= text.first + text.count) {
      characters += CountCharacters(segment.text);
      continue;
    }
    const Translation& best = TranslationsOf(answers[next++]).front();
    const std::string written = WriteTarget(segment, best);
    const translate::TranslationConfidence found = model_->ConfidenceOf(best);
    sum += found.confidence * static_cast<double>(found.words.size());
    for (Json& word : translate::WordsJson(best.text, found.words)) {
      for (const char* key : {"start", "end"}) {
        word[key] = written == best.text
                        ? Json(word[key].get<int64_t>() + characters)
                        : Json();
      }
      all.push_back(std::move(word));
    }
    characters += CountCharacters(written);
  }
  confidences.push_back(
      all.empty() ? Json() : Json(sum / static_cast<double>(all.size())));
}

Json TranslationWork::ResultOf(std::span<const Answer> answers) const {
  Json translated = Json::array();
  Json detected = Json::array();
  Json alternatives = Json::array();
  Json confidences = Json::array();
  Json words = Json::array();
  for (const Text& text : texts_) {
    translated.push_back(TextOf(text, answers, 0));
    if (detected_) detected.push_back(ToJson(*detected_));
    alternatives.push_back(AlternativesOf(text, answers));
    if (call_.confidence) AddConfidence(text, answers, confidences, words);
  }
  Json result;
  const auto add = [&](const char* key, const Json& values) {
    result[key] = call_.batch ? values : values.at(0);
  };
  add("translatedText", translated);
  if (detected_) add("detectedLanguage", detected);
  if (call_.alternatives > 0) add("alternatives", alternatives);
  if (call_.confidence) {
    add("confidence", confidences);
    result["calibrated"] = model_ != nullptr && model_->has_quality_model();
    add("words", words);
  }
  return result;
}

void TranslationWork::Finish(std::span<const Answer> answers) {
  const Json result = ResultOf(answers);
  if (!call_.stream) return exchange_->Send(JsonResponse(DumpJson(result)));
  events_.Finish("done", result);
}

void TranslationWork::Fail(const std::exception_ptr& error) {
  events_.Fail(error);
}

}  // namespace heed

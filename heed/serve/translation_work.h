// Processing of one translation request, from texts to response.
#ifndef HEED_SERVE_TRANSLATION_WORK_H_
#define HEED_SERVE_TRANSLATION_WORK_H_

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heed/serve/detect.h"
#include "heed/serve/engine.h"
#include "heed/serve/event_stream.h"
#include "heed/serve/request.h"
#include "heed/serve/server.h"
#include "heed/text/markup/text_split.h"

namespace heed {

/// A translation request; lives as long as its job.
class TranslationWork : public std::enable_shared_from_this<TranslationWork> {
 public:
  /// `client`: client that requests are counted for when clients take turns.
  TranslationWork(std::shared_ptr<Exchange> exchange, TranslateCall call,
                  std::string client);

  /// Chooses the model, detecting the language first if the call says so, and
  /// submits the job. Throws: HttpError.
  void Start(Engine& engine);

 private:
  /// A text as the client sent it.
  struct Text {
    std::vector<Segment> segments;
    size_t first = 0;  // first of its sentences in sentences_
    size_t count = 0;  // number of sentences

    // Only for streams
    size_t sentence = 0;    // sentence that is shown now, in sentences_
    size_t next = 0;        // segment after the last one passed on
    std::string separator;  // text before the sentence, not shown yet
  };

  /// Translation of a sentence while it is generated. Only for streams.
  struct Written {
    std::string text;  // in the format of the response
    std::vector<std::string> tokens;
    bool whole = false;
    size_t shown_text = 0;  // bytes sent to the client
    size_t shown_tokens = 0;
  };

  bool marked_up() const { return call_.format != TextFormat::kText; }
  void Split(const SplitOptions& options);
  void Choose(Engine& engine);
  void Submit(ModelQueue& queue);
  std::vector<std::string> Marked(const TargetMarks& marks);
  void Report(size_t sentence, const WrittenAnswer& written);
  void ReportMarked(size_t sentence, const Translation& translation);
  void Write(size_t sentence, std::string text,
             const std::vector<std::string>& pieces, bool whole);
  void Show(size_t index);
  void ShowSentence(size_t index);
  void PassSeparators(Text& text) const;
  std::vector<std::string> PlainTexts();
  void Finish(std::span<const Answer> answers);
  void Fail(const std::exception_ptr& error);
  nlohmann::ordered_json ResultOf(std::span<const Answer> answers) const;
  /// Adds the confidence of a text and of its words to the lists.
  void AddConfidence(const Text& text, std::span<const Answer> answers,
                     nlohmann::ordered_json& confidences,
                     nlohmann::ordered_json& words) const;
  std::string TextOf(const Text& text, std::span<const Answer> answers,
                     size_t rank) const;
  nlohmann::ordered_json AlternativesOf(const Text& text,
                                        std::span<const Answer> answers) const;

  const std::shared_ptr<Exchange> exchange_;
  const TranslateCall call_;
  const std::string client_;
  std::string source_;
  std::optional<Detection> detected_;
  std::shared_ptr<const ServedModel> model_;  // null: texts are unchanged
  std::vector<Text> texts_;
  std::vector<Segment*> sentences_;  // in texts_

  // Only for streams
  std::mutex mutex_;
  EventStream events_;
  std::vector<Written> written_;  // per sentence
};

}  // namespace heed

#endif  // HEED_SERVE_TRANSLATION_WORK_H_

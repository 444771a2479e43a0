// One request for translations, from its texts to its answer.
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
#include "heed/serve/request.h"
#include "heed/serve/server.h"
#include "heed/text/markup/text_split.h"

namespace heed {

/// Lives as long as its job.
class TranslationWork : public std::enable_shared_from_this<TranslationWork> {
 public:
  /// `client`: whose it is, for the turns that clients take.
  TranslationWork(std::shared_ptr<Exchange> exchange, TranslateCall call,
                  std::string client);

  /// Chooses the model, detecting the language first if the call says so, and
  /// submits the job. Throws: HttpError.
  void Start(Engine& engine);

 private:
  /// A text as the client sent it.
  struct Text {
    std::vector<Segment> segments;
    size_t first = 0;  // of its sentences among all
    size_t count = 0;  // sentences

    // Of a stream
    size_t sentence = 0;    // the one that is shown now, among all
    size_t next = 0;        // segment behind what was passed on
    std::string separator;  // what stands before the sentence, not shown yet
  };

  /// Of a stream: a sentence's translation while it is written.
  struct Written {
    std::string text;  // as it is answered
    std::vector<std::string> tokens;
    bool whole = false;
    size_t shown_text = 0;  // bytes that the client has
    size_t shown_tokens = 0;
  };

  bool marked_up() const { return call_.format != TextFormat::kText; }
  void Split(const SplitOptions& options);
  void Choose(Engine& engine);
  void Submit(ModelQueue& queue);
  std::vector<std::string> Marked(const TargetMarks& marks);
  void Report(const Vocabulary& vocabulary, size_t sentence,
              const std::vector<std::string>& pieces, bool whole);
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
  std::string TextOf(const Text& text, std::span<const Answer> answers,
                     size_t rank) const;
  nlohmann::ordered_json AlternativesOf(const Text& text,
                                        std::span<const Answer> answers) const;
  void SendEvent(std::string_view name, const nlohmann::ordered_json& data);

  const std::shared_ptr<Exchange> exchange_;
  const TranslateCall call_;
  const std::string client_;
  std::string source_;
  std::optional<Detection> detected_;
  std::vector<Text> texts_;
  std::vector<Segment*> sentences_;  // of texts_

  // Of a stream
  std::mutex mutex_;
  bool begun_ = false;
  std::vector<Written> written_;  // of each sentence
};

/// "event: name\ndata: ...\n\n"
std::string ServerSentEvent(std::string_view name,
                            const nlohmann::ordered_json& data);

/// The head of a stream of events.
HttpResponse EventStreamHead();

}  // namespace heed

#endif  // HEED_SERVE_TRANSLATION_WORK_H_

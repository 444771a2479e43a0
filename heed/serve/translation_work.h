// One request for translations, from its texts to its answer.
#ifndef HEED_SERVE_TRANSLATION_WORK_H_
#define HEED_SERVE_TRANSLATION_WORK_H_

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "heed/serve/detect.h"
#include "heed/serve/engine.h"
#include "heed/serve/request.h"
#include "heed/serve/server.h"
#include "heed/serve/text_split.h"

namespace heed {

/// Lives as long as its job.
class TranslationWork : public std::enable_shared_from_this<TranslationWork> {
 public:
  TranslationWork(std::shared_ptr<Exchange> exchange, TranslateCall call);

  /// Chooses the model, detecting the language first if the call says so, and
  /// submits the job. Throws: HttpError.
  void Start(Engine& engine);

 private:
  /// A text as the client sent it.
  struct Text {
    std::vector<Segment> segments;
    size_t first = 0;   // of its sentences among all
    size_t count = 0;   // sentences
    std::string shown;  // what the client was told so far
  };

  void Choose(Engine& engine);
  void Submit(ModelQueue& queue);
  void Tell(const Vocabulary& vocabulary, size_t sentence,
            const std::vector<std::string>& pieces, bool whole);
  void TellMarked(size_t sentence, const Translation& translation);
  void Show(size_t sentence, std::string written,
            const std::vector<std::string>& pieces, bool whole);
  std::vector<std::string> PlainTexts() const;
  void Finish(const std::vector<Translations>& all);
  void Fail(const std::exception_ptr& error);
  nlohmann::ordered_json ResultOf(const std::vector<Translations>& all) const;
  std::string TextOf(const Text& text, const std::vector<Translations>& all,
                     size_t rank) const;
  nlohmann::ordered_json AlternativesOf(
      const Text& text, const std::vector<Translations>& all) const;
  void SendEvent(std::string_view name, const nlohmann::ordered_json& data);

  const std::shared_ptr<Exchange> exchange_;
  const TranslateCall call_;
  std::string source_;
  std::optional<Detection> detected_;
  std::vector<Text> texts_;
  std::vector<const Segment*> sentences_;  // of texts_

  // Of a stream
  std::mutex mutex_;
  bool begun_ = false;
  std::vector<std::string> partial_;  // of each sentence, as it is answered
  std::vector<bool> whole_;
};

/// "event: name\ndata: ...\n\n"
std::string ServerSentEvent(std::string_view name,
                            const nlohmann::ordered_json& data);

/// The head of a stream of events.
HttpResponse EventStreamHead();

}  // namespace heed

#endif  // HEED_SERVE_TRANSLATION_WORK_H_

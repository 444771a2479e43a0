#include "heed/serve/prediction_stream.h"

#include <string>
#include <vector>

namespace heed {

void PredictionStream::Show(size_t input, const WrittenAnswer& written) {
  const std::lock_guard lock(shown_mutex_);
  Shown& shown = shown_[{input, written.line}];
  // An answer that is computed a second time begins anew.
  if (written.text.size() <= shown.text.size() ||
      written.tokens.size() < shown.tokens ||
      !written.text.starts_with(shown.text)) {
    return;
  }
  const std::vector<std::string> tokens(
      written.tokens.begin() + static_cast<int64_t>(shown.tokens),
      written.tokens.end());
  Send("token", {{"index", input},
                 {"line", written.line},
                 {"text", written.text.substr(shown.text.size())},
                 {"tokens", tokens}});
  shown = {written.text, written.tokens.size()};
}

}  // namespace heed

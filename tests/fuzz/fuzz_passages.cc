// Questions about passages as JSON lines, in bAbI format, in Children's Book
// Test format, and as typed, separated by lines "====".
#include <string>
#include <vector>

#include "heed/data/passages.h"
#include "tests/fuzz/fuzz.h"

namespace heed::fuzz {
namespace {

void CheckText(const PassageQuestion& question) {
  for (const bool lowercase : {false, true}) {
    const PassageText text = ReadPassageText(question, lowercase);
    Require(text.of_words.size() == text.words.size(), "an answer per word");
    Require(text.candidates.size() <= text.words.size(),
            "words of the passage");
    for (const int32_t c : text.of_words) {
      Require(c >= -1 && c < std::ssize(text.candidates), "a candidate");
    }
    Require(text.answer >= -1 && text.answer < std::ssize(text.candidates),
            "an answer among the candidates");
    for (const int64_t begin : text.sentences) {
      Require(begin < std::ssize(text.words), "no empty sentence");
    }
  }
}

void CheckPassages(std::string_view text, const char* name,
                   PassageFormat format) {
  for (const PassageQuestion& one : ParsePassages(text, name, format)) {
    Require(!one.passage.empty() && !one.answer.empty(), "both are there");
    MayRefuse([&] { CheckText(one); });
  }
}

}  // namespace
}  // namespace heed::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using heed::PassageFormat;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parts = heed::fuzz::Parts(text, 4);
  heed::fuzz::MayRefuse([&] {
    heed::fuzz::CheckPassages(parts[0], "a.jsonl", PassageFormat::kAuto);
  });
  heed::fuzz::MayRefuse([&] {
    heed::fuzz::CheckPassages(parts[1], "a.txt", PassageFormat::kAuto);
  });
  heed::fuzz::MayRefuse([&] {
    heed::fuzz::CheckPassages(parts[2], "a.txt", PassageFormat::kCbt);
  });
  heed::fuzz::MayRefuse([&] {
    heed::fuzz::CheckText(heed::ParsePassageQuestion(parts[3], "question"));
  });
  return 0;
}

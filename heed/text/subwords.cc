#include "heed/text/subwords.h"

#include <fmt/ranges.h>
#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/memory.h"
#include "heed/base/normal_form.h"
#include "heed/base/text.h"
#include "heed/text/sentencepiece_model.h"

namespace heed {
namespace {

namespace sp = sentencepiece;

// Words of a text separated by single spaces. SentencePiece would treat tabs as
// unknown characters, and skip lines with tabs in training.
std::string SingleSpaced(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  for (std::string_view word : SplitWhitespace(text)) {
    if (!line.empty()) line += ' ';
    line += word;
  }
  return line;
}

std::string MarksToSpaces(std::string_view text) {
  return fmt::format("{}", fmt::join(SplitAt(text, kSpaceMark), " "));
}

// Decodes bytes; every invalid byte becomes U+FFFD, as in SentencePiece.
std::string WellFormed(std::string_view bytes) {
  std::string text;
  for (std::string_view character : Utf8Characters(bytes)) {
    if (IsValidUtf8(character)) {
      text += character;
    } else {
      for (size_t i = 0; i < character.size(); ++i) text += "\xEF\xBF\xBD";
    }
  }
  return text;
}

// SentencePiece crashes for words of more than 32767 characters.
constexpr size_t kLongestLine = 32767;

// True if a normal form still has text after nmt_nfkc, which replaces U+200C
// and U+FFFD by spaces.
bool HasVisibleText(std::string_view text) {
  return std::ranges::any_of(Utf8Characters(text), [](std::string_view c) {
    return c != " " && c != "\u200C" && c != "\uFFFD";
  });
}

// Feeds SentencePiece with the lines that contain text. Long lines are split
// between words, since training only uses words. SentencePiece aborts the
// process if there are only spaces.
class TextLines : public sp::SentenceIterator {
 public:
  TextLines(std::span<const std::string> lines, Normalization normalization)
      : normal_form_(normalization != Normalization::kIdentity), rest_(lines) {
    FindText();
  }

  bool done() const override { return line_.empty(); }
  void Next() override { FindText(); }
  const std::string& value() const override { return line_; }
  sp::util::Status status() const override { return {}; }

 private:
  void FindText() {
    line_.clear();
    while (line_.empty() && !(left_.empty() && rest_.empty())) {
      if (left_.empty()) {
        text_ = MarksToSpaces(rest_.front());
        if (normal_form_) text_ = NormalForm(text_);
        text_ = SingleSpaced(text_);
        if (normal_form_ && !HasVisibleText(text_)) text_.clear();
        left_ = text_;
        rest_ = rest_.subspan(1);
      }
      line_ = TakePart();
    }
  }

  // The next part of the current line; empty for a word that is too long.
  std::string_view TakePart() {
    if (left_.size() <= kLongestLine) return std::exchange(left_, {});
    const size_t space = left_.rfind(' ', kLongestLine);
    const bool fits = space != left_.npos && space > 0;
    const size_t end =
        fits ? space : std::min(left_.find(' ', kLongestLine), left_.size());
    const std::string_view part = left_.substr(0, fits ? end : 0);
    left_.remove_prefix(std::min(end + 1, left_.size()));
    return part;
  }

  bool normal_form_;
  std::span<const std::string> rest_;
  std::string text_;       // current line
  std::string_view left_;  // its remaining part
  std::string line_;
};

// Number after `words` in `message`, or "".
std::string_view NumberAfter(std::string_view words, std::string_view message) {
  const size_t found = message.find(words);
  if (found == message.npos) return "";
  const std::string_view rest = message.substr(found + words.size());
  return rest.substr(0, rest.find_first_not_of("0123456789"));
}

// SentencePiece crashes when out of memory. Estimates of its temporary memory,
// in total and per byte of a text that it splits or of a model.
constexpr size_t kForSplitting = size_t{1} << 20;
constexpr size_t kForEachByte = 256;
// SentencePiece trains with threads, and keeps the text, its normal form and
// counts.
constexpr size_t kForTraining = size_t{1} << 26;

// Smallest sufficient size according to SentencePiece's message, or 0.
int SmallestSize(const std::string& message) {
  const std::string_view number = NumberAfter(" vs ", message);
  return number.empty() ? 0 : std::atoi(std::string(number).c_str());
}

sp::util::Status TrainModel(std::span<const std::string> lines,
                            const VocabularyOptions& options, int size,
                            std::string& model) {
  RequireMemory(kForTraining);
  TextLines text(lines, options.normalization);
  return sp::SentencePieceTrainer::Train(
      {
          {"model_type", Name(options.kind)},
          {"vocab_size", std::to_string(size)},
          // Allow fewer pieces if the text does not provide enough.
          {"hard_vocab_limit", "false"},
          {"pad_id", std::to_string(kPad)},
          {"unk_id", std::to_string(kUnk)},
          {"bos_id", std::to_string(kBos)},
          {"eos_id", std::to_string(kEos)},
          {"character_coverage", "1.0"},
          {"byte_fallback", options.byte_fallback ? "true" : "false"},
          {"normalization_rule_name", Name(options.normalization)},
          {"max_sentence_length", std::to_string(kLongestLine)},
          // Partial sums are kept per thread, so the result depends on the
          // number of threads, which must not depend on the machine.
          {"num_threads", "2"},
          {"minloglevel", "2"},  // no progress on standard error
      },
      &text, &model);
}

}  // namespace

struct Subwords::Impl {
  sp::SentencePieceProcessor processor;
  std::unordered_map<std::string, char> bytes;  // byte of each byte piece
  bool normal_form = false;  // text is converted to NormalForm

  // Converts a line to the input form of the processor.
  std::string Prepared(std::string_view line) const {
    return normal_form ? SingleSpaced(NormalForm(line)) : SingleSpaced(line);
  }
};

std::string Subwords::Train(std::span<const std::string> lines,
                            const VocabularyOptions& options) {
  if (options.size <= kSpecialTokens) {
    throw ConfigError(
        "vocabulary: size is {}; it must be larger than {} for {}",
        options.size, kSpecialTokens, Name(options.kind));
  }
  if (TextLines(lines, options.normalization).done()) {
    throw ConfigError(
        "vocabulary: the training text has no word of at most {} "
        "bytes",
        kLongestLine);
  }
  std::string model;
  sp::util::Status status = TrainModel(lines, options, options.size, model);
  if (const int size = SmallestSize(status.ToString()); size > options.size) {
    status = TrainModel(lines, options, size, model);
  }
  if (!status.ok()) {
    throw ConfigError(
        "vocabulary: SentencePiece cannot train {} on this text: {}",
        Name(options.kind), status.ToString());
  }
  if (options.normalization == Normalization::kIdentity) return model;
  SentencePieceModel marked =
      SentencePieceModel::Parse(model, "the trained vocabulary");
  marked.normal_form = true;
  return marked.Serialize();
}

Subwords::Subwords(std::string_view model, const std::string& name) {
  auto impl = std::make_unique<Impl>();
  // Parse rejects models that would abort the process.
  const auto parsed = SentencePieceModel::Parse(model, name);
  impl->normal_form = parsed.normal_form;
  RequireMemory(kForSplitting + model.size() +
                kForEachByte * (model.size() - parsed.normalizer.size()));
  const sp::util::Status status =
      impl->processor.LoadFromSerializedProto(model);
  if (!status.ok()) {
    throw FormatError("{} is not a SentencePiece model, or damaged", name);
  }
  const sp::SentencePieceProcessor& processor = impl->processor;
  if (processor.pad_id() != kPad || processor.unk_id() != kUnk ||
      processor.bos_id() != kBos || processor.eos_id() != kEos) {
    throw FormatError(
        "{}: <pad>, <unk>, <s> and </s> must have ids 0 to 3, but have {}, "
        "{}, {} and {}",
        name, processor.pad_id(), processor.unk_id(), processor.bos_id(),
        processor.eos_id());
  }
  for (int id = 0; id < processor.GetPieceSize(); ++id) {
    if (!processor.IsByte(id)) continue;
    const std::string& piece = processor.IdToPiece(id);  // <0xE2>
    impl->bytes.emplace(
        piece, static_cast<char>(std::stoi(piece.substr(3, 2), nullptr, 16)));
  }
  impl_ = std::move(impl);
}

Subwords::~Subwords() = default;

bool Subwords::reads_normal_form() const { return impl_->normal_form; }

Encoded Subwords::Encode(std::string_view line) const {
  const std::string spaced = impl_->Prepared(line);
  RequireMemory(kForSplitting + kForEachByte * spaced.size());
  sp::ImmutableSentencePieceText text;
  const sp::util::Status status =
      impl_->processor.Encode(spaced, text.mutable_proto());
  if (!status.ok()) throw FormatError(status.ToString());
  Encoded encoded;
  encoded.ids.reserve(text.pieces_size());
  encoded.pieces.reserve(text.pieces_size());
  for (const auto& piece : text.pieces()) {
    encoded.ids.push_back(static_cast<int32_t>(piece.id()));
    encoded.pieces.push_back(piece.piece());
  }
  return encoded;
}

std::vector<std::vector<int32_t>> Subwords::EncodeIds(
    std::span<const std::string> lines) const {
  size_t longest = 0;
  for (const std::string& line : lines) {
    longest = std::max(longest, line.size());
  }
  // A memory query takes as long as a short line. The memory of one line is
  // freed before the next.
  RequireMemory(kForSplitting + kForEachByte * longest);
  std::vector<std::vector<int32_t>> all;
  all.reserve(lines.size());
  for (const std::string& line : lines) {
    std::vector<int>& ids = all.emplace_back();
    const sp::util::Status status =
        impl_->processor.Encode(impl_->Prepared(line), &ids);
    if (!status.ok()) throw FormatError(status.ToString());
  }
  return all;
}

std::string Subwords::Join(std::span<const std::string> pieces) const {
  std::string text;
  std::string bytes;
  for (const std::string& piece : pieces) {
    const auto byte = impl_->bytes.find(piece);
    if (byte != impl_->bytes.end()) {
      bytes += byte->second;
      continue;
    }
    text += WellFormed(std::exchange(bytes, ""));
    text += MarksToSpaces(piece);
  }
  return SingleSpaced(text + WellFormed(bytes));
}

std::vector<std::string> Subwords::Pieces() const {
  std::vector<std::string> pieces;
  for (int id = 0; id < impl_->processor.GetPieceSize(); ++id) {
    pieces.push_back(impl_->processor.IdToPiece(id));
  }
  return pieces;
}

std::string Subwords::Serialize() const {
  return impl_->processor.serialized_model_proto();
}

}  // namespace heed

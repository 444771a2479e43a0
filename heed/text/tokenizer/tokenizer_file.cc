#include "heed/text/tokenizer/tokenizer_file.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/text/tokenizer/part.h"

namespace heed::tokens {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostMerges = size_t{1} << 23;

// Passes values to a JsonBuilder, except for those of model.vocab and
// model.merges, which go to ModelTables.
class Handler final : public nlohmann::json_sax<Json> {
 public:
  Handler(std::string_view text, const std::string& name)
      : text_(text),
        name_(name),
        most_rows_(MostRows(text.size())),
        builder_({}, [&name](std::string_view problem) {
          throw FormatError("{}: {}", name, problem);
        }) {}

  TokenizerFile Take() { return {builder_.Take(), std::move(tables_)}; }

  bool null() override { return Scalar(nullptr); }
  bool boolean(bool value) override { return Scalar(value); }
  bool number_integer(number_integer_t value) override {
    if (place_ == Place::kVocabulary) Fail("model: vocab: an id is negative");
    if (place_ == Place::kScore) return Score(static_cast<double>(value));
    return Scalar(value);
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (place_ == Place::kScore) return Score(static_cast<double>(value));
    if (place_ != Place::kVocabulary) return Scalar(value);
    return Token(value);
  }
  bool number_float(number_float_t value, const string_t&) override {
    if (place_ == Place::kScore) return Score(value);
    return Scalar(value);
  }
  bool string(string_t& value) override {
    if (place_ == Place::kMerges) return Pair(value);
    if (place_ == Place::kMerge) return Half(std::move(value));
    if (place_ == Place::kScore) return ScoredToken(std::move(value));
    return Scalar(std::move(value));
  }
  bool binary(binary_t&) override { return false; }  // never occurs in text

  bool start_object(size_t) override {
    if (place_ != Place::kOther) return Unexpected();
    if (InModel() && key_ == "vocab") return Enter(Place::kVocabulary);
    keys_.push_back(std::exchange(key_, ""));
    builder_.StartObject();
    return true;
  }
  bool key(string_t& name) override {
    key_ = name;
    if (place_ == Place::kOther) builder_.AddName(std::move(name));
    return true;
  }
  bool end_object() override {
    if (place_ == Place::kVocabulary) return Leave(Place::kOther);
    builder_.End();
    keys_.pop_back();
    return true;
  }
  bool start_array(size_t) override {
    if (place_ == Place::kMerges) return Enter(Place::kMerge);
    if (place_ == Place::kScores) return Enter(Place::kScore);
    if (place_ != Place::kOther) return Unexpected();
    if (InModel() && key_ == "merges") return Enter(Place::kMerges);
    if (InModel() && key_ == "vocab") return Enter(Place::kScores);
    keys_.push_back(std::exchange(key_, ""));
    builder_.StartArray();
    return true;
  }
  bool end_array() override {
    if (place_ == Place::kMerge) {
      if (halves_ != 2) return Unexpected();
      return Leave(Place::kMerges);
    }
    if (place_ == Place::kScore) {
      if (halves_ != 2) return Unexpected();
      return Leave(Place::kScores);
    }
    if (place_ == Place::kMerges || place_ == Place::kScores) {
      return Leave(Place::kOther);
    }
    builder_.End();
    keys_.pop_back();
    return true;
  }

  bool parse_error(size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    const std::string_view before = text_.substr(0, position);
    throw FormatError("{}: is not valid JSON (at line {})", name_,
                      1 + std::ranges::count(before, '\n'));
  }

 private:
  enum class Place : uint8_t {
    kOther,
    kVocabulary,
    kScores,
    kScore,
    kMerges,
    kMerge
  };

  [[noreturn]] void Fail(std::string_view problem) const {
    throw FormatError("{}: {}", name_, problem);
  }
  [[noreturn]] bool Unexpected() const {
    const bool scores = place_ == Place::kScores || place_ == Place::kScore;
    Fail(place_ == Place::kVocabulary
             ? "model: vocab: expected an id for each token"
         : scores ? "model: vocab: expected [\"token\", score]"
                  : "model: merges: expected \"left right\" or [\"left\", "
                    "\"right\"]");
  }

  // True for members of the object "model" at the top.
  bool InModel() const { return keys_.size() == 2 && keys_.back() == "model"; }

  bool Enter(Place place) {
    const bool inner = place == Place::kMerge || place == Place::kScore;
    place_ = place;
    halves_ = 0;
    if (place == Place::kScores) tables_.scored = true;
    // Stands for the list, so that its name cannot occur twice.
    if (!inner) builder_.Add(true);
    return true;
  }
  bool Leave(Place place) {
    place_ = place;
    return true;
  }

  bool Scalar(Json value) {
    if (place_ != Place::kOther) return Unexpected();
    builder_.Add(std::move(value));
    return true;
  }

  bool Token(uint64_t id) {
    std::vector<std::string>& texts = tables_.texts;
    if (key_.empty()) Fail("model: vocab: a token is empty");
    if (id >= most_rows_) {
      throw FormatError("{}: model: vocab: the id {} is too large", name_, id);
    }
    if (id >= texts.size()) texts.resize(id + 1);
    if (!texts[id].empty()) {
      throw FormatError("{}: model: vocab: the tokens {} and {} have the id {}",
                        name_, Abridged(texts[id]), Abridged(key_), id);
    }
    texts[id] = std::move(key_);
    return true;
  }

  // Tokens with scores have their place in the list as id.
  bool ScoredToken(std::string token) {
    if (halves_++ != 0) return Unexpected();
    if (tables_.texts.size() >= static_cast<size_t>(kMostRows)) {
      Fail("model: vocab: has more than 16777216 entries");
    }
    tables_.texts.push_back(std::move(token));
    return true;
  }
  bool Score(double score) {
    if (halves_++ != 1) return Unexpected();
    tables_.scores.push_back(score);
    return true;
  }

  // A merge as one text: "left right".
  bool Pair(std::string_view merge) {
    if (merge.starts_with("#version")) return true;
    const size_t space = merge.find(' ');
    if (space == merge.npos || merge.find(' ', space + 1) != merge.npos) {
      return Unexpected();
    }
    AddHalf(std::string(merge.substr(0, space)));
    return AddHalf(std::string(merge.substr(space + 1)));
  }
  bool Half(std::string part) {
    if (++halves_ > 2) return Unexpected();
    return AddHalf(std::move(part));
  }
  bool AddHalf(std::string part) {
    if (part.empty()) return Unexpected();
    if (tables_.merges.size() >= 2 * kMostMerges) {
      Fail("model: merges: has more than 8388608 entries");
    }
    tables_.merges.push_back(std::move(part));
    return true;
  }

  std::string_view text_;
  const std::string& name_;
  uint64_t most_rows_;
  JsonBuilder builder_;
  ModelTables tables_;
  std::vector<std::string> keys_;  // of the open objects and lists
  std::string key_;
  Place place_ = Place::kOther;
  size_t halves_ = 0;
};

// Throws if a token stands twice.
void CheckTokens(const std::vector<std::string>& texts,
                 const std::string& name) {
  const TokenTable table(texts);
  for (size_t id = 0; id < texts.size(); ++id) {
    if (texts[id].empty()) continue;
    const int32_t found = table.Find(texts[id]);
    if (found == static_cast<int32_t>(id)) continue;
    throw FormatError("{}: model: vocab: the token {} has the ids {} and {}",
                      name, Abridged(texts[id]), id, found);
  }
}

}  // namespace

uint64_t MostRows(size_t bytes) {
  return std::clamp<uint64_t>(bytes, 1 << 16, kMostRows);
}

TokenizerFile ReadTokenizerFile(std::string_view json,
                                const std::string& name) {
  constexpr size_t kMostBytes = size_t{1} << 28;
  if (json.size() > kMostBytes) {
    throw FormatError("{}: {} bytes, more than {}", name, json.size(),
                      kMostBytes);
  }
  Handler handler(json, name);
  Json::sax_parse(json, &handler);
  TokenizerFile file = handler.Take();
  const Part top(file.parts, name);
  const std::string version = top.Text("version", "1.0");
  if (version != "1.0") {
    throw FormatError("{}: the version is {}; expected 1.0", name,
                      Abridged(version));
  }
  // Vocabularies with scores may have a token twice. The last one counts.
  if (!file.tables.scored) CheckTokens(file.tables.texts, name);
  // Old files do not name the type of a model with merges.
  const bool old = top.Find("model") != nullptr &&
                   !file.tables.merges.empty() &&
                   Part(*top.Find("model"), name).Find("type") == nullptr;
  if (old) file.parts["model"]["type"] = "BPE";
  return file;
}

}  // namespace heed::tokens

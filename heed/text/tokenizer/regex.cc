#include "heed/text/tokenizer/regex.h"

#include <unicode/regex.h>
#include <unicode/utext.h>

#include <chrono>
#include <memory>
#include <utility>

#include "heed/base/errors.h"

namespace heed::tokens {
namespace {

using Clock = std::chrono::steady_clock;

// Finds the first construct that means something else in ICU; "" if there is
// none.
class Differences {
 public:
  explicit Differences(std::string_view pattern) : pattern_(pattern) {}

  std::string Find() {
    for (; at_ < pattern_.size(); ++at_) {
      std::string found = pattern_[at_] == '\\' ? Escape()
                          : sets_ > 0           ? InSet()
                                                : Outside();
      if (!found.empty()) return found;
    }
    return "";
  }

 private:
  bool At(std::string_view text) const {
    return pattern_.substr(at_).starts_with(text);
  }

  std::string Escape() {
    constexpr std::string_view kDiffer = "hHRXKwWbBvNOyYZGQEC";
    ++at_;
    if (at_ == pattern_.size()) return "";
    const char c = pattern_[at_];
    if (kDiffer.find(c) != kDiffer.npos) return std::string("\\") + c;
    if (c == 'p' || c == 'P') return Name(at_ + 1, '{', '}');
    return "";
  }

  // Names of classes whose characters differ.
  std::string Name(size_t begin, char open, char close) {
    if (begin >= pattern_.size() || pattern_[begin] != open) return "";
    const size_t end = pattern_.find(close, begin);
    if (end == pattern_.npos) return "";
    std::string name;
    for (const char c : pattern_.substr(begin + 1, end - begin - 1)) {
      if (c >= 'A' && c <= 'Z') name += static_cast<char>(c - 'A' + 'a');
      if (c >= 'a' && c <= 'z') name += c;
    }
    for (const char* differs : {"punct", "word", "graph", "print", "alnum"}) {
      if (name == differs) return "class " + name;
    }
    return "";
  }

  std::string InSet() {
    if (At("&&")) return "&& in a set";
    if (At("--")) return "-- in a set";
    if (At("]&") || At("]-")) {
      if (sets_ > 1) return "an operator between sets";
    }
    if (At("[:")) return Posix();
    if (pattern_[at_] == '[') ++sets_;
    if (pattern_[at_] == ']') --sets_;
    return "";
  }

  std::string Posix() {
    std::string found = Name(at_ + 1, ':', ':');
    const size_t end = pattern_.find(":]", at_ + 2);
    if (end == pattern_.npos) return "[: without :]";
    at_ = end + 1;
    return found;
  }

  std::string Outside() {
    if (At("[")) {
      ++sets_;
      if (At("[]") || At("[^]")) return "] at the start of a set";
      if (At("[^")) ++at_;
      return "";
    }
    if (At("^")) return "^";
    if (At("$")) return "$";
    if (At("(?~")) return "(?~";
    if (At("}+")) return "}+";
    if (At("{,")) return "{,";
    if (!At("(?")) return "";
    // Flags: m lets the dot match line ends in Oniguruma.
    for (size_t i = at_ + 2; i < pattern_.size(); ++i) {
      const char c = pattern_[i];
      if (c == 'm' || c == 's' || c == 'x')
        return "flag (?" + std::string(1, c);
      if (c != 'i' && c != '-') break;
    }
    return "";
  }

  std::string_view pattern_;
  size_t at_ = 0;
  int sets_ = 0;
};

// Ends matching that takes too long.
class Deadline {
 public:
  explicit Deadline(size_t bytes)
      : end_(Clock::now() + std::chrono::seconds(1) +
             std::chrono::microseconds(5 * bytes)) {}
  bool Passed() const { return Clock::now() > end_; }

 private:
  Clock::time_point end_;
};

UBool ContinueMatch(const void* deadline, int32_t) {
  return !static_cast<const Deadline*>(deadline)->Passed();
}
UBool ContinueFind(const void* deadline, int64_t) {
  return !static_cast<const Deadline*>(deadline)->Passed();
}

// Releases a UText.
struct CloseText {
  void operator()(UText* text) const { utext_close(text); }
};

class IcuFinder {
 public:
  IcuFinder(std::unique_ptr<const icu::RegexPattern> pattern, std::string where)
      : pattern_(std::move(pattern)), where_(std::move(where)) {}

  void Find(std::string_view text, std::vector<ByteRange>& matches) const {
    UErrorCode status = U_ZERO_ERROR;
    const std::unique_ptr<UText, CloseText> input(utext_openUTF8(
        nullptr, text.data(), static_cast<int64_t>(text.size()), &status));
    const std::unique_ptr<icu::RegexMatcher> matcher(pattern_->matcher(status));
    if (U_FAILURE(status)) Fail(status);
    matcher->reset(input.get());
    const Deadline deadline(text.size());
    matcher->setMatchCallback(ContinueMatch, &deadline, status);
    matcher->setFindProgressCallback(ContinueFind, &deadline, status);
    matcher->setStackLimit(8 << 20, status);
    uint32_t last_end = 0;
    while (matcher->find(status)) {
      const auto begin = static_cast<uint32_t>(matcher->start64(status));
      const auto end = static_cast<uint32_t>(matcher->end64(status));
      // An empty match directly behind another match does not count.
      if (begin < end || begin > last_end || matches.empty()) {
        matches.push_back({begin, end});
        last_end = end;
      }
      if (deadline.Passed()) status = U_REGEX_STOPPED_BY_CALLER;
    }
    if (U_FAILURE(status)) Fail(status);
  }

 private:
  [[noreturn]] void Fail(UErrorCode status) const {
    const bool slow =
        status == U_REGEX_STOPPED_BY_CALLER || status == U_REGEX_TIME_OUT;
    throw Error(
        "{}: the regular expression {} on this text ({}); shorten the text",
        where_,
        slow                               ? "takes too long"
        : status == U_REGEX_STACK_OVERFLOW ? "needs too much memory"
                                           : "fails",
        u_errorName(status));
  }

  std::unique_ptr<const icu::RegexPattern> pattern_;
  std::string where_;
};

}  // namespace

Finder RegexFinder(std::string_view pattern, const std::string& where) {
  if (Finder scanner = ScannerFor(pattern)) return scanner;
  constexpr size_t kLongestPattern = 10000;
  if (pattern.size() > kLongestPattern) {
    throw FormatError("{}: the regular expression has more than {} bytes",
                      where, kLongestPattern);
  }
  if (const std::string found = Differences(pattern).Find(); !found.empty()) {
    throw FormatError(
        "{}: the regular expression '{}' uses {}, which is not supported",
        where, pattern, found);
  }
  UErrorCode status = U_ZERO_ERROR;
  UParseError position{};
  // In Oniguruma only LF ends a line.
  std::unique_ptr<const icu::RegexPattern> compiled(icu::RegexPattern::compile(
      icu::UnicodeString::fromUTF8(icu::StringPiece(
          pattern.data(), static_cast<int32_t>(pattern.size()))),
      UREGEX_UNIX_LINES, position, status));
  if (U_FAILURE(status)) {
    throw FormatError("{}: ICU refuses the regular expression '{}' ({})", where,
                      pattern, u_errorName(status));
  }
  const auto finder =
      std::make_shared<const IcuFinder>(std::move(compiled), where);
  return [finder](std::string_view text, std::vector<ByteRange>& matches) {
    finder->Find(text, matches);
  };
}

Finder TextFinder(std::string wanted) {
  return [wanted = std::move(wanted)](std::string_view text,
                                      std::vector<ByteRange>& matches) {
    if (wanted.empty()) return;
    for (size_t i = text.find(wanted); i != text.npos;
         i = text.find(wanted, i + wanted.size())) {
      matches.push_back(
          {static_cast<uint32_t>(i), static_cast<uint32_t>(i + wanted.size())});
    }
  };
}

Finder PatternFinder(const Part& part) {
  const auto* pattern = part.Find("pattern");
  if (pattern == nullptr) part.Fail("'pattern' is missing");
  const Part inner(*pattern, part.where() + ": pattern");
  return inner.Find("Regex") != nullptr
             ? RegexFinder(inner.Text("Regex"), inner.where())
             : TextFinder(inner.Text("String"));
}

}  // namespace heed::tokens

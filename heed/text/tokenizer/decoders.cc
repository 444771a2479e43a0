#include "heed/text/tokenizer/decoders.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/text/tokenizer/byte_level.h"
#include "heed/text/tokenizer/regex.h"
#include "heed/text/tokenizer/utf8.h"

namespace heed::tokens {
namespace {

using Texts = std::vector<std::string>;

std::string Replaced(std::string_view text, std::string_view from,
                     std::string_view to) {
  if (from.empty()) return std::string(text);
  std::string result;
  for (size_t i = text.find(from); i != text.npos; i = text.find(from)) {
    result.append(text.substr(0, i)).append(to);
    text.remove_prefix(i + from.size());
  }
  return result.append(text);
}

// Bytes as text; each maximal ill-formed part becomes U+FFFD.
std::string AsText(std::string_view bytes) {
  if (IsValidUtf8(bytes)) return std::string(bytes);
  std::string text;
  for (const std::string_view part : Utf8Characters(bytes)) {
    text.append(IsValidUtf8(part) ? part : "\uFFFD");
  }
  return text;
}

void DecodeByteLevel(Texts& texts) {
  std::string bytes;
  for (const std::string& text : texts) {
    bytes += BytesOfToken(text).value_or(text);
  }
  texts.assign(1, AsText(bytes));
}

void DecodeByteFallback(Texts& texts) {
  Texts result;
  std::string bytes;
  const auto end_bytes = [&] {
    if (IsValidUtf8(bytes)) {
      if (!bytes.empty()) result.push_back(bytes);
    } else {
      result.insert(result.end(), bytes.size(), "\uFFFD");
    }
    bytes.clear();
  };
  for (std::string& text : texts) {
    if (const auto byte = ByteOfFallback(text)) {
      bytes += *byte;
    } else {
      end_bytes();
      result.push_back(std::move(text));
    }
  }
  end_bytes();
  texts = std::move(result);
}

void Fuse(Texts& texts) {
  std::string all;
  for (const std::string& text : texts) all += text;
  texts.clear();
  texts.push_back(std::move(all));
}

std::string CleanedUp(std::string text) {
  static constexpr std::pair<std::string_view, std::string_view> kRules[] = {
      {" .", "."},   {" ?", "?"},     {" !", "!"},    {" ,", ","},
      {" ' ", "'"},  {" n't", "n't"}, {" 'm", "'m"},  {" do not", " don't"},
      {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
  for (const auto& [from, to] : kRules) text = Replaced(text, from, to);
  return text;
}

DecodeStep WordPieceStep(const Part& part) {
  return [prefix = part.Text("prefix", "##"),
          cleanup = part.Flag("cleanup", true)](Texts& texts) {
    for (size_t i = 0; i < texts.size(); ++i) {
      if (i > 0 && texts[i].starts_with(prefix)) {
        texts[i].erase(0, prefix.size());
      } else if (i > 0) {
        texts[i].insert(texts[i].begin(), ' ');
      }
      if (cleanup) texts[i] = CleanedUp(std::move(texts[i]));
    }
  };
}

DecodeStep MetaspaceStep(const Part& part) {
  char bytes[4];
  std::string mark(bytes, WriteCode(part.Character("replacement"), bytes));
  const bool prefixed = part.Flag("add_prefix_space", true) &&
                        part.Text("prepend_scheme", "always") != "never";
  return [mark = std::move(mark), prefixed](Texts& texts) {
    for (size_t i = 0; i < texts.size(); ++i) {
      texts[i] = Replaced(texts[i], mark, i == 0 && prefixed ? "" : " ");
    }
  };
}

DecodeStep StripStep(const Part& part) {
  char bytes[4];
  std::string content(bytes, WriteCode(part.Character("content"), bytes));
  const int64_t start = part.Number("start", 0, INT32_MAX);
  const int64_t stop = part.Number("stop", 0, INT32_MAX);
  return [content = std::move(content), start, stop](Texts& texts) {
    for (std::string& text : texts) {
      std::string_view rest = text;
      for (int64_t i = 0; i < start && rest.starts_with(content); ++i) {
        rest.remove_prefix(content.size());
      }
      for (int64_t i = 0; i < stop && rest.ends_with(content); ++i) {
        rest.remove_suffix(content.size());
      }
      text = std::string(rest);
    }
  };
}

DecodeStep BpeStep(const Part& part) {
  return [suffix = part.Text("suffix", "</w>")](Texts& texts) {
    for (size_t i = 0; i < texts.size(); ++i) {
      texts[i] = Replaced(texts[i], suffix, i + 1 == texts.size() ? "" : " ");
    }
  };
}

DecodeStep CtcStep(const Part& part) {
  return [pad = part.Text("pad_token", "<pad>"),
          delimiter = part.Text("word_delimiter_token", "|"),
          cleanup = part.Flag("cleanup", true)](Texts& texts) {
    texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
    for (std::string& text : texts) {
      text = Replaced(text, pad, "");
      if (cleanup) text = Replaced(CleanedUp(std::move(text)), delimiter, " ");
    }
    std::erase(texts, "");
  };
}

DecodeStep ReplaceDecoder(const Part& part) {
  Finder finder = PatternFinder(part);
  return [finder = std::move(finder),
          content = part.Text("content")](Texts& texts) {
    constexpr size_t kLongestDecoded = size_t{1} << 26;  // bytes
    std::vector<ByteRange> matches;
    for (std::string& text : texts) {
      matches.clear();
      const std::string well_formed = AsText(text);
      finder(well_formed, matches);
      if (matches.empty()) continue;
      std::string result;
      size_t position = 0;
      for (const ByteRange& match : matches) {
        result.append(well_formed, position, match.begin - position);
        result.append(content);
        if (result.size() > kLongestDecoded) {
          throw Error("tokenizer: the decoded text is longer than {} bytes",
                      kLongestDecoded);
        }
        position = match.end;
      }
      text = result.append(well_formed, position);
    }
  };
}

DecodeStep DecoderStepOf(const Part& part) {
  const std::string type = part.Type();
  if (type == "ByteLevel") return DecodeByteLevel;
  if (type == "Replace") return ReplaceDecoder(part);
  if (type == "ByteFallback") return DecodeByteFallback;
  if (type == "Fuse") return Fuse;
  if (type == "Strip") return StripStep(part);
  if (type == "WordPiece") return WordPieceStep(part);
  if (type == "Metaspace") return MetaspaceStep(part);
  if (type == "BPEDecoder") return BpeStep(part);
  if (type == "CTC") return CtcStep(part);
  part.Fail("the type '" + type +
            "' is not supported; expected ByteLevel, Replace, ByteFallback, "
            "Fuse, Strip, WordPiece, Metaspace, BPEDecoder, CTC or Sequence");
}

}  // namespace

std::optional<char> ByteOfFallback(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || token[5] != '>') {
    return std::nullopt;
  }
  int value = 0;
  const char* end = token.data() + 5;
  const auto [stop, error] = std::from_chars(token.data() + 3, end, value, 16);
  if (error != std::errc() || stop != end || value < 0) return std::nullopt;
  return static_cast<char>(value);
}

std::vector<DecodeStep> DecoderSteps(const Part& part) {
  std::vector<DecodeStep> steps;
  for (const Part& inner : Flattened(part, "decoders")) {
    steps.push_back(DecoderStepOf(inner));
  }
  return steps;
}

}  // namespace heed::tokens

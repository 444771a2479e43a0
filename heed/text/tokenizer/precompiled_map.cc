#include "heed/text/tokenizer/precompiled_map.h"

#include <unicode/brkiter.h>
#include <unicode/uchar.h>
#include <unicode/utext.h>

#include <functional>
#include <memory>
#include <utility>

#include "heed/base/base64.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/text/tokenizer/utf8.h"

namespace heed::tokens {
namespace {

// Fields of the units of a double array.
constexpr uint32_t kValueBit = uint32_t{1} << 31;
bool HasLeaf(uint32_t unit) { return (unit >> 8 & 1) != 0; }
uint32_t Label(uint32_t unit) { return unit & (kValueBit | 0xFF); }
uint32_t Offset(uint32_t unit) {
  return unit >> 10 << ((unit & uint32_t{1} << 9) >> 6);
}

uint32_t ReadUnit(std::string_view bytes, size_t begin) {
  uint32_t unit = 0;
  for (size_t i = 4; i-- > 0;) {
    unit = unit << 8 | static_cast<unsigned char>(bytes[begin + i]);
  }
  return unit;
}

// Walks over the grapheme clusters of text pieces.
class Clusters {
 public:
  // Calls body(begin, end) for each cluster of bytes begin to end − 1.
  template <typename Body>
  void ForEach(std::string_view text, size_t begin, size_t end, Body&& body) {
    size_t first = begin;  // of the current cluster or run of clusters
    bool last_plain = false;
    bool run = false;  // the text from `first` on may be several clusters
    const auto finish = [&](size_t at) {
      if (run) {
        Split(text, first, at, body);
      } else if (first < at) {
        body(first, at);
      }
      first = at;
      run = false;
    };
    for (size_t i = begin; i < end;) {
      const size_t at = i;
      const bool plain = IsPlain(NextCode(text, i));
      if (at > begin && plain && last_plain) {
        finish(at);
      } else if (at > first) {
        run = true;
      }
      last_plain = plain;
    }
    finish(end);
  }

 private:
  // Between two plain characters is always a border.
  static bool IsPlain(int32_t code) {
    if (code < 0x80) return code != '\r';
    return u_getIntPropertyValue(code, UCHAR_GRAPHEME_CLUSTER_BREAK) ==
           U_GCB_OTHER;
  }

  static void Check(UErrorCode status) {
    if (U_SUCCESS(status)) return;
    throw Error("grapheme clusters: {}", u_errorName(status));
  }

  template <typename Body>
  void Split(std::string_view text, size_t begin, size_t end, Body& body) {
    UErrorCode status = U_ZERO_ERROR;
    if (iterator_ == nullptr) {
      iterator_.reset(icu::BreakIterator::createCharacterInstance(
          icu::Locale::getRoot(), status));
      Check(status);
    }
    UText view = UTEXT_INITIALIZER;
    utext_openUTF8(&view, text.data() + begin,
                   static_cast<int64_t>(end - begin), &status);
    iterator_->setText(&view, status);
    Check(status);
    size_t last = begin;
    while (true) {
      const int32_t next = iterator_->next();
      if (next == icu::BreakIterator::DONE) break;
      const size_t border = begin + static_cast<size_t>(next);
      body(last, border);
      last = border;
    }
    utext_close(&view);
  }

  std::unique_ptr<icu::BreakIterator> iterator_;
};

// Writes a piece with the entries of a map replaced.
void WritePiece(const PrecompiledMap& map, std::string_view text,
                const Piece& piece, Clusters& clusters, TextWriter& writer) {
  constexpr size_t kLongCluster = 6;
  size_t kept = piece.begin;  // before it all is written
  const auto replace = [&](size_t begin, size_t end) {
    const auto form = map.Find(text.substr(begin, end - begin));
    if (!form) return false;
    if (kept < begin) writer.Keep(kept, begin);
    writer.Put(*form, begin, end);
    kept = end;
    return true;
  };
  clusters.ForEach(text, piece.begin, piece.end, [&](size_t begin, size_t end) {
    if (end - begin < kLongCluster && replace(begin, end)) return;
    for (size_t i = begin; i < end;) {
      const size_t at = i;
      NextCode(text, i);
      replace(at, i);
    }
  });
  if (kept < piece.end) writer.Keep(kept, piece.end);
}

}  // namespace

std::optional<PrecompiledMap> PrecompiledMap::Parse(std::string_view bytes) {
  constexpr size_t kHeader = 4;
  if (bytes.size() < kHeader) return std::nullopt;
  const size_t size = ReadUnit(bytes, 0);
  if (size % 4 != 0 || size == 0 || size > bytes.size() - kHeader) {
    return std::nullopt;
  }
  PrecompiledMap map;
  for (size_t i = 0; i < size; i += 4) {
    map.units_.push_back(ReadUnit(bytes, kHeader + i));
  }
  map.forms_ = bytes.substr(kHeader + size);
  if (!map.IsValid()) return std::nullopt;
  return map;
}

// Positions must be starts of characters, so that every form is UTF-8.
bool PrecompiledMap::IsValid() const {
  if (!forms_.ends_with('\0') || !IsValidUtf8(forms_)) return false;
  for (size_t i = 0; i < units_.size(); ++i) {
    const uint32_t unit = units_[i];
    if ((unit & kValueBit) != 0 || !HasLeaf(unit)) continue;
    const size_t leaf = i ^ Offset(unit);
    if (leaf >= units_.size()) return false;
    const size_t position = units_[leaf] & ~kValueBit;
    if (position >= forms_.size() || !BeginsCharacter(forms_[position])) {
      return false;
    }
  }
  return true;
}

std::optional<std::string_view> PrecompiledMap::Find(
    std::string_view text) const {
  size_t node = Offset(units_[0]);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    node ^= byte;
    if (byte == 0 || node >= units_.size()) return std::nullopt;
    const uint32_t unit = units_[node];
    if (Label(unit) != byte) return std::nullopt;
    node ^= Offset(unit);
    if (!HasLeaf(unit)) continue;
    const size_t position = units_[node] & ~kValueBit;
    return std::string_view(forms_.data() + position);
  }
  return std::nullopt;
}

Step PrecompiledStep(const Part& part) {
  const auto bytes = FromBase64(part.Text("precompiled_charsmap"));
  if (!bytes) part.Fail("'precompiled_charsmap' is not base64");
  std::optional<PrecompiledMap> map = PrecompiledMap::Parse(*bytes);
  if (!map) part.Fail("'precompiled_charsmap' is damaged");
  return [map = std::move(*map)](Pieces& state) {
    Clusters clusters;
    const std::string_view text = state.text.text();
    Rewrite(state, [&](const Piece& piece, TextWriter& writer) {
      WritePiece(map, text, piece, clusters, writer);
    });
  };
}

}  // namespace heed::tokens

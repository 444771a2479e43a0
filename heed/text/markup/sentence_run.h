// Conversion of a part of a document to sentences with marks.
#ifndef HEED_TEXT_MARKUP_SENTENCE_RUN_H_
#define HEED_TEXT_MARKUP_SENTENCE_RUN_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "heed/text/markup/text_split.h"

namespace heed {

/// Collects the text and the marks of a document up to a border, then splits
/// them into sentences. Parts are byte ranges of the document, added in order.
class SentenceRun {
 public:
  /// `document` and `options` must outlive the object.
  SentenceRun(std::string_view document, TextFormat format,
              const SplitOptions& options)
      : document_(document), format_(format), options_(options) {}

  /// Adds text. Entities and escapes are decoded according to the format;
  /// placeholders become marks.
  void AddText(size_t begin, size_t end);

  /// Adds text whose lines are independent.
  void AddLines(size_t begin, size_t end, std::vector<Segment>& segments);

  /// Adds a range that is kept and not translated.
  void AddKept(size_t begin, size_t end);

  /// Adds a line end inside a paragraph.
  void AddBreak(size_t begin, size_t end);

  /// Adds an opening tag of an inline element. Elements without a word are
  /// kept.
  void AddOpen(const std::string& name, size_t begin, size_t end);
  /// Adds a closing tag. In a translated sentence it is written as `written`
  /// unless that is empty.
  void AddClose(const std::string& name, size_t begin, size_t end,
                const std::string& written = {});

  /// Splits the collected text at a border that ends at `end`, and begins the
  /// next run there.
  void Flush(size_t end, std::vector<Segment>& segments);

  /// Sets the format of all text added later. Call only between runs.
  void set_format(TextFormat format) { format_ = format; }

 private:
  /// Origin of a byte of plain text: [begin, end) of the document.
  struct Origin {
    size_t begin;
    size_t end;
  };

  /// A mark at its position in the document.
  struct Token {
    Mark::Kind kind;
    Origin origin;
    size_t at;               // in the plain text
    uint32_t name;           // index of the tag name
    bool word;               // represents a word of the sentence
    bool separates = false;  // separates the words on both sides
    bool joins_left = false;
    bool joins_right = false;
    std::string written = {};
  };

  bool IsFootnote(size_t begin) const;
  uint32_t NameOf(const std::string& name);
  void AddToken(Mark::Kind kind, Origin origin, uint32_t name, bool word);
  void AddDecoded(std::string_view text, const std::vector<Origin>& origins);
  size_t UnknownEntity(size_t begin, size_t end) const;
  void Put(std::string_view character, Origin origin);
  void Append(std::string_view text, Origin origin);
  void DropSpaces();
  void AddSentences(std::vector<Segment>& segments);
  size_t MarkerSize() const;
  bool OnlyKeptAtBegin(size_t next) const;
  std::vector<size_t> Borders() const;
  size_t AddSentence(size_t begin, size_t end, bool last, size_t next,
                     std::vector<Segment>& segments);
  void Widen(size_t next, size_t end, bool last, size_t& from,
             size_t& to) const;
  std::vector<Mark> MarksBetween(size_t begin, size_t end, size_t from,
                                 size_t to) const;

  std::string_view document_;
  TextFormat format_;
  const SplitOptions& options_;
  size_t done_ = 0;  // end of the processed part of the document
  std::string plain_;
  std::vector<Origin> origins_;  // one per byte of plain_
  std::vector<Token> tokens_;
  std::vector<size_t> open_;  // indices of open tokens
  std::map<std::string, uint32_t> names_;
  bool space_before_ = true;  // the last character was a space
  size_t spaced_ = 0;         // number of tokens before the last space
};

}  // namespace heed

#endif  // HEED_TEXT_MARKUP_SENTENCE_RUN_H_

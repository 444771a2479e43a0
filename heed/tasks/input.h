// What a model is asked: a text, several texts, or bytes of a file.
#ifndef HEED_TASKS_INPUT_H_
#define HEED_TASKS_INPUT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace heed {

/// A file by its contents: no path is ever opened for it.
struct NamedBytes {
  std::string name;        ///< as the user called it, for messages
  std::string media_type;  ///< "text/csv"
  std::string bytes;
};

/// One input. A value; several texts are what belongs together, as the two of a
/// pair, and the same as one text with tabs between them.
struct Input {
  std::variant<std::string, std::vector<std::string>, NamedBytes> content;
  std::string place = "text";  ///< as errors name it: "standard input:3"
  int64_t number = 0;          ///< among all; random choices depend on it

  /// The text; texts with tabs between them; bytes as they are.
  std::string Text() const;
  /// The same for readers: bytes that are no text by their name.
  std::string Shown() const;
};

/// What a task reads: a row of the registry says it of itself.
struct InputKind {
  /// What a line of standard input is.
  enum class Line : uint8_t {
    kText,  ///< an input, as it stands
    kPath,  ///< the path of a file that is one
    kPart,  ///< a part: all lines together are one
  };

  std::string name = "text";
  Line line = Line::kText;
  /// Of bytes that it reads, the usual one first; none: text alone.
  std::vector<std::string> media_types = {};
  /// Whether a text, where it is given as a whole, has lines of its own.
  bool several_lines = false;
  /// What a file that is one may have; 0: anything.
  int64_t most_bytes = 0;
  /// Whether a line is JSON of its own: lines of a .jsonl file are inputs as
  /// they stand, not rows of a table with columns.
  bool json_lines = false;

  /// Whether it reads bytes.
  bool of_bytes() const { return !media_types.empty(); }
  /// Whether it reads such bytes; parameters ("; charset=utf-8") do not count.
  bool Reads(std::string_view media_type) const;
  /// The media type that the ending of a file's name means; empty: none that it
  /// reads.
  std::string TypeOfName(std::string_view file) const;
};

/// Lines of `source` as a user gives them, the first of which has this number:
/// texts, or paths of files, which are read. Throws: as ReadInput.
std::vector<Input> InputsOf(const InputKind& kind,
                            const std::vector<std::string>& lines,
                            int64_t first,
                            std::string_view source = "standard input");

/// The file as an input, with the media type that its ending means ("png":
/// image/png, "strip": application/x-strip). Throws: IoError; FormatError for
/// an ending that the kind does not read, or a file that is too large, of which
/// nothing is read.
Input ReadInput(const InputKind& kind, const std::string& path);

}  // namespace heed

#endif  // HEED_TASKS_INPUT_H_

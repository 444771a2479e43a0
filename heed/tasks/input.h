// Inputs of a model: a text, several texts, or bytes of a file.
#ifndef HEED_TASKS_INPUT_H_
#define HEED_TASKS_INPUT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace heed {

/// Contents of a file with its name; the name is never opened as a path.
struct NamedBytes {
  std::string name;        ///< name that the user gave, for messages
  std::string media_type;  ///< "text/csv"
  std::string bytes;
};

/// One input, a value. Several texts belong together, such as the two of a
/// pair, and are equivalent to one text with tabs between them.
struct Input {
  std::variant<std::string, std::vector<std::string>, NamedBytes> content;
  std::string place = "text";  ///< place shown in errors: "standard input:3"
  int64_t number = 0;  ///< index of the input; random choices depend on it

  /// The text; several texts joined by tabs; the bytes of a file.
  std::string Text() const;
  /// The input for display: like Text(), but a binary file is shown as its
  /// name.
  std::string Shown() const;
};

/// The kind of inputs that a task reads, as its registry row states it.
struct InputKind {
  /// Meaning of a line of standard input.
  enum class Line : uint8_t {
    kText,  ///< the input itself
    kPath,  ///< path of a file that is an input
    kPart,  ///< part of an input that consists of all lines
  };

  std::string name = "text";
  Line line = Line::kText;
  /// Media types of supported files, the default first; none: text only.
  std::vector<std::string> media_types = {};
  /// True if an input text consists of several lines.
  bool several_lines = false;
  /// Maximum size of an input file; 0: no limit. Units: bytes
  int64_t max_bytes = 0;
  /// True if a line is a JSON input: lines of a .jsonl file are then inputs,
  /// not rows of a table with columns.
  bool json_lines = false;

  /// True if the task reads files.
  bool of_bytes() const { return !media_types.empty(); }
  /// True if this media type is supported; parameters ("; charset=utf-8") are
  /// ignored.
  bool Reads(std::string_view media_type) const;
  /// The supported media type of a file name's extension; empty: none.
  std::string TypeOfName(std::string_view file) const;
};

/// Makes inputs of the lines of `source`: texts, or paths of files, which are
/// read. `first`: number of the first line. Throws: as ReadInput; FormatError
/// if a file cannot be read.
std::vector<Input> InputsOf(const InputKind& kind,
                            const std::vector<std::string>& lines,
                            int64_t first,
                            std::string_view source = "standard input");

/// Reads a file as an input, with the media type of its extension ("png":
/// image/png, "strip": application/x-strip). Throws: IoError; FormatError for
/// an unsupported extension or a file that is too large, before anything is
/// read.
Input ReadInput(const InputKind& kind, const std::string& path);

}  // namespace heed

#endif  // HEED_TASKS_INPUT_H_

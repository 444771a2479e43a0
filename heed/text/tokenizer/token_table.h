// Tokens by id and ids by token.
#ifndef HEED_TEXT_TOKENIZER_TOKEN_TABLE_H_
#define HEED_TEXT_TOKENIZER_TOKEN_TABLE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heed/text/tokenizer/column.h"

namespace heed::tokens {

/// Hash of bytes that is stable between runs.
uint64_t HashOf(std::string_view bytes);

/// Immutable table of the texts of ids 0 to size − 1. Ids without a token have
/// an empty text.
class TokenTable {
 public:
  TokenTable() : TokenTable(std::vector<std::string>{}) {}
  /// Texts by id. The last of several equal texts is found.
  explicit TokenTable(const std::vector<std::string>& texts);

  /// Id of a token; −1: none.
  int32_t Find(std::string_view token) const;
  /// Text of an id; empty for ids without a token or outside the table.
  std::string_view Text(int32_t id) const;
  size_t size() const { return ends_.size(); }
  /// Longest token in bytes.
  size_t longest() const { return longest_; }

  /// Parts of the table for a file.
  struct Columns {
    Column<char> bytes;
    Column<uint32_t> ends;
    Column<int32_t> slots;
  };
  const Column<char>& bytes() const { return bytes_; }
  const Column<uint32_t>& ends() const { return ends_; }
  const Column<int32_t>& slots() const { return slots_; }
  /// True if the parts form a valid table.
  static bool IsValid(const Columns& columns);
  explicit TokenTable(Columns columns);

 private:
  Column<char> bytes_;     // all texts, one after another
  Column<uint32_t> ends_;  // end of each text in bytes_
  Column<int32_t> slots_;  // open addressing: ids or −1; a power of two
  size_t longest_ = 0;
};

}  // namespace heed::tokens

#endif  // HEED_TEXT_TOKENIZER_TOKEN_TABLE_H_

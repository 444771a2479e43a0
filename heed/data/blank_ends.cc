#include "heed/data/blank_ends.h"

#include <array>
#include <vector>

#include "heed/base/text.h"

namespace heed {

std::string_view WithoutBlankEnds(std::string_view text) {
  constexpr std::array<std::string_view, 2> kInvisible = {"\xEF\xBB\xBF",
                                                          "\xE2\x80\x8B"};
  for (;;) {
    const std::vector<std::string_view> parts = SplitUnicodeWhitespace(text);
    if (parts.empty()) return {};
    const char* end = parts.back().data() + parts.back().size();
    text = {parts.front().data(),
            static_cast<size_t>(end - parts.front().data())};
    const size_t before = text.size();
    for (const std::string_view mark : kInvisible) {
      if (text.starts_with(mark)) text.remove_prefix(mark.size());
      if (text.ends_with(mark)) text.remove_suffix(mark.size());
    }
    if (text.size() == before) return text;
  }
}

}  // namespace heed

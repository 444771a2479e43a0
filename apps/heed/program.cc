#include "apps/heed/program.h"

#include <algorithm>
#include <atomic>
#include <cerrno>

#include "apps/heed/command.h"

namespace heed {
namespace {

constexpr std::string_view kHeed = "heed";

std::atomic<const char*> set_name = nullptr;

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// True if a name can end before this character.
bool IsBorder(char c) {
  return !IsLetter(c) && std::string_view("_-./").find(c) == std::string::npos;
}

/// True if a command follows the name, possibly on the next line.
bool IsCalledWith(std::string_view rest) {
  constexpr std::string_view kBlanks = " \n";
  const size_t begin = rest.find_first_not_of(kBlanks);
  if (begin == 0 || begin == std::string_view::npos) return false;
  rest.remove_prefix(begin);
  if (rest.starts_with("--")) return true;
  const auto end = std::ranges::find_if_not(rest, IsLetter);
  const std::string_view word(rest.begin(), end);
  return word == "COMMAND" || FindCommand(Commands(), word) != nullptr;
}

}  // namespace

std::string_view ProgramName() {
  const char* const name = set_name;
  return name != nullptr ? name : program_invocation_short_name;
}

void SetProgramName(const char* name) { set_name = name; }

std::string AsCalled(std::string_view text) {
  std::string called;
  size_t begin = 0;
  for (size_t at = text.find(kHeed); at != std::string_view::npos;
       at = text.find(kHeed, at + kHeed.size())) {
    const bool starts = at == 0 || IsBorder(text[at - 1]);
    if (!starts || !IsCalledWith(text.substr(at + kHeed.size()))) continue;
    called += text.substr(begin, at - begin);
    called += ProgramName();
    begin = at + kHeed.size();
  }
  return called += text.substr(begin);
}

}  // namespace heed

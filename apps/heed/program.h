// What the program is called: heed, or a program of its own that calls Main.
#ifndef HEED_APPS_HEED_PROGRAM_H_
#define HEED_APPS_HEED_PROGRAM_H_

#include <string>
#include <string_view>

namespace heed {

/// The name of the file that was run. Takes no memory.
std::string_view ProgramName();

/// The text with this name where it says what to type: "heed train".
std::string AsCalled(std::string_view text);

}  // namespace heed

#endif  // HEED_APPS_HEED_PROGRAM_H_

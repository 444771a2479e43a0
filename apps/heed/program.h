// Name of the program: heed, or the name of another program that calls Main.
#ifndef HEED_APPS_HEED_PROGRAM_H_
#define HEED_APPS_HEED_PROGRAM_H_

#include <string>
#include <string_view>

namespace heed {

/// File name of the running program, or the name that was set. Does not
/// allocate.
std::string_view ProgramName();
/// Sets the name of the program, for a library in another program. `name` must
/// outlive the program.
void SetProgramName(const char* name);

/// Replaces "heed" by the program's name in commands such as "heed train".
std::string AsCalled(std::string_view text);

}  // namespace heed

#endif  // HEED_APPS_HEED_PROGRAM_H_

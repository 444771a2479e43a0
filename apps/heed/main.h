// The command heed as a function, for programs that add tasks of their own.
#ifndef HEED_APPS_HEED_MAIN_H_
#define HEED_APPS_HEED_MAIN_H_

namespace heed {

/// The whole of main: runs the command that the words name and gives its exit
/// code.
int Main(int argc, char** argv);

}  // namespace heed

#endif  // HEED_APPS_HEED_MAIN_H_

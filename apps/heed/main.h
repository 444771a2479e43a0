// Main function of heed, for programs that add tasks.
#ifndef HEED_APPS_HEED_MAIN_H_
#define HEED_APPS_HEED_MAIN_H_

namespace heed {

/// Runs the command in `argv` and returns its exit status.
int Main(int argc, char** argv);

}  // namespace heed

#endif  // HEED_APPS_HEED_MAIN_H_

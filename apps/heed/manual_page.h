// Manual pages in the language of man(7), for roff.
#ifndef HEED_APPS_HEED_MANUAL_PAGE_H_
#define HEED_APPS_HEED_MANUAL_PAGE_H_

#include <string>
#include <string_view>
#include <vector>

#include "apps/heed/command.h"
#include "apps/heed/description.h"

namespace heed {

/// "heed-demo-gallery" for "demo gallery": names a page and its file.
std::string ManualPageName(std::string_view command);

/// The page of one command; the summary is the line that searches find.
std::string ManualPage(const CommandDescription& command,
                       std::string_view summary);

/// What heed(1) says of a command; the name is as on the command line.
struct CommandSummary {
  std::string name;
  std::string summary;
};

/// heed(1), the page that leads to the others.
std::string MainManualPage(std::string_view summary,
                           const std::vector<CommandSummary>& commands,
                           const std::vector<CommandExample>& examples);

}  // namespace heed

#endif  // HEED_APPS_HEED_MANUAL_PAGE_H_

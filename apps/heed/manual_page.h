// Manual pages in the format of man(7), for roff.
#ifndef HEED_APPS_HEED_MANUAL_PAGE_H_
#define HEED_APPS_HEED_MANUAL_PAGE_H_

#include <string>
#include <string_view>
#include <vector>

#include "apps/heed/command.h"
#include "apps/heed/description.h"

namespace heed {

/// Name of a page and its file: "heed-demo-gallery" for "demo gallery".
std::string ManualPageName(std::string_view command);

/// Manual page of a command. `summary`: line for searches (apropos).
std::string ManualPage(const CommandDescription& command,
                       std::string_view summary);

/// Entry of a command in heed(1). `name`: as on the command line.
struct CommandSummary {
  std::string name;
  std::string summary;
};

/// The page heed(1), which refers to the other pages.
std::string MainManualPage(std::string_view summary,
                           const std::vector<CommandSummary>& commands,
                           const std::vector<CommandExample>& examples);

}  // namespace heed

#endif  // HEED_APPS_HEED_MANUAL_PAGE_H_

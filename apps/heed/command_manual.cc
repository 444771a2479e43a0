// heed manual: manual pages, from the descriptions used by --help.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "apps/heed/command.h"
#include "apps/heed/commands.h"
#include "apps/heed/manual_page.h"
#include "heed/base/console.h"
#include "heed/base/errors.h"
#include "heed/io/file.h"

namespace heed {
namespace {

/// A command with a page, such as "demo gallery".
struct Page {
  CommandSummary command;
  CommandFunction run;
};

std::vector<Page> Pages() {
  std::vector<Page> pages;
  for (const Command& command : Commands()) {
    const std::string name(command.name);
    pages.push_back({{name, std::string(command.summary)}, command.run});
    if (!command.parts) continue;
    for (const Command& part : *command.parts) {
      pages.push_back(
          {{fmt::format("{} {}", name, part.name), std::string(part.summary)},
           part.run});
    }
  }
  return pages;
}

std::string MainPage() {
  std::vector<CommandSummary> commands;
  for (const Page& page : Pages()) commands.push_back(page.command);
  return MainManualPage(kSummary, commands, Examples());
}

int Write(const Page& page, const std::string& path) {
  return page.run({ManualRequest(path, page.command.summary)});
}

void WriteAllPages(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw IoError("cannot make the folder {}: {}", folder, error.message());
  }
  const auto path = [&folder](std::string_view command) {
    return fmt::format("{}/{}.1", folder, ManualPageName(command));
  };
  WriteFileAtomically(path(""), MainPage());
  for (const Page& page : Pages()) {
    Write(page, path(page.command.name));
  }
}

}  // namespace

int RunManual(const Arguments& arguments) {
  std::string name;
  std::string out;
  const std::vector<Page> pages = Pages();
  std::vector<std::string> names;
  for (const Page& page : pages) {
    names.push_back(page.command.name);
    std::ranges::replace(names.back(), ' ', '-');
  }
  Options options("manual",
                  "Writes a manual page in the format of man(7): of heed, of a "
                  "command, or all pages into a folder. An installed package "
                  "has them: man heed-train.");
  options.OptionalPositional("PAGE", name, OneOf(names),
                             "page to write, instead of heed's own");
  options.fields()("out", out, Any{"DIR"}, "folder for all pages");
  options.Example("heed manual train | man -l -");
  options.Example("heed manual --out /usr/local/share/man/man1");
  if (!options.Parse(arguments)) return 0;
  if (!out.empty()) {
    WriteAllPages(out);
    return 0;
  }
  for (size_t i = 0; i < pages.size(); ++i) {
    if (names[i] == name) return Write(pages[i], "");
  }
  WriteOutput(MainPage());
  return 0;
}

}  // namespace heed

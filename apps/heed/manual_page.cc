#include "apps/heed/manual_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace heed {
namespace {

// Escapes roff's special characters: '\' anywhere, '.' and ''' at the start of
// a line, and '-', which must not become a hyphen.
std::string Escape(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else if (c == '\'') {
      escaped += "\\(aq";
    } else if (c == '^') {
      escaped += "\\(ha";
    } else if (c == '~') {
      escaped += "\\(ti";
    } else if (c == '`') {
      escaped += "\\(ga";
    } else {
      escaped += c;
    }
  }
  return escaped.starts_with('.') ? "\\&" + escaped : escaped;
}

// Marks literal words as bold and placeholders as italic.
std::string UsageInFonts(const std::string& usage) {
  const size_t space = usage.find(' ');
  if (!usage.starts_with('-')) return "\\fI" + Escape(usage) + "\\fR";
  if (space == std::string::npos || usage.find(", ") != std::string::npos) {
    return "\\fB" + Escape(usage) + "\\fR";
  }
  return fmt::format("\\fB{}\\fR \\fI{}\\fR", Escape(usage.substr(0, space)),
                     Escape(usage.substr(space + 1)));
}

std::string InCapitals(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
    return static_cast<char>(std::toupper(c));
  });
  return text;
}

std::string Head(const std::string& name, std::string_view summary) {
  return fmt::format(
      ".\\\" Made by heed manual from the descriptions of the options.\n"
      ".TH {} 1 \"\" \"heed " HEED_VERSION
      "\" \"Heed\"\n"
      ".nh\n.ad l\n.SH NAME\n{} \\- {}\n",
      Escape(InCapitals(name)), Escape(name), Escape(summary));
}

std::string Section(std::string_view title) {
  return fmt::format(".SH {}\n", title);
}

std::string Paragraph(const std::string& tag, const std::string& text) {
  return fmt::format(".TP\n{}\n{}\n", tag, Escape(text));
}

std::string Verbatim(const std::string& line) {
  return fmt::format(".PP\n.nf\n.RS 4\n{}\n.RE\n.fi\n", Escape(line));
}

std::string ExitStatus() {
  const auto row = [](int status, const char* meaning) {
    return Paragraph(fmt::format("\\fB{}\\fR", status), meaning);
  };
  return Section("EXIT STATUS") + row(0, "all went well") +
         row(kExitFailure,
             "failure: a file that cannot be read or written or is damaged, or "
             "not enough memory") +
         row(kExitUsage, "a wrong option or setting") +
         row(kExitInterrupted, "interrupted, by Ctrl-C") +
         ".PP\nAn error is reported in one line on standard error.\n";
}

std::string SeeAlso(const std::vector<std::string>& names) {
  std::string text = Section("SEE ALSO");
  for (size_t i = 0; i < names.size(); ++i) {
    text += fmt::format(".BR {} (1){}\n", Escape(names[i]),
                        i + 1 < names.size() ? "," : "");
  }
  return text;
}

}  // namespace

std::string ManualPageName(std::string_view command) {
  std::string name = "heed";
  if (!command.empty()) name += "-" + std::string(command);
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string ManualPage(const CommandDescription& command,
                       std::string_view summary) {
  std::string text = Head(ManualPageName(command.command), summary);
  text += fmt::format("{}\\fBheed {}\\fR {}\n{}{}\n", Section("SYNOPSIS"),
                      Escape(command.command), Escape(ArgumentsUsage(command)),
                      Section("DESCRIPTION"), Escape(command.purpose));
  for (const OptionText& positional : PositionalTexts(command)) {
    text += Paragraph(UsageInFonts(positional.usage), positional.explanation);
  }
  if (!command.parts.options.empty()) {
    text += fmt::format(".SS {}\n", Escape(command.parts.title));
  }
  for (const OptionText& part : command.parts.options) {
    text += Paragraph(fmt::format("\\fB{}\\fR", Escape(part.usage)),
                      part.explanation);
  }
  text += Section("OPTIONS");
  for (const Field& field : command.options.fields()) {
    if (field.key != "task") continue;
    text += Escape(
                "This page lists those of the default task and its default "
                "model; --help shows the others.") +
            "\n";
  }
  for (const OptionSection& section : OptionSections(command)) {
    text += fmt::format(".SS {}\n", Escape(section.title));
    for (const OptionText& option : section.options) {
      text += Paragraph(UsageInFonts(option.usage), option.explanation);
    }
  }
  if (!command.examples.empty()) text += Section("EXAMPLES");
  for (const std::string& example : command.examples) text += Verbatim(example);
  return text + ExitStatus() + SeeAlso({"heed"});
}

std::string MainManualPage(std::string_view summary,
                           const std::vector<CommandSummary>& commands,
                           const std::vector<CommandExample>& examples) {
  std::string text = Head("heed", summary);
  text += Section("SYNOPSIS") +
          "\\fBheed\\fR \\fICOMMAND\\fR [arguments] [options]\n.br\n"
          "\\fBheed\\fR \\fICOMMAND\\fR \\fB\\-\\-help\\fR\n.br\n"
          "\\fBheed\\fR \\fB\\-\\-version\\fR\n";
  text += fmt::format("{}heed {}.\n", Section("DESCRIPTION"), Escape(summary));
  text += Section("COMMANDS");
  std::vector<std::string> pages;
  for (const CommandSummary& command : commands) {
    pages.push_back(ManualPageName(command.name));
    text += Paragraph(fmt::format("\\fBheed {}\\fR", Escape(command.name)),
                      command.summary);
  }
  text += Section("EXAMPLES");
  for (const CommandExample& example : examples) {
    text += Verbatim(example.line) +
            fmt::format(".PP\n{}\n", Escape(example.meaning));
  }
  return text + ExitStatus() + SeeAlso(pages);
}

}  // namespace heed

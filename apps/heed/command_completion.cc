// heed completion: shell completion. The scripts do not contain the options;
// they call `heed __complete WORDS...`.

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <exception>

#include "apps/heed/command.h"
#include "apps/heed/commands.h"
#include "apps/heed/completion.h"
#include "apps/heed/program.h"
#include "heed/io/file.h"

namespace heed {
namespace {

// Bash splits words at '=' and only replaces the part after it.
constexpr const char* kBash =
    R"(# bash completion for heed, made by: heed completion bash
_heed() {
  local i word kind line current joined=0
  local -a words=()
  for ((i = 1; i <= COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    word=${word/#\~\//$HOME/}
    if [[ $word == "=" && ${#words[@]} -gt 0 ]]; then
      words[-1]+="="
      joined=1
    elif ((joined)); then
      words[-1]+=$word
      joined=0
    else
      words+=("$word")
    fi
  done
  current=${words[-1]}
  [[ $current == -*=* ]] && current=${current#*=}
  COMPREPLY=()
  {
    read -r kind
    while IFS= read -r line; do
      word=${line%%$'\t'*}
      [[ $word == -*=* ]] && word=${word#*=}
      COMPREPLY+=("$word")
    done
  } < <("$1" __complete "${words[@]}" 2>/dev/null)
  case $kind in
    files)
      compopt -o filenames
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
      ;;
    directories)
      compopt -o filenames
      mapfile -t COMPREPLY < <(compgen -d -- "$current")
      ;;
  esac
}
complete -o nosort -F _heed heed
)";

constexpr const char* kZsh = R"(#compdef heed
# zsh completion for heed, made by: heed completion zsh
_heed() {
  local -a lines candidates
  local line
  lines=("${(@f)$("${words[1]}" __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  case ${lines[1]} in
    files)
      compset -P '*='
      _files
      ;;
    directories)
      compset -P '*='
      _files -/
      ;;
    *)
      for line in "${(@)lines[2,-1]}"; do
        line=${line//:/\\:}
        line=${line%$'\t'} # without a description
        candidates+=("${line/$'\t'/:}")
      done
      _describe -V 'heed' candidates
      ;;
  esac
}
if [[ ${funcstack[1]} == _heed ]]; then
  _heed "$@"
else
  compdef _heed heed
fi
)";

constexpr const char* kFish =
    R"(# fish completion for heed, made by: heed completion fish
function __heed_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines ($words[1] __complete $words[2..-1] "$current" 2>/dev/null)
    set -l prefix (string match -r -- '^-[^=]*=' "$current")
    set -l path (string replace -r -- '^-[^=]*=' '' "$current")
    switch "$lines[1]"
        case files
            for file in (__fish_complete_path "$path")
                echo -- "$prefix$file"
            end
        case directories
            for folder in (__fish_complete_directories "$path" '')
                echo -- "$prefix$folder"
            end
        case '*'
            printf '%s\n' $lines[2..-1]
    end
end
complete -c heed -f -k -a '(__heed_complete)'
)";

std::vector<Candidate> CandidatesOf(const std::vector<Command>& commands) {
  std::vector<Candidate> candidates;
  for (const Command& command : commands) {
    candidates.emplace_back(command.name, command.summary);
  }
  return candidates;
}

/// Script for this program. Replaces "heed" by the program's name, and "_heed"
/// by a function name in which other characters than letters and digits are
/// "_".
std::string ForProgram(std::string_view script) {
  constexpr std::string_view kHeed = "heed";
  const std::string name(ProgramName());
  std::string identifier = name;
  std::ranges::replace_if(
      identifier, [](unsigned char c) { return !std::isalnum(c); }, '_');
  std::string text;
  size_t begin = 0;
  for (size_t at = script.find(kHeed); at != std::string_view::npos;
       at = script.find(kHeed, begin)) {
    text += script.substr(begin, at - begin);
    text += text.ends_with('_') ? identifier : name;
    begin = at + kHeed.size();
  }
  return text += script.substr(begin);
}

}  // namespace

int RunCompletion(const Arguments& arguments) {
  std::string shell;
  std::string out;
  Options options(
      "completion",
      "Prints a shell completion script for heed's commands, options and "
      "their values. An installed package has it for bash, zsh and fish.");
  options.Positional("SHELL", shell, OneOf{"bash", "zsh", "fish"},
                     "which shell");
  options.fields()("out", out, Any{"FILE"},
                   "file to write (default: standard output)");
  options.Example("source <(heed completion bash)");
  options.Example(
      "heed completion fish --out ~/.config/fish/completions/heed.fish");
  if (!options.Parse(arguments)) return 0;
  const std::string script = ForProgram(shell == "bash"  ? kBash
                                        : shell == "zsh" ? kZsh
                                                         : kFish);
  if (out.empty()) {
    WriteOutput(script);
  } else {
    WriteFileAtomically(out, script);
  }
  return 0;
}

int RunComplete(const Arguments& words) {
  if (words.size() < 2) {
    std::vector<Candidate> candidates = CandidatesOf(Commands());
    candidates.emplace_back("--help", "print the help");
    candidates.emplace_back("--version", "print the version");
    WriteOutput(AsCalled(
        CompletionAnswer("words", candidates, words.empty() ? "" : words[0])));
    return 0;
  }
  const Command* command = FindCommand(Commands(), words[0]);
  if (!command) return 0;
  Arguments rest(words.begin() + 1, words.end());
  if (command->parts && rest.size() == 1 && !rest[0].starts_with('-')) {
    WriteOutput(
        CompletionAnswer("words", CandidatesOf(*command->parts), rest[0]));
    return 0;
  }
  const Command* part =
      command->parts ? FindCommand(*command->parts, rest[0]) : nullptr;
  if (part) {
    command = part;
    rest.erase(rest.begin());
  }
  CommandLineToComplete line = CommandLineToComplete::Of(rest);
  try {
    return command->run(line.ToArguments());
  } catch (const std::exception&) {
    // The model or task does not exist: complete without it.
  }
  line.before.clear();
  return command->run(line.ToArguments());
}

}  // namespace heed

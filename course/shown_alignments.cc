#include "course/shown_alignments.h"

#include <fmt/format.h>

#include <utility>

#include "apps/heed/views.h"
#include "heed/decode/translator.h"
#include "heed/io/file.h"
#include "heed/render/heatmap_svg.h"
#include "heed/render/heatmap_terminal.h"

namespace heed {

void ShowAlignments(const translate::Model& model,
                    const std::vector<std::string>& lines,
                    const std::string& picture) {
  DecodeOptions decode;
  decode.keep_attention = true;
  const Translator translator(*model.model, model.vocabularies.source,
                              model.vocabularies.target, true, decode);
  std::vector<AlignmentView> views;
  const std::vector<Translations> translations = translator.Translate(lines);
  for (size_t i = 0; i < lines.size(); ++i) {
    AlignmentView view = ViewOf(translations[i].front());
    view.title = fmt::format("{}  →  {}", lines[i], view.title);
    fmt::print("{}\n", TerminalHeatmap(view, DetectTerminal()));
    views.push_back(std::move(view));
  }
  WriteFileAtomically(picture,
                      AlignmentSvg(views, {.outline_off_diagonal = true}));
}

}  // namespace heed

// Explanations in the terminal.
#ifndef HEED_RENDER_EXPLANATION_TERMINAL_H_
#define HEED_RENDER_EXPLANATION_TERMINAL_H_

#include <string>

#include "heed/explain/explanation.h"
#include "heed/render/explanation_file.h"
#include "heed/render/terminal.h"

namespace heed {

/// A view drawn with characters; each line ends with a newline and has at most
/// terminal.width columns, as far as a word or a head needs no more.
///   heads      a small picture of each head with its entropy and distance
///   alignment  TerminalHeatmap
///   lines      the strongest sources of each target, in words
///   frames     one frame after the other
///   panels     the numbers of scores, weights and context
///   saliency   for each target the source shaded by attention and each method
/// Throws: as ExplanationSvg.
std::string TerminalExplanation(const Explanation& explanation,
                                const ExplanationFileOptions& options,
                                const TerminalOptions& terminal);

}  // namespace heed

#endif  // HEED_RENDER_EXPLANATION_TERMINAL_H_

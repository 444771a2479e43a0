// Every number of the smallest translator on one page, in SVG and terminal.
#ifndef HEED_COURSE_SMALLEST_PICTURE_H_
#define HEED_COURSE_SMALLEST_PICTURE_H_

#include <string>

#include "course/smallest_translator.h"
#include "heed/render/drawing.h"
#include "heed/render/terminal.h"

namespace heed {

/// Formats a number with two decimals, and zero without a sign.
std::string ShownNumber(double number);

/// Draws a column per step and a row per quantity. Lines from encoder states to
/// contexts have a width proportional to the attention weight.
Drawing DrawTranslation(const TracedTranslation& traced);
/// Draws the weights of all layers.
Drawing DrawParameters(const ParameterSet& parameters);

/// Renders the translation in characters.
std::string TranslationText(const TracedTranslation& traced,
                            const TerminalOptions& terminal);
std::string ParametersText(const ParameterSet& parameters,
                           const TerminalOptions& terminal);

}  // namespace heed

#endif  // HEED_COURSE_SMALLEST_PICTURE_H_

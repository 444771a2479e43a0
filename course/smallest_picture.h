// Every number of the smallest translator on one page, in SVG and a terminal.
#ifndef HEED_COURSE_SMALLEST_PICTURE_H_
#define HEED_COURSE_SMALLEST_PICTURE_H_

#include <string>

#include "course/smallest_translator.h"
#include "heed/render/drawing.h"
#include "heed/render/terminal.h"

namespace heed {

/// With two digits, and no sign where those are zero.
std::string ShownNumber(double number);

/// A column for each step, a line for each quantity, lines as thick as weights
/// from states that were read to the contexts.
Drawing DrawTranslation(const TracedTranslation& traced);
/// The weights of all layers.
Drawing DrawParameters(const ParameterSet& parameters);

/// The same in characters.
std::string TranslationText(const TracedTranslation& traced,
                            const TerminalOptions& terminal);
std::string ParametersText(const ParameterSet& parameters,
                           const TerminalOptions& terminal);

}  // namespace heed

#endif  // HEED_COURSE_SMALLEST_PICTURE_H_

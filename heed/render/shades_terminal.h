// Shades of weights in a terminal.
#ifndef HEED_RENDER_SHADES_TERMINAL_H_
#define HEED_RENDER_SHADES_TERMINAL_H_

#include <cstdint>
#include <span>
#include <string>

#include "heed/render/terminal.h"

namespace heed {

/// A weight, 0 to 1, as a cell of `columns` columns: nearly black over blue to
/// white, or without colour one of · ░ ▒ ▓ █.
std::string TerminalCell(float weight, int columns, bool colour);

/// Scale of all shades from 0 to 1.
std::string TerminalScale(bool colour);

/// Two weights, one above the other, in one coloured column.
std::string TerminalHalfCells(float upper, float lower);

/// Two pixels, one above the other, in one coloured column: RGB, 0 to 255, in
/// the closest colours of the 256-colour palette.
std::string TerminalHalfCells(std::span<const uint8_t> upper,
                              std::span<const uint8_t> lower);

/// Tokens in lines of at most options.width columns, indented by `indent`
/// spaces. The background shows the value times `factor`, −1 to 1: blue, or
/// orange below zero, more vivid for larger magnitudes. Without colour, values
/// whose shade is at least 0.1 are printed as numbers, without the factor. Each
/// line ends with a newline.
/// Throws: ShapeError unless there is one value per token.
std::string TerminalWords(std::span<const std::string> tokens,
                          std::span<const float> values, int indent,
                          const TerminalOptions& options, float factor = 1);

}  // namespace heed

#endif  // HEED_RENDER_SHADES_TERMINAL_H_

// Weights as shades of a terminal.
#ifndef HEED_RENDER_SHADES_TERMINAL_H_
#define HEED_RENDER_SHADES_TERMINAL_H_

#include <span>
#include <string>

#include "heed/render/terminal.h"

namespace heed {

/// A weight, 0 to 1, as a cell of `columns` columns: from nearly black over
/// blue to white, or without colour one of · ░ ▒ ▓ █.
std::string TerminalCell(float weight, int columns, bool colour);

/// All shades from 0 to 1 side by side.
std::string TerminalScale(bool colour);

/// Two weights, one above the other, in one column of colour.
std::string TerminalHalfCells(float upper, float lower);

/// The tokens in lines of at most options.width columns, behind `indent`
/// spaces, each on a ground as vivid as its value times `factor`, −1 to 1:
/// blue, below zero orange. Without colour those of at least 0.1 carry the
/// value, as it is, as a number. Each line ends with a newline.
/// Throws: ShapeError unless there is one value per token.
std::string TerminalWords(std::span<const std::string> tokens,
                          std::span<const float> values, int indent,
                          const TerminalOptions& options, float factor = 1);

}  // namespace heed

#endif  // HEED_RENDER_SHADES_TERMINAL_H_

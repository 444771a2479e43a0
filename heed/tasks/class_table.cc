#include "heed/tasks/class_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/base/text.h"

namespace heed {

void AddClasses(Report& report, const std::string& item,
                const std::string& counted,
                std::span<const ClassFigures> classes) {
  int width = DisplayWidth(item);
  for (const ClassFigures& c : classes) {
    width = std::max(width, DisplayWidth(c.name));
  }
  const auto padded = [width](const std::string& name) {
    return name +
           std::string(static_cast<size_t>(width - DisplayWidth(name)), ' ');
  };
  report.text += fmt::format("{} {:>9} {:>9} {:>9} {:>9}\n", padded(item),
                             "precision", "recall", "F1", counted);
  auto& list = report.details[item + (item.ends_with('s') ? "es" : "s")];
  for (const ClassFigures& c : classes) {
    report.text +=
        fmt::format("{} {:>9} {:>9} {:>9} {:>9}\n", padded(c.name),
                    FigureText(c.precision, 2), FigureText(c.recall, 2),
                    FigureText(c.f1, 2), c.gold);
    list.push_back({{item, c.name},
                    {"precision", c.precision},
                    {"recall", c.recall},
                    {"f1", c.f1},
                    {counted, c.gold}});
  }
}

}  // namespace heed

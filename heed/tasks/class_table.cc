#include "heed/tasks/class_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

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

void AddClasses(Report& report, const std::string& item,
                const std::string& counted,
                const std::function<std::string(int32_t id)>& name,
                std::span<const ClassScore> scores) {
  std::vector<ClassFigures> classes;
  for (const ClassScore& score : scores) {
    classes.push_back({name(static_cast<int32_t>(classes.size())),
                       100 * score.precision(), 100 * score.recall(),
                       100 * score.f1(), score.gold});
  }
  AddClasses(report, item, counted, classes);
}

}  // namespace heed

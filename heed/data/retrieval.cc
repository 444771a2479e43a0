#include "heed/data/retrieval.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/data/header.h"
#include "heed/data/table.h"
#include "heed/io/file.h"

namespace heed {
namespace {

using Columns = std::vector<std::string_view>;

/// Reader of lines in columns. Stores the current place for error messages.
class TabReader {
 public:
  explicit TabReader(const std::vector<std::string>& paths) : paths_(paths) {}

  /// Calls body(columns) for each line, or for each row of a table with column
  /// names.
  template <typename Body>
  void ForEach(const std::vector<std::string>& names, Body&& body) {
    for (const std::string& path : paths_) {
      path_ = path;
      line_ = 0;
      if (!TableFormOf(path).empty()) {
        ForEachRow(path, names, [&](const TableRow& row, int64_t line) {
          line_ = line;
          body(std::vector<std::string_view>(row.begin(), row.end()));
        });
        continue;
      }
      const std::vector<std::string> lines = ReadLines(path);
      for (const std::string& text : lines) {
        ++line_;
        const Columns columns = SplitAt(text, "\t");
        if (line_ == 1 && lines.size() > 1 &&
            NamesColumns(std::span<const std::string_view>(columns))) {
          SayHeaderLeftOut(path, text);
          continue;
        }
        body(columns);
      }
    }
  }

  [[noreturn]] void Fail(std::string_view message) const {
    throw FormatError("{}:{}: {}", path_, line_, message);
  }

  int64_t Find(const TextCollection& collection, std::string_view id,
               std::string_view what) const {
    const int64_t place = collection.Find(std::string(id));
    if (place < 0) {
      Fail(fmt::format("'{}' is not the id of a {}", id.substr(0, 40), what));
    }
    return place;
  }

  std::vector<int64_t> FindAll(const TextCollection& collection,
                               std::string_view ids) const {
    std::vector<int64_t> places;
    for (const std::string_view id : SplitWhitespace(ids)) {
      const int64_t place = Find(collection, id, "text");
      if (!std::ranges::count(places, place)) {
        places.push_back(place);
      }
    }
    return places;
  }

 private:
  const std::vector<std::string>& paths_;
  std::string path_;
  int64_t line_ = 0;
};

}  // namespace

bool TextCollection::Add(std::string id, std::string text) {
  const bool fresh = places_.emplace(id, size()).second;
  if (!fresh) return false;
  ids_.push_back(std::move(id));
  texts_.push_back(std::move(text));
  return true;
}

int64_t TextCollection::Find(const std::string& id) const {
  const auto found = places_.find(id);
  return found == places_.end() ? -1 : found->second;
}

TextCollection ReadTexts(const std::vector<std::string>& paths) {
  TabReader reader(paths);
  TextCollection collection;
  reader.ForEach({"id", "text"}, [&](const Columns& columns) {
    if (columns.size() < 2) reader.Fail("no tab between id and text");
    if (columns[0].empty()) reader.Fail("no id before the tab");
    std::string text(columns[1]);
    for (size_t i = 2; i < columns.size(); ++i) {
      text.append(" ").append(columns[i]);
    }
    if (!collection.Add(std::string(columns[0]), InOneLine(std::move(text)))) {
      reader.Fail(fmt::format("a second text with the id '{}'", columns[0]));
    }
  });
  return collection;
}

std::vector<RetrievalQuery> ReadRelevantPairs(
    const std::vector<std::string>& paths, const TextCollection& queries,
    const TextCollection& corpus) {
  TabReader reader(paths);
  std::vector<RetrievalQuery> read;
  std::unordered_map<int64_t, size_t> place_of_query;
  std::map<std::pair<int64_t, int64_t>, bool> labels;
  std::optional<size_t> width;
  reader.ForEach({"query", "text"}, [&](const Columns& columns) {
    if (columns.size() != 2 && columns.size() != 3) {
      reader.Fail(
          "a line must be query, tab, text, and optionally tab, 0 or 1");
    }
    if (width.value_or(columns.size()) != columns.size()) {
      reader.Fail("a third column must stand on all lines or on none");
    }
    width = columns.size();
    const bool labelled = columns.size() == 3;
    if (labelled && columns[2] != "0" && columns[2] != "1") {
      reader.Fail(fmt::format("the third column must be 0 or 1, not '{}'",
                              columns[2].substr(0, 40)));
    }
    const bool relevant = !labelled || columns[2] == "1";
    const int64_t query = reader.Find(queries, columns[0], "query");
    const int64_t text = reader.Find(corpus, columns[1], "text");
    const auto [label, fresh] = labels.try_emplace({query, text}, relevant);
    if (label->second != relevant) {
      reader.Fail("the pair of an earlier line with the other label");
    }
    if (!fresh) return;
    const size_t place =
        place_of_query.try_emplace(query, read.size()).first->second;
    if (place == read.size()) read.push_back({query, {}, {}});
    if (relevant) read[place].positives.push_back(text);
    if (labelled) read[place].candidates.push_back(text);
  });
  return read;
}

std::vector<RetrievalQuery> ReadCandidateLists(
    const std::vector<std::string>& paths, const TextCollection& queries,
    const TextCollection& corpus) {
  TabReader reader(paths);
  std::vector<RetrievalQuery> read;
  std::vector<bool> seen(static_cast<size_t>(queries.size()));
  reader.ForEach({"query", "relevant", "candidates"},
                 [&](const Columns& columns) {
                   if (columns.size() != 3 && columns.size() != 4) {
                     reader.Fail(
                         "a line must be query, relevant ids and candidate "
                         "ids, and optionally "
                         "scores, with tabs between");
                   }
                   RetrievalQuery query;
                   query.query = reader.Find(queries, columns[0], "query");
                   if (At(seen, query.query)) {
                     reader.Fail("the query of an earlier line");
                   }
                   At(seen, query.query) = true;
                   query.positives = reader.FindAll(corpus, columns[1]);
                   query.candidates = reader.FindAll(corpus, columns[2]);
                   for (const int64_t text : query.positives) {
                     const auto& c = query.candidates;
                     if (!std::ranges::count(c, text)) {
                       query.candidates.push_back(text);
                     }
                   }
                   if (query.candidates.empty())
                     reader.Fail("a query without candidates");
                   read.push_back(std::move(query));
                 });
  return read;
}

std::vector<RetrievalQuery> ReadAnswers(const std::vector<std::string>& paths,
                                        TextCollection& questions,
                                        TextCollection& texts) {
  TabReader reader(paths);
  std::vector<RetrievalQuery> read;
  std::unordered_map<std::string, size_t> place_of_question;
  const int64_t before = questions.size();
  reader.ForEach({"question", "label", "text"}, [&](const Columns& columns) {
    if (columns.size() != 3) {
      reader.Fail("a line must be question, tab, 0 or 1, tab, text");
    }
    const std::string question = InOneLine(std::string(columns[0]));
    std::string text = InOneLine(std::string(columns[2]));
    if (TrimBlanks(question).empty()) reader.Fail("no question");
    if (TrimBlanks(text).empty()) {
      reader.Fail("no text after the second tab");
    }
    if (columns[1] != "0" && columns[1] != "1") {
      reader.Fail(fmt::format("the second column must be 0 or 1, not '{}'",
                              columns[1].substr(0, 40)));
    }
    const size_t place =
        place_of_question.try_emplace(question, read.size()).first->second;
    if (place == read.size()) {
      read.push_back({questions.size(), {}, {}});
      questions.Add(fmt::format("q{}", questions.size() + 1), question);
    }
    RetrievalQuery& query = read[place];
    query.candidates.push_back(texts.size());
    if (columns[1] == "1") query.positives.push_back(texts.size());
    texts.Add(fmt::format("q{}.{}", before + static_cast<int64_t>(place) + 1,
                          query.candidates.size()),
              std::move(text));
  });
  return read;
}

}  // namespace heed

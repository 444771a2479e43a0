#include "heed/text/tokenizer/templates.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "heed/base/text.h"

namespace heed::tokens {
namespace {

int32_t ReadId(const Part& part, const Part::Json& value, int64_t rows) {
  const bool valid = value.is_number_unsigned() &&
                     value.get<uint64_t>() < static_cast<uint64_t>(rows);
  if (!valid) {
    part.Fail(fmt::format("the id {} is not in the vocabulary of {} ids",
                          Abridged(value), rows));
  }
  return value.get<int32_t>();
}

}  // namespace

Template::Template() : single_{{{}, 0, 0}}, pair_{{{}, 0, 0}, {{}, 1, 1}} {}

Template::Template(const Part& part, int64_t rows) : Template() {
  int templates = 0;
  for (const Part& inner : Flattened(part, "processors")) {
    if (inner.Type() != "ByteLevel" && ++templates > 1) {
      part.Fail("has more than one template");
    }
    Read(inner, rows);
  }
}

void Template::Read(const Part& part, int64_t rows) {
  const std::string type = part.Type();
  if (type == "ByteLevel") {
    trims_ = part.Flag("trim_offsets", true);
    adds_space_ = part.Flag("add_prefix_space", true);
  } else if (type == "BertProcessing") {
    ReadWithTwoTokens(part, rows, false);
  } else if (type == "RobertaProcessing") {
    ReadWithTwoTokens(part, rows, true);
    trims_ = part.Flag("trim_offsets", true);
    adds_space_ = part.Flag("add_prefix_space", true);
  } else if (type == "TemplateProcessing") {
    single_ = ReadItems(part, "single", rows);
    pair_ = ReadItems(part, "pair", rows);
  } else {
    part.Fail("the type '" + type +
              "' is not supported; expected TemplateProcessing, "
              "BertProcessing, RobertaProcessing, ByteLevel or Sequence");
  }
}

// BERT: cls A sep, then B sep in segment 1. RoBERTa: cls A sep, then sep B sep,
// all in segment 0.
void Template::ReadWithTwoTokens(const Part& part, int64_t rows, bool roberta) {
  const auto read = [&](std::string_view key) -> std::vector<int32_t> {
    const auto& list = part.List(key);
    if (list.size() != 2) {
      part.Fail(fmt::format("'{}' must be a token and its id", key));
    }
    return {ReadId(part, list[1], rows)};
  };
  const Item cls{read("cls"), -1, 0};
  const Item sep{read("sep"), -1, 0};
  const int32_t second = roberta ? 0 : 1;
  single_ = {cls, {{}, 0, 0}, sep};
  pair_ = single_;
  if (roberta) pair_.push_back(sep);
  pair_.push_back({{}, 1, second});
  pair_.push_back({sep.ids, -1, second});
}

Template::Items Template::ReadItems(const Part& part, std::string_view key,
                                    int64_t rows) const {
  Items items;
  const std::string where = fmt::format("{}: {}", part.where(), key);
  bool has_text[2] = {false, false};
  for (const auto& value : part.List(key)) {
    const Part outer(value, where);
    const bool is_text = outer.Find("Sequence") != nullptr;
    const auto* member = outer.Find(is_text ? "Sequence" : "SpecialToken");
    if (member == nullptr) outer.Fail("expected 'Sequence' or 'SpecialToken'");
    const Part inner(*member, where);
    Item item;
    item.segment =
        static_cast<int32_t>(inner.Number("type_id", 0, INT32_MAX, 0));
    const std::string id = inner.Text("id");
    if (is_text) {
      if (id != "A" && id != "B") inner.Fail("a Sequence is not A or B");
      item.source = id == "A" ? 0 : 1;
      has_text[item.source] = true;
    } else {
      const auto* tokens = part.Find("special_tokens");
      const std::string place = part.where() + ": special_tokens";
      const auto* token =
          tokens == nullptr ? nullptr : Part(*tokens, place).Find(id);
      if (token == nullptr) {
        inner.Fail(
            fmt::format("the special token {} has no ids", Abridged(id)));
      }
      const Part special(*token, place);
      for (const auto& number : special.List("ids")) {
        item.ids.push_back(ReadId(special, number, rows));
      }
    }
    items.push_back(std::move(item));
  }
  if (!has_text[0]) part.Fail(fmt::format("'{}' lacks the text $A", key));
  if (key == "single" && has_text[1]) part.Fail("'single' contains $B");
  if (key == "pair" && !has_text[1]) part.Fail("'pair' lacks the text $B");
  return items;
}

std::vector<PlacedToken> Template::Join(const Items& items,
                                        std::vector<PlacedToken> (&texts)[2],
                                        bool add_special) const {
  const bool alone = items.size() == 1 && items[0].source == 0;
  if (alone && items[0].segment == 0) return std::move(texts[0]);
  std::vector<PlacedToken> result;
  result.reserve(texts[0].size() + texts[1].size() + items.size());
  for (const Item& item : items) {
    if (item.source >= 0) {
      for (PlacedToken token : texts[item.source]) {
        token.segment = item.segment;
        token.source = item.source;
        result.push_back(token);
      }
    } else if (add_special) {
      for (const int32_t id : item.ids) {
        result.push_back({id, 0, 0, item.segment, -1});
      }
    }
  }
  return result;
}

std::vector<PlacedToken> Template::Apply(std::vector<PlacedToken> tokens,
                                         bool add_special) const {
  std::vector<PlacedToken> texts[2] = {std::move(tokens), {}};
  return Join(single_, texts, add_special);
}

std::vector<PlacedToken> Template::Apply(std::vector<PlacedToken> first,
                                         std::vector<PlacedToken> second,
                                         bool add_special) const {
  std::vector<PlacedToken> texts[2] = {std::move(first), std::move(second)};
  return Join(pair_, texts, add_special);
}

}  // namespace heed::tokens

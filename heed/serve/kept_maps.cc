#include "heed/serve/kept_maps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <string_view>
#include <utility>

#include "heed/base/text.h"
#include "heed/serve/http.h"
#include "heed/serve/parameters.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

/// Text of a required parameter.
std::string NeededText(const Json& parameters, const char* name) {
  return TextOf(Need(parameters, name), name);
}

int64_t IndexOf(const char* name, std::string_view text) {
  const std::optional<int64_t> index = ParseInteger<int64_t>(text);
  if (!index || *index < 0) {
    throw HttpError(400, "{} is not a number from 0", name);
  }
  return *index;
}

ItemRange RangeOf(const Json& parameters, const char* name) {
  const std::string text = NeededText(parameters, name);
  const std::vector<std::string_view> ends = SplitAt(text, ":");
  if (ends.size() != 2) throw HttpError(400, "{} is not A:B", name);
  const ItemRange range = {IndexOf(name, ends[0]), IndexOf(name, ends[1])};
  if (range.begin >= range.end) {
    throw HttpError(400, "{} is empty: A:B is from A to before B", name);
  }
  return range;
}

/// Random name that cannot be guessed.
std::string RandomId() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(),
                     random());
}

}  // namespace

TileCall ParseTile(const Json& parameters) {
  TileCall call;
  call.id = NeededText(parameters, "id");
  call.map = static_cast<size_t>(IndexOf("map", NeededText(parameters, "map")));
  const std::string head = NeededText(parameters, "head");
  if (head != "mean") call.head = IndexOf("head", head);
  call.rows = RangeOf(parameters, "rows");
  call.columns = RangeOf(parameters, "columns");
  const int64_t height = call.rows.end - call.rows.begin;
  const int64_t width = call.columns.end - call.columns.begin;
  if (height > kMaxTileCells / width) {
    throw HttpError(400,
                    "rows and columns have {} x {} weights; ask for {} at most",
                    height, width, kMaxTileCells);
  }
  return call;
}

std::string KeptMaps::Keep(const std::string& client,
                           const Explanation& explanation,
                           Clock::time_point now) {
  Kept kept = {RandomId(), client, now + kTime, {}, 0};
  size_t index = 0;
  for (const ExplanationSegment& segment : explanation.segments) {
    for (const AttentionMap& map : segment.maps) {
      if (map.large()) {
        AttentionMap own = map;
        own.summary = nullptr;
        kept.bytes += map.factor_bytes();
        kept.maps.emplace(index, std::move(own));
      }
      ++index;
    }
  }
  if (kept.maps.empty() || kept.bytes > max_bytes_) return "";
  const std::scoped_lock lock(mutex_);
  DropOld(now);
  bytes_ += kept.bytes;
  kept_.push_back(std::move(kept));
  while (bytes_ > max_bytes_) {
    bytes_ -= kept_.front().bytes;
    kept_.pop_front();
  }
  return kept_.back().id;
}

AttentionMap KeptMaps::Find(const std::string& client, const TileCall& call,
                            Clock::time_point now) {
  AttentionMap map;
  {
    const std::scoped_lock lock(mutex_);
    DropOld(now);
    const auto found = std::ranges::find(kept_, call.id, &Kept::id);
    if (found == kept_.end() || found->client != client) {
      throw HttpError(404,
                      "this explanation is no longer kept; send its text to "
                      "/explain again");
    }
    const auto own = found->maps.find(call.map);
    if (own == found->maps.end()) {
      throw HttpError(404, "map {} has no tiles: its weights are in the answer",
                      call.map);
    }
    map = own->second;
  }
  const auto require = [](const char* name, int64_t value, int64_t size) {
    if (value <= size) return;
    throw HttpError(400, "{} reaches {}, but there are {}", name, value, size);
  };
  require("head", call.head + 1, map.heads);
  require("rows", call.rows.end, map.query_size);
  require("columns", call.columns.end, map.key_size);
  return map;
}

int64_t KeptMaps::bytes() {
  const std::scoped_lock lock(mutex_);
  return bytes_;
}

void KeptMaps::DropOld(Clock::time_point now) {
  while (!kept_.empty() && kept_.front().until <= now) {
    bytes_ -= kept_.front().bytes;
    kept_.pop_front();
  }
}

Json TileJson(const AttentionMap& map, const TileCall& call) {
  const std::vector<float> weights =
      map.Tile(call.head, call.rows, call.columns);
  const int64_t width = call.columns.end - call.columns.begin;
  Json rows = Json::array();
  for (size_t i = 0; i < weights.size(); ++i) {
    if (i % static_cast<size_t>(width) == 0) rows.push_back(Json::array());
    rows.back().push_back(std::round(double{weights[i]} * 1e7) / 1e7);
  }
  return {{"map", call.map},
          {"head", call.head < 0 ? Json(nullptr) : Json(call.head)},
          {"rows", {call.rows.begin, call.rows.end}},
          {"columns", {call.columns.begin, call.columns.end}},
          {"weights", std::move(rows)}};
}

}  // namespace heed

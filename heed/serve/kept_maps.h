// Large attention maps that clients may read in tiles after an explanation.
#ifndef HEED_SERVE_KEPT_MAPS_H_
#define HEED_SERVE_KEPT_MAPS_H_

#include <chrono>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "heed/explain/explanation.h"

namespace heed {

/// GET /explain/tile
struct TileCall {
  std::string id;     ///< explanation, from the map's "tile"
  size_t map = 0;     ///< index in the "maps" of the explanation
  int64_t head = -1;  ///< -1: the mean
  ItemRange rows;
  ItemRange columns;
};

/// Parses the parameters id, map, head, rows and columns ("A:B"). Throws:
/// HttpError 400 with the name of the parameter, also for a tile of more than
/// kMaxTileCells weights.
TileCall ParseTile(const nlohmann::ordered_json& parameters);

/// Largest number of weights of a tile.
inline constexpr int64_t kMaxTileCells = int64_t{1} << 18;

/// Store of the large maps of explanations, each for 10 minutes. Thread-safe.
class KeptMaps {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::minutes kTime{10};

  /// `max_bytes`: memory of all maps; the oldest are dropped beyond it.
  explicit KeptMaps(int64_t max_bytes) : max_bytes_(max_bytes) {}

  /// Keeps the large maps of an explanation for a client. Returns their id; ""
  /// if there are none, or if they need more than all memory.
  std::string Keep(const std::string& client, const Explanation& explanation,
                   Clock::time_point now = Clock::now());
  /// The map that a client asks for. Throws: HttpError 404 that says what to do
  /// if it is not kept, or was kept for another client; 400 for a head, rows or
  /// columns that the map does not have.
  AttentionMap Find(const std::string& client, const TileCall& call,
                    Clock::time_point now = Clock::now());
  /// Memory of the maps. Units: bytes.
  int64_t bytes();

 private:
  struct Kept {
    std::string id;
    std::string client;
    Clock::time_point until;
    std::map<size_t, AttentionMap> maps;
    int64_t bytes = 0;
  };

  void DropOld(Clock::time_point now);

  const int64_t max_bytes_;
  std::mutex mutex_;
  std::list<Kept> kept_;  // the oldest first
  int64_t bytes_ = 0;
};

/// The weights of a tile as JSON: map, head, rows, columns, weights.
nlohmann::ordered_json TileJson(const AttentionMap& map, const TileCall& call);

}  // namespace heed

#endif  // HEED_SERVE_KEPT_MAPS_H_

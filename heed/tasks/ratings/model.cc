
#include <algorithm>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/text.h"
#include "heed/tasks/ratings/ratings.h"
#include "heed/tasks/text_vocabulary.h"

namespace heed::ratings {
namespace {

constexpr int64_t kPairsAtOnce = 128;

/// Adds words of reviews up to the limit, newest review first.
class NewestFirst {
 public:
  NewestFirst(const DocumentLimits& limits, RatingDocument* document)
      : limits_(limits), room_(limits.words), document_(document) {}
  ~NewestFirst() {
    std::ranges::reverse(document_->reviews);
    std::ranges::reverse(document_->places);
  }
  NewestFirst(const NewestFirst&) = delete;
  NewestFirst& operator=(const NewestFirst&) = delete;

  bool full() const {
    return room_ <= 0 || std::ssize(document_->reviews) >= limits_.reviews;
  }
  void Add(const std::vector<int32_t>& words, int32_t place) {
    const int64_t count =
        std::min({std::ssize(words), limits_.words_of_review, room_});
    if (count == 0 || full()) return;
    document_->reviews.emplace_back(words.begin(), words.begin() + count);
    document_->places.push_back(place);
    room_ -= count;
  }

 private:
  const DocumentLimits limits_;
  int64_t room_;
  RatingDocument* document_;
};

ReviewDocuments PackDocuments(std::span<const RatingPair> pairs,
                              RatingDocument RatingPair::*side) {
  const int64_t B = std::ssize(pairs);
  int64_t S = 1, R = 1;
  std::vector<int64_t> lengths;
  for (const RatingPair& pair : pairs) {
    int64_t length = 0;
    for (const auto& review : (pair.*side).reviews) {
      length += std::ssize(review);
    }
    lengths.push_back(length);
    S = std::max(S, length);
    R = std::max(R, std::ssize((pair.*side).reviews));
  }
  ReviewDocuments packed;
  packed.ids = Tensor::Full({B, S}, kPad, DType::kI32);
  packed.starts = Tensor({B, R + 1}, DType::kI32);
  packed.lengths = Tensor({B}, DType::kI32);
  packed.counts = Tensor({B}, DType::kI32);
  for (int64_t b = 0; b < B; ++b) {
    const auto& reviews = (At(pairs, b).*side).reviews;
    int32_t* ids = packed.ids.row<int32_t>(b);
    int32_t* starts = packed.starts.row<int32_t>(b);
    const int64_t length = At(lengths, b);
    std::fill_n(starts, R + 1, static_cast<int32_t>(length));
    int32_t at = 0;
    for (size_t r = 0; r < reviews.size(); ++r) {
      starts[r] = at;
      std::ranges::copy(reviews[r], ids + at);
      at += static_cast<int32_t>(reviews[r].size());
    }
    packed.lengths.data<int32_t>()[b] = at;
    packed.counts.data<int32_t>()[b] = static_cast<int32_t>(reviews.size());
    if (reviews.empty()) starts[0] = 0;
  }
  return packed;
}

constexpr const char* kReviewsFile = "reviews.tsv";
constexpr const char* kReviewWordsFile = "words.txt";
}  // namespace

Model::Model(Config settings, ReviewMemory known, Vocabulary words,
             uint64_t seed)
    : config(std::move(settings)),
      memory(std::move(known)),
      scale(ScaleOf(memory.reviews(), {config.data.files.min_rating,
                                       config.data.files.max_rating})),
      vocabulary(std::move(words)),
      parameters_(seed, DType::kF32, config.model->precision()),
      network(config.model->Make(
          Scope(parameters_, ""),
          {memory.users().size(), memory.items().size(), vocabulary.size()})) {
  if (!reads_texts()) return;
  for (const Review& review : memory.reviews()) {
    encoded_.push_back(vocabulary.Encode(review.text));
  }
}

int64_t Model::CountWithoutText() const {
  return std::ranges::count_if(memory.reviews(),
                               [](const Review& r) { return r.text.empty(); });
}

void Model::StartAtBiases() {
  network->StartAt(memory.mean());
  if (RatingBiases* biases = network->biases()) {
    const RatingBiasFit fit = FitBiases(memory, config.data.shrinkage);
    biases->Start(fit.mean, fit.users, fit.items);
  }
}

RatingDocument Model::DocumentOf(const std::vector<int32_t>& own, int32_t user,
                                 int32_t item) const {
  RatingDocument document;
  if (encoded_.empty()) return document;
  NewestFirst newest(network->limits(), &document);
  for (auto i = own.rbegin(); i != own.rend() && !newest.full(); ++i) {
    const auto at = static_cast<size_t>(*i);
    // The user's review of the item would leak the rating.
    if (memory.user_ids()[at] == user && memory.item_ids()[at] == item) {
      continue;
    }
    newest.Add(encoded_[at], *i);
  }
  return document;
}

RatingDocument Model::DocumentOf(const std::vector<std::string>& given) const {
  RatingDocument document;
  if (encoded_.empty()) return document;
  NewestFirst newest(network->limits(), &document);
  for (auto i = given.rbegin(); i != given.rend() && !newest.full(); ++i) {
    newest.Add(vocabulary.Encode(*i), -1);
  }
  return document;
}

RatingPair Model::PairOf(int32_t user, int32_t item) const {
  RatingPair pair = {.user = user, .item = item};
  if (user >= 0) {
    pair.user_name = At(memory.users().names(), user);
    pair.of_user = DocumentOf(memory.OfUser(user), user, item);
  }
  if (item >= 0) {
    pair.item_name = At(memory.items().names(), item);
    pair.of_item = DocumentOf(memory.OfItem(item), user, item);
  }
  return pair;
}

RatingPair Model::PairOf(const std::string& user,
                         const std::string& item) const {
  RatingPair pair =
      PairOf(memory.users().Find(user), memory.items().Find(item));
  pair.user_name = user;
  pair.item_name = item;
  return pair;
}

void Model::AddWords(RatingDocument& document,
                     const std::vector<std::string>& given) const {
  // Reviews without words are left out; the last ones remain.
  std::vector<std::string_view> texts;
  for (const std::string& text : given) {
    if (!text.empty()) texts.push_back(text);
  }
  size_t at = texts.size() - std::min(texts.size(), document.reviews.size());
  for (size_t r = 0; r < document.reviews.size(); ++r) {
    const int32_t place = document.places[r];
    const std::string text = vocabulary.Normalized(
        place < 0 ? texts[at++]
                  : std::string_view(At(memory.reviews(), place).text));
    const std::vector<std::string_view> words = SplitWhitespace(text);
    for (size_t w = 0; w < document.reviews[r].size(); ++w) {
      document.words.emplace_back(words.at(w));
    }
  }
}

RatingPair Model::PairOf(const RatingQuestion& question) const {
  RatingPair pair = PairOf(question.user, question.item);
  std::vector<std::string> user_texts, item_texts;
  if (question.user_reviews) {
    user_texts = WordsOfReviews(*question.user_reviews);
    pair.of_user = DocumentOf(user_texts);
    pair.gives_user = true;
  }
  if (question.item_reviews) {
    item_texts = WordsOfReviews(*question.item_reviews);
    pair.of_item = DocumentOf(item_texts);
    pair.gives_item = true;
  }
  AddWords(pair.of_user, user_texts);
  AddWords(pair.of_item, item_texts);
  return pair;
}

RatingBatch Model::BatchOf(std::span<const RatingPair> pairs) const {
  const int64_t B = std::ssize(pairs);
  RatingBatch batch;
  batch.users = Tensor({B}, DType::kI32);
  batch.items = Tensor({B}, DType::kI32);
  for (int64_t b = 0; b < B; ++b) {
    const RatingPair& pair = At(pairs, b);
    batch.users.data<int32_t>()[b] = pair.user + 1;
    batch.items.data<int32_t>()[b] = pair.item + 1;
  }
  if (!reads_texts()) return batch;
  batch.user = PackDocuments(pairs, &RatingPair::of_user);
  batch.item = PackDocuments(pairs, &RatingPair::of_item);
  return batch;
}

RatingSource Model::SourceOf(const RatingPair& pair) const {
  const bool user = pair.user >= 0 || !pair.of_user.reviews.empty();
  const bool item = pair.item >= 0 || !pair.of_item.reviews.empty();
  if (user && item) return RatingSource::kModel;
  if (pair.item >= 0) return RatingSource::kItemMean;
  return pair.user >= 0 ? RatingSource::kUserMean : RatingSource::kMean;
}

double Model::MeanFor(const RatingPair& pair, RatingSource source) const {
  switch (source) {
    case RatingSource::kItemMean:
      return memory.MeanOfItem(pair.item);
    case RatingSource::kUserMean:
      return memory.MeanOfUser(pair.user);
    case RatingSource::kModel:
    case RatingSource::kMean:
      break;
  }
  return memory.mean();
}

double Model::Clipped(double rating) const {
  return std::clamp(rating, scale.min, scale.max);
}

std::vector<double> Model::Ratings(const Context& ctx,
                                   std::span<const RatingPair> pairs) const {
  std::vector<double> all;
  while (all.size() < pairs.size()) {
    ctx.CheckCancelled();
    const auto some = pairs.subspan(
        all.size(),
        std::min(pairs.size() - all.size(), static_cast<size_t>(kPairsAtOnce)));
    const Tensor found = network->Ratings(ctx, BatchOf(some))
                             .value()
                             .To(DType::kF64)
                             .Contiguous();
    for (size_t i = 0; i < some.size(); ++i) {
      const RatingSource source = SourceOf(some[i]);
      all.push_back(Clipped(source == RatingSource::kModel
                                ? found.data<double>()[i]
                                : MeanFor(some[i], source)));
    }
  }
  return all;
}

std::vector<double> SquaredErrors(std::span<const double> found,
                                  std::span<const Review> reviews) {
  std::vector<double> errors;
  for (size_t i = 0; i < found.size(); ++i) {
    const double apart = found[i] - reviews[i].rating;
    errors.push_back(apart * apart);
  }
  return errors;
}

std::unique_ptr<Model> Settings::Open(const ModelFiles& files,
                                      const std::string& folder,
                                      uint64_t seed) const {
  return std::make_unique<Model>(
      *this,
      ReviewMemory::Parse(FindFile(files, folder, kReviewsFile),
                          PathIn(folder, kReviewsFile)),
      FindVocabulary(files, folder, kReviewWordsFile, VocabularyKind::kWords),
      seed);
}

ModelFiles Model::Files() const {
  return {{kReviewsFile, memory.Serialize()},
          {kReviewWordsFile, vocabulary.Serialize()}};
}

}  // namespace heed::ratings

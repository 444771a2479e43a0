#include "heed/models/ratings/rating_config.h"

#include "heed/base/errors.h"
#include "heed/base/text.h"

namespace heed {
namespace {

void VisitDropoutOfRatings(FieldList& v, double& dropout) {
  v("dropout", dropout, UpToBelow(0, 1),
    "probability to drop a feature of words and of what the rating is made "
    "from");
}

void VisitInitOfRatings(FieldList& v, Named<InitKind>& init, double& scale,
                        double& word_scale) {
  v("init", init, "initial matrices");
  v("init_scale", scale, Above(0),
    "uniform: the range; normal: the standard deviation")
      .If(init != InitKind::kGlorot, "--init uniform or normal");
  v("word_scale", word_scale, Above(0),
    "initial word embeddings are uniform in [-X, X]; use a larger X for little "
    "data");
}

Init WordInit(double scale) { return {Init::Kind::kUniform, scale}; }

}  // namespace

void DAttnConfig::Visit(FieldList& v) {
  v.Section("Network");
  v("embedding", embedding, Range(1, 16384), "features of a word");
  v("document", document, Range(1, 100000),
    "maximum words to read of all reviews of a user or an item; the newest "
    "reviews are kept");
  v("gates", gates,
    "gates of words: from the neighbours of a word, before filters of width 1 "
    "(local); from the whole document, before wider filters (global); both or "
    "none");
  v("window", window, Range(1, 101), "words that a local gate reads");
  v("local_filters", local_filters, Range(1, 16384),
    "filters of width 1 after the local gates");
  v("widths", widths, "widths of the filters after the global gate");
  v("filters", filters, Range(1, 16384), "filters of each of these widths");
  v("hidden", hidden, Range(1, 16384),
    "features of the layer after the filters");
  v("factors", factors, Range(1, 16384),
    "features of a user and of an item, whose product is the rating");
  VisitDropoutOfRatings(v, dropout);
  VisitInitOfRatings(v, init, init_scale, word_scale);
}

ResolvedDAttn DAttnConfig::Resolve() const {
  ResolvedDAttn r;
  r.embedding = embedding;
  r.window = window;
  r.local_filters = local_filters;
  for (const std::string& width : widths) {
    const auto number = ParseInteger<int64_t>(width);
    if (!number || *number < 1 || *number > 100) {
      throw ConfigError("widths: '{}' is not a width from 1 to 100", width);
    }
    r.widths.push_back(*number);
  }
  Require(!widths.empty(), "widths: name one at least");
  r.global_filters = filters;
  r.hidden = hidden;
  r.factors = factors;
  r.document = document;
  r.gates = gates;
  r.dropout = dropout;
  r.embedding_init = WordInit(word_scale);
  r.matrix_init = InitSettings{init, init_scale}.Matrix();
  return r;
}

void MpcnConfig::Visit(FieldList& v) {
  v.Section("Network");
  v("embedding", embedding, Range(1, 16384), "features of a word");
  v("read_reviews", read_reviews, Range(1, 1000),
    "maximum reviews to read of a user or an item, the newest ones");
  v("review_words", review_words, Range(1, 10000),
    "maximum words to read of a review");
  v("pointers", pointers, Range(1, 100),
    "number of pointers: how often a review of the user and one of the item "
    "are chosen");
  v("pointing", pointing,
    "reviews that pointers select: one, sampled in training and otherwise the "
    "best (gumbel), a weighted sum of all (soft), or no pointers but the mean "
    "of all (mean)");
  v("temperature", temperature, Range(1e-3, 1e3),
    "temperature of the softmax that replaces the draw in the gradient (the "
    "paper: 0.5); a low one gives almost no gradient to reviews that were not "
    "drawn");
  v("soft_batches", soft_batches, Range(0, 1),
    "share of training batches in which pointers weight all reviews instead of "
    "drawing one, so that words are learnt first");
  v("gate", gate,
    "gate of a review's features: relu(U x + c) as in the authors' code, or "
    "tanh: σ(W x + b) ⊙ tanh(U x + c) as in the paper");
  v("combine", combine,
    "combination of the pointers: a layer with relu (network), their sum, or "
    "their concatenation");
  v("factors", factors, Range(1, 16384),
    "features of the factorisation machine");
  VisitDropoutOfRatings(v, dropout);
  VisitInitOfRatings(v, init, init_scale, word_scale);
}

ResolvedMpcn MpcnConfig::Resolve() const {
  ResolvedMpcn r;
  r.embedding = embedding;
  r.pointers = pointing == Pointing::kMean ? 1 : pointers;
  r.factors = factors;
  r.reviews = read_reviews;
  r.words = review_words;
  r.temperature = temperature;
  r.soft_batches = soft_batches;
  r.dropout = dropout;
  r.pointing = pointing;
  r.gate = gate;
  r.combine = combine;
  r.embedding_init = WordInit(word_scale);
  r.matrix_init = InitSettings{init, init_scale}.Matrix();
  return r;
}

void RatingFactorsConfig::Visit(FieldList& v) {
  v.Section("Network");
  v("factors", factors, Range(1, 16384),
    "features of a user and of an item, whose product is added to the biases");
  v("dropout", dropout, UpToBelow(0, 1), "probability to drop a feature");
}

}  // namespace heed

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
  v("init", init, "how matrices start");
  v("init_scale", scale, Above(0),
    "uniform: the range; normal: the standard deviation")
      .If(init != InitKind::kGlorot, "--init uniform or normal");
  v("word_scale", word_scale, Above(0),
    "words start uniform in plus or minus this; larger where little data must "
    "show which words count");
}

Init WordInit(double scale) { return {Init::Kind::kUniform, scale}; }

}  // namespace

void DAttnConfig::Visit(FieldList& v) {
  v.Section("Network");
  v("embedding", embedding, Range(1, 16384), "features of a word");
  v("document", document, Range(1, 100000),
    "words that are read of all reviews of a side, the newest reviews first "
    "to stay");
  v("gates", gates,
    "what words pass: a gate of each from its neighbours before filters of "
    "width 1 (local), one of the whole document before wider filters "
    "(global), both or none");
  v("window", window, Range(1, 101), "words that a local gate is made from");
  v("local_filters", local_filters, Range(1, 16384),
    "filters of width 1 behind the local gates");
  v("widths", widths, "widths of the filters behind the global gate");
  v("filters", filters, Range(1, 16384), "filters of each of these widths");
  v("hidden", hidden, Range(1, 16384), "features of the layer behind them");
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
    "reviews that are read of each side, the newest ones");
  v("review_words", review_words, Range(1, 10000),
    "words that are read of a review");
  v("pointers", pointers, Range(1, 100),
    "how often one review of each side is chosen");
  v("pointing", pointing,
    "one review that is drawn in training and the first one otherwise "
    "(gumbel), a weighted sum of all (soft), or no pointers but the mean of "
    "all (mean)");
  v("temperature", temperature, Range(1e-3, 1e3),
    "of the softmax whose gradient a drawn review has; at 5 those that were "
    "not drawn learn too, where at 0.5 pointers may stay at some of the words "
    "that count");
  v("soft_batches", soft_batches, Range(0, 1),
    "share of the batches of training in which pointers weigh all reviews "
    "instead of drawing one, so that words are learnt before reviews are "
    "chosen by them");
  v("gate", gate,
    "what a review's features become: σ(W x + b) ⊙ tanh(U x + c) as in the "
    "paper, or relu(U x + c) as in the authors' code");
  v("combine", combine,
    "how the pointers become one vector: a layer with relu, their sum, or all "
    "side by side");
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

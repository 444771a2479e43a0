#include "heed/attention/mask.h"

#include <algorithm>
#include <array>

#include "heed/base/at.h"
#include "heed/base/errors.h"

namespace heed {
namespace {

using kernels::MaskRule;
using Rule = std::shared_ptr<const MaskRule>;
using Extent = MaskRule::Extent;

/// Number of keys whose masks are combined at a time.
constexpr int64_t kPiece = 256;

/// Conjunction (kAnd) or disjunction of the masks a and b.
template <bool kAnd>
class BothRule : public MaskRule {
 public:
  BothRule(Rule a, Rule b) : a_(std::move(a)), b_(std::move(b)) {}

  void Row(int64_t b, int64_t t, kernels::Range keys,
           uint8_t* may) const override {
    a_->Row(b, t, keys, may);
    std::array<uint8_t, kPiece> other;
    for (int64_t s = keys.begin; s < keys.end; s += kPiece) {
      const kernels::Range piece{s, std::min(s + kPiece, keys.end)};
      b_->Row(b, t, piece, other.data());
      uint8_t* out = may + (s - keys.begin);
      for (int64_t i = 0; i < piece.size(); ++i) {
        const uint8_t o = At(other, i);
        out[i] = kAnd ? out[i] & o : out[i] | o;
      }
    }
  }
  Extent Block(int64_t b, kernels::Range queries,
               kernels::Range keys) const override {
    // Extent that decides alone, and the neutral one.
    constexpr Extent kDecides = kAnd ? Extent::kNone : Extent::kAll;
    constexpr Extent kLeaves = kAnd ? Extent::kAll : Extent::kNone;
    const Extent first = a_->Block(b, queries, keys);
    if (first == kDecides) return kDecides;
    const Extent second = b_->Block(b, queries, keys);
    if (second == kDecides || first == kLeaves) return second;
    return second == kLeaves ? first : Extent::kSome;
  }

 private:
  Rule a_;
  Rule b_;
};

class NotRule : public MaskRule {
 public:
  explicit NotRule(Rule rule) : rule_(std::move(rule)) {}

  void Row(int64_t b, int64_t t, kernels::Range keys,
           uint8_t* may) const override {
    rule_->Row(b, t, keys, may);
    for (int64_t i = 0; i < keys.size(); ++i) may[i] ^= 1;
  }
  Extent Block(int64_t b, kernels::Range queries,
               kernels::Range keys) const override {
    switch (rule_->Block(b, queries, keys)) {
      case Extent::kNone:
        return Extent::kAll;
      case Extent::kAll:
        return Extent::kNone;
      default:
        return Extent::kSome;
    }
  }

 private:
  Rule rule_;
};

/// Mask that allows no key.
class NowhereRule : public MaskRule {
 public:
  void Row(int64_t, int64_t, kernels::Range keys, uint8_t* may) const override {
    std::fill(may, may + keys.size(), uint8_t{0});
  }
  Extent Block(int64_t, kernels::Range, kernels::Range) const override {
    return Extent::kNone;
  }
};

/// Elementwise minimum of two length tensors; one may be undefined.
Tensor Lesser(const Tensor& a, const Tensor& b) {
  if (!a.defined()) return b;
  if (!b.defined()) return a;
  Tensor result = a.Clone();
  for (int64_t i = 0; i < a.numel(); ++i) {
    int32_t& length = result.data<int32_t>()[i];
    length = std::min(length, b.data<int32_t>()[i]);
  }
  return result;
}

int64_t Agreed(const char* what, int64_t a, int64_t b) {
  if (a >= 0 && b >= 0 && a != b) {
    throw ShapeError("masks for {} and {} {} cannot be combined", a, b, what);
  }
  return std::max(a, b);
}

void CheckSize(const std::string& where, const char* what, int64_t made_for,
               int64_t given, bool exact) {
  if (made_for >= 0 && (exact ? made_for != given : made_for < given)) {
    throw ShapeError("{}: the mask is made for {} {}, not for {}", where,
                     made_for, what, given);
  }
}

}  // namespace

bool Mask::May(int64_t b, int64_t t, int64_t s) const {
  uint8_t may = 1;
  if (rule_ != nullptr) rule_->Row(b, t, {s, s + 1}, &may);
  return may != 0;
}

void Mask::Check(const std::string& where, int64_t batch, int64_t queries,
                 int64_t keys, bool exact) const {
  CheckSize(where, "rows of a batch", sizes_.batch, batch, true);
  CheckSize(where, "queries", sizes_.queries, queries, exact);
  CheckSize(where, "keys", sizes_.keys, keys, exact);
  for (int64_t b = 0; lengths_.defined() && b < lengths_.numel(); ++b) {
    const int32_t length = lengths_.data<int32_t>()[b];
    if (length < 0 || length > keys) {
      throw ShapeError("{}: row {} has {} keys, but there are {}", where, b,
                       length, keys);
    }
  }
}

MaskSizes Mask::Join(const Mask& a, const Mask& b) {
  return {Agreed("rows", a.sizes_.batch, b.sizes_.batch),
          Agreed("queries", a.sizes_.queries, b.sizes_.queries),
          Agreed("keys", a.sizes_.keys, b.sizes_.keys)};
}

Mask operator&&(const Mask& a, const Mask& b) {
  if (a.all()) return b;
  if (b.all()) return a;
  Mask both(std::make_shared<BothRule<true>>(a.rule_, b.rule_),
            Mask::Join(a, b));
  both.lengths_ = Lesser(a.lengths_, b.lengths_);
  if (a.band_ && b.band_) {
    both.band_ = {std::min(a.band_->before, b.band_->before),
                  std::min(a.band_->after, b.band_->after)};
  }
  return both;
}

Mask operator||(const Mask& a, const Mask& b) {
  if (a.all() || b.all()) return {};
  return Mask(std::make_shared<BothRule<false>>(a.rule(), b.rule()),
              Mask::Join(a, b));
}

Mask operator!(const Mask& mask) {
  if (mask.all()) return Mask(std::make_shared<NowhereRule>());
  return Mask(std::make_shared<NotRule>(mask.rule_), mask.sizes_);
}

}  // namespace heed

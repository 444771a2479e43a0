// Convolution of images: oneDNN on x86 for f32, else products of windows.
#include "heed/kernels/convolution2d.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/memory.h"
#include "heed/base/threads.h"
#include "heed/kernels/cpu/pack.h"
#include "heed/kernels/elementwise.h"
#include "heed/kernels/instructions.h"

#if defined(__x86_64__)
#include "heed/kernels/cpu/onednn.h"
#endif

namespace heed::kernels {
namespace {

/// Calls f(T()) with the element type of x.
template <class F>
void WithFloat(const Tensor& x, const F& f) {
  if (x.dtype() == DType::kF32) {
    f(0.0F);
  } else {
    f(0.0);
  }
}

struct Sizes {
  int64_t images, height, width, channels;
  int64_t rows, cols;  // of the result
  int64_t filters = 0;
};

Sizes SizesOf(const Shape& images, const Window2d& window) {
  return {images[0],
          images[1],
          images[2],
          images[3],
          window.Places(images[1]),
          window.Places(images[2])};
}

Shape ResultShape(const Sizes& n, int64_t features) {
  return {n.images, n.rows, n.cols, features};
}

Tensor AsRows(const Tensor& x) { return x.Reshape({x.rows(), x.cols()}); }

/// w [K, K, C, F] as a matrix [K K C, F].
Tensor AsMatrix(const Tensor& w) {
  return w.Contiguous().Reshape({w.rows(), w.cols()});
}

// Maximum size of unfolded windows, which are K² times as large as the images.
constexpr int64_t kUnfoldedNumbers = int64_t{1} << 20;

int64_t ImagesAtOnce(const Sizes& n, const Window2d& window) {
  const int64_t numbers =
      n.rows * n.cols * window.size * window.size * n.channels;
  return std::max<int64_t>(1, kUnfoldedNumbers / std::max<int64_t>(1, numbers));
}

/// Calls body(first image, end) for groups of images.
template <class Body>
void ForImages(const Sizes& n, const Window2d& window, const Body& body) {
  const int64_t step = ImagesAtOnce(n, window);
  for (int64_t b = 0; b < n.images; b += step) {
    body(b, std::min(n.images, b + step));
  }
}

Tensor UnfoldedConvolve(const Tensor& x, const Tensor& w, const Tensor& bias,
                        const Window2d& window, Precision precision) {
  const Sizes n = SizesOf(x.shape(), window);
  Tensor y(ResultShape(n, w.cols()), x.dtype());
  PackedMatrix packed;
  Pack(AsMatrix(w), false, precision, packed);
  ForImages(n, window, [&](int64_t begin, int64_t end) {
    Tensor part = y.Slice(begin, end);
    Multiply(Unfold2d(x.Slice(begin, end), window), packed,
             Epilogue{.bias = bias.defined() ? &bias : nullptr}, part);
  });
  return y;
}

Tensor UnfoldedInputGrad(const Tensor& dy, const Tensor& w, const Shape& images,
                         const Window2d& window, Precision precision) {
  const Sizes n = SizesOf(images, window);
  Tensor dx(images, dy.dtype());
  PackedMatrix packed;
  Pack(AsMatrix(w), true, precision, packed);
  ForImages(n, window, [&](int64_t begin, int64_t end) {
    const Tensor dy_part = dy.Slice(begin, end);
    Shape shape = dy_part.shape();
    shape.Set(-1, w.rows());
    Tensor windows(shape, dy.dtype());
    Multiply(dy_part, packed, false, windows);
    Shape part = images;
    part.Set(0, end - begin);
    const Tensor sums = Unfold2dGrad(windows, part, window);
    std::memcpy(dx.Slice(begin, end).raw(), sums.raw(),
                static_cast<size_t>(sums.numel()) * SizeOf(sums.dtype()));
  });
  return dx;
}

void UnfoldedWeightGrad(const Tensor& x, const Tensor& dy,
                        const Window2d& window, Precision precision,
                        Tensor& dw) {
  Tensor sum = dw.Reshape({dw.rows(), dw.cols()});
  ForImages(
      SizesOf(x.shape(), window), window, [&](int64_t begin, int64_t end) {
        MultiplyTransposed(AsRows(Unfold2d(x.Slice(begin, end), window)),
                           AsRows(dy.Slice(begin, end)), true, precision, sum);
      });
}

#if defined(__x86_64__)

using cpu::OneDnnPrimitive;
using dnnl::memory;

enum class Pass : uint8_t { kForward, kInput, kWeights };

/// Cache key: sizes and kind of a convolution of several images.
struct ConvolutionKey {
  Pass pass;
  bool bf16, bias;
  int64_t images, height, width, channels, filters, size, stride, padding;
  auto operator<=>(const ConvolutionKey&) const = default;
};

/// Descriptors in the differing APIs of oneDNN 2 and 3.
struct Descriptions {
  Descriptions(const dnnl::engine& engine, const ConvolutionKey& key) {
    const auto type =
        key.bf16 ? memory::data_type::bf16 : memory::data_type::f32;
    constexpr auto kF32 = memory::data_type::f32;
    const Window2d window{key.size, key.stride, key.padding};
    const memory::dims x_dims{key.images, key.channels, key.height, key.width};
    const memory::dims w_dims{key.filters, key.channels, key.size, key.size};
    const memory::dims y_dims{key.images, key.filters,
                              window.Places(key.height),
                              window.Places(key.width)};
    const memory::dims strides{key.stride, key.stride};
    const memory::dims padding{key.padding, key.padding};
    // Factors are rounded to bf16, sums are f32. Gradient primitives require a
    // forward primitive of factors alone as a hint.
    const auto of = [&](const memory::dims& dims, Pass sums,
                        memory::format_tag tag) {
      return memory::desc(dims, key.pass == sums ? kF32 : type, tag);
    };
    using Tag = memory::format_tag;
    const auto x = of(x_dims, Pass::kInput, Tag::nhwc);
    const auto w = of(w_dims, Pass::kWeights, Tag::any);
    const auto y = of(y_dims, Pass::kForward, Tag::nhwc);
    const bool gradient = key.pass != Pass::kForward;
    const auto from = gradient ? memory::desc(x_dims, type, Tag::nhwc) : x;
    const auto by = gradient ? memory::desc(w_dims, type, Tag::any) : w;
    const auto b =
        key.bias ? memory::desc({key.filters}, kF32, Tag::a) : memory::desc();
    plain = memory::desc(w_dims, kF32, Tag::hwio);
    dnnl::primitive_attr attr;
    // The library's own scratchpad would be shared between threads.
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    constexpr auto kAlgorithm = dnnl::algorithm::convolution_direct;
    using Forward = dnnl::convolution_forward;
    using Input = dnnl::convolution_backward_data;
    using Weights = dnnl::convolution_backward_weights;
#if DNNL_VERSION_MAJOR < 3
    const Forward::primitive_desc forward(
        Forward::desc(dnnl::prop_kind::forward_training, kAlgorithm, from, by,
                      b, y, strides, padding, padding),
        attr, engine);
    const auto input = [&] {
      return Input::primitive_desc(
          Input::desc(kAlgorithm, x, w, y, strides, padding, padding), attr,
          engine, forward);
    };
    const auto weights = [&] {
      return Weights::primitive_desc(
          Weights::desc(kAlgorithm, x, w, y, strides, padding, padding), attr,
          engine, forward);
    };
#else
    const Forward::primitive_desc forward(
        engine, dnnl::prop_kind::forward_training, kAlgorithm, from, by, b, y,
        strides, padding, padding, attr);
    const auto input = [&] {
      return Input::primitive_desc(engine, kAlgorithm, x, w, y, strides,
                                   padding, padding, forward, attr);
    };
    const auto weights = [&] {
      return Weights::primitive_desc(engine, kAlgorithm, x, w, y, strides,
                                     padding, padding, forward, attr);
    };
#endif
    switch (key.pass) {
      case Pass::kForward:
        Take(forward, forward.weights_desc());
        arguments = {
            {DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, blocked}, {DNNL_ARG_DST, y}};
        if (key.bias) arguments.emplace_back(DNNL_ARG_BIAS, b);
        break;
      case Pass::kInput: {
        const auto desc = input();
        Take(desc, desc.weights_desc());
        arguments = {{DNNL_ARG_DIFF_DST, y},
                     {DNNL_ARG_WEIGHTS, blocked},
                     {DNNL_ARG_DIFF_SRC, x}};
        break;
      }
      case Pass::kWeights: {
        const auto desc = weights();
        Take(desc, desc.diff_weights_desc());
        arguments = {{DNNL_ARG_SRC, x},
                     {DNNL_ARG_DIFF_DST, y},
                     {DNNL_ARG_DIFF_WEIGHTS, blocked}};
        break;
      }
    }
  }

  template <class Desc>
  void Take(const Desc& desc, const memory::desc& layout) {
    primitive = dnnl::primitive(desc.get());
    scratchpad = desc.scratchpad_desc();
    blocked = layout;
  }

  dnnl::primitive primitive;
  memory::desc scratchpad, blocked, plain;
  std::vector<OneDnnPrimitive::Argument> arguments;
};

/// Convolution primitive with the reorder of weights into its layout, or of
/// their gradient out of it.
class Convolution {
 public:
  Convolution(const dnnl::engine& engine, const ConvolutionKey& key)
      : Convolution(engine, key, Descriptions(engine, key)) {}

  /// Buffer for weights in this layout, in units of four bytes.
  Tensor Room() const {
    return Tensor({(static_cast<int64_t>(bytes_) + 3) / 4});
  }
  /// Weights [K, K, C, F] converted to this layout.
  Tensor Blocked(const Tensor& w) {
    Tensor room = Room();
    move_.Run(std::array<const void*, 2>{w.raw(), room.raw()});
    return room;
  }
  void Plain(const Tensor& blocked, Tensor& w) {
    move_.Run(std::array<const void*, 2>{blocked.raw(), w.raw()});
  }
  void Run(std::span<const void* const> data) { primitive_.Run(data); }

 private:
  Convolution(const dnnl::engine& engine, const ConvolutionKey& key,
              const Descriptions& descriptions)
      : bytes_(descriptions.blocked.get_size()),
        primitive_(engine, descriptions.primitive, descriptions.scratchpad,
                   descriptions.arguments),
        move_(key.pass == Pass::kWeights
                  ? Move(engine, descriptions.blocked, descriptions.plain)
                  : Move(engine, descriptions.plain, descriptions.blocked)) {}

  static OneDnnPrimitive Move(const dnnl::engine& engine,
                              const memory::desc& from,
                              const memory::desc& to) {
    dnnl::primitive_attr attr;
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const dnnl::reorder::primitive_desc desc(engine, from, engine, to, attr);
    return OneDnnPrimitive(engine, dnnl::reorder(desc), desc.scratchpad_desc(),
                           {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
  }

  size_t bytes_;
  OneDnnPrimitive primitive_, move_;
};

/// Cache of convolutions by size. A model has few image and batch sizes; if
/// there are many, the cache is cleared.
class ConvolutionCache {
 public:
  static ConvolutionCache& Instance() {
    static auto* cache = new ConvolutionCache;
    return *cache;
  }

  std::shared_ptr<Convolution> Get(const ConvolutionKey& key) {
    constexpr size_t kMax = 512;
    const std::lock_guard<std::mutex> lock(mutex_);
    auto found = made_.find(key);
    if (found != made_.end()) return found->second;
    if (made_.size() >= kMax) made_.clear();
    const cpu::OneOpenMpThread one;
    RequireMemory(cpu::kOneDnnCodeBytes);
    return made_[key] = std::make_shared<Convolution>(engine_, key);
  }

 private:
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  std::mutex mutex_;
  std::map<ConvolutionKey, std::shared_ptr<Convolution>> made_;
};

ConvolutionKey KeyOf(Pass pass, const Sizes& n, const Window2d& window,
                     bool bf16) {
  return {pass,        bf16,          false,         n.images,
          n.height,    n.width,       n.channels,    n.filters,
          window.size, window.stride, window.padding};
}

/// Factor for bf16 products: x rounded, or x itself.
Tensor Rounded(const Tensor& x, bool bf16) {
  if (!bf16) return x;
  Tensor rounded(x.shape(), DType::kBF16);
  cpu::RoundBF16(x.data<float>(), x.numel(),
                 reinterpret_cast<uint16_t*>(rounded.data<bfloat16>()));
  return rounded;
}

/// Number of images convolved by one call: enough work to amortise the call,
/// and chunks for all cores. Remaining images run one by one.
int64_t ImagesOfChunk(const Sizes& n, const Window2d& window) {
  constexpr int64_t kOperations = int64_t{1} << 23;
  const int64_t one =
      2 * n.rows * n.cols * n.filters * n.channels * window.size * window.size;
  int64_t chunk = 1;
  while (chunk < 16 && chunk * one < kOperations) chunk *= 2;
  return chunk;
}

/// Calls run(convolution, weights in its layout, first image, end) for chunks
/// of images, in parallel.
template <class Run>
void InChunks(ConvolutionKey key, const Sizes& n, const Window2d& window,
              const Tensor& w, const Run& run) {
  const int64_t chunk = ImagesOfChunk(n, window);
  const int64_t whole = n.images / chunk * chunk;
  const auto images = [&](int64_t at_once, int64_t begin, int64_t end) {
    if (begin == end) return;
    key.images = at_once;
    const auto convolution = ConvolutionCache::Instance().Get(key);
    const Tensor weights = convolution->Blocked(w);
    ParallelForEach((end - begin) / at_once, 1, [&](int64_t i) {
      const int64_t first = begin + i * at_once;
      run(*convolution, weights, first, first + at_once);
    });
  };
  images(chunk, 0, whole);
  images(1, whole, n.images);
}

bool ByOneDnn(const Tensor& x) {
  return x.dtype() == DType::kF32 && !SameOnEveryCpu::Wanted();
}

bool RoundsToBF16(Precision precision) {
  return precision == Precision::kBF16 && HasBF16();
}

#endif

/// Calls body(b, i, j, row of windows) for each window position.
template <typename T, class Body>
void ForWindows(const Sizes& n, Tensor& windows, const Body& body) {
  ParallelForEach(n.images * n.rows, 1, [&](int64_t r) {
    for (int64_t j = 0; j < n.cols; ++j) {
      body(r / n.rows, r % n.rows, j, windows.row<T>(r * n.cols + j));
    }
  });
}

}  // namespace

Tensor Unfold2d(const Tensor& x, const Window2d& window) {
  const Sizes n = SizesOf(x.shape(), window);
  const int64_t k = window.size;
  Tensor y(ResultShape(n, k * k * n.channels), x.dtype());
  WithFloat(x, [&]<typename T>(T) {
    ForWindows<T>(n, y, [&](int64_t b, int64_t i, int64_t j, T* to) {
      for (int64_t u = 0; u < k; ++u) {
        const int64_t row = i * window.stride + u - window.padding;
        for (int64_t v = 0; v < k; ++v, to += n.channels) {
          const int64_t col = j * window.stride + v - window.padding;
          if (row < 0 || row >= n.height || col < 0 || col >= n.width) {
            std::fill_n(to, n.channels, T(0));
          } else {
            std::copy_n(x.row<T>((b * n.height + row) * n.width + col),
                        n.channels, to);
          }
        }
      }
    });
  });
  return y;
}

Tensor Unfold2dGrad(const Tensor& dy, const Shape& images,
                    const Window2d& window) {
  const Sizes n = SizesOf(images, window);
  const int64_t k = window.size;
  Tensor dx = Tensor::Zeros(images, dy.dtype());
  WithFloat(dy, [&]<typename T>(T) {
    ParallelForEach(n.images, 1, [&](int64_t b) {
      for (int64_t p = 0; p < n.rows * n.cols; ++p) {
        const T* from = dy.row<T>(b * n.rows * n.cols + p);
        for (int64_t u = 0; u < k; ++u) {
          const int64_t row = p / n.cols * window.stride + u - window.padding;
          for (int64_t v = 0; v < k; ++v, from += n.channels) {
            const int64_t col = p % n.cols * window.stride + v - window.padding;
            if (row < 0 || row >= n.height || col < 0 || col >= n.width) {
              continue;
            }
            T* to = dx.row<T>((b * n.height + row) * n.width + col);
            for (int64_t c = 0; c < n.channels; ++c) to[c] += from[c];
          }
        }
      }
    });
  });
  return dx;
}

Tensor Convolve2d(const Tensor& x, const Tensor& w, const Tensor& bias,
                  const Window2d& window, Precision precision) {
#if defined(__x86_64__)
  Sizes n = SizesOf(x.shape(), window);
  n.filters = w.cols();
  if (ByOneDnn(x) && n.images * n.rows * n.cols * n.channels * n.filters > 0) {
    const bool bf16 = RoundsToBF16(precision);
    ConvolutionKey key = KeyOf(Pass::kForward, n, window, bf16);
    key.bias = bias.defined();
    Tensor y(ResultShape(n, n.filters), DType::kF32);
    InChunks(key, n, window, w.Contiguous(),
             [&](Convolution& convolution, const Tensor& weights, int64_t begin,
                 int64_t end) {
               const Tensor images = Rounded(x.Slice(begin, end), bf16);
               const std::array<const void*, 4> data{
                   images.raw(), weights.raw(), y.Slice(begin, end).raw(),
                   key.bias ? bias.raw() : nullptr};
               convolution.Run(std::span(data).first(key.bias ? 4 : 3));
             });
    return y;
  }
#endif
  return UnfoldedConvolve(x, w, bias, window, precision);
}

Tensor Convolve2dInputGrad(const Tensor& dy, const Tensor& w,
                           const Shape& images, const Window2d& window,
                           Precision precision) {
#if defined(__x86_64__)
  Sizes n = SizesOf(images, window);
  n.filters = w.cols();
  if (ByOneDnn(dy) && dy.numel() * n.channels > 0) {
    const bool bf16 = RoundsToBF16(precision);
    Tensor dx(images, DType::kF32);
    InChunks(KeyOf(Pass::kInput, n, window, bf16), n, window, w.Contiguous(),
             [&](Convolution& convolution, const Tensor& weights, int64_t begin,
                 int64_t end) {
               const Tensor gradients = Rounded(dy.Slice(begin, end), bf16);
               convolution.Run(std::array<const void*, 3>{
                   gradients.raw(), weights.raw(), dx.Slice(begin, end).raw()});
             });
    return dx;
  }
#endif
  return UnfoldedInputGrad(dy, w, images, window, precision);
}

void Convolve2dWeightGrad(const Tensor& x, const Tensor& dy,
                          const Window2d& window, Precision precision,
                          Tensor& dw) {
  assert(dw.contiguous());
#if defined(__x86_64__)
  Sizes n = SizesOf(x.shape(), window);
  n.filters = dw.cols();
  if (ByOneDnn(x) && dy.numel() * n.channels > 0) {
    // Partial sums for a few groups of images, added in order.
    constexpr int64_t kGroups = 8;
    const bool bf16 = RoundsToBF16(precision);
    const int64_t group = (n.images + kGroups - 1) / kGroups;
    const int64_t groups = (n.images + group - 1) / group;
    std::vector<Tensor> sums(static_cast<size_t>(groups));
    ParallelForEach(groups, 1, [&](int64_t i) {
      const int64_t begin = i * group;
      const int64_t end = std::min(n.images, begin + group);
      ConvolutionKey key = KeyOf(Pass::kWeights, n, window, bf16);
      key.images = end - begin;
      const auto convolution = ConvolutionCache::Instance().Get(key);
      const Tensor images = Rounded(x.Slice(begin, end), bf16);
      const Tensor gradients = Rounded(dy.Slice(begin, end), bf16);
      const Tensor blocked = convolution->Room();
      convolution->Run(std::array<const void*, 3>{images.raw(), gradients.raw(),
                                                  blocked.raw()});
      Tensor& sum = At(sums, i);
      sum = Tensor(dw.shape());
      convolution->Plain(blocked, sum);
    });
    for (const Tensor& sum : sums) AddTo(dw, sum);
    return;
  }
#endif
  UnfoldedWeightGrad(x, dy, window, precision, dw);
}

}  // namespace heed::kernels

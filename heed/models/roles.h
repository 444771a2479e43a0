// What a model can be: each role an interface, for whose models a task asks the
// registry.
#ifndef HEED_MODELS_ROLES_H_
#define HEED_MODELS_ROLES_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include "heed/autograd/parameter_set.h"
#include "heed/base/config.h"
#include "heed/models/decoder.h"
#include "heed/models/forecaster.h"
#include "heed/models/ntm/machine.h"
#include "heed/models/sequence_encoder.h"
#include "heed/models/text_encoder.h"
#include "heed/models/text_reader.h"
#include "heed/models/transformer/bert.h"

namespace heed {

/// What the user chooses of a model in a role. What is left to the model
/// ("auto", 0) is filled in by the role's Fill.
class ModelSettings {
 public:
  virtual ~ModelSettings() = default;
  virtual std::unique_ptr<ModelSettings> Clone() const = 0;

  /// Options, keys of config.json.
  virtual void Visit(FieldList& v) = 0;
  /// Of matrix products: the setting `precision`, as far as this processor has
  /// it.
  kernels::Precision precision() const;
  /// "; ..." if it has not, else "".
  std::string PrecisionNote() const;

  /// The config of this type that the settings are, or nullptr.
  virtual const void* FindConfig(const std::type_info& /*type*/) const {
    return nullptr;
  }

 private:
  bool wants_bf16() const;
};

class EncoderSettings;

/// What of a model reads a text, as a model of its own.
struct EncoderPart {
  std::string model;                          ///< in the registry
  std::unique_ptr<EncoderSettings> settings;  ///< filled
  /// How its parameters begin in the whole model, and how those of an encoder
  /// (encoder.*) do.
  std::vector<std::pair<std::string, std::string>> parameters;
};

/// Reads a source and writes a target.
class TranslatorSettings : public ModelSettings {
 public:
  static constexpr const char* kRole = "translator";

  /// Replaces what is left to the model, and checks that the choices fit
  /// together. Throws: ConfigError.
  virtual void Fill() = 0;
  /// Of settings that are filled:
  /// Whether it attends to the source.
  virtual bool attends() const = 0;
  /// Chooses the attention that guided alignment teaches, if none is chosen.
  virtual void GuideAlignment() {}
  /// What reads the source. Throws: ConfigError if no encoder does the same.
  virtual EncoderPart Encoder() const = 0;
  /// Throws: ConfigError.
  virtual std::unique_ptr<Decoder> Make(int source_vocabulary,
                                        int target_vocabulary, uint64_t seed,
                                        DType dtype = DType::kF32) const = 0;
};

/// Continues a text.
class LanguageModelSettings : public ModelSettings {
 public:
  static constexpr const char* kRole = "language model";

  /// As TranslatorSettings::Fill, for texts of up to `length` tokens.
  virtual void Fill(int length) = 0;
  /// Number of learned positions (see TextReaderSettings::positions).
  virtual int positions() const { return 0; }
  /// Of settings that are filled: what reads a text up to a word. Throws:
  /// ConfigError if no encoder does the same.
  virtual EncoderPart Encoder() const = 0;
  virtual std::unique_ptr<Decoder> Make(int vocabulary, uint64_t seed,
                                        DType dtype = DType::kF32) const = 0;
};

/// The smaller of a limit (0: none) and a number of positions (0: any).
inline int LimitWithin(int positions, int limit) {
  if (positions == 0 || limit == 0) return std::max(positions, limit);
  return std::min(positions, limit);
}

struct EncoderUse {
  bool causal = false;  ///< may not see what comes later
  int length = 0;       ///< of what is read, at most; 0: not known
};

/// Reads a text as one vector.
class TextReaderSettings : public ModelSettings {
 public:
  static constexpr const char* kRole = "encoder of texts";

  /// As TranslatorSettings::Fill.
  virtual void Fill(const EncoderUse& use) = 0;
  /// Number of learned positions, the longest input; 0: no limit. The settings
  /// must be filled.
  virtual int positions() const { return 0; }
  /// Whether a text is a document, whose sentences are read one by one.
  virtual bool reads_sentences() const { return false; }
  /// Of settings that are filled; `pooling` is without features. Throws:
  /// ConfigError.
  virtual std::unique_ptr<TextReader> MakeReader(
      const Scope& scope, const TextSizes& sizes,
      const PoolingOptions& pooling) const = 0;
};

/// Reads vectors or text.
class EncoderSettings : public TextReaderSettings {
 public:
  static constexpr const char* kRole = "encoder";

  /// Of settings that are filled:
  /// Features of what it gives: a good size for what it reads.
  virtual int64_t features() const = 0;
  /// Throws: ConfigError.
  virtual std::unique_ptr<SequenceEncoder> Make(const Scope& scope,
                                                int64_t inputs,
                                                bool causal) const = 0;
  /// Pools what MakeText gives. Parameters: encoder, pooling.
  std::unique_ptr<TextReader> MakeReader(
      const Scope& scope, const TextSizes& sizes,
      const PoolingOptions& pooling) const override {
    return std::make_unique<PooledReader>(scope / "pooling", pooling,
                                          MakeText(scope / "encoder", sizes));
  }
  /// Not causal. As it is, it reads embeddings of so many features. Throws:
  /// ConfigError.
  virtual std::unique_ptr<TextEncoder> MakeText(const Scope& scope,
                                                const TextSizes& sizes) const {
    return std::make_unique<EmbeddedTextEncoder>(
        scope, sizes, features(),
        Make(scope, features() + sizes.vectors, /*causal=*/false));
  }
};

/// An encoder that learns from masked words and pairs of sentences.
class PretrainingSettings : public EncoderSettings {
 public:
  static constexpr const char* kRole = "encoder that is pre-trained";

  /// Kinds of tokens that it tells apart; a pair has 2.
  virtual int segments() const = 0;
  virtual std::unique_ptr<Bert> MakePretraining(
      int64_t vocabulary, uint64_t seed, DType dtype = DType::kF32) const = 0;
};

/// How an encoder is used for forecasting.
struct ForecastUse {
  const char* encoder;     ///< settings of the encoder, as a preset
  const char* forecaster;  ///< those of ForecasterConfig
  bool causal;
  double learning_rate;  ///< that suits it
};

/// Reads the window of a series.
class ForecastSettings : public ModelSettings {
 public:
  static constexpr const char* kRole = "forecaster";

  /// Throws: ConfigError if the use names settings that there are not.
  ForecastSettings(std::unique_ptr<EncoderSettings> encoder,
                   const ForecastUse& use);
  ForecastSettings(const ForecastSettings& other);

  std::unique_ptr<ModelSettings> Clone() const override;
  void Visit(FieldList& v) override { encoder_->Visit(v); }
  const void* FindConfig(const std::type_info& type) const override {
    return encoder_->FindConfig(type);
  }

  /// What suits the model.
  const ForecasterConfig& forecaster() const { return forecaster_; }
  double learning_rate() const { return use_.learning_rate; }
  /// As TranslatorSettings::Fill, for windows of `steps` patches.
  void Fill(int steps) { encoder_->Fill({use_.causal, steps}); }
  std::unique_ptr<SequenceEncoder> Make(const Scope& scope,
                                        int64_t inputs) const {
    return encoder_->Make(scope, inputs, use_.causal);
  }

 private:
  std::unique_ptr<EncoderSettings> encoder_;
  ForecastUse use_;
  ForecasterConfig forecaster_;
};

/// How large machines are that suit a problem, as presets.
struct MachineUse {
  const char* feedforward;  ///< with a memory and a controller without a state
  const char* recurrent;    ///< with a memory and a controller with a state
  const char* stack;        ///< without a memory
};

/// Reads a vector and answers with one at every step.
class MachineSettings : public ModelSettings {
 public:
  static constexpr const char* kRole = "machine";

  /// As TranslatorSettings::Fill.
  virtual void Fill(const MachineUse& use) = 0;
  virtual std::unique_ptr<SequenceMachine> Make(const Scope& scope,
                                                int64_t inputs,
                                                int64_t outputs) const = 0;
};

/// A role played by a model that a config describes; `Derived` is copied.
template <typename Derived, typename Role, typename Config>
class SettingsOf : public Role {
 public:
  explicit SettingsOf(std::string model) : model_(std::move(model)) {}

  std::unique_ptr<ModelSettings> Clone() const override {
    return std::make_unique<Derived>(static_cast<const Derived&>(*this));
  }
  void Visit(FieldList& v) override { config_.Visit(v); }
  const void* FindConfig(const std::type_info& type) const override {
    return type == typeid(Config) ? &config_ : nullptr;
  }

 protected:
  std::string model_;  // its name in the registry
  Config config_;
};

}  // namespace heed

#endif  // HEED_MODELS_ROLES_H_

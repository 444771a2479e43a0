// Roles of models: interfaces by which tasks find models in the registry.
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

/// User settings of a model in a role. `Fill` of the role replaces "auto" and 0
/// by the model's defaults.
class ModelSettings {
 public:
  virtual ~ModelSettings() = default;
  virtual std::unique_ptr<ModelSettings> Clone() const = 0;

  /// Visits options, which are also keys of config.json.
  virtual void Visit(FieldList& v) = 0;
  /// Precision of matrix products: the setting `precision`, if this processor
  /// supports it.
  kernels::Precision precision() const;
  /// "; ..." if the processor does not support the precision, else "".
  std::string PrecisionNote() const;

  /// The settings as a config of this type, or nullptr.
  virtual const void* FindConfig(const std::type_info& /*type*/) const {
    return nullptr;
  }

 private:
  bool wants_bf16() const;
};

class EncoderSettings;

/// Text-reading part of a model, as an encoder of its own.
struct EncoderPart {
  std::string model;                          ///< name in the registry
  std::unique_ptr<EncoderSettings> settings;  ///< filled settings
  /// Parameter prefixes: in the whole model, and in the encoder (encoder.*).
  std::vector<std::pair<std::string, std::string>> parameters;
};

/// Role: reads a source and writes a target.
class TranslatorSettings : public ModelSettings {
 public:
  static constexpr const char* kRole = "translator";

  /// Replaces "auto" and 0 by the model's defaults. Throws: ConfigError if the
  /// settings do not fit together.
  virtual void Fill() = 0;
  /// True if the model attends to the source. The settings must be filled.
  virtual bool attends() const = 0;
  /// Selects the attention for guided alignment, if none is selected.
  virtual void GuideAlignment() {}
  /// Encoder of the source; settings must be filled. Throws: ConfigError if
  /// there is no equivalent encoder.
  virtual EncoderPart Encoder() const = 0;
  /// Makes a translator; settings must be filled. Throws: ConfigError.
  virtual std::unique_ptr<Decoder> Make(int source_vocabulary,
                                        int target_vocabulary, uint64_t seed,
                                        DType dtype = DType::kF32) const = 0;
};

/// Role: continues a text.
class LanguageModelSettings : public ModelSettings {
 public:
  static constexpr const char* kRole = "language model";

  /// Replaces "auto" and 0 by the model's defaults for texts of up to `length`
  /// tokens. Throws: ConfigError.
  virtual void Fill(int length) = 0;
  /// Number of learned positions (see TextReaderSettings::positions).
  virtual int positions() const { return 0; }
  /// Encoder that reads a text up to a word; settings must be filled. Throws:
  /// ConfigError if there is no equivalent encoder.
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
  bool causal = false;  ///< may not see later positions
  int length = 0;       ///< maximum length of an input; 0: unknown
};

/// Role: encodes a text as one vector.
class TextReaderSettings : public ModelSettings {
 public:
  static constexpr const char* kRole = "encoder of texts";

  /// Replaces "auto" and 0 by the model's defaults. Throws: ConfigError.
  virtual void Fill(const EncoderUse& use) = 0;
  /// Number of learned positions, the longest input; 0: no limit. The settings
  /// must be filled.
  virtual int positions() const { return 0; }
  /// True if texts are documents whose sentences are read one by one.
  virtual bool reads_sentences() const { return false; }
  /// Makes a reader; settings must be filled, and pooling.features is ignored.
  /// Throws: ConfigError.
  virtual std::unique_ptr<TextReader> MakeReader(
      const Scope& scope, const TextSizes& sizes,
      const PoolingOptions& pooling) const = 0;
};

/// Role: encodes vectors or text.
class EncoderSettings : public TextReaderSettings {
 public:
  static constexpr const char* kRole = "encoder";

  /// Size of the outputs, and a suitable size of inputs. The settings must be
  /// filled.
  virtual int64_t features() const = 0;
  /// Makes an encoder; settings must be filled. Throws: ConfigError.
  virtual std::unique_ptr<SequenceEncoder> Make(const Scope& scope,
                                                int64_t inputs,
                                                bool causal) const = 0;
  /// Pools the states of MakeText. Parameters: encoder, pooling.
  std::unique_ptr<TextReader> MakeReader(
      const Scope& scope, const TextSizes& sizes,
      const PoolingOptions& pooling) const override {
    return std::make_unique<PooledReader>(scope / "pooling", pooling,
                                          MakeText(scope / "encoder", sizes));
  }
  /// Makes a bidirectional text encoder; by default one that reads embeddings
  /// of features() features. Throws: ConfigError.
  virtual std::unique_ptr<TextEncoder> MakeText(const Scope& scope,
                                                const TextSizes& sizes) const {
    return std::make_unique<EmbeddedTextEncoder>(
        scope, sizes, features(),
        Make(scope, features() + sizes.vectors, /*causal=*/false));
  }
};

/// Role: encoder pretrained on masked words and sentence pairs.
class PretrainingSettings : public EncoderSettings {
 public:
  static constexpr const char* kRole = "encoder that is pre-trained";

  /// Number of segments; a pair has 2.
  virtual int segments() const = 0;
  /// `next_sentence`: whether the model compares the two texts of a pair.
  virtual std::unique_ptr<Bert> MakePretraining(
      int64_t vocabulary, uint64_t seed, DType dtype = DType::kF32,
      bool next_sentence = true) const = 0;
};

/// Use of an encoder for forecasting.
struct ForecastUse {
  const char* encoder;     ///< settings of the encoder, as a preset
  const char* forecaster;  ///< settings of ForecasterConfig
  bool causal;
  double learning_rate;  ///< default learning rate
};

/// Role: reads the window of a series.
class ForecastSettings : public ModelSettings {
 public:
  static constexpr const char* kRole = "forecaster";

  /// Throws: ConfigError if the use names unknown settings.
  ForecastSettings(std::unique_ptr<EncoderSettings> encoder,
                   const ForecastUse& use);
  ForecastSettings(const ForecastSettings& other);

  std::unique_ptr<ModelSettings> Clone() const override;
  void Visit(FieldList& v) override { encoder_->Visit(v); }
  const void* FindConfig(const std::type_info& type) const override {
    return encoder_->FindConfig(type);
  }

  /// Default forecaster configuration of the model.
  const ForecasterConfig& forecaster() const { return forecaster_; }
  double learning_rate() const { return use_.learning_rate; }
  /// Replaces "auto" and 0 by the model's defaults for windows of `steps`
  /// patches. Throws: ConfigError.
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

/// Suitable machine sizes for a problem, as presets.
struct MachineUse {
  const char* feedforward;  ///< with a memory and a feed-forward controller
  const char* recurrent;    ///< with a memory and a recurrent controller
  const char* stack;        ///< without a memory
};

/// Role: maps an input vector to an output vector at each step.
class MachineSettings : public ModelSettings {
 public:
  static constexpr const char* kRole = "machine";

  /// Replaces "auto" and 0 by the model's defaults. Throws: ConfigError.
  virtual void Fill(const MachineUse& use) = 0;
  virtual std::unique_ptr<SequenceMachine> Make(const Scope& scope,
                                                int64_t inputs,
                                                int64_t outputs) const = 0;
};

/// Role of a model described by a config; `Derived` must be copyable.
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

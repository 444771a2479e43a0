#include "heed/models/ntm/ntm.h"
#include "heed/models/registry.h"

namespace heed {
namespace {

class NtmSettings : public SettingsOf<NtmSettings, MachineSettings, NtmConfig> {
 public:
  using SettingsOf::SettingsOf;

  void Fill(const MachineUse& use) override {
    const bool recurrent = config_.controller == Controller::kLstm;
    FillPreset(FieldsOf(config_), recurrent ? use.recurrent : use.feedforward);
  }
  std::unique_ptr<SequenceMachine> Make(const Scope& scope, int64_t inputs,
                                        int64_t outputs) const override {
    return std::make_unique<NeuralTuringMachine>(scope, config_.Resolve(),
                                                 inputs, outputs);
  }
};

class LstmSettings
    : public SettingsOf<LstmSettings, MachineSettings, LstmMachineConfig> {
 public:
  using SettingsOf::SettingsOf;

  void Fill(const MachineUse& use) override {
    FillPreset(FieldsOf(config_), use.stack);
  }
  std::unique_ptr<SequenceMachine> Make(const Scope& scope, int64_t inputs,
                                        int64_t outputs) const override {
    return std::make_unique<LstmMachine>(scope, config_.layers, config_.units,
                                         inputs, outputs);
  }
};

}  // namespace

std::vector<ModelRow> MachineModels() {
  return {{.name = "ntm",
           .variants = {{"", "Neural Turing Machine: a memory that it writes",
                         "Graves et al. 2014, arXiv:1410.5401"}},
           .roles = {MakeRole<NtmSettings>}},
          {.name = "lstm",
           .variants = {{"", "a stack of LSTMs that answers at every step",
                         "Hochreiter and Schmidhuber 1997"}},
           .roles = {MakeRole<LstmSettings>}}};
}

}  // namespace heed

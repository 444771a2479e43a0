#include "heed/convert/marian_recurrent.h"

#include <fmt/format.h>

#include <array>
#include <map>

#include "heed/convert/marian_options.h"
#include "heed/models/registry.h"

namespace heed {
namespace {

/// Parameter names of amun, by the different names in s2s.
const std::map<std::string, std::string>& AmunNames() {
  static const std::map<std::string, std::string> names = [] {
    std::map<std::string, std::string> all = {
        {"decoder_ff_logit_l1_W0", "ff_logit_prev_W"},
        {"decoder_ff_logit_l1_W1", "ff_logit_lstm_W"},
        {"decoder_ff_logit_l1_W2", "ff_logit_ctx_W"},
        {"decoder_ff_logit_l1_b0", "ff_logit_prev_b"},
        {"decoder_ff_logit_l1_b1", "ff_logit_lstm_b"},
        {"decoder_ff_logit_l1_b2", "ff_logit_ctx_b"},
        {"decoder_ff_logit_l2_W", "ff_logit_W"},
        {"decoder_ff_logit_l2_b", "ff_logit_b"},
        {"decoder_ff_state_W", "ff_state_W"},
        {"decoder_ff_state_b", "ff_state_b"},
        {"decoder_Wemb", "Wemb_dec"},
        {"encoder_Wemb", "Wemb"},
        {"decoder_cell2_W", "decoder_Wc"},
        {"decoder_cell2_Wx", "decoder_Wcx"}};
    for (const std::string part : {"W", "Wx", "U", "Ux", "b", "bx"}) {
      all["encoder_bi_" + part] = "encoder_" + part;
      all["encoder_bi_r_" + part] = "encoder_r_" + part;
      all["decoder_cell1_" + part] = "decoder_" + part;
      if (part[0] != 'W') {
        all["decoder_cell2_" + part] = "decoder_" + part + "_nl";
      }
    }
    return all;
  }();
  return names;
}

/// Fills parameters by their s2s names.
class Filler {
 public:
  Filler(const MarianRecurrent& marian, WeightReader& reader)
      : marian_(marian), reader_(reader) {}

  void Copy(const std::string& ours, const std::string& theirs) {
    reader_.Set(ours, Take(theirs, reader_.ShapeOf(ours)));
  }

  /// Fills a GRU. Marian stores the gates r and z apart from the candidate. The
  /// reset gate applies to the candidate's bias only in the last cell of a
  /// step.
  void Gru(const std::string& ours, const std::string& theirs, bool last) {
    const std::string input = ours + ".input.0.weight";
    const int64_t units = reader_.ShapeOf(input)[1] / 3;
    const auto both = [&](const std::string& name, const std::string& part) {
      const Shape shape = reader_.ShapeOf(name);
      Tensor all(shape);
      all.Columns(0, 2 * units)
          .CopyFrom(Take(theirs + "_" + part, {shape[0], 2 * units}));
      all.Columns(2 * units, 3 * units)
          .CopyFrom(Take(theirs + "_" + part + "x", {shape[0], units}));
      reader_.Set(name, all);
    };
    both(input, "W");
    both(ours + ".recurrent.weight", "U");
    const Tensor gates = Take(theirs + "_b", {2 * units});
    const Tensor candidate = Take(theirs + "_bx", {units});
    Tensor bias = Tensor::Zeros({3 * units});
    Tensor recurrent = Tensor::Zeros({3 * units});
    bias.Slice(0, 2 * units).CopyFrom(gates);
    (last ? recurrent : bias).Slice(2 * units, 3 * units).CopyFrom(candidate);
    reader_.Set(ours + ".bias", bias);
    reader_.Set(ours + ".recurrent.bias", recurrent);
  }

  /// Fills the readout tanh(Σ x_i W_i + b_i) of embedding, state and context.
  void ReadOut(const std::string& ours, const std::string& theirs) {
    constexpr std::array kInputs = {"embedding", "state", "context"};
    const std::string bias_name = ours + ".bias";
    Tensor bias = Tensor::Zeros(reader_.ShapeOf(bias_name));
    for (size_t i = 0; i < kInputs.size(); ++i) {
      Copy(fmt::format("{}.{}.weight", ours, kInputs[i]),
           fmt::format("{}_W{}", theirs, i));
      const Tensor own = Take(fmt::format("{}_b{}", theirs, i), bias.shape());
      for (int64_t j = 0; j < bias.numel(); ++j) {
        bias.data<float>()[j] += own.data<float>()[j];
      }
    }
    reader_.Set(bias_name, bias);
  }

 private:
  Tensor Take(const std::string& theirs, const Shape& shape) {
    return reader_.from().Take(MarianName(marian_, theirs), shape);
  }

  const MarianRecurrent& marian_;
  WeightReader& reader_;
};

}  // namespace

MarianRecurrent ReadMarianRecurrent(ImportOptions& options, Notes& notes) {
  MarianRecurrent marian;
  marian.amun = options.OneOf("type", "amun", {"s2s", "amun"}) == "amun";
  RecurrentConfig& c = marian.config;
  c.variant = ModelForImport(marian.format()).variant;
  c.embedding = options.Number("dim-emb", 512);
  c.units = options.Number("dim-rnn", 1024);
  c.encoder_units = c.units;
  c.attention_units = 2 * c.units;
  c.layers = 1;
  c.cell = Cell::kGru;
  c.bidirectional = YesNo::kYes;
  c.bridge = Bridge::kMean;
  c.score = "additive";
  c.readout = Readout::kTanh;
  c.readout_units = c.embedding;
  c.readout_state = ReadoutState::kCurrent;
  for (const char* key : {"enc-depth", "enc-cell-depth", "dec-depth"}) {
    options.OneOf(key, "1", {"1"});
  }
  options.OneOf("dec-cell-base-depth", "2", {"2"});
  for (const char* key : {"enc-cell", "dec-cell"}) {
    options.OneOf(key, "gru", {"gru", "gru-nematus"});
  }
  options.OneOf("enc-type", "bidirectional",
                {"bidirectional", "bi-unidirectional", "alternating"});
  const bool all = options.Flag("tied-embeddings-all");
  c.tie_output = options.Flag("tied-embeddings") || all;
  marian.shared_tables = options.Flag("tied-embeddings-src") || all;
  marian.output_bias = !options.Flag("output-omit-bias");
  CheckMarianOptions(options, /*transformer=*/false, notes);
  return marian;
}

std::string MarianName(const MarianRecurrent& marian, const std::string& name) {
  if (!marian.amun) return name;
  const auto found = AmunNames().find(name);
  return found == AmunNames().end() ? name : found->second;
}

void FillMarianRecurrent(const MarianRecurrent& marian, WeightReader& reader) {
  Filler fill(marian, reader);
  fill.Gru("encoder.forward.0", "encoder_bi", false);
  fill.Gru("encoder.backward.0", "encoder_bi_r", false);
  fill.Gru("decoder.layers.0", "decoder_cell1", false);
  fill.Gru("decoder.second", "decoder_cell2", true);
  fill.Copy("decoder.attention.query.weight", "decoder_W_comb_att");
  fill.Copy("decoder.attention.key.weight", "decoder_Wc_att");
  fill.Copy("decoder.attention.key.bias", "decoder_b_att");
  fill.Copy("decoder.attention.score.weight", "decoder_U_att");
  fill.Copy("decoder.bridge.0.weight", "decoder_ff_state_W");
  fill.Copy("decoder.bridge.0.bias", "decoder_ff_state_b");
  fill.ReadOut("decoder.readout", "decoder_ff_logit_l1");
  if (marian.amun) reader.from().Skip("decoder_c_tt");
}

}  // namespace heed

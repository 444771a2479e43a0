#include "heed/render/explanation_html.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>
#include <vector>

#include "heed/explain/reordering.h"
#include "heed/render/drawing.h"
#include "heed/render/explanation_page.h"
#include "heed/render/heads_svg.h"
#include "heed/render/layer_groups.h"
#include "heed/render/markup.h"
#include "heed/render/panels_svg.h"
#include "heed/render/saliency_svg.h"

namespace heed {
namespace {

using PageJson = nlohmann::ordered_json;

constexpr std::string_view kPageBody = R"(<header>
<h1>What the model looked at</h1>
<p id='about'></p>
</header>
<main>
<section>
<div class='bar'>
<label>Text <select id='text'></select></label>
<label>Attention <select id='layer'></select></label>
<label>Head <select id='head'></select></label>
</div>
<div id='words'>
<p class='label' id='key-name'></p>
<div class='line' id='keys' dir='auto' role='group' aria-labelledby='key-name'></div>
<p class='label' id='query-name'></p>
<div class='line' id='queries' dir='auto' role='group' aria-labelledby='query-name'></div>
<p class='values' id='values' aria-live='polite'></p>
<div class='player'>
<button type='button' class='button' id='play'>▶ Play</button>
<button type='button' class='button' id='back' aria-label='Step back'>◀</button>
<button type='button' class='button' id='on' aria-label='Step on'>▶</button>
<input type='range' id='step' min='0' value='0' aria-label='Step'>
<output id='count' for='step'></output>
</div>
</div>
</section>
<section>
<div class='tabs' id='tabs' role='tablist'></div>
<div id='picture' role='tabpanel' tabindex='0' aria-label='Picture'></div>
</section>
</main>
<footer>
Point at a word to see where attention lies, or step through the words with
<kbd>Tab</kbd> and the arrow keys. <kbd>Space</kbd> plays, <kbd>←</kbd> and
<kbd>→</kbd> step, <kbd>1</kbd> to <kbd>5</kbd> change the picture,
<kbd>,</kbd> and <kbd>.</kbd> the attention, <kbd>[</kbd> and <kbd>]</kbd> the
head, <kbd>p</kbd> and <kbd>n</kbd> the text.
</footer>
)";

// Four digits are more than a shade or two decimals show.
void RoundNumbers(PageJson* value) {
  if (value->is_number_float()) {
    const double rounded = std::round(value->get<double>() * 1e4) / 1e4;
    if (rounded == 0) {
      *value = 0;
    } else {
      *value = rounded;
    }
  } else if (value->is_structured()) {
    for (PageJson& part : *value) RoundNumbers(&part);
  }
}

PageJson PageData(const Explanation& explanation) {
  PageJson json = ExplanationJson(explanation);
  // These stand in the page as pictures.
  for (const char* key : {"panels", "attributions", "agreements"}) {
    json.erase(key);
  }
  RoundNumbers(&json["layers"]);
  json["blocks"] = PageJson::array();
  for (const AlignmentBlock& b : ReorderedBlocks(AlignmentOf(explanation))) {
    json["blocks"].push_back(
        {b.target_begin, b.target_end, b.source_begin, b.source_end});
  }
  return json;
}

// JSON that cannot end the script element it stands in.
std::string EmbeddedJson(std::span<const Explanation> explanations) {
  auto all = PageJson::array();
  for (const Explanation& explanation : explanations) {
    all.push_back(PageData(explanation));
  }
  // Tokens may hold parts of characters; those become U+FFFD, not an error.
  const std::string json =
      all.dump(-1, ' ', false, PageJson::error_handler_t::replace);
  std::string out;
  for (char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

// A picture that the script puts into the page when it is asked for.
void AddTemplate(std::string_view name, size_t index,
                 std::span<const Drawing> drawings, MarkupWriter* page) {
  page->Line("<template id='{}-{}'>\n{}</template>", name, index,
             SvgPicture(drawings, {.label = std::string(name),
                                   .legend = PictureLegend::kNone,
                                   .embedded = true}));
}

void AddPictures(const Explanation& explanation, size_t index,
                 MarkupWriter* page) {
  int64_t heads = 0;
  for (const LayerAttention& layer : explanation.layers) heads += layer.heads;
  if (heads > 1) {
    const Drawing grid = DrawHeads(explanation);
    AddTemplate("heads", index, {&grid, 1}, page);
  }
  std::vector<Drawing> panels;
  for (const AttentionPanels& one : explanation.panels) {
    panels.push_back(DrawPanels(explanation, one));
  }
  if (!panels.empty()) AddTemplate("panels", index, panels, page);
  if (!explanation.attributions.empty()) {
    const Drawing saliency = DrawSaliency(explanation);
    AddTemplate("saliency", index, {&saliency, 1}, page);
  }
}

}  // namespace

std::string ExplanationHtml(std::span<const Explanation> explanations) {
  for (const Explanation& one : explanations) CheckExplanation(one);
  MarkupWriter page;
  page.Line(
      "<!doctype html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>");
  page.Line(
      "<meta name='viewport' content='width=device-width,initial-scale=1'>\n"
      "<title>What the model looked at</title>\n<link rel='icon' "
      "href='data:,'>");
  page.Line(
      "<style>\nbody,button,select{{font-family:{}}}\n{}{}</style>\n</head>\n"
      "<body>",
      kFontFamily, kPageStyle, PictureStyle());
  page.Line("{}", kPageBody);
  for (size_t i = 0; i < explanations.size(); ++i) {
    AddPictures(explanations[i], i, &page);
  }
  page.Line("<script id='data' type='application/json'>{}</script>",
            EmbeddedJson(explanations));
  page.Line("<script>{}</script>\n</body>\n</html>", kPageScript);
  return page.Take();
}

std::string AlignmentHtml(std::span<const AlignmentView> views) {
  std::vector<Explanation> explanations;
  for (const AlignmentView& view : views) {
    CheckAlignment(view);
    Explanation explanation;
    explanation.answer = view.title;
    explanation.source = view.source_tokens;
    explanation.target = view.target_tokens;
    // The rows of the layer are the targets themselves.
    explanation.target_inputs = view.target_tokens;
    explanation.layers.push_back({.layer = "alignment",
                                  .queries = TokenSide::kTarget,
                                  .keys = TokenSide::kSource,
                                  .heads = 1,
                                  .query_size = view.target_size(),
                                  .key_size = view.source_size(),
                                  .weights = view.weights});
    explanation.alignment = 0;
    explanation.alignment_rows.resize(view.target_tokens.size());
    std::iota(explanation.alignment_rows.begin(),
              explanation.alignment_rows.end(), 0);
    explanations.push_back(std::move(explanation));
  }
  return ExplanationHtml(explanations);
}

}  // namespace heed

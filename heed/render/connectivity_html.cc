// Connectivity as a page to explore.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "heed/base/errors.h"
#include "heed/render/connectivity.h"
#include "heed/render/connectivity_layout.h"
#include "heed/render/markup.h"
#include "heed/render/text_layout.h"

namespace heed {
namespace {

constexpr std::string_view kMemoryPageStyle = R"(
:root{color-scheme:light dark;--page:#f4f6f9;--card:#fff;--line:#e1e6ed;
--text:#1c2228;--quiet:#5b6570;--later:#98a2ae;--ink:11 74 148;--on-ink:#fff;
--now:#d9480f;--hit:#2b7a3d}
@media (prefers-color-scheme:dark){:root{--page:#0a0e14;--card:#10151d;
--line:#232c39;--text:#d5dce6;--quiet:#93a0b0;--later:#55616f;--ink:140 203 255;
--on-ink:#06121f;--now:#ff9f5a;--hit:#7ddc95}}
*{box-sizing:border-box}
body{margin:0;padding:2rem clamp(1rem,4vw,3rem);background:var(--page);
color:var(--text);line-height:1.5}
header,main{max-width:64rem;margin:0 auto}
h1{font-size:1.45rem;margin:0 0 .3rem}
header p{color:var(--quiet);margin:0 0 .8rem;font-size:.9rem;max-width:46rem}
.jumps{display:flex;flex-wrap:wrap;gap:.5rem;margin:0 0 1.2rem}
.jumps button{font:inherit;font-size:.9rem;color:inherit;background:var(--card);
border:1px solid var(--line);border-radius:999px;padding:.3rem .9rem;cursor:pointer}
.jumps button:hover{border-color:rgb(var(--ink))}
section{margin:0 0 1rem;padding:1rem 1.3rem 1.1rem;background:var(--card);
border:1px solid var(--line);border-radius:12px}
.top{display:flex;flex-wrap:wrap;gap:.2rem 1.4rem;align-items:baseline;
min-height:1.9rem}
h2{font-size:1rem;margin:0;min-width:7rem}
ol{display:flex;flex-wrap:wrap;gap:.1rem 1.2rem;list-style:none;margin:0;padding:0;
font-size:.9rem;color:var(--quiet)}
ol b{color:var(--text)}ol .hit b{color:var(--hit)}
.text{font-size:1.02rem;line-height:1.75;overflow-wrap:anywhere;
white-space:break-spaces;cursor:pointer;border-radius:6px;outline-offset:6px}
.text span{padding:.12em 0;background:rgb(var(--ink) / calc(var(--w,0) * 1))}
.text .strong{color:var(--on-ink)}.text .later{color:var(--later)}
.text .now{outline:2px solid var(--now);outline-offset:-1px;border-radius:2px}
kbd{font:inherit;border:1px solid var(--line);border-radius:4px;padding:0 .35em;
background:var(--card)}
:focus-visible{outline:2px solid rgb(var(--ink))}
)";

constexpr std::string_view kMemoryScript = R"(
const {models, moments} = JSON.parse(document.getElementById('data').textContent);
const panels = [...document.querySelectorAll('section')].map((section, i) => ({
  model: models[i],
  text: section.querySelector('.text'),
  characters: [...section.querySelectorAll('.text span')],
  suggestions: section.querySelector('ol'),
}));
const size = panels[0].characters.length;
let chosen = -1;
function choose(t) {
  chosen = Math.max(0, Math.min(size - 1, t));
  for (const {model, characters, suggestions} of panels) {
    const row = model.rows[chosen];
    characters.forEach((character, s) => {
      const share = s <= chosen ? parseInt(row.slice(2 * s, 2 * s + 2), 16) / 255 : 0;
      character.style.setProperty('--w', share.toFixed(3));
      character.classList.toggle('strong', share > 0.55);
      character.classList.toggle('later', s > chosen);
      character.classList.toggle('now', s === chosen);
    });
    suggestions.replaceChildren(...model.suggestions[chosen].map(([word, p]) => {
      const item = document.createElement('li');
      const name = document.createElement('b');
      name.textContent = word;
      item.append(name, ` ${(100 * p).toFixed(p < 0.1 ? 1 : 0)} %`);
      item.classList.toggle('hit', word === model.words[chosen]);
      return item;
    }));
  }
}
for (const {text, characters} of panels) {
  const at = event => characters.indexOf(event.target);
  text.addEventListener('pointerover', event => at(event) >= 0 && choose(at(event)));
  text.addEventListener('click', event => at(event) >= 0 && choose(at(event)));
  text.addEventListener('keydown', event => {
    const steps = {ArrowLeft: chosen - 1, ArrowRight: chosen + 1, Home: 0, End: size - 1};
    if (!(event.key in steps)) return;
    event.preventDefault();
    choose(steps[event.key]);
  });
}
document.querySelectorAll('.jumps button').forEach((button, i) =>
    button.addEventListener('click', () => choose(moments[i])));
choose(moments.length ? moments[0] : size - 1);
)";

std::string HexRow(const Connectivity& c, int64_t t) {
  std::string row;
  for (int64_t s = 0; s <= t; ++s) {
    row += fmt::format("{:02x}", std::lround(255 * c.Share(t, s)));
  }
  return row;
}

/// What the script reads, so that it cannot end its own element.
std::string MemoryData(std::span<const Connectivity> models,
                       std::span<const int64_t> moments) {
  using Json = nlohmann::ordered_json;
  Json all = Json::array();
  for (const Connectivity& c : models) {
    Json rows = Json::array();
    Json suggestions = Json::array();
    Json words = Json::array();
    for (int64_t t = 0; t < c.size(); ++t) {
      const auto at = static_cast<size_t>(t);
      rows.push_back(HexRow(c, t));
      words.push_back(VisibleToken(c.words[at]));
      Json list = Json::array();
      for (const Suggestion& s : c.suggestions[at]) {
        list.push_back(
            {VisibleToken(s.word), std::round(s.probability * 1e4) / 1e4});
      }
      suggestions.push_back(std::move(list));
    }
    all.push_back({{"words", std::move(words)},
                   {"suggestions", std::move(suggestions)},
                   {"rows", std::move(rows)}});
  }
  const Json data = {
      {"models", std::move(all)},
      {"moments", std::vector<int64_t>(moments.begin(), moments.end())}};
  std::string text;
  for (const char ch : data.dump()) {
    if (ch == '<') {
      text += "\\u003c";
    } else {
      text += ch;
    }
  }
  return text;
}

}  // namespace

std::string ConnectivityHtml(std::span<const Connectivity> models,
                             std::span<const int64_t> moments) {
  CheckSameText(models);
  if (models.empty() || models.front().size() == 0) {
    throw ShapeError("connectivity: no text to show");
  }
  MarkupWriter page;
  page.Line(
      "<!doctype html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n"
      "<meta name='viewport' content='width=device-width,initial-scale=1'>\n"
      "<title>What is remembered</title>\n<link rel='icon' href='data:,'>");
  page.Line(
      "<style>body{{font-family:{}}}.text{{font-family:ui-monospace,"
      "SFMono-Regular,Menlo,Consolas,\"DejaVu Sans Mono\",monospace}}{}"
      "</style>\n</head>\n<body>",
      kFontFamily, kMemoryPageStyle);
  page.Line(
      "<header>\n<h1>What is remembered</h1>\n<p>Each model guesses the word "
      "that is being typed. Choose a character, by pointing at it or with the "
      "arrow keys in a text: those before it are shaded by how much the score "
      "of the right word depends on each (the norm of its gradient).</p>");
  page.Line("<div class='jumps' role='group' aria-label='Jump to a guess'>");
  for (const int64_t t : moments) {
    if (t < 0 || t >= models.front().size()) {
      throw ShapeError(fmt::format("connectivity: no character {}", t));
    }
    page.Line("<button type='button'>{}</button>",
              EscapeMarkup(GuessLabel(models.front(), t)));
  }
  page.Line("</div>\n</header>\n<main>");
  for (const Connectivity& c : models) {
    page.Line(
        "<section>\n<div class='top'><h2>{}</h2><ol aria-live='polite'>"
        "</ol></div>",
        EscapeMarkup(c.model));
    std::string characters;
    for (const std::string& character : c.characters) {
      characters += character == " " ? "<span> </span>"
                                     : fmt::format("<span>{}</span>",
                                                   EscapeMarkup(character));
    }
    page.Line(
        "<div class='text' tabindex='0' role='application' "
        "aria-label='{}: typed text, arrow keys choose a character'>{}"
        "</div>\n</section>",
        EscapeMarkup(c.model), characters);
  }
  page.Line("</main>\n<script id='data' type='application/json'>{}</script>",
            MemoryData(models, moments));
  page.Line("<script>{}</script>\n</body>\n</html>", kMemoryScript);
  return page.Take();
}

}  // namespace heed

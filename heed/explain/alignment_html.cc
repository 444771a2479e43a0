#include "heed/explain/alignment_html.h"

#include "heed/explain/heatmap_svg.h"
#include "heed/explain/markup.h"

namespace heed {
namespace {

constexpr std::string_view kPageStyle = R"(
:root{color-scheme:light dark;--page:#f4f6f9;--card:#fff;--line:#e1e6ed;
--text:#1c2228;--quiet:#5b6570;--ink:11 74 148;--on-ink:#fff}
@media (prefers-color-scheme:dark){:root{--page:#0a0e14;--card:#10151d;
--line:#232c39;--text:#d5dce6;--quiet:#93a0b0;--ink:140 203 255;--on-ink:#06121f}}
*{box-sizing:border-box}
body{margin:0;padding:2.2rem clamp(1rem,4vw,3rem);background:var(--page);
color:var(--text);line-height:1.5}
header{max-width:75rem;margin:0 auto 1.6rem}
h1{font-size:1.45rem;margin:0 0 .3rem}
h2{font-size:.95rem;margin:0 0 1rem}
header p,.label,.values{color:var(--quiet);margin:0;font-size:.88rem}
kbd{font:inherit;border:1px solid var(--line);border-radius:4px;padding:0 .35em;
background:var(--card)}
section{max-width:75rem;margin:0 auto 1.2rem;padding:1.3rem 1.5rem;
background:var(--card);border:1px solid var(--line);border-radius:12px;
display:flex;flex-wrap:wrap;gap:1.5rem 3rem;align-items:flex-start}
.words{flex:1 1 22rem;min-width:0}
.map{flex:0 1 auto;max-width:100%;overflow-x:auto}
.label{font-size:.72rem;letter-spacing:.06em;text-transform:uppercase}
.line{margin:.15rem 0 1rem;overflow-wrap:anywhere}
.line button{font:inherit;font-size:1.08rem;color:inherit;border:0;cursor:pointer;
background:rgb(var(--ink) / calc(var(--w,0) * 1));border-radius:5px;
padding:.14rem .3rem;margin:0 .02rem;transition:background .12s,color .12s}
.line button.strong{color:var(--on-ink)}
.line button:focus-visible,.line button.chosen{outline:2px solid rgb(var(--ink));
outline-offset:-1px}
.values{min-height:1.5em}
.heed .band{fill:none;stroke:rgb(var(--ink));stroke-width:2;pointer-events:none}
)";

constexpr std::string_view kScript = R"(
const sentences = JSON.parse(document.getElementById('data').textContent).sentences;
const number = w => w.toFixed(2);
document.querySelectorAll('section').forEach((section, i) => {
  const {weights} = sentences[i];
  const [source, target] = [...section.querySelectorAll('.line')]
      .map(line => [...line.querySelectorAll('button')]);
  const values = section.querySelector('.values');
  const matrix = section.querySelector('.matrix');
  const band = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  band.setAttribute('class', 'band');
  function clear() {
    for (const word of [...source, ...target]) {
      word.style.removeProperty('--w');
      word.classList.remove('strong', 'chosen');
    }
    band.remove();
    values.textContent = '';
  }
  function show(word) {
    clear();
    const fromTarget = target.includes(word);
    const position = (fromTarget ? target : source).indexOf(word);
    const others = fromTarget ? source : target;
    const row = others.map((_, j) => fromTarget ? weights[position][j] : weights[j][position]);
    word.classList.add('chosen');
    others.forEach((other, j) => {
      other.style.setProperty('--w', row[j]);
      other.classList.toggle('strong', row[j] > 0.6);
    });
    const top = row.map((w, j) => [w, j]).filter(([w]) => w >= 0.005)
        .sort((a, b) => b[0] - a[0]).slice(0, 4)
        .map(([w, j]) => `${others[j].textContent} ${number(w)}`);
    values.textContent = `${word.textContent} ${fromTarget ? '←' : '→'} ` +
        (top.join(', ') || 'nothing');
    const cell = +matrix.dataset.cell;
    const place = fromTarget
        ? [0, position * cell, source.length * cell, cell]
        : [position * cell, 0, cell, target.length * cell];
    ['x', 'y', 'width', 'height'].forEach((name, k) => band.setAttribute(name, place[k]));
    matrix.append(band);
  }
  function move(event, line, other) {
    const at = line.indexOf(event.target);
    const steps = {ArrowLeft: line[at - 1], ArrowRight: line[at + 1],
      Home: line[0], End: line[line.length - 1],
      ArrowUp: other[Math.min(at, other.length - 1)],
      ArrowDown: other[Math.min(at, other.length - 1)]};
    if (!(event.key in steps)) return;
    event.preventDefault();
    steps[event.key]?.focus();
  }
  for (const [line, other] of [[source, target], [target, source]]) {
    line.forEach((word, j) => {
      word.tabIndex = j === 0 ? 0 : -1;
      word.addEventListener('pointerenter', () => show(word));
      word.addEventListener('pointerleave', clear);
      word.addEventListener('focus', () => show(word));
      word.addEventListener('blur', clear);
      word.addEventListener('keydown', event => move(event, line, other));
    });
  }
});
)";

void AddWords(std::string_view label, const std::vector<std::string>& tokens,
              MarkupWriter* page) {
  page->Line("<p class='label'>{}</p>", label);
  page->Line("<div class='line' dir='auto' role='group' aria-label='{}'>",
             label);
  for (const std::string& token : tokens) {
    page->Line("<button type='button'>{}</button>", EscapeMarkup(token));
  }
  page->Line("</div>");
}

void AddSentence(const AlignmentView& view, MarkupWriter* page) {
  page->Line("<section>\n<div class='words'>");
  if (!view.title.empty()) page->Line("<h2>{}</h2>", EscapeMarkup(view.title));
  AddWords("Source", view.source_tokens, page);
  AddWords("Target", view.target_tokens, page);
  page->Line("<p class='values' aria-live='polite'></p>\n</div>");
  AlignmentView untitled = view;
  untitled.title.clear();
  page->Line("<div class='map'>\n{}</div>\n</section>",
             AlignmentSvg({&untitled, 1}, {.embedded = true}));
}

// JSON that cannot end the script element it stands in.
std::string EmbeddedJson(std::span<const AlignmentView> views) {
  std::string out;
  for (char c : AlignmentJson(views)) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string AlignmentHtml(std::span<const AlignmentView> views) {
  MarkupWriter page;
  page.Line(
      "<!doctype html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>");
  page.Line(
      "<meta name='viewport' content='width=device-width,initial-scale=1'>\n"
      "<title>Alignments</title>\n<link rel='icon' href='data:,'>");
  page.Line(
      "<style>\nbody,button{{font-family:{}}}{}{}</style>\n</head>\n<body>",
      kFontFamily, kPageStyle, AlignmentSvgStyle());
  page.Line(
      "<header>\n<h1>Alignments</h1>\n<p>Point at a word to see where its "
      "attention lies, or step through with <kbd>Tab</kbd> and the arrow "
      "keys.</p>\n</header>\n<main>");
  for (const AlignmentView& view : views) AddSentence(view, &page);
  page.Line("</main>\n<script id='data' type='application/json'>{}</script>",
            EmbeddedJson(views));
  page.Line("<script>{}</script>\n</body>\n</html>", kScript);
  return page.Take();
}

}  // namespace heed

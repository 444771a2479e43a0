'use strict';
// The weights of every text, its pictures made beforehand, and what is chosen.
const data = JSON.parse(document.getElementById('data').textContent);
const byId = id => document.getElementById(id);
const chosen = {text: 0, layer: -1, head: -1, view: 'heatmap'};  // layer −1: the alignment
const svgSpace = 'http://www.w3.org/2000/svg';
const shades = 20;
const views = [
  {name: 'heatmap', title: 'Heatmap', draw: drawHeatmap},
  {name: 'lines', title: 'Lines', draw: drawLines},
  {name: 'heads', title: 'All heads', draw: showPrepared},
  {name: 'panels', title: 'Numbers', draw: showPrepared},
  {name: 'saliency', title: 'Attributions', draw: showPrepared},
];
let attention;  // what the words show: {queries, keys, rows, names, blocks}
let words;      // their buttons: {queries, keys}
let mark = () => {};  // highlights a word in the picture
let timer = 0;

const text = () => data[chosen.text];
const tokensOf = side => side === 'source' ? text().source : text().target_inputs;
const number = w => w.toFixed(2);
const template = name => byId(`${name}-${chosen.text}`);

function element(name, attributes = {}, parent = null, content = '') {
  const node = document.createElementNS(svgSpace, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (content) node.textContent = content;
  if (parent) parent.append(node);
  return node;
}

// What stands for a token: spaces and controls are visible.
function visible(token) {
  if (/^ +$/.test(token)) return '␣';
  return token.replace(/[\u0000-\u001f]/g, c => String.fromCharCode(0x2400 + c.charCodeAt(0)))
      .replace(/[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, '\ufffd');
}
const short = token => {
  const letters = [...visible(token)];
  return letters.length > 24 ? letters.slice(0, 23).join('') + '…' : letters.join('');
};

// Text as a label, with a quiet ▁ where a word begins, as MarkupToken makes it.
function addLabel(token, attributes, parent) {
  const label = element('text', {class: 'token', ...attributes}, parent);
  const shown = short(token);
  const space = shown.startsWith('▁') && shown.length > 1;
  if (space) element('tspan', {class: 'space'}, label, '▁');
  label.append(space ? shown.slice(1) : shown);
  return label;
}

function meanOfHeads(layer) {
  return layer.weights[0].map((row, t) => row.map((_, s) =>
      layer.weights.reduce((sum, head) => sum + head[t][s], 0) / layer.heads));
}

const weightsOf = (layer, head) => head < 0 ? meanOfHeads(layer) : layer.weights[head];

function chosenAttention() {
  if (chosen.layer < 0) {
    const layer = text().layers[text().alignment];
    const weights = weightsOf(layer, text().alignment_head);
    const rows = text().alignment_rows.map(row => weights[row] ?? text().source.map(() => 0));
    return {queries: text().target, keys: text().source, rows, names: ['Target', 'Source'],
      blocks: text().blocks};
  }
  const layer = text().layers[chosen.layer];
  const name = side => side === 'source' ? 'Source' : 'Target, as it was written';
  return {queries: tokensOf(layer.queries), keys: tokensOf(layer.keys),
    rows: weightsOf(layer, chosen.head),
    names: layer.queries === layer.keys ? ['Looks', 'is looked at']
        : [name(layer.queries), name(layer.keys)], blocks: []};
}

// --- The words ---------------------------------------------------------------

function fillLine(line, tokens) {
  line.replaceChildren(...tokens.map((token, i) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.tabIndex = i === 0 ? 0 : -1;
    const shown = visible(token);
    if (shown.startsWith('▁') && shown.length > 1) {
      const space = document.createElement('span');
      space.className = 'space';
      space.textContent = '▁';
      button.append(space, shown.slice(1));
    } else {
      button.textContent = shown;
    }
    return button;
  }));
  return [...line.children];
}

function clearWords() {
  for (const word of [...words.queries, ...words.keys]) {
    word.style.removeProperty('--w');
    word.classList.remove('strong', 'chosen', 'later');
  }
  byId('values').textContent = '';
  mark(null);
}

// Shades the other side for the word at `position` of 'queries' or 'keys'.
function showWord(side, position) {
  clearWords();
  const other = side === 'queries' ? 'keys' : 'queries';
  const row = side === 'queries' ? attention.rows[position]
      : attention.rows.map(weights => weights[position]);
  words[side][position].classList.add('chosen');
  words[other].forEach((word, i) => {
    word.style.setProperty('--w', row[i]);
    word.classList.toggle('strong', row[i] > 0.6);
  });
  const strongest = row.map((w, i) => [w, i]).filter(([w]) => w >= 0.005)
      .sort((a, b) => b[0] - a[0]).slice(0, 4)
      .map(([w, i]) => `${visible(attention[other][i])} ${number(w)}`);
  byId('values').textContent = `${visible(attention[side][position])} ` +
      `${side === 'queries' ? '←' : '→'} ${strongest.join(', ') || 'nothing'}`;
  mark({side, position});
}

// The step of the player: what comes later is not said yet.
function showStep(step) {
  const last = attention.queries.length - 1;
  if (last < 0) return;
  const at = Math.max(0, Math.min(step, last));
  showWord('queries', at);
  words.queries.forEach((word, i) => word.classList.toggle('later', i > at));
  byId('step').value = at;
  byId('count').textContent = `${at + 1} / ${last + 1}`;
}

function stop() {
  clearInterval(timer);
  timer = 0;
  byId('play').textContent = '▶ Play';
}

function play() {
  if (timer) return stop();
  const last = attention.queries.length - 1;
  const from = +byId('step').value >= last ? 0 : +byId('step').value;
  showStep(from);
  byId('play').textContent = '⏸ Pause';
  timer = setInterval(() => {
    if (+byId('step').value >= last) return stop();
    showStep(+byId('step').value + 1);
  }, 800);
}

function drawWords() {
  stop();
  byId('query-name').textContent = attention.names[0];
  byId('key-name').textContent = attention.names[1];
  words = {queries: fillLine(byId('queries'), attention.queries),
    keys: fillLine(byId('keys'), attention.keys)};
  byId('step').max = Math.max(0, attention.queries.length - 1);
  byId('step').value = 0;
  byId('count').textContent = `${attention.queries.length} step${attention.queries.length === 1 ? '' : 's'}`;
  for (const [side, other] of [['queries', 'keys'], ['keys', 'queries']]) {
    words[side].forEach((word, i) => {
      const show = () => { if (!timer) showWord(side, i); };
      const clear = () => { if (!timer) clearWords(); };
      word.addEventListener('pointerenter', show);
      word.addEventListener('pointerleave', clear);
      word.addEventListener('focus', show);
      word.addEventListener('blur', clear);
      word.addEventListener('click', () => { stop(); showWord(side, i); });
      word.addEventListener('keydown', event => moveFocus(event, words[side], words[other], i));
    });
  }
}

function moveFocus(event, line, other, at) {
  const facing = other[Math.min(at, other.length - 1)];
  const steps = {ArrowLeft: line[at - 1], ArrowRight: line[at + 1], Home: line[0],
    End: line[line.length - 1], ArrowUp: facing, ArrowDown: facing};
  if (!(event.key in steps)) return;
  event.preventDefault();
  event.stopPropagation();
  steps[event.key]?.focus();
}

// --- Pictures ----------------------------------------------------------------

// A path per shade, as cells.cc makes them.
function addCells(rows, cell, parent) {
  const paths = Array(shades + 1).fill('');
  rows.forEach((row, t) => {
    for (let begin = 0, end; begin < row.length; begin = end) {
      const shade = Math.round(Math.min(1, row[begin]) * shades);
      for (end = begin + 1; end < row.length && Math.round(Math.min(1, row[end]) * shades) === shade;) ++end;
      if (shade > 0) paths[shade] += `M${begin * cell} ${t * cell}h${(end - begin) * cell}v${cell}h-${(end - begin) * cell}z`;
    }
  });
  paths.forEach((d, shade) => {
    if (d) element('path', {class: 'cell', 'fill-opacity': shade / shades, d}, parent);
  });
}

// The picture gets the size of what it holds.
function fit(svg) {
  byId('picture').replaceChildren(svg);
  const box = svg.getBBox();
  const edge = 6;
  svg.setAttribute('width', Math.ceil(box.width + 2 * edge));
  svg.setAttribute('height', Math.ceil(box.height + 2 * edge));
  svg.setAttribute('viewBox', `${box.x - edge} ${box.y - edge} ` +
      `${Math.ceil(box.width + 2 * edge)} ${Math.ceil(box.height + 2 * edge)}`);
}

const picture = label => element('svg', {class: 'heed', role: 'img', 'aria-label': label});

function drawHeatmap() {
  const {queries, keys, rows, blocks} = attention;
  const longest = Math.max(queries.length, keys.length);
  const cell = longest <= 16 ? 26 : longest <= 32 ? 22 : longest <= 60 ? 18 : 12;
  const font = Math.max(10, Math.min(14, cell * 0.58));
  const svg = picture('Attention weights as a heatmap');
  const matrix = element('g', {'font-size': font}, svg);
  const labels = {
    keys: keys.map((token, s) => addLabel(token,
        {transform: `translate(${cell * (s + 0.5) + font * 0.25} -7) rotate(-52)`}, matrix)),
    queries: queries.map((token, t) => addLabel(token,
        {x: -8, y: cell * (t + 0.5) + font * 0.35, 'text-anchor': 'end'}, matrix)),
  };
  const field = element('rect', {class: 'field', width: cell * keys.length,
    height: cell * queries.length}, matrix);
  addCells(rows, cell, matrix);
  let grid = '';
  for (let s = 1; s < keys.length; ++s) grid += `M${s * cell} 0v${cell * queries.length}`;
  for (let t = 1; t < queries.length; ++t) grid += `M0 ${t * cell}h${cell * keys.length}`;
  element('path', {class: 'grid', 'pointer-events': 'none', d: grid}, matrix);
  for (const [t0, t1, s0, s1] of blocks) {
    element('rect', {class: 'moved', 'pointer-events': 'none', x: s0 * cell + 1, y: t0 * cell + 1,
      width: (s1 - s0) * cell - 2, height: (t1 - t0) * cell - 2, rx: 3}, matrix);
  }
  const band = element('rect', {class: 'band', rx: 3, visibility: 'hidden'}, matrix);
  fit(svg);
  mark = word => {
    for (const label of [...labels.queries, ...labels.keys]) label.classList.remove('picked');
    band.setAttribute('visibility', word ? 'visible' : 'hidden');
    if (!word) return;
    labels[word.side][word.position].classList.add('picked');
    const place = word.side === 'queries' ? [0, word.position * cell, keys.length * cell, cell]
        : [word.position * cell, 0, cell, queries.length * cell];
    ['x', 'y', 'width', 'height'].forEach((name, i) => band.setAttribute(name, place[i]));
  };
  matrix.addEventListener('pointermove', event => {
    if (timer) return;
    const box = field.getBoundingClientRect();
    const s = Math.floor((event.clientX - box.left) / box.width * keys.length);
    const t = Math.floor((event.clientY - box.top) / box.height * queries.length);
    if (!rows[t] || rows[t][s] === undefined) return;
    showWord('queries', t);
    labels.keys[s].classList.add('picked');
    byId('values').textContent = `${visible(queries[t])} ← ${visible(keys[s])} ${number(rows[t][s])}`;
  });
  svg.addEventListener('pointerleave', () => { if (!timer) clearWords(); });
}

function drawLines() {
  const {queries, keys, rows} = attention;
  const height = 24, span = 170, least = 0.03;
  const svg = picture('Attention weights as lines');
  const all = element('g', {'font-size': 14}, svg);
  const middle = i => height * (i + 0.5);
  const links = [];
  rows.forEach((row, t) => row.forEach((weight, s) => {
    if (weight < least) return;
    const path = element('path', {class: 'link', 'stroke-width': 0.6 + 7 * weight,
      style: `stroke-opacity:${0.08 + 0.92 * weight}`,
      d: `M0 ${middle(t)}C${span * 0.4} ${middle(t)} ${span * 0.6} ${middle(s)} ${span} ${middle(s)}`}, all);
    element('title', {}, path, `${visible(queries[t])} ← ${visible(keys[s])} ${number(weight)}`);
    links.push({path, queries: t, keys: s, opacity: 0.08 + 0.92 * weight});
  }));
  const labels = {};
  for (const [side, x, anchor] of [['queries', -8, 'end'], ['keys', span + 8, 'start']]) {
    labels[side] = attention[side].map((token, i) => {
      const label = addLabel(token, {x, y: middle(i) + 5, 'text-anchor': anchor}, all);
      label.addEventListener('pointerenter', () => { if (!timer) showWord(side, i); });
      label.addEventListener('pointerleave', () => { if (!timer) clearWords(); });
      return label;
    });
  }
  fit(svg);
  mark = word => {
    for (const label of [...labels.queries, ...labels.keys]) label.classList.remove('picked');
    for (const link of links) {
      const faded = word && link[word.side] !== word.position;
      link.path.style.strokeOpacity = faded ? 0.04 : link.opacity;
    }
    if (word) labels[word.side][word.position].classList.add('picked');
  };
}

// A picture that stands in the page; a head in it can be chosen.
function showPrepared() {
  mark = () => {};
  byId('picture').replaceChildren(template(chosen.view).content.cloneNode(true));
  for (const tile of byId('picture').querySelectorAll('[data-head]')) {
    tile.tabIndex = 0;
    tile.setAttribute('role', 'button');
    tile.addEventListener('click', () => choose({layer: +tile.dataset.layer, head: +tile.dataset.head, view: 'heatmap'}));
    tile.addEventListener('keydown', event => { if (event.key === 'Enter') tile.dispatchEvent(new Event('click')); });
  }
}

// --- Choosing ----------------------------------------------------------------

const isThere = view => view.draw === showPrepared ? template(view.name) !== null
    : attention !== null;

function fillSelect(select, options, value) {
  select.replaceChildren(...options.map(([key, title]) => new Option(title, key, false, key === value)));
  select.closest('label').hidden = options.length < 2;
}

function layerOptions() {
  const layers = text().layers.map((layer, i) => [i, layer.layer]);
  if (text().alignment === null) return layers;
  const one = layers.length === 1 && text().layers[0].heads === 1;
  const head = text().alignment_head;
  const which = head < 0 ? 'mean' : `head ${head}`;
  return [[-1, `alignment: ${which} of ${text().layers[text().alignment].layer}`], ...(one ? [] : layers)];
}

function headOptions() {
  if (chosen.layer < 0) return [];
  const layer = text().layers[chosen.layer];
  return [[-1, 'mean of all'], ...layer.weights.map((_, h) =>
      [h, `${h}: ${number(layer.entropy[h])} bits, ↔ ${number(layer.distance[h])}`])];
}

function choose(change) {
  Object.assign(chosen, change);
  const layers = layerOptions().map(([i]) => i);
  if (!layers.includes(chosen.layer)) chosen.layer = layers[0] ?? null;
  attention = chosen.layer === null ? null : chosenAttention();
  const heads = attention ? headOptions().map(([i]) => i) : [];
  if (!heads.includes(chosen.head)) {
    chosen.head = -1;
    if (attention) attention = chosenAttention();
  }
  fillSelect(byId('layer'), layerOptions(), chosen.layer);
  fillSelect(byId('head'), attention ? headOptions() : [], chosen.head);
  byId('text').value = chosen.text;
  byId('about').textContent = [text().model, text().task].filter(Boolean).join(' · ');
  byId('words').hidden = !attention;
  const there = views.filter(isThere);
  if (!there.some(view => view.name === chosen.view)) chosen.view = there[0]?.name;
  if (attention) {
    mark = () => {};
    drawWords();
  }
  drawTabs(there);
  byId('picture').replaceChildren();
  there.find(view => view.name === chosen.view)?.draw();
}

function drawTabs(there) {
  const hadFocus = byId('tabs').contains(document.activeElement);
  byId('tabs').replaceChildren(...there.map((view, i) => {
    const tab = document.createElement('button');
    tab.type = 'button';
    tab.setAttribute('role', 'tab');
    tab.textContent = view.title;
    const selected = view.name === chosen.view;
    tab.setAttribute('aria-selected', selected);
    tab.tabIndex = selected ? 0 : -1;
    tab.addEventListener('click', () => choose({view: view.name}));
    tab.addEventListener('keydown', event => {
      const to = {ArrowLeft: i - 1, ArrowRight: i + 1}[event.key];
      if (to === undefined || !there[to]) return;
      event.stopPropagation();
      choose({view: there[to].name});
    });
    return tab;
  }));
  if (hadFocus) byId('tabs').querySelector('[aria-selected=true]')?.focus();
}

// The option `by` places further in a list.
function further(options, value, by) {
  const at = options.findIndex(([key]) => key === value) + by;
  return options[Math.max(0, Math.min(at, options.length - 1))]?.[0] ?? value;
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (/^(SELECT|INPUT)$/.test(event.target.tagName) || data.length === 0) return;
  const there = views.filter(isThere);
  const actions = {
    ',': () => choose({layer: further(layerOptions(), chosen.layer, -1)}),
    '.': () => choose({layer: further(layerOptions(), chosen.layer, 1)}),
    '[': () => choose({head: further(headOptions(), chosen.head, -1)}),
    ']': () => choose({head: further(headOptions(), chosen.head, 1)}),
    'p': () => choose({text: Math.max(0, chosen.text - 1)}),
    'n': () => choose({text: Math.min(data.length - 1, chosen.text + 1)}),
    'ArrowLeft': () => { stop(); showStep(+byId('step').value - 1); },
    'ArrowRight': () => { stop(); showStep(+byId('step').value + 1); },
    ' ': play,
  };
  there.forEach((view, i) => { actions[i + 1] = () => choose({view: view.name}); });
  if (event.key === ' ' && event.target.tagName === 'BUTTON') return;
  if (!(event.key in actions)) return;
  if (!attention && !/\d|n|p/.test(event.key)) return;
  event.preventDefault();
  actions[event.key]();
}

if (data.length > 0) {
  const titles = data.map((one, i) => [i, `${i + 1}: ${one.text || one.answer}`.slice(0, 90)]);
  fillSelect(byId('text'), titles, 0);
  byId('text').addEventListener('change', event => choose({text: +event.target.value}));
  byId('layer').addEventListener('change', event => choose({layer: +event.target.value, head: -1}));
  byId('head').addEventListener('change', event => choose({head: +event.target.value}));
  byId('play').addEventListener('click', play);
  byId('back').addEventListener('click', () => { stop(); showStep(+byId('step').value - 1); });
  byId('on').addEventListener('click', () => { stop(); showStep(+byId('step').value + 1); });
  byId('step').addEventListener('input', event => { stop(); showStep(+event.target.value); });
  document.addEventListener('keydown', onKey);
  choose({});
}

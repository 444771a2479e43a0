#!/usr/bin/env node
// Time of ONNX Runtime's MultiHeadAttention on a case of
// `heed bench attention`, whose options it takes. Prints one JSON line: ms
// (the median) and min_ms, or skipped, which says why it can't run the case.
//
//     attention.mjs [--score scaled_dot] [--heads 8] [--batch 1] [--length 512]
//                   [--keys 512] [--dim 64] [--mask causal] [--dtype f32]
//                   [--backward] [--threads 2] [--seconds 1]
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';

const kFloat = 1; // TensorProto.DataType.FLOAT
const kInt = 2; // AttributeProto.AttributeType.INT

// Protocol buffers: a field is a number, a wire type and a value.
function varint(value) {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return Buffer.from([...bytes, value]);
}

const integer = (number, value) => Buffer.concat([varint(number * 8), varint(value)]);

function bytes(number, ...parts) {
  const value = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return Buffer.concat([varint(number * 8 + 2), varint(value.length), value]);
}

// The numbers are those of onnx.proto.
const attribute = (name, value) =>
  bytes(5, bytes(1, name), integer(3, value), integer(20, kInt));
const operators = (domain, version) => bytes(8, bytes(1, domain), integer(2, version));

function tensorInfo(number, name, dims) {
  const shape = bytes(2, ...dims.map((size) => bytes(1, integer(1, size))));
  return bytes(number, bytes(1, name), bytes(2, bytes(1, integer(1, kFloat), shape)));
}

// Keys and values are split into heads already, as a cache has them: this
// spares ONNX Runtime two transpositions.
const shapesOf = ({ batch, heads, length, keys, dim }) => ({
  query: [batch, length, heads * dim],
  key: [batch, heads, keys, dim],
  value: [batch, heads, keys, dim],
});

function model(sizes) {
  const shapes = shapesOf(sizes);
  const node = bytes(1, ...Object.keys(shapes).map((name) => bytes(1, name)),
    bytes(2, 'output'), bytes(4, 'MultiHeadAttention'),
    attribute('num_heads', sizes.heads), attribute('unidirectional', Number(sizes.causal)),
    bytes(7, 'com.microsoft'));
  const inputs = Object.entries(shapes).map(([name, dims]) => tensorInfo(11, name, dims));
  const graph = bytes(7, node, bytes(2, 'attention'), ...inputs,
    tensorInfo(12, 'output', shapes.query));
  return Buffer.concat([integer(1, 8), graph, operators('', 17), operators('com.microsoft', 1)]);
}

// Returns the inputs, the output and the call that computes it.
async function attention(ort, sizes, threads) {
  const session = await ort.InferenceSession.create(model(sizes),
    { intraOpNumThreads: threads, interOpNumThreads: 1, graphOptimizationLevel: 'all' });
  const tensor = (dims, next) => {
    const count = dims.reduce((product, size) => product * size, 1);
    return new ort.Tensor('float32', Float32Array.from({ length: count }, next), dims);
  };
  let state = 1;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  };
  const inputs = Object.fromEntries(
    Object.entries(shapesOf(sizes)).map(([name, dims]) => [name, tensor(dims, random)]));
  const output = tensor(inputs.query.dims, () => NaN);
  return { inputs, output, run: () => session.run(inputs, { output }) };
}

// softmax(q kᵀ / √D) v at one place of the output.
function plain({ query, key, value }, { batch, heads, length, keys, dim, causal }, place) {
  const d = place % dim;
  const h = Math.floor(place / dim) % heads;
  const t = Math.floor(place / (dim * heads)) % length;
  const b = Math.floor(place / (dim * heads * length));
  const row = (s) => ((b * heads + h) * keys + s) * dim;
  const begin = ((b * length + t) * heads + h) * dim;
  let sum = 0;
  let total = 0;
  for (let s = 0; s < (causal ? t + 1 : keys); ++s) {
    let dot = 0;
    for (let i = 0; i < dim; ++i) dot += query.data[begin + i] * key.data[row(s) + i];
    const weight = Math.exp(dot / Math.sqrt(dim));
    sum += weight;
    total += weight * value.data[row(s) + d];
  }
  return total / sum;
}

// The comparison is worth nothing if the two compute different things.
async function check(ort, causal, threads) {
  const sizes = { batch: 2, heads: 3, length: 5, keys: causal ? 5 : 7, dim: 4, causal };
  const { inputs, output, run } = await attention(ort, sizes, threads);
  await run();
  output.data.forEach((got, place) => {
    const want = plain(inputs, sizes, place);
    if (!(Math.abs(got - want) < 1e-5)) {
      throw new Error(`MultiHeadAttention gives ${got} at ${place}, not ${want}`);
    }
  });
}

async function measure(run, seconds) {
  const times = [];
  await run();
  await run();
  const end = performance.now() + 1e3 * seconds;
  while (performance.now() < end || times.length < 3) {
    const begin = performance.now();
    await run();
    times.push(performance.now() - begin);
  }
  times.sort((a, b) => a - b);
  return { ms: times[Math.floor(times.length / 2)], min_ms: times[0] };
}

function unsupported({ score, mask, dtype, backward }) {
  if (score !== 'scaled_dot') return `MultiHeadAttention has no score ${score}`;
  if (mask && mask !== 'causal') return `MultiHeadAttention has no mask ${mask}`;
  if (dtype !== 'f32') return `MultiHeadAttention has no ${dtype} on a CPU`;
  return backward ? 'ONNX Runtime for Node does not train' : undefined;
}

async function main() {
  const text = (value) => ({ type: 'string', default: value });
  const { values: options } = parseArgs({ options: {
    score: text('scaled_dot'), heads: text('8'), batch: text('1'), length: text('512'),
    keys: text('512'), dim: text('64'), mask: text(''), dtype: text('f32'),
    backward: { type: 'boolean', default: false }, threads: text('2'), seconds: text('1') } });
  const skipped = unsupported(options);
  if (skipped) return { skipped };
  let ort;
  try {
    ort = (await import('onnxruntime-node')).default;
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    return { skipped: 'onnxruntime-node is not installed; run `npm install` in bench/onnxruntime' };
  }
  const sizes = { causal: options.mask === 'causal' };
  for (const name of ['batch', 'heads', 'length', 'keys', 'dim']) {
    sizes[name] = Number(options[name]);
  }
  const threads = Number(options.threads);
  await check(ort, sizes.causal, threads);
  const { run } = await attention(ort, sizes, threads);
  return measure(run, Number(options.seconds));
}

console.log(JSON.stringify(await main()));

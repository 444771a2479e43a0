/** A linear map from values to pixels, with round tick values. */
export interface Linear {
  (value: number): number;
  invert(pixel: number): number;
  ticks: number[];
}

/** Returns a linear scale. `count` > 0 extends it to about this number of round steps. */
export function linear(
  [from, to]: [number, number],
  [begin, end]: [number, number],
  count = 0,
): Linear {
  let [low, high] = [from, to === from ? from + 1 : to];
  const ticks: number[] = [];
  if (count > 0) {
    const rough = (high - low) / count;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
    [low, high] = [Math.floor(low / step) * step, Math.ceil(high / step) * step];
    const digits = Math.max(0, -Math.floor(Math.log10(step)));
    for (let i = 0; low + i * step <= high + step / 2; ++i) {
      ticks.push(Number((low + i * step).toFixed(digits)));
    }
  }
  const scale = (value: number) => begin + ((value - low) / (high - low)) * (end - begin);
  const invert = (pixel: number) =>
    low + ((pixel - begin) / (end - begin)) * (high - low);
  return Object.assign(scale, { invert, ticks });
}

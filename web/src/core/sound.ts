/** Sounds: payload of an explained sound, playback of parts, and WAV files. */
import { base64Part } from "./files";

/** A sound as described in docs/reference/file_formats.md. Units: s, Hz. */
export interface SoundPayload {
  seconds: number;
  /** Time between items of the axis. */
  step: number;
  /** Duration of the spectrogram. */
  spectrogram_seconds: number;
  rate: number;
  /** Spectrogram with low frequencies at the bottom, in base64. */
  png: string;
  /** File in base64. */
  wav: string;
}

/** Start and end. Units: s. */
export type Moments = [number, number];

let context: AudioContext | null = null;
let playing: AudioBufferSourceNode | null = null;
const decoded = new Map<string, Promise<AudioBuffer>>();

function output(): AudioContext {
  context ??= new AudioContext();
  return context;
}

/** Decodes any sound that the browser supports. */
export function decodeSound(bytes: ArrayBuffer): Promise<AudioBuffer> {
  return output().decodeAudioData(bytes);
}

/** Returns the samples of a sound at another rate, averaged over channels. */
export async function resampled(sound: AudioBuffer, rate: number): Promise<Float32Array> {
  const length = Math.max(1, Math.ceil(sound.duration * rate));
  const offline = new OfflineAudioContext(1, length, rate);
  const node = offline.createBufferSource();
  node.buffer = sound;
  node.connect(offline.destination);
  node.start();
  return (await offline.startRendering()).getChannelData(0);
}

function soundOf(wav: string): Promise<AudioBuffer> {
  let sound = decoded.get(wav);
  if (!sound) {
    const bytes = Uint8Array.from(atob(wav), (letter) => letter.charCodeAt(0));
    decoded.set(wav, (sound = decodeSound(bytes.buffer)));
  }
  return sound;
}

/** Plays a part of a sound and stops the previous one. */
export async function playPart(
  { wav }: SoundPayload,
  [begin, end]: Moments,
): Promise<void> {
  const sound = await soundOf(wav);
  playing?.stop();
  const node = output().createBufferSource();
  node.buffer = sound;
  node.connect(output().destination);
  // A click allowed playback; without a device the promise never resolves.
  void output().resume();
  node.start(0, Math.max(0, begin), Math.max(0.02, end - begin));
  node.onended = () => {
    if (playing === node) playing = null;
  };
  playing = node;
}

/** Returns the part of a sound that contains nine tenths of the weights, with a margin. */
export function momentsOf(weights: number[], step: number): Moments {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const at = (share: number) => {
    let sum = 0;
    const place = weights.findIndex((weight) => (sum += weight) >= share * total);
    return place < 0 ? weights.length : place;
  };
  const around = 0.05;
  return [Math.max(0, at(0.05) * step - around), (at(0.95) + 1) * step + around];
}

/** Returns a mono 16-bit WAV file in base64. */
export function wavOf(samples: Float32Array, rate: number): Promise<string> {
  const header = 44;
  const view = new DataView(new ArrayBuffer(header + 2 * samples.length));
  const word = (at: number, letters: string) =>
    [...letters].forEach((letter, i) => view.setUint8(at + i, letter.charCodeAt(0)));
  word(0, "RIFF");
  view.setUint32(4, header - 8 + 2 * samples.length, true);
  word(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, rate, true);
  view.setUint32(28, 2 * rate, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  word(36, "data");
  view.setUint32(40, 2 * samples.length, true);
  samples.forEach((sample, i) => {
    const clipped = Math.max(-1, Math.min(1, sample));
    view.setInt16(header + 2 * i, Math.round(32767 * clipped), true);
  });
  return new Promise((done, fail) => {
    const reader = new FileReader();
    reader.onload = () => done(base64Part(String(reader.result)));
    reader.onerror = () => fail(reader.error ?? new Error("the recording is lost"));
    reader.readAsDataURL(new Blob([view]));
  });
}

import {
  add,
  addRect,
  addText,
  arrowStep,
  button,
  clamp,
  decodeSound,
  errorWords,
  fileField,
  h,
  momentsOf,
  newPicture,
  onLook,
  palette,
  playPart,
  resampled,
  wavOf,
  type AxesOnShow,
  type AxisView,
  type Input,
  type InputField,
  type InputOptions,
  type KindRow,
  type Side,
  type SoundPayload,
} from "../core";

import "./audio.css";

const longestRecording = 60;
// Sample rate for speech; at the recorded rate, a few seconds would fill a request.
const recordedRate = 16000;

/** Records from the microphone until stopped, at most a minute. */
class Recorder {
  private recorder: MediaRecorder | null = null;

  get isOn(): boolean {
    return this.recorder !== null;
  }

  /** Returns the recording as a WAV file; `begun`: called when recording starts. */
  async record(begun: () => void): Promise<Input> {
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    const recorder = new MediaRecorder(stream);
    const parts: Blob[] = [];
    recorder.ondataavailable = ({ data }) => parts.push(data);
    const whole = new Promise<Blob>((done) => {
      recorder.onstop = () => done(new Blob(parts));
    });
    this.recorder = recorder;
    recorder.start();
    begun();
    const limit = setTimeout(() => this.stop(), 1000 * longestRecording);
    try {
      const sound = await decodeSound(await (await whole).arrayBuffer());
      const base64 = await wavOf(await resampled(sound, recordedRate), recordedRate);
      const file = { name: "recording.wav", media_type: "audio/wav", base64 };
      return { text: file.name, request: { file } };
    } finally {
      clearTimeout(limit);
      stream.getTracks().forEach((track) => track.stop());
      this.recorder = null;
    }
  }

  stop(): void {
    this.recorder?.stop();
  }
}

/** Field for a file that is chosen or dropped, or a recorded sound. */
function audioField(options: InputOptions): InputField {
  const field = fileField(options, "Sound for the model");
  const { file, note } = field;
  const recorder = new Recorder();
  // Browsers allow the microphone only for local pages and HTTPS.
  const canRecord = "mediaDevices" in navigator && "MediaRecorder" in window;
  const record = button("Record", { class: "toggle", disabled: !canRecord }, async () => {
    if (recorder.isOn) return recorder.stop();
    try {
      file.value = "";
      const input = await recorder.record(() => {
        record.textContent = "Stop";
        record.classList.add("recording");
        note.textContent = `Recording, for at most ${longestRecording} s…`;
      });
      field.take(input);
    } catch (error) {
      note.textContent = `The microphone cannot be used: ${errorWords(error)}`;
    } finally {
      record.textContent = "Record";
      record.classList.remove("recording");
    }
  });
  if (!canRecord) record.title = "The browser allows the microphone only over HTTPS";
  return field.within(h("div.audio-field", file, " ", record, note));
}

const spectrogramHeight = 96;
const stripHeight = 16;

/** A spectrogram with the weights of the focus below it. */
class SoundFigure {
  readonly element: HTMLElement;
  private readonly payload: SoundPayload;
  private readonly holder: HTMLElement;
  private picture: SVGSVGElement | null = null;
  private width = 0;
  private cursor = 0;

  constructor(
    private readonly side: Side,
    readonly view: AxisView,
  ) {
    this.payload = view.axis.payload as SoundPayload;
    const focus = () => side.focusAt(view, this.cursor);
    this.holder = h("div.figure.sound", {
      tabindex: 0,
      role: "application",
      "aria-roledescription": "sound",
      "aria-label": `${view.name}. Left and right move along the time axis.`,
      onkeydown: (event: KeyboardEvent) => {
        const step = arrowStep(event);
        if (!step) return;
        event.preventDefault();
        this.cursor = clamp(this.cursor + step[1], 0, view.labels.length - 1);
        side.hover(focus());
      },
      onclick: (event: MouseEvent) => {
        this.cursor = this.frameAt(event);
        side.pinAt(view, this.cursor);
      },
    });
    onLook(this.holder, side.events.hover, (event) => {
      if (event) this.cursor = this.frameAt(event);
      return focus();
    });
    const { seconds } = this.payload;
    const play = button("Play", { class: "toggle" }, () => {
      void playPart(this.payload, [0, seconds]);
    });
    side.on("pin", () => {
      const { focus, isPinned, shown } = side;
      if (!isPinned || focus?.row == null || focus.column !== null) return;
      if (shown?.key !== view) return;
      const weights = shown.weights[focus.row] ?? [];
      void playPart(this.payload, momentsOf(weights, this.payload.step));
    });
    const label = h("p.label", `${view.name} (${seconds.toFixed(2)} s) `, play);
    this.element = h("div.words-row.sound-row", label, this.holder);
    new ResizeObserver(() => {
      if (this.holder.clientWidth !== this.width) this.draw();
    }).observe(this.holder);
  }

  private get whole(): number {
    const { seconds, step } = this.payload;
    return Math.max(seconds, step * this.view.labels.length);
  }

  private frameAt(event: MouseEvent): number {
    const box = this.holder.getBoundingClientRect();
    const at = ((event.clientX - box.left) / Math.max(1, this.width)) * this.whole;
    const last = this.view.labels.length - 1;
    return clamp(Math.floor(at / this.payload.step), 0, last);
  }

  draw(): void {
    this.width = clamp(this.holder.clientWidth || 800, 240, 1000);
    const p = palette();
    const { png, spectrogram_seconds: drawn, step } = this.payload;
    const x = (at: number) => (at / this.whole) * this.width;
    const name = `Spectrogram of ${this.view.name}`;
    const picture = newPicture(this.width, spectrogramHeight + stripHeight + 22, name);
    addRect(picture, 0, 0, this.width, spectrogramHeight, p.field);
    add(picture, "image", {
      ...{ width: x(drawn), height: spectrogramHeight, preserveAspectRatio: "none" },
      href: `data:image/png;base64,${png}`,
    });
    addRect(picture, 0, spectrogramHeight + 3, this.width, stripHeight, p.field);
    this.side.stateOf(this.view).forEach(({ weight, strength, chosen }, i) => {
      const below = (weight ?? 0) < 0;
      const left = x(i * step);
      const wide = x((i + 1) * step) - left;
      addRect(
        picture,
        left,
        spectrogramHeight + 3,
        wide,
        stripHeight,
        below ? p.negative : p.ink,
        {
          class: "weight",
          "fill-opacity": strength,
          "data-weight": weight === undefined ? null : String(weight),
        },
      );
      if (!chosen) return;
      addRect(picture, left, 0, wide, spectrogramHeight, p.ink, { "fill-opacity": 0.35 });
    });
    for (const [share, anchor] of [
      [0, "start"],
      [0.5, "middle"],
      [1, "end"],
    ] as const) {
      const text = `${(share * this.whole).toFixed(2)} s`;
      const style = { size: 11, fill: p.quiet, anchor };
      const below = spectrogramHeight + stripHeight + 17;
      addText(picture, share * this.width, below, text, style);
    }
    this.picture = picture;
    this.holder.replaceChildren(picture);
  }

  pictures(): SVGSVGElement[] {
    return this.picture ? [this.picture] : [];
  }
}

function showSounds(side: Side, axes: AxisView[]): AxesOnShow {
  const figures = axes.map((view) => new SoundFigure(side, view));
  return {
    element: h("div.sounds", ...figures.map(({ element }) => element)),
    paint() {
      for (const figure of figures) {
        figure.element.hidden = !side.isVisible(figure.view.id);
        figure.draw();
      }
    },
    pictures: () => figures.flatMap((figure) => figure.pictures()),
  };
}

export const audio: KindRow = {
  name: "audio",
  input: audioField,
  items: () => "frames",
  show: showSounds,
};

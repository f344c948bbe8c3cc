// Short sounds for what happens, made by the browser. They are off until a person turns them on.

const TONES = { move: [[440, 0, 0.07]], turn: [[587, 0, 0.09], [784, 0.1, 0.12]], end: [[523, 0, 0.14], [659, 0.15, 0.14], [784, 0.3, 0.25]] };
const KEY = "sounds";
let context = null;

export const isOn = () => localStorage.getItem(KEY) === "on";

/** Connect the button that turns the sounds on and off. */
export function connect(button) {
  const show = () => {
    button.setAttribute("aria-pressed", String(isOn()));
    button.title = isOn() ? "Turn the sounds off" : "Turn the sounds on";
  };
  button.addEventListener("click", () => {
    localStorage.setItem(KEY, isOn() ? "off" : "on");
    show();
    play("move");
  });
  show();
}

/** Play the sound of an event: move, turn or end. */
export function play(name) {
  if (!isOn()) return;
  context ??= new AudioContext();
  for (const [pitch, after, length] of TONES[name]) {
    const tone = context.createOscillator(), volume = context.createGain(), start = context.currentTime + after;
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(0.12, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + length);
    tone.connect(volume).connect(context.destination);
    tone.start(start);
    tone.stop(start + length);
  }
}

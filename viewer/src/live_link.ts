// live_link.ts - the connection to sinew view: orders go out, frames and messages come in (docs/view.md)

import { readFrame, type Frame } from "./live_frame";
import type { Scene } from "./scene";

export interface Hello {
  type: "hello";
  version: number;
  title: string;
  command: string;
  sinew: string;
  scene: Scene;
  ranges: ([number, number] | null)[]; // of joints; null: it cannot be set
  controls: [number, number][]; // of actuators
  formulations: string[];
}
export interface Settings {
  type: "settings";
  paused: boolean;
  speed: number;
  gravity: [number, number, number];
  formulation: string;
  can_change_formulation: boolean;
  recording: boolean;
  dt: number;
}
export interface Note {
  type: "note" | "error";
  text: string;
}

export type Order =
  | { do: "pause"; on: boolean }
  | { do: "step"; count: number }
  | { do: "reset" }
  | { do: "speed"; factor: number }
  | { do: "drag"; body: number; point: number[]; target: number[] }
  | { do: "release" }
  | { do: "position"; joint: number; value: number }
  | { do: "control"; actuator: number; value: number }
  | { do: "gravity"; value: number[] }
  | { do: "formulation"; name: string }
  | { do: "record"; on: boolean };

const kSeen = '{"do":"seen"}';

export class Link {
  onHello: (h: Hello) => void = () => {};
  onSettings: (s: Settings) => void = () => {};
  onFrame: (f: Frame) => void = () => {};
  onNote: (n: Note) => void = () => {};
  onEnd: (why: string) => void = () => {};
  private socket?: WebSocket;

  /** It is not tried again by itself: a server that is gone would fill the console. */
  connect(): void {
    const address = `/stream${location.search}`;
    const socket = new WebSocket(`ws://${location.host}${address}`);
    this.socket = socket;
    let opened = false;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => (opened = true);
    socket.onmessage = (e: MessageEvent<string | ArrayBuffer>) => this.take(e.data);
    socket.onclose = () => {
      if (this.socket !== socket) return;
      this.socket = undefined;
      if (opened) this.onEnd("The connection has ended: sinew view was stopped, or this page was asleep for too long.");
      else void this.askWhy(address);
    };
  }
  get open(): boolean {
    return this.socket?.readyState === WebSocket.OPEN;
  }
  send(o: Order): void {
    if (this.open) this.socket!.send(JSON.stringify(o));
  }

  private take(data: string | ArrayBuffer): void {
    if (data instanceof ArrayBuffer) {
      this.onFrame(readFrame(data));
      this.socket?.send(kSeen); // the server sends three ahead, so that a slow page skips frames and does not lag
      return;
    }
    const message = JSON.parse(data) as Hello | Settings | Note;
    if (message.type === "hello") this.onHello(message);
    else if (message.type === "settings") this.onSettings(message);
    else this.onNote(message);
  }
  // A WebSocket that is refused does not say why; a plain request does.
  private async askWhy(address: string): Promise<void> {
    try {
      const answer = await fetch(address);
      const text = await answer.text();
      this.onEnd(answer.status === 503 || answer.status === 403 ? text : "The server did not take the connection.");
    } catch {
      this.onEnd("Nobody answers: sinew view is not running any more.");
    }
  }
}

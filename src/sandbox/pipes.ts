import { readSync, writeSync } from 'node:fs';
import { INPUT_FD, OUTPUT_FD } from './descriptors.js';
import { encodeFrame } from './frames.js';
import { LIMITS } from './limits.js';
import type { ToChild } from './protocol.js';

/** Blocks until the whole frame is written, so a log line is not lost if the child is killed afterwards. */
export function sendText(text: string): void {
  const frame = encodeFrame(text);
  for (let at = 0; at < frame.length; ) at += writeSync(OUTPUT_FD, frame, at);
}

/** Returns undefined if the parent is gone or the frame is too large. */
export function receive(): ToChild | undefined {
  const head = readBytes(4);
  const length = head?.readUInt32BE(0) ?? 0;
  if (length > LIMITS.frameToChild) return undefined;
  const body = head && readBytes(length);
  // The parent wrote the frame, so its form is not validated.
  return body && (JSON.parse(body.toString()) as ToChild);
}

function readBytes(count: number): Buffer | undefined {
  const bytes = Buffer.allocUnsafe(count);
  for (let at = 0; at < count; ) {
    const read = readSync(INPUT_FD, bytes, at, count - at, null);
    if (read === 0) return undefined;
    at += read;
  }
  return bytes;
}

import { GitRefused } from '../../../ports/offloaded/git-repositories.port.js';

const broken = () => new GitRefused('The pack is broken: a delta does not fit its base.');

function sizeAt(delta: Buffer, start: number): { readonly size: number; readonly next: number } {
  let size = 0;
  let at = start;
  for (let factor = 1; ; factor *= 128) {
    const byte = delta[at++];
    if (byte === undefined || factor > Number.MAX_SAFE_INTEGER / 128) throw broken();
    size += (byte & 0x7f) * factor;
    if ((byte & 0x80) === 0) return { size, next: at };
  }
}

export function resultSizeOf(delta: Buffer): number {
  return sizeAt(delta, sizeAt(delta, 0).next).size;
}

/** @throws GitRefused */
export function applyDelta(base: Buffer, delta: Buffer): Buffer {
  const from = sizeAt(delta, 0);
  const to = sizeAt(delta, from.next);
  if (from.size !== base.length) throw broken();
  const result = Buffer.alloc(to.size);
  let written = 0;
  let at = to.next;
  const byte = () => delta[at++] ?? fail();
  while (at < delta.length) {
    const command = byte();
    if (command & 0x80) {
      let offset = 0;
      let size = 0;
      for (let bit = 0; bit < 4; bit++) if (command & (1 << bit)) offset += byte() * 256 ** bit;
      for (let bit = 0; bit < 3; bit++) if (command & (0x10 << bit)) size += byte() * 256 ** bit;
      if (size === 0) size = 0x10000;
      if (offset + size > base.length || written + size > result.length) throw broken();
      base.copy(result, written, offset, offset + size);
      written += size;
    } else {
      // Git reserves the command 0.
      if (command === 0 || at + command > delta.length || written + command > result.length) throw broken();
      delta.copy(result, written, at, at + command);
      written += command;
      at += command;
    }
  }
  if (written !== result.length) throw broken();
  return result;
}

function fail(): never {
  throw broken();
}

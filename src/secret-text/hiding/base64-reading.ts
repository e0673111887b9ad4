import { startOf, type TextView } from './text-view.js';
import type { ValueFinder } from './value-finder.js';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const sextets = new Int8Array(256).fill(-1);
for (const alphabet of [`${LETTERS}+/`, `${LETTERS}-_`])
  for (let at = 0; at < alphabet.length; at += 1) sextets[alphabet.charCodeAt(at)] = at;
const [LINE_FEED, CARRIAGE_RETURN, EQUALS] = [0x0a, 0x0d, 0x3d];

/**
 * Decodes each run of base64 letters (of either alphabet) at all four offsets in one pass, because encoded text can
 * begin at any letter of the run. Skips line breaks inside a run.
 * @param hit receives the range of letters that contain a part of the value, including the padding after them
 */
export function findInBase64(view: TextView, finder: ValueFinder, hit: (start: number, end: number) => void): void {
  const { bytes } = view;
  const letters = new Int32Array(bytes.length);
  const nodes = new Int32Array(4);
  let [count, previous] = [0, -1];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    const sextet = sextets[byte] as number;
    if (sextet < 0) {
      if (byte === LINE_FEED || byte === CARRIAGE_RETURN) continue;
      previous = -1;
      nodes.fill(0);
      continue;
    }
    letters[count] = at;
    for (let way = 0; way < 4 && previous >= 0; way += 1) {
      // At the offset `way`, groups of four letters begin at letter `way`. The previous letter and this one together
      // contain byte `nth` (0 to 2) of a group. If `nth` is 3, they belong to different groups and contain no byte.
      const nth = (count - 1 - way) & 3;
      if (nth === 3) continue;
      const decoded = ((previous << (2 + 2 * nth)) | (sextet >> (4 - 2 * nth))) & 0xff;
      const node = finder.next(nodes[way] as number, decoded);
      nodes[way] = node;
      const length = finder.lengthAt(node);
      if (length === 0) continue;
      const firstBit = (nth + 1 - length) * 8;
      const first = letters[count - 1 - nth + Math.floor(firstBit / 6)] as number;
      hit(startOf(view, first), startOf(view, afterPadding(bytes, at + 1)));
    }
    previous = sextet;
    count += 1;
  }
}

function afterPadding(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== EQUALS) return at;
  return bytes[at + 1] === EQUALS ? at + 2 : at + 1;
}

import { startOf, type TextView } from './text-view.js';
import type { ValueFinder } from './value-finder.js';

const nibbles = new Int8Array(256).fill(-1);
for (const digits of ['0123456789abcdef', '0123456789ABCDEF'])
  for (let at = 0; at < digits.length; at += 1) nibbles[digits.charCodeAt(at)] = at;

/**
 * Decodes each run of hexadecimal digits at both offsets in one pass, because encoded text can begin at any digit of
 * the run.
 */
export function findInHex(view: TextView, finder: ValueFinder, hit: (start: number, end: number) => void): void {
  const { bytes } = view;
  const nodes = new Int32Array(2);
  let previous = -1;
  for (let at = 0; at < bytes.length; at += 1) {
    const nibble = nibbles[bytes[at] as number] as number;
    if (nibble < 0) {
      if (previous >= 0) nodes.fill(0);
    } else if (previous >= 0) {
      const way = at & 1;
      const node = finder.next(nodes[way] as number, (previous << 4) | nibble);
      nodes[way] = node;
      const length = finder.lengthAt(node);
      if (length > 0) hit(startOf(view, at + 1 - 2 * length), startOf(view, at + 1));
    }
    previous = nibble;
  }
}

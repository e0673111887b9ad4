import { entityView } from './entity-view.js';
import { percentView, unescapedView } from './escaped-views.js';
import type { TextView } from './text-view.js';

export interface Reading {
  readonly view: TextView;
  /** Whether base64 and hexadecimal digits are looked for in it as well. */
  readonly coded: boolean;
}

/**
 * Every way in which a value may stand in a text: as it is; with JSON's escapes, also in a string inside a string;
 * percent-encoded in full or in part, also twice, with `+` for a space as forms have it, also inside a JSON string; with
 * HTML's entities; and any of the simple ones with base64 or hexadecimal digits in it, which may themselves be escaped.
 */
export function* readingsOf(plain: TextView): Generator<Reading> {
  const unescaped = unescapedView(plain);
  const decoded = percentView(plain, false);
  for (const view of [plain, unescaped, decoded]) if (view) yield { view, coded: true };
  const others = [
    percentView(plain, true),
    unescaped && unescapedView(unescaped),
    unescaped && percentView(unescaped, false),
    unescaped && percentView(unescaped, true),
    decoded && percentView(decoded, false),
    entityView(plain),
  ];
  for (const view of others) if (view) yield { view, coded: false };
}

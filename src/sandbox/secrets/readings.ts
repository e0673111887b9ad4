import { percentView, unescapedView } from './escaped-views.js';
import { plainView, type TextView } from './text-view.js';

export interface Reading {
  readonly view: TextView;
  /** Whether base64 is looked for in it as well. */
  readonly base64: boolean;
}

/**
 * Every way in which a value may stand in a text: as it is; with JSON's escapes, also in a string inside a string;
 * percent-encoded in full or in part, with `+` for a space as forms have it, also inside a JSON string; and any of the
 * simple ones with base64 in it, whose letters may themselves be escaped.
 */
export function* readingsOf(text: string): Generator<Reading> {
  const plain = plainView(text);
  const unescaped = unescapedView(plain);
  for (const view of [plain, unescaped, percentView(plain, false)]) if (view) yield { view, base64: true };
  const others = [
    percentView(plain, true),
    unescaped && unescapedView(unescaped),
    unescaped && percentView(unescaped, false),
    unescaped && percentView(unescaped, true),
  ];
  for (const view of others) if (view) yield { view, base64: false };
}

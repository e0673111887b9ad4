import { entityView } from './entity-view.js';
import { percentView, unescapedView } from './escaped-views.js';
import type { TextView } from './text-view.js';

export interface DecodedText {
  readonly view: TextView;
  readonly coded: boolean;
}

/**
 * Yields every form in which a text may contain a value: plain; with JSON escapes, also in a string within a string;
 * percent-encoded, also twice, with `+` for a space, or within a JSON string; and with HTML entities.
 */
export function* decodedFormsOf(plain: TextView): Generator<DecodedText> {
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

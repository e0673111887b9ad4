import { entityView } from './entity-view.js';
import { percentView, unescapedView } from './escaped-views.js';
import type { TextView } from './text-view.js';

export interface DecodedText {
  readonly view: TextView;
  /** Whether base64 and hexadecimal digits are searched for in it too. */
  readonly coded: boolean;
}

/**
 * Yields every form in which a text may contain a value: plain; with JSON escapes, also in a string within a string;
 * percent-encoded in full or in part, also twice, also with `+` for a space as in forms, also within a JSON string; and
 * with HTML entities. Any of the simple forms may contain base64 or hexadecimal digits, which may be escaped
 * themselves.
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

import { wrongName } from '../../../kernel/condition/read-rule.js';
import { isOneLine } from '../../../kernel/text/one-line.js';

/** Why this cannot be a key; undefined when it can. Whatever a condition can ask for, on one line. */
export function wrongEntitlementKey(value: unknown): string | undefined {
  const wrong = wrongName(value);
  if (wrong !== undefined) return wrong;
  return isOneLine(String(value)) ? undefined : 'must be one line of text without control characters';
}

import { wrongRuleName } from '../../../kernel/condition/read-rule.js';
import { isOneLine } from '../../../kernel/text/one-line.js';

/** Why this cannot be a key; undefined: it can. A key is anything that a condition can test, on one line. */
export function wrongEntitlementKey(value: unknown): string | undefined {
  const wrong = wrongRuleName(value);
  if (wrong !== undefined) return wrong;
  return isOneLine(String(value)) ? undefined : 'must be one line of text without control characters';
}

import { wrongRuleName } from '../../../kernel/condition/read-rule.js';
import { isOneLine } from '../../../kernel/text/one-line.js';

/** Returns why this cannot be a key, or undefined if it can. A key is a value that conditions can test, on one line. */
export function wrongEntitlementKey(value: unknown): string | undefined {
  const wrong = wrongRuleName(value);
  if (wrong !== undefined) return wrong;
  return isOneLine(String(value)) ? undefined : 'must be one line of text without control characters';
}

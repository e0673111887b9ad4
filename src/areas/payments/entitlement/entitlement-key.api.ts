import { wrongRuleName } from '../../../kernel/condition/read-rule.js';
import { isOneLine } from '../../../kernel/text/one-line.js';

/**
 * Returns the reason why the key is invalid, or undefined. A key is one line of text that access conditions can test.
 */
export function wrongEntitlementKey(value: unknown): string | undefined {
  const wrong = wrongRuleName(value);
  if (wrong !== undefined) return wrong;
  return isOneLine(String(value)) ? undefined : 'must be one line of text without control characters';
}

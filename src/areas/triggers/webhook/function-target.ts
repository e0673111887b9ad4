import type { Target } from '../../../kernel/callers/target.js';
import { accountFunctions, siteFunctions } from '../../functions/function/function.record.js';

interface NamedFunction {
  readonly functionId: string;
  readonly kind?: 'account' | 'site';
}

/** The target for the function named in createWebhook and listTriggers. */
export const functionTarget = ({ functionId, kind }: NamedFunction): Target => ({
  kind: kind === 'site' ? 'site_function' : 'account_function',
  ref: functionId,
});

/** @throws Refusal function-not-found, site-function-not-found */
export const missingFunction = ({ kind }: Target): never =>
  kind === 'site_function' ? siteFunctions.missing() : accountFunctions.missing();

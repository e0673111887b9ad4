import { decisionIdIn } from '../../../engine/explain/decision-ids.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { CapabilityRefused } from '../../../ports/sandbox.port.js';

/** What code that calls a function gets of a refusal: that there is none, or that it may not. */
export async function refusedToCode<Answer>(find: () => Promise<Answer>): Promise<Answer> {
  try {
    return await find();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const status = error.kind === 'not-found' ? 404 : 403;
    throw new CapabilityRefused(error.message, error.code, status, undefined, decisionIdIn(error));
  }
}

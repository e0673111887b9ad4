import { refuse } from '../refusals/engine.refusals.js';

/** Whether the header X-Dry-Run asks that the call be tried and not done. @throws Refusal for any other word */
export function asksForTrial(header: string | undefined): boolean {
  const word = header?.trim().toLowerCase();
  if (word === undefined || word === 'false') return false;
  return word === 'true' || refuse('dry-run-unclear');
}

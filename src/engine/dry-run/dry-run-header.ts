import { refuse } from '../refusals/engine.refusals.js';

/** @throws Refusal for values other than true and false */
export function isDryRun(header: string | undefined): boolean {
  const word = header?.trim().toLowerCase();
  if (word === undefined || word === 'false') return false;
  return word === 'true' || refuse('dry-run-unclear');
}

import { refuse } from '../refusals/kernel.refusals.js';
import { type InvalidField } from '../refusals/refusal.js';

/** @throws Refusal invalid-input, which names every path; the empty path means the whole body */
export function refuseInput(errors: readonly InvalidField[]): never {
  const paths = errors.map(({ path, message }) => `${path === '' ? 'the body' : path} (${message})`);
  refuse('invalid-input', { paths: paths.slice(0, 5).join(', ') }, { errors });
}

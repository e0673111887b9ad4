import { expect, test } from '@jest/globals';
import { refusedErrors } from '../../../test/support/given/refused-errors.js';
import { refusalOf } from '../refusals/engine.refusals.js';
import { refusalOfError } from './refusal-of-error.js';

test.each(refusedErrors)('%p is refused, and its reason is only logged', (error, code, logged) => {
  const warned: string[] = [];
  const refusal = refusalOfError(error, (sentence) => warned.push(sentence));
  expect([refusal?.code, refusal?.kind]).toEqual([code, 'unavailable']);
  expect(warned).toEqual([expect.stringContaining(logged)]);
  expect(JSON.stringify([refusal?.message, refusal?.facts])).not.toMatch(/away|damaged/);
});

test('a refusal is returned unchanged, and a fault of the service is none', () => {
  const warned: string[] = [];
  const refusal = refusalOf('too-much-contention');
  expect(refusalOfError(refusal, (sentence) => warned.push(sentence))).toBe(refusal);
  expect(refusalOfError(new Error('a fault'), (sentence) => warned.push(sentence))).toBeUndefined();
  expect(warned).toEqual([]);
});

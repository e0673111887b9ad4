import { beforeEach, expect, it } from '@jest/globals';
import { PartChecks } from './part-checks.js';

let checks: PartChecks;
let now: number;
let times: number;
beforeEach(() => {
  now = 0;
  times = 0;
  checks = new PartChecks(() => now);
});

const works = async () => {
  times += 1;
};
const fails = async () => {
  times += 1;
  throw new Error('The disk is full.');
};

it('a part that works is checked again after a second', async () => {
  expect(await checks.stateOf('vault', works)).toBe('ok');
  now = 999;
  expect(await checks.stateOf('vault', works)).toBe('ok');
  expect(times).toBe(1);
  now = 1_000;
  expect(await checks.stateOf('vault', fails)).toBe('The disk is full.');
  expect(times).toBe(2);
});

it('a part that failed is checked again at the next request', async () => {
  expect(await checks.stateOf('vault', fails)).toBe('The disk is full.');
  expect(await checks.stateOf('vault', works)).toBe('ok');
  expect(times).toBe(2);
});

it('requests share a check that takes longer than a second, and what it finds', async () => {
  const { promise, reject } = Promise.withResolvers<void>();
  const first = checks.stateOf('vault', () => promise);
  now = 60_000;
  const second = checks.stateOf('vault', works);
  reject(new Error('No answer.'));
  expect(await Promise.all([first, second])).toEqual(['No answer.', 'No answer.']);
  expect(times).toBe(0);
});

it('each part is checked by itself', async () => {
  await checks.stateOf('vault', works);
  expect(await checks.stateOf('texts', fails)).toBe('The disk is full.');
});

it('an error without a message has a sentence too', async () => {
  expect(await checks.stateOf('vault', () => Promise.reject(1))).toBe('The check failed without a reason.');
});

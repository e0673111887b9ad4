import { describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { EventStore } from '../../ports/event-store.port.js';
import type { ReadYourWrites } from '../read-models/read-your-writes.js';
import { LogHead } from './log-head.js';

Logger.overrideLogger(false);

const headOf = (head: () => Promise<number>, taken = -1) =>
  new LogHead({ head } as EventStore, { taken: () => taken } as unknown as ReadYourWrites);

function scene() {
  const answers: ((head: number) => void)[] = [];
  const head = () => new Promise<number>((resolve) => answers.push(resolve));
  return { answers, log: headOf(head) };
}
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('the head of the log', () => {
  it('is read once for all with later positions, and not for earlier ones', async () => {
    const { answers, log } = scene();
    const first = log.has(5, 'runs');
    await settled();
    answers[0]?.(7);
    expect(await first).toBe(true);
    expect(await log.has(7, 'runs')).toBe(true);
    expect(answers).toHaveLength(1);
    const later = Promise.all([log.has(8, 'runs'), log.has(9, 'runs')]);
    await settled();
    answers[1]?.(8);
    expect(await later).toEqual([true, false]);
    expect(answers).toHaveLength(2);
  });

  it('is read again for a caller that came after the read in progress', async () => {
    const { answers, log } = scene();
    const first = log.has(5, 'runs');
    await settled();
    const second = log.has(6, 'runs');
    answers[0]?.(5);
    await settled();
    await settled();
    answers[1]?.(6);
    expect(await Promise.all([first, second])).toEqual([true, true]);
  });

  it('is not read for positions that a read model has reached', async () => {
    const log = headOf(() => Promise.reject(new Error('Asked.')), 5);
    expect(await log.has(5, 'runs')).toBe(true);
    await expect(log.has(6, 'runs')).rejects.toThrow('Asked.');
  });

  it('is the last of the positions that are in the log', async () => {
    const log = headOf(async () => 10);
    expect(await log.lastOf([3, 1e9, 8, 5], 'runs')).toBe(8);
    expect(await log.lastOf([], 'runs')).toBe(-1);
  });
});

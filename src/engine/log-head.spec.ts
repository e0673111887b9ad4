import { describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { EventStore } from '../ports/event-store.port.js';
import { LogHead } from './log-head.js';

Logger.overrideLogger(false);

function scene() {
  const answers: ((head: number) => void)[] = [];
  const head = () => new Promise<number>((resolve) => answers.push(resolve));
  return { answers, log: new LogHead({ head } as EventStore) };
}
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('the head of the log', () => {
  it('is asked for once by all who come with later positions, and not for earlier ones', async () => {
    const { answers, log } = scene();
    const first = log.has(5);
    await settled();
    answers[0]?.(7);
    expect(await first).toBe(true);
    expect(await log.has(7)).toBe(true);
    expect(answers).toHaveLength(1);
    const later = Promise.all([log.has(8), log.has(9)]);
    await settled();
    answers[1]?.(8);
    expect(await later).toEqual([true, false]);
    expect(answers).toHaveLength(2);
  });

  it('is asked for again by one who came after the question that was under way', async () => {
    const { answers, log } = scene();
    const first = log.has(5);
    await settled();
    const second = log.has(6);
    answers[0]?.(5);
    await settled();
    await settled();
    answers[1]?.(6);
    expect(await Promise.all([first, second])).toEqual([true, true]);
  });

  it('is the last of the positions that are in the log', async () => {
    const log = new LogHead({ head: async () => 10 } as EventStore);
    expect(await log.lastOf([3, 1e9, 8, 5])).toBe(8);
    expect(await log.lastOf([])).toBe(-1);
  });
});

import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DueQueue } from './due-queue.js';

test('property: due items are taken in the order of time, all of them and nothing else', () => {
  const step = fc.oneof(fc.record({ push: fc.nat(50) }), fc.record({ take: fc.nat(50) }));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const queue = new DueQueue<string>();
      let waiting: number[] = [];
      for (const one of steps) {
        if ('push' in one) {
          queue.push(one.push, `at ${one.push}`);
          waiting.push(one.push);
        } else {
          const due = waiting.filter((at) => at <= one.take).sort((a, b) => a - b);
          expect(queue.take(one.take)).toEqual(due.map((at) => ({ at, item: `at ${at}` })));
          waiting = waiting.filter((at) => at > one.take);
        }
        expect(queue.nextAt).toBe(waiting.length === 0 ? undefined : Math.min(...waiting));
      }
    }),
  );
});

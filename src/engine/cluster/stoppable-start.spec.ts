import { expect, it } from '@jest/globals';
import { StoppableStart } from './stoppable-start.js';

it.each(['ends', 'fails'])(
  'the stop aborts a start and waits until it %s, and a later start is not aborted',
  async (how) => {
    const start = new StoppableStart();
    const end = Promise.withResolvers<void>();
    const order: string[] = [];
    const begun = start.begin(async (stopping) => {
      stopping.addEventListener('abort', () => order.push('aborted'));
      await end.promise;
      order.push(how);
      if (how === 'fails') throw new Error('The store is away.');
    });
    const failed = begun.catch(() => undefined);
    const stopped = start.stop().then(() => order.push('stopped'));
    expect(order).toEqual(['aborted']);
    end.resolve();
    await Promise.all([failed, stopped]);
    expect(order).toEqual(['aborted', how, 'stopped']);
    await start.begin(async (stopping) => expect(stopping.aborted).toBe(false));
  },
);

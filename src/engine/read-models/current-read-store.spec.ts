import { beforeEach, describe, expect, it } from '@jest/globals';
import { MadeUpClock } from '../../../test/support/clocks/made-up-clock.js';
import type { Environment } from '../../config/environment.js';
import type { ReadStore } from '../../ports/read-store.port.js';
import { CurrentReadStore } from './current-read-store.js';
import { ReadModels } from './read-models.js';
import { ReadYourWrites } from './read-your-writes.js';

const runs = { name: 'runs', version: 1, collections: { runs: { indexes: [] } }, changes: () => [] };

let readYourWrites: ReadYourWrites;
let reads: CurrentReadStore;
let flushes: number;
beforeEach(() => {
  const models = new ReadModels([{ ...runs, reads: { types: ['RunAccepted', 'RunEnded'] } }]);
  readYourWrites = new ReadYourWrites(new MadeUpClock(), models, {} as Environment);
  flushes = 0;
  const store = {
    get: async (_collection: string, id: string) => ({ id, workspaceId: 'ws' }),
    flushSoon: () => {
      flushes += 1;
    },
  };
  reads = new CurrentReadStore(store as unknown as ReadStore, readYourWrites, models);
  const stream = 'run-ws.fn_1';
  readYourWrites.moved('runs', 4);
  readYourWrites.appended(5, [{ stream, type: 'RunAccepted' }]);
  readYourWrites.appended(9, [{ stream, type: 'RunEnded' }]);
});

const isOver = async (reading: Promise<unknown>): Promise<boolean> => {
  const pending = Symbol();
  await new Promise(setImmediate);
  return (await Promise.race([reading, pending])) !== pending;
};

describe('a document by its id', () => {
  it('includes everything recorded before the read', async () => {
    const reading = reads.get('runs', 'run_1');
    readYourWrites.moved('runs', 8);
    expect([await isOver(reading), flushes]).toEqual([false, 1]);
    readYourWrites.moved('runs', 9);
    expect(await reading).toEqual({ id: 'run_1', workspaceId: 'ws' });
  });

  it('is read without waiting beyond the sufficient position', async () => {
    const reading = reads.get('runs', 'run_1', 5);
    expect([await isOver(reading), flushes]).toEqual([false, 1]);
    readYourWrites.moved('runs', 5);
    expect(await reading).toEqual({ id: 'run_1', workspaceId: 'ws' });
    expect(await isOver(reads.get('runs', 'run_1', 5))).toBe(true);
    expect(flushes).toBe(1);
  });
});

import { expect, it } from '@jest/globals';
import { SingleFlightSweep } from './single-flight-sweep.js';

it('begins no sweep while one is in progress, and the next one after it', async () => {
  let begun = 0;
  const first = Promise.withResolvers<void>();
  const sweep = new SingleFlightSweep(
    () => {
      begun += 1;
      return begun === 1 ? first.promise : Promise.resolve();
    },
    () => undefined,
  );
  const going = sweep.begin(true);
  await sweep.begin(true);
  expect(begun).toBe(1);
  let hasEnded = false;
  const ended = sweep.ended().then(() => {
    hasEnded = true;
  });
  await Promise.resolve();
  expect(hasEnded).toBe(false);
  first.resolve();
  await Promise.all([going, ended]);
  await sweep.begin(true);
  expect(begun).toBe(2);
});

it("begins none if it is not this process's duty", async () => {
  let begun = 0;
  await new SingleFlightSweep(
    async () => {
      begun += 1;
    },
    () => undefined,
  ).begin(false);
  expect(begun).toBe(0);
});

it('reports why one failed, and begins the next one all the same', async () => {
  const told: string[] = [];
  const sweep = new SingleFlightSweep(
    () => Promise.reject(new Error('the store is away')),
    (reason) => told.push(reason),
  );
  await sweep.begin(true);
  await sweep.begin(true);
  expect(told).toEqual(['the store is away', 'the store is away']);
});

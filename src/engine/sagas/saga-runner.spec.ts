import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { steppedThrough } from '../../../test/contracts/read-models/shared-projection-faults.js';
import { nameOf, SagaScene } from '../../../test/support/given/saga-scene.js';
import { storeRetryOf } from '../../../test/support/given/store-retry.js';
import type { ReadStore } from '../../ports/read-store.port.js';
import type { Calls } from '../operation/calls.js';
import type { ReadYourWrites } from '../read-models/read-your-writes.js';
import type { Saga } from './saga.js';
import { SagaRunner } from './saga-runner.js';

let scene: SagaScene;
beforeEach(() => {
  scene = new SagaScene();
});
afterEach(() => scene.close());

it('a saga reacts to nothing if it is stopped while it starts', async () => {
  const done: string[] = [];
  const saga = (by: string): Saga => ({
    name: 'things-are-followed',
    reads: ['ThingDone'],
    react: async (event) => void done.push(`${by} ${nameOf(event)}`),
  });
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const slow = steppedThrough<ReadStore>(scene.store, (method) => (method === 'checkpoint' ? held : Promise.resolve()));
  const readYourWrites = { observed: () => undefined } as unknown as ReadYourWrites;
  const retry = storeRetryOf(scene.clock);
  const runner = new SagaRunner(scene.events, slow, {} as Calls, readYourWrites, retry, scene.clock);
  const duty = runner.duty(saga('stopped'), () => undefined);
  const starting = duty.start();
  await nextTurn();
  const stopping = duty.stop();
  await nextTurn();
  release();
  await Promise.all([starting, stopping]);
  await scene.record('a', 'first');
  await scene.start(saga('other'));
  await scene.until(() => done.length > 0);
  expect([done, runner.running.length]).toEqual([['other first'], 0]);
});

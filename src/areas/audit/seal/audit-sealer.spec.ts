import { expect, it } from '@jest/globals';
import { MadeUpClock } from '../../../../test/support/clocks/made-up-clock.js';
import type { RecordedLog } from '../../../ports/event-store.port.js';
import type { ReadStore } from '../../../ports/read-store.port.js';
import { AuditSealer } from './audit-sealer.js';
import type { Sealing } from './sealing.js';

it('the sealing of the audit does not follow the log after it was stopped while it started', async () => {
  let subscriptions = 0;
  const subscribe = () => {
    subscriptions += 1;
    const stop = async () => {
      subscriptions -= 1;
    };
    return { position: -1, stop };
  };
  const events = { head: async () => -1, readAll: async () => [], subscribe } as unknown as RecordedLog;
  const { promise: held, resolve: release } = Promise.withResolvers<number>();
  const store = { checkpoint: () => held } as unknown as ReadStore;
  const [worker] = new AuditSealer(events, store, {} as Sealing, new MadeUpClock()).workers(() => undefined);
  const starting = worker?.start();
  const stopping = worker?.stop();
  release(-1);
  await Promise.all([starting, stopping]);
  expect(subscriptions).toBe(0);
});

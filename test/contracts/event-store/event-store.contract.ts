import { appendContract } from './event-store-append.contract.js';
import { historyContract } from './event-store-history.contract.js';
import { readContract } from './event-store-read.contract.js';
import type { OpenEventStore } from './event-store-scene.js';
import { snapshotContract } from './event-store-snapshot.contract.js';
import { subscribeContract } from './event-store-subscribe.contract.js';
import { truncateContract } from './event-store-truncate.contract.js';

/** What every event store keeps of the port's promises; how fast, and what it keeps beyond them, is in its own spec. */
export function eventStoreContract(name: string, open: OpenEventStore): void {
  describe(`event store: ${name}`, () => {
    describe('append', () => appendContract(open));
    describe('read', () => readContract(open));
    describe('truncate', () => truncateContract(open));
    describe('snapshot', () => snapshotContract(open));
    describe('subscribe', () => subscribeContract(open));
    describe('any history', () => historyContract(open));
  });
}

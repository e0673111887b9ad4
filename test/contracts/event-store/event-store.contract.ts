import { appendContract } from './event-store-append.contract.js';
import { historyContract } from './event-store-history.contract.js';
import { readContract } from './event-store-read.contract.js';
import type { OpenEventStore } from './event-store-scene.js';
import { snapshotContract } from './event-store-snapshot.contract.js';
import { subscribeContract } from './event-store-subscribe.contract.js';
import { truncateContract } from './event-store-truncate.contract.js';

/**
 * The promises of the port that every event store keeps. Each adapter's own spec covers speed and additional promises.
 */
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

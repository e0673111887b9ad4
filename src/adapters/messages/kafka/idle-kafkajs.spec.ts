import { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../../test/support/eventually.js';
import { quietIdleConnections } from './idle-kafkajs.js';

const load = createRequire(import.meta.url);
const RequestQueue = load('kafkajs/src/network/requestQueue') as new (options: object) => Queue;

interface Queue {
  readonly throttleCheckTimeoutId: unknown;
  maybeThrottle(ms: number): void;
  push(request: object): void;
  checkPendingRequests(): void;
  destroy(): void;
}

describe('a connection of kafkajs', () => {
  let queue: Queue;
  const sent: number[] = [];
  beforeEach(() => {
    quietIdleConnections();
    sent.length = 0;
    const logger = { debug: () => undefined, namespace: () => logger } as object;
    const options = { instrumentationEmitter: new EventEmitter(), maxInFlightRequests: 1, requestTimeout: 1_000 };
    queue = new RequestQueue({ ...options, enforceRequestTimeout: true, clientId: 'c', broker: 'b', logger });
  });
  afterEach(() => queue.destroy());

  const request = (correlationId: number) => ({
    entry: { correlationId, reject: () => undefined },
    expectResponse: true,
    requestTimeout: 1_000,
    sendRequest: () => sent.push(correlationId),
  });

  it('that is idle has no timer', () => {
    queue.checkPendingRequests();
    expect(queue.throttleCheckTimeoutId).toBeNull();
  });

  it('that is throttled sends waiting requests when its time has come', async () => {
    queue.maybeThrottle(50);
    queue.push(request(1));
    expect(sent).toEqual([]);
    expect(
      await eventually(
        async () => [...sent],
        ({ length }) => length > 0,
      ),
    ).toEqual([1]);
    expect(queue.throttleCheckTimeoutId).toBeNull();
  });
});

import { afterEach, expect, jest, test } from '@jest/globals';
import { type ArgumentsHost, Logger } from '@nestjs/common';
import { readEnvironment } from '../config/environment.js';
import { EventStoreUnavailable } from '../ports/event-store.port.js';
import { ProblemFilter } from './problem.filter.js';

afterEach(() => {
  jest.restoreAllMocks();
});

test('a store that is away is logged once, however many calls are refused for it', () => {
  const warned: string[] = [];
  jest.spyOn(Logger.prototype, 'warn').mockImplementation((line) => void warned.push(String(line)));
  jest.spyOn(Logger.prototype, 'debug').mockImplementation(() => undefined);
  const statuses: number[] = [];
  const reply = {
    sent: false,
    code: (status: number) => {
      statuses.push(status);
      return reply;
    },
    headers: () => reply,
    type: () => reply,
    send: () => reply,
  };
  const http = { getRequest: () => ({ id: `request ${statuses.length}` }), getResponse: () => reply };
  const filter = new ProblemFilter(readEnvironment({}));
  for (let n = 0; n < 100; n += 1) {
    const error = new EventStoreUnavailable('The event store is not available: it is gone.');
    filter.catch(error, { switchToHttp: () => http } as unknown as ArgumentsHost);
  }
  expect(statuses).toEqual(Array(100).fill(503));
  expect(warned).toEqual(['The event store is unavailable: The event store is not available: it is gone.']);
});

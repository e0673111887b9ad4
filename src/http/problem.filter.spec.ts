import { afterEach, expect, jest, test } from '@jest/globals';
import { type ArgumentsHost, Logger } from '@nestjs/common';
import { refusedErrors } from '../../test/support/given/refused-errors.js';
import { readEnvironment } from '../config/environment.js';
import { EventStoreUnavailable } from '../ports/event-store.port.js';
import { ProblemFilter } from './problem.filter.js';

afterEach(() => {
  jest.restoreAllMocks();
});

interface Sent {
  readonly statuses: number[];
  readonly codes: string[];
  readonly warned: string[];
}

/** The returned function answers a request that failed with the error. */
function filtering(): Sent & { readonly answer: (error: Error) => void } {
  const sent: Sent = { statuses: [], codes: [], warned: [] };
  jest.spyOn(Logger.prototype, 'warn').mockImplementation((line) => void sent.warned.push(String(line)));
  jest.spyOn(Logger.prototype, 'debug').mockImplementation(() => undefined);
  const reply = {
    sent: false,
    code: (status: number) => {
      sent.statuses.push(status);
      return reply;
    },
    headers: () => reply,
    type: () => reply,
    send: (body: string) => void sent.codes.push(JSON.parse(body).code),
  };
  const http = { getRequest: () => ({ id: `request ${sent.statuses.length}` }), getResponse: () => reply };
  const filter = new ProblemFilter(readEnvironment({}));
  const answer = (error: Error) => filter.catch(error, { switchToHttp: () => http } as unknown as ArgumentsHost);
  return { ...sent, answer };
}

test('a store that is away is logged once, however many calls are refused for it', () => {
  const { statuses, warned, answer } = filtering();
  for (let n = 0; n < 100; n += 1) answer(new EventStoreUnavailable('The event store is not available: it is gone.'));
  expect(statuses).toEqual(Array(100).fill(503));
  expect(warned).toEqual(['The event store is unavailable: The event store is not available: it is gone.']);
});

test.each(refusedErrors)('the refusal of %p is the one that code gets', (error, code, logged) => {
  const { statuses, codes, warned, answer } = filtering();
  answer(error);
  expect([statuses, codes, warned]).toEqual([[503], [code], [expect.stringContaining(logged)]]);
});

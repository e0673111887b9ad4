import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Environment } from './config/environment.js';
import { OpenCalls } from './http/entrance/open-calls.js';
import { Service } from './service.js';

/** From the signal to the end: less than the 30 s that Kubernetes gives a pod unless told otherwise. */
const withinMs = 24_500;
/** A call that has not ended by then is answered with a sentence, and what it began has the rest of the time to be recorded. */
const callsWithinMs = 17_000;

/**
 * Ends the service in good order after a signal. At once it says that it is not ready, and gives up what other processes
 * can take over; calls are still served for a while, until the balancers know. Resolves within 25 s, whatever hangs.
 */
export async function stop(app: NestFastifyApplication): Promise<void> {
  const log = new Logger('Service');
  const { shutdownDelayMs } = app.get(Environment);
  const calls = app.get(OpenCalls);
  const service = app.get(Service);
  const timers = new AbortController();
  const { signal } = timers;
  // Its end is waited for when the service closes.
  void service.leave(Date.now() + withinMs).catch(() => undefined);
  const late = pause(callsWithinMs, undefined, { signal }).then(() => {
    if (calls.count > 0) log.warn(`${calls.count} calls have not ended in time; they are told so.`);
    calls.endAll();
  });
  const overdue = pause(withinMs, undefined, { signal }).then(() => {
    log.warn('Not everything ended in time. What was acknowledged is on disk; the rest is taken up at the next start.');
  });
  late.catch(() => undefined);
  const closed = pause(shutdownDelayMs, undefined, { signal }).then(() => app.close());
  try {
    await Promise.race([closed, overdue]);
  } finally {
    timers.abort();
    overdue.catch(() => undefined);
    closed.catch(() => undefined);
  }
}

import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Environment } from './config/environment.js';
import { OpenCalls } from './http/entrance/open-calls.js';
import { Service } from './service.js';

/**
 * Longest time, in milliseconds, from the signal to the end. It is shorter than the 30 s that Kubernetes gives a pod by
 * default.
 */
const withinMs = 24_500;
/**
 * Time, in milliseconds, after which calls that have not ended are refused. The remaining time is for recording the
 * work that they began.
 */
const callsWithinMs = 17_000;

/**
 * Reports that the service is not ready, serves calls until load balancers have noticed, then closes. Resolves within
 * 25 s, even if a component hangs.
 */
export async function stop(app: NestFastifyApplication): Promise<void> {
  const log = new Logger('Service');
  const { shutdownDelayMs } = app.get(Environment);
  const calls = app.get(OpenCalls);
  const service = app.get(Service);
  const timers = new AbortController();
  const { signal } = timers;
  void service.leave(Date.now() + withinMs).catch(() => undefined);
  const late = pause(callsWithinMs, undefined, { signal }).then(() => {
    if (calls.count > 0) log.warn(`${calls.count} calls have not ended in time; they are refused.`);
    calls.endAll();
  });
  const overdue = pause(withinMs, undefined, { signal }).then(() => {
    log.warn(
      'Some work did not end in time. Everything acknowledged is on disk; the rest continues at the next start.',
    );
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

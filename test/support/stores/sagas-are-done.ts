import { setImmediate } from 'node:timers/promises';
import { SagaRunner } from '../../../src/engine/sagas/saga-runner.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import type { TestApp } from '../app.js';

/** Resolves when the sagas have processed all events, including those that they recorded themselves. */
export async function sagasAreDone({ app }: Pick<TestApp, 'app'>): Promise<void> {
  const { running } = app.get(SagaRunner, { strict: false });
  const store = app.get(EventStore, { strict: false });
  for (;;) {
    const head = await store.head();
    const done = running.every(({ position }) => position >= head);
    if (done && head === (await store.head())) return;
    await setImmediate();
  }
}

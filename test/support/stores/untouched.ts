import { setImmediate } from 'node:timers/promises';
import { SagaRunner } from '../../../src/engine/sagas/saga-runner.js';
import { parseStream } from '../../../src/kernel/event/stream-name.js';
import { Blobs } from '../../../src/ports/blobs.port.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import { Texts } from '../../../src/ports/texts.port.js';
import { Vault } from '../../../src/ports/vault.port.js';
import { allOf } from '../all-of.js';
import type { TestApp } from '../app.js';

/** Categories of streams that every request may write to as a side effect. */
const byItself = new Set(['apiKeyUse', 'auditSeal']);

/**
 * Returns the content of all stores except the read models, which are derived from the log. It is the same before and
 * after a call that changes nothing. Earlier work must have ended.
 */
export async function storesOf({ app }: Pick<TestApp, 'app'>): Promise<object> {
  const events = await app.get(EventStore, { strict: false }).readAll({ direction: 'backward', limit: 50 });
  const last = events.find(({ stream }) => !byItself.has(parseStream(stream).category));
  const entries = await allOf(app.get(Vault, { strict: false }).sealedEntries());
  const blobs = await allOf(app.get(Blobs, { strict: false }).sealedBlobs());
  const texts = await allOf(app.get(Texts, { strict: false }).storedTexts());
  return {
    last: [last?.position, last?.type],
    vault: entries.map(({ name, sealedValue }) => [name, Buffer.from(sealedValue).toString('base64')]),
    blobs: blobs.map(({ name }) => name),
    texts: texts.map(({ digest }) => digest),
  };
}

/** Resolves when the sagas have processed all events, including those that they recorded themselves. */
export async function sagasAreOver({ app }: Pick<TestApp, 'app'>): Promise<void> {
  const { running } = app.get(SagaRunner, { strict: false });
  const store = app.get(EventStore, { strict: false });
  for (;;) {
    const head = await store.head();
    if (running.every(({ position }) => position >= head) && head === (await store.head())) return;
    await setImmediate();
  }
}

/** Matches ids, tokens, hashes, times and sealed values, which differ in each call. */
const fresh =
  /sealed:1:[^"\s]*|(?<![A-Za-z])[A-Za-z]+_[0-9a-z]{26}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z|\b[0-9a-f]{64}\b|\b[0-9a-f]{32}\b|(?<![\w-])(?:[\w-]{43}|[\w-]{32})(?![\w-])/g;

/** Returns the value without what differs in each call. */
export const sameButFresh = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value ?? null)
      .replaceAll(fresh, '…')
      .replaceAll(/"hint":"[^"]*"/g, '"hint":"…"'),
  );

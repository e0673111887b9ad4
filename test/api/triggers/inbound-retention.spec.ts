// Second tier.
import { globSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { projections } from '../../../projections/projections.js';
import { RunRetention } from '../../../src/areas/functions/run/storage/run-retention.js';
import { InboundRetention } from '../../../src/areas/triggers/mailhook/inbound-retention.js';
import { runCommand } from '../../../src/cli/commands.js';
import { Blobs } from '../../../src/ports/blobs.port.js';
import { Clock } from '../../../src/ports/clock.port.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import { Vault } from '../../../src/ports/vault.port.js';
import { allOf } from '../../support/all-of.js';
import { startApp, type TestApp } from '../../support/app.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { eventually } from '../../support/eventually.js';
import { freePort } from '../../support/mail/free-port.js';
import { hooked, mailsOf, settled } from '../../support/mail/mailhooks.js';
import { mailOf, ordinary } from '../../support/mail/mails.js';
import { deliver } from '../../support/mail/smtp-client.js';

const day = 24 * 3_600_000;

let app: TestApp;
let clock: MadeUpClock;
let port: number;
beforeEach(async () => {
  clock = new MadeUpClock();
  port = await freePort();
  app = await startApp({
    environment: { RUN_RETENTION_DAYS: '30', SMTP_IN_PORT: String(port) },
    replacements: [{ provide: Clock, useValue: clock }],
  });
});
afterEach(() => app.close());

const rawFiles = () => globSync('blobs/inbound-mail/**/mail_*', { cwd: app.dataDir });
const shownEntries = async () =>
  (await allOf(app.app.get(Vault).sealedEntries())).filter(({ name }) => name.startsWith('inbound-email/'));
const journalOf = async (id: string) => {
  const all = await app.app.get(EventStore).readAll({ categories: ['inboundEmail'], limit: 1_000 });
  return all.filter(({ stream }) => stream.endsWith(`.${id}`)).map(({ type }) => type);
};
const hookShown = async (id: string) =>
  (await app.call('automations/listMailhooks')).body.mailhooks.find((hook: { id: string }) => hook.id === id);

async function sweep() {
  await app.app.get(InboundRetention).sweep();
  await app.app.get(RunRetention).sweep();
}

async function differing(): Promise<readonly string[]> {
  const lines: string[] = [];
  const console = { out: (line: string) => lines.push(line), error: () => {} };
  await runCommand(['projections:verify'], { DATA_DIR: app.dataDir }, console);
  expect(lines).toHaveLength(projections.length);
  return lines.filter((line) => !line.includes(': equal at position'));
}

/** Holds back calls whose first argument satisfies `isSuch`, until `release` is called. */
function holding<Part extends object>(part: Part, method: keyof Part, isSuch: (name: string) => boolean) {
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const original = part[method] as (name: string, ...more: readonly unknown[]) => Promise<unknown>;
  const replaced = async (name: string, ...more: readonly unknown[]) => {
    if (isSuch(name)) {
      begun.resolve();
      await released.promise;
    }
    return original.call(part, name, ...more);
  };
  Object.assign(part, { [method]: replaced });
  return { begun: begun.promise, release: released.resolve };
}

describe('mail beyond its retention', () => {
  it('is deleted with its raw mail and its content, and a rebuild equals the live read models', async () => {
    const { id, fnId, address } = await hooked(app, 'return 1');
    for (const text of ['a\r\n', 'b\r\n', 'a\r\n']) await deliver(port, address, mailOf(ordinary(), text));
    await settled(app, id, 3);
    clock.advance(20 * day);
    await deliver(port, address, mailOf(ordinary(), 'a\r\n'));
    const [young] = await settled(app, id, 4);
    expect(young.status).toBe('duplicate');
    clock.advance(11 * day);
    expect(rawFiles()).toHaveLength(4);
    await sweep();
    expect((await mailsOf(app, id)).map((mail: { id: string }) => mail.id)).toEqual([young.id]);
    expect(rawFiles()).toHaveLength(1);
    expect(await shownEntries()).toHaveLength(1);
    expect(await journalOf(id)).toEqual(['InboundEmailReceived', 'InboundEmailDuplicated', 'InboundEmailsForgotten']);
    expect(await hookShown(id)).toMatchObject({ receivedCount: 4, lastReceivedAt: young.receivedAt });
    expect((await app.call('automations/listRuns', { functionId: fnId })).body).toEqual([]);
    await deliver(port, address, mailOf(ordinary(), 'c\r\n'));
    expect((await settled(app, id, 2))[0]).toMatchObject({ status: 'ok' });
    expect(await hookShown(id)).toMatchObject({ receivedCount: 5 });
    expect(await differing()).toEqual([]);
  });

  it('is deleted once, however often the sweep runs, and leaves its number', async () => {
    const { id, address } = await hooked(app, 'return 1');
    await deliver(port, address, mailOf(ordinary()));
    const [{ receivedAt }] = await settled(app, id);
    clock.advance(31 * day);
    for (let at = 0; at < 3; at += 1) await sweep();
    expect(await journalOf(id)).toEqual(['InboundEmailsForgotten']);
    expect(await hookShown(id)).toMatchObject({ receivedCount: 1, lastReceivedAt: receivedAt });
  });

  it('is deleted with remains of a mail that was never acknowledged', async () => {
    await app.app.get(Blobs).put('inbound-mail/ws_1/mh_1/mail_1', Buffer.of(1));
    clock.advance(31 * day);
    await sweep();
    expect(rawFiles()).toEqual([]);
  });
});

describe('a deleted mailhook', () => {
  it('is deleted with all its mail: raw mails, their content and its journal', async () => {
    const { id, address } = await hooked(app, 'return 1');
    for (const text of ['a\r\n', 'b\r\n']) await deliver(port, address, mailOf(ordinary(), text));
    await settled(app, id, 2);
    await app.call('automations/deleteMailhook', { id });
    await eventually(
      () => journalOf(id),
      (types) => types.join() === 'InboundEmailsForgotten',
    );
    expect(rawFiles()).toEqual([]);
    expect(await shownEntries()).toEqual([]);
    const names = (await allOf(app.app.get(Vault).sealedEntries())).map(({ name }) => name);
    expect(names.filter((name) => name.startsWith('mailhook-address/'))).toEqual([]);
    expect(await differing()).toEqual([]);
  });

  it('takes a mail with it that is recorded only after the deletion', async () => {
    const { id, address } = await hooked(app, 'return 1');
    const { begun, release } = holding(app.app.get(Blobs), 'put', (name) => name.startsWith('inbound-mail/'));
    const delivery = deliver(port, address, mailOf(ordinary()));
    await begun;
    await app.call('automations/deleteMailhook', { id });
    release();
    expect(await delivery).toMatch(/^250/);
    await eventually(
      () => journalOf(id),
      (types) => types.join() === 'InboundEmailsForgotten',
    );
    expect(rawFiles()).toEqual([]);
  });

  it('that is restored before its mail is gone keeps the mail that it receives from then on', async () => {
    const { id, address } = await hooked(app, 'return 1');
    for (const text of ['a\r\n', 'b\r\n']) await deliver(port, address, mailOf(ordinary(), text));
    await settled(app, id, 2);
    const { begun, release } = holding(app.app.get(Vault), 'destroy', (name) => name.startsWith('inbound-email/'));
    await app.call('automations/deleteMailhook', { id });
    await begun;
    const { events } = (await app.call('audit/getHistory', { kind: 'mailhook', id })).body;
    expect((await app.call('audit/undoChange', { position: events.at(-1).position })).status).toBe(200);
    expect(await deliver(port, address, mailOf(ordinary(), 'c\r\n'))).toMatch(/^250/);
    const [young] = await settled(app, id, 3);
    release();
    const [shown] = await eventually(
      () => mailsOf(app, id),
      ({ length }) => length === 1,
    );
    expect(shown).toMatchObject({ id: young.id, status: 'ok' });
    expect(await hookShown(id)).toMatchObject({ receivedCount: 1, lastReceivedAt: young.receivedAt });
    expect(rawFiles()).toHaveLength(1);
    expect(await shownEntries()).toHaveLength(1);
    expect(await differing()).toEqual([]);
  });
});

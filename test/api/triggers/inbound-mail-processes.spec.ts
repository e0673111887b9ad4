// Engines: one process.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { freePort } from '../../support/mail/free-port.js';
import { hooked, mailsOf, runsOf, settled } from '../../support/mail/mailhooks.js';
import { mailOf, ordinary } from '../../support/mail/mails.js';
import { deliver } from '../../support/mail/smtp-client.js';
import { itTakesAway, standIn } from '../../support/on-stand-ins.js';
import { type Processes, startProcesses } from '../../support/processes.js';

let several: Processes;
let api: TestApp;
const ports: number[] = [];
beforeAll(async () => {
  several = await startProcesses();
  await several.start('projections,sagas,runner,scheduler');
  api = await several.start('api');
  for (const _ of [1, 2]) {
    const port = await freePort();
    ports.push(port);
    await several.start('mail-in', { SMTP_IN_PORT: String(port) });
  }
}, 60_000);
afterAll(() => several.close());

const send = (at: number, to: string, raw: Buffer) => deliver(ports[at] ?? 0, to, raw);

describe('mail servers in processes of their own', () => {
  it('accept mail for a mailhook that was just created elsewhere, and another process runs it', async () => {
    const { id, fnId, address } = await hooked(api, 'return 1');
    expect(await Promise.all([0, 1].map((at) => send(at, address, mailOf(ordinary(), `${at}\r\n`))))).toEqual([
      expect.stringMatching(/^250/),
      expect.stringMatching(/^250/),
    ]);
    expect(await settled(api, id, 2)).toMatchObject([{ status: 'ok' }, { status: 'ok' }]);
    expect(await runsOf(api, fnId)).toHaveLength(2);
  });

  it('run one mail once that arrives at both of them many times at once', async () => {
    const { id, fnId, address } = await hooked(api, 'return 1');
    const raw = mailOf(ordinary(['Message-ID: <race@x>']));
    await Promise.all([0, 1, 0, 1, 0, 1].map((at) => send(at, address, raw)));
    const mails = await settled(api, id, 6);
    const statuses = mails.map(({ status }: { status: string }) => status);
    expect(statuses.sort()).toEqual(['duplicate', 'duplicate', 'duplicate', 'duplicate', 'duplicate', 'ok']);
    expect(new Set(mails.map(({ runId }: { runId: string }) => runId)).size).toBe(1);
    expect(await runsOf(api, fnId)).toHaveLength(1);
  });

  it('accept no more for a mailhook from the moment that its deletion is answered', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id, address } = await hooked(api, 'return 1');
      expect(await send(0, address, mailOf(ordinary()))).toMatch(/^250/);
      await api.call('automations/deleteMailhook', { id });
      const answers = await Promise.all([0, 1].map((at) => send(at, address, mailOf(ordinary()))));
      expect(answers).toEqual(Array(2).fill('550 5.1.1 There is no such address here'));
    }
  }, 60_000);

  itTakesAway.eventStoreDb(
    'defer mail while an engine is away, and accept it when it is back',
    async () => {
      const server = standIn(several.engines.eventStoreDb);
      const { id, address } = await hooked(api, 'return 1');
      const raw = mailOf(ordinary(['Message-ID: <away@x>']));
      await server.stop();
      expect(await send(0, address, raw)).toMatch(/^451 /);
      await server.start();
      await eventually(
        () => send(0, address, raw),
        (answer) => answer.startsWith('250'),
        60_000,
      );
      await eventually(
        () => mailsOf(api, id),
        (mails) => Array.isArray(mails) && mails.some(({ status }: { status: string }) => status === 'ok'),
        60_000,
      );
    },
    150_000,
  );

  it('report that they are ready', async () => {
    expect((await api.send('GET', '/readyz')).body.parts).not.toHaveProperty('mailIn');
  });
});

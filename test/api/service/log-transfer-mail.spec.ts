// Engines: one process.
// Second tier.
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Blobs } from '../../../src/ports/blobs.port.js';
import { Vault } from '../../../src/ports/vault.port.js';
import { allOf } from '../../support/all-of.js';
import { startApp, type TestApp } from '../../support/app.js';
import { activeFlow, activeFunction, endedRun } from '../../support/automations/flows.js';
import { type Engines, startEngines } from '../../support/engines.js';
import { eventually } from '../../support/eventually.js';
import { freePort } from '../../support/mail/free-port.js';
import { hooked, mailsOf, settled } from '../../support/mail/mailhooks.js';
import { mailOf, ordinary } from '../../support/mail/mails.js';
import { deliver } from '../../support/mail/smtp-client.js';
import { done, otherWorkspace } from '../../support/people.js';
import { cli, embedded, Folders } from '../../support/stores/log-transfer.js';

const folders = new Folders();
const apps: TestApp[] = [];
let engines: Engines;
let port: number;
let file: string;

async function startOn(environment: Record<string, string>, ownerKey = ''): Promise<TestApp> {
  const dataDir = environment['DATA_DIR'] ?? '';
  const told = { ...environment, SMTP_IN_PORT: String(port) };
  const app = await startApp({ engines, environment: told, dataDir, ...(ownerKey === '' ? {} : { ownerKey }) });
  apps.push(app);
  return app;
}

beforeEach(async () => {
  engines = await startEngines();
  port = await freePort();
  file = join(folders.make(), 'log.ndjson');
});
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
  await engines.close();
  folders.remove();
});

const onEmbedded = () => ({ ...embedded, DATA_DIR: folders.make() });
const onEngines = () => ({ ...embedded, ...engines.environment, DATA_DIR: folders.make() });

const canary = 'canary-of-a-mail';
const password = 'canary-of-a-mailbox';
const attached = mailOf(
  ordinary(['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=b']),
  `--b\r\nContent-Type: text/plain\r\n\r\n${canary}\r\n--b\r\nContent-Type: application/octet-stream\r\n` +
    `Content-Disposition: attachment; filename="a.bin"\r\n\r\nof the attachment\r\n--b--\r\n`,
);
const reads = `const [file] = params.attachments;
const { base64 } = await ctx.files.read(file.fileId);
console.log(base64);
throw new Error('Only what failed is replayed.');`;

const secretsOf = async (app: TestApp) => (await allOf(app.app.get(Vault).sealedEntries())).map(({ name }) => name);
const blobsOf = async (app: TestApp) => (await allOf(app.app.get(Blobs).sealedBlobs())).map(({ name }) => name);

/** A webhook that requires signatures. */
async function signedWebhook(app: TestApp, functionId: string) {
  const { id, token } = await done(app, 'automations/createWebhook', { functionId });
  const { secret } = await done(app, 'automations/setWebhookVerification', { id, scheme: 'github' });
  const path = `/api/automations/functions/webhook/${token}`;
  const sends = async (on: TestApp) => {
    const signature = `sha256=${createHmac('sha256', secret).update('{}').digest('hex')}`;
    const headers = { 'content-type': 'application/json', 'x-hub-signature-256': signature };
    return [(await on.send('POST', path, '{}', headers)).status, (await on.send('POST', path, '{}')).status];
  };
  return { secret, sends };
}

const mailbox = { name: 'Box', fromAddress: 'a@b.example', host: 'smtp.example', username: 'a', password };

describe('received mail, and vault entries of mail, webhooks and flows,', () => {
  it('move with a log to the engines and back: addresses, secrets, waiting runs and raw mails', async () => {
    const from = onEmbedded();
    const source = await startOn(from);
    const { id, address } = await hooked(source, reads);
    expect(await deliver(port, address, attached)).toMatch(/^250/);
    const [mail] = await settled(source, id);
    expect(mail).toMatchObject({ status: 'failed' });
    const webhook = await signedWebhook(source, await activeFunction(source, 'return 1'));
    await done(source, 'automations/createMailAccount', mailbox);
    const flow = await activeFlow(source, [{ id: 'w', kind: 'wait', settings: { seconds: 15 } }]);
    const { runId } = await done(source, 'flows/runFlow', { id: flow, input: { note: canary } });
    await eventually(
      async () => (await source.call('flows/getFlowRun', { id: runId })).body.status,
      (status) => status === 'waiting',
    );
    const shown = await mailsOf(source, id);
    const sealed = (await secretsOf(source)).filter((name) => !name.startsWith('receipt'));
    const kinds = ['flowRun/', 'inbound-email/', 'mail-password/', 'mailhook-address/', 'webhook-secret/'];
    for (const kind of kinds) expect(sealed.filter((name) => name.startsWith(kind))).not.toEqual([]);
    await source.app.close();
    const exported = await cli(from, 'log:export', file);
    expect(exported).toMatchObject({ code: 0, said: { blobs: 1 } });
    const text = readFileSync(file, 'utf8');
    for (const secret of [canary, password, webhook.secret, address.split('@')[0] ?? '']) {
      expect(text.includes(secret)).toBe(false);
      expect(text.includes(Buffer.from(secret).toString('base64').slice(0, 20))).toBe(false);
    }

    const away = onEngines();
    expect(await cli(away, 'log:import', file)).toMatchObject({ code: 0, said: { blobs: 1 } });
    const fromEngines = join(folders.make(), 'from-engines.ndjson');
    expect((await cli(away, 'log:export', fromEngines)).said).toEqual(exported.said);
    const home = onEmbedded();
    expect(await cli(home, 'log:import', fromEngines)).toMatchObject({ code: 0, said: { blobs: 1 } });
    for (const environment of [away, home]) {
      const there = await startOn(environment, source.ownerKey);
      expect(await mailsOf(there, id)).toEqual(shown);
      expect(await blobsOf(there)).toHaveLength(1);
      // The waiting run may have ended by now, which deletes its state.
      const permanent = sealed.filter((name) => !name.startsWith('flowRun/'));
      expect(await secretsOf(there)).toEqual(expect.arrayContaining(permanent));
      const { runId: replayed } = await done(there, 'automations/replayRun', { runId: mail.runId });
      const said = await eventually(
        async () => (await there.call('automations/getRunLog', { runId: replayed })).body.lines ?? [],
        (lines) => lines.length > 0,
      );
      expect(said[0].text).toContain(Buffer.from('of the attachment').toString('base64'));
      expect(await deliver(port, address, mailOf(ordinary(['Message-ID: <again@x>'])))).toMatch(/^250/);
      await eventually(
        () => mailsOf(there, id),
        (mails) => mails.length === 2 && mails.every(({ status }: { status: string }) => status !== 'received'),
      );
      expect(await webhook.sends(there)).toEqual([200, 403]);
      expect(await endedRun(there, runId, 60_000)).toMatchObject({ status: 'success' });
      await there.app.close();
    }
  }, 180_000);

  it('of one workspace move without anything of another', async () => {
    const from = onEmbedded();
    const source = await startOn(from);
    const { id, address } = await hooked(source, 'return 1');
    expect(await deliver(port, address, mailOf(ordinary()))).toMatch(/^250/);
    await settled(source, id);
    await done(source, 'automations/createMailAccount', mailbox);
    const { workspaceId } = await otherWorkspace(source);
    const own = (await secretsOf(source)).filter((name) => name.includes(workspaceId));
    await source.app.close();
    const exported = await cli(from, 'log:export', file, '--workspace', workspaceId);
    // The only entry is the key for the personal data of its first member.
    expect(own).toEqual([expect.stringMatching(new RegExp(`^personal/${workspaceId}/member\\.`))]);
    expect(exported.said).toMatchObject({ workspaceId, entries: own.length, blobs: 0 });
  }, 60_000);
});

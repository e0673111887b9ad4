import { afterAll, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import { SiteRunRetention } from '../../../src/areas/functions/run/storage/site-run-retention.api.js';
import { runCommand } from '../../../src/cli/commands.js';
import { Targets } from '../../../src/engine/scopes/targets.js';
import { streamOf } from '../../../src/kernel/event/stream-name.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import { eventually } from '../../support/eventually.js';
import { mailsOf, settled } from '../../support/mail/mailhooks.js';
import { mailOf, ordinary } from '../../support/mail/mails.js';
import { deliver } from '../../support/mail/smtp-client.js';
import { done } from '../../support/people.js';
import { type OutsideApp, sharedOutside } from '../../support/shared-outside.js';
import { RunRecorder } from '../../support/sites/run-recorder.js';
import { SiteFunctionsScene } from '../../support/sites/site-functions.js';

let app: OutsideApp;
let site: SiteFunctionsScene;
let workspaceId: string;
beforeAll(async () => {
  app = await sharedOutside();
  await done(app, 'workspace/updateSettings', { siteFunctionTargets: true });
  workspaceId = (await done(app, 'workspace/getWorkspace')).id;
});
afterAll(() => app.close());
beforeEach(async () => {
  site = await SiteFunctionsScene.of(app);
});

/** Lets a function run for a mail, and then so often that the mail's run is removed. */
async function mailedAndForgotten(code: string) {
  const { id: functionId } = await site.create('counted', code);
  const target = { name: 'Orders', targetKind: 'site_function', targetRef: functionId };
  const hook = await done(app, 'automations/createMailhook', target);
  await deliver(app.smtpPort, hook.address, mailOf(ordinary()));
  const [mail] = await settled(app, hook.id);
  const forget = async () => {
    await new RunRecorder(app, { workspaceId, projectId: site.projectId, functionId }).times(500);
    await app.app.get(SiteRunRetention).sweep();
    const runs = await app.app.get(EventStore).readStream(streamOf('run', workspaceId, functionId));
    expect(JSON.stringify(runs)).not.toContain(mail.runId);
  };
  return { hook, mail, forget };
}

const journalOf = async (mailhookId: string) =>
  (await app.app.get(EventStore).readStream(streamOf('inboundEmail', workspaceId, mailhookId))).map(({ type }) => type);

const isStarted = (types: readonly string[]) => types.includes('InboundEmailStarted');

async function verified(): Promise<string> {
  const lines: string[] = [];
  const console = { out: (line: string) => lines.push(line), error: () => {} };
  await runCommand(['projections:verify', 'inboundEmails'], { DATA_DIR: app.dataDir }, console);
  return lines.join();
}

it('a mail whose run was removed beyond the number that is kept has run for a rebuilt read model too', async () => {
  const { hook, mail, forget } = await mailedAndForgotten("throw new Error('Sold out')");
  expect(mail).toMatchObject({ status: 'failed', error: expect.stringContaining('Sold out') });
  await forget();
  expect(await verified()).toContain('inboundEmails: equal at');
  expect(await mailsOf(app, hook.id)).toEqual([mail]);
  const journal = ['InboundEmailReceived', 'InboundEmailStarted', 'InboundEmailRunsForgotten'];
  expect(await journalOf(hook.id)).toEqual(journal);
}, 120_000);

it('the journal of a deleted mailhook stays empty when runs of its mails are removed', async () => {
  const { hook, forget } = await mailedAndForgotten('return 1');
  await done(app, 'automations/deleteMailhook', { id: hook.id });
  const isEmpty = (types: readonly string[]) => types.join() === 'InboundEmailsForgotten';
  await eventually(() => journalOf(hook.id), isEmpty);
  await forget();
  expect(isEmpty(await journalOf(hook.id))).toBe(true);
}, 120_000);

it('a mail whose run could not be started runs later, although younger runs of its function were removed since', async () => {
  const { id: functionId } = await site.create('counted', 'return 1');
  const target = { name: 'Orders', targetKind: 'site_function', targetRef: functionId };
  const hook = await done(app, 'automations/createMailhook', target);
  const starting = jest.spyOn(app.app.get(Targets, { strict: false }), 'start').mockRejectedValue(new Error('Away.'));
  try {
    await deliver(app.smtpPort, hook.address, mailOf(ordinary()));
    await eventually(() => journalOf(hook.id), isStarted);
    await new RunRecorder(app, { workspaceId, projectId: site.projectId, functionId }).times(501);
    await app.app.get(SiteRunRetention).sweep();
  } finally {
    starting.mockRestore();
  }
  const isOver = ([mail]: readonly { readonly status: string }[]) => mail?.status === 'ok' || mail?.status === 'failed';
  const [mail] = await eventually(() => mailsOf(app, hook.id), isOver, 60_000);
  expect(mail).toMatchObject({ status: 'ok', error: null });
}, 120_000);

// Second tier.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { projections } from '../../../projections/projections.js';
import { RunRetention } from '../../../src/areas/functions/run/storage/run-retention.js';
import { InboundRetention } from '../../../src/areas/triggers/mailhook/inbound-retention.js';
import { runCommand } from '../../../src/cli/commands.js';
import { StepRetention } from '../../../src/engine/step-work/step-retention.js';
import { Clock } from '../../../src/ports/clock.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { activeFlow } from '../../support/automations/flows.js';
import { activeTarget, targetWords } from '../../support/automations/targets.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { eventually } from '../../support/eventually.js';
import { freePort } from '../../support/mail/free-port.js';
import { MailServerForTests } from '../../support/mail/mail-server.js';
import { allowingLoopback, createMailbox, mailboxAt, mailOfTests, password } from '../../support/mail/mailboxes.js';
import { hooked } from '../../support/mail/mailhooks.js';
import { deliver, oneMail } from '../../support/mail/smtp-client.js';
import { done } from '../../support/people.js';
import { type AssistantServer, startAssistantServer, writes } from '../../support/servers/assistant-server.js';

const minute = 60_000;
const day = 24 * 60 * minute;

let app: TestApp;
let assistant: AssistantServer;
let outside: MailServerForTests;
let smtpPort: number;
let clock: MadeUpClock;
beforeAll(async () => {
  assistant = await startAssistantServer();
  assistant.plays(writes('Seen.'));
  outside = await MailServerForTests.start({ password });
  smtpPort = await freePort();
  clock = new MadeUpClock();
  const model = { ASSISTANT_URL: assistant.url, ASSISTANT_KEY: 'sk-across', ASSISTANT_MODEL: 'model-1' };
  app = await startApp({
    environment: { ...allowingLoopback, ...model, SMTP_IN_PORT: String(smtpPort), RUN_RETENTION_DAYS: '30' },
    replacements: [{ provide: Clock, useValue: clock }, mailOfTests()],
  });
}, 60_000);
afterAll(async () => {
  await app.close();
  await outside.close();
  await assistant.close();
});

/** Moves the fake clock on while it waits, for work that polls. */
const passing = <T>(ask: () => Promise<T>, holds: (value: T) => boolean) =>
  eventually(
    async () => {
      clock.advance(1_000);
      return ask();
    },
    holds,
    30_000,
  );
const isOver = ({ status }: { readonly status: string }) => status === 'success' || status === 'error';

describe('a mail step of a flow', () => {
  it('waits if its mailbox has used its hourly limit, and continues afterwards', async () => {
    await createMailbox(app, mailboxAt(outside, { name: 'narrow', hourlyLimit: 1 }));
    const settings = { mailbox: 'narrow', to: 'ada@example.org', subject: '{{input.n}}', text: 'Hello.' };
    const id = await activeFlow(app, [{ id: 'mail', kind: 'send_mail', settings }]);
    const run = async (n: number) => (await done(app, 'flows/runFlow', { id, input: { n } })).runId;
    const shown = (runId: string) => done(app, 'flows/getFlowRun', { id: runId });
    const [first] = [await run(1)];
    expect(await passing(() => shown(first), isOver)).toMatchObject({ status: 'success' });
    const second = await run(2);
    const waiting = await passing(
      () => shown(second),
      ({ status }) => status === 'waiting',
    );
    expect(waiting.steps[0].attempts[0].error).toContain("the mailbox 'narrow' has used 1 of 1 recipients");
    expect(outside.received).toHaveLength(1);
    clock.advance(60 * minute);
    expect(await passing(() => shown(second), isOver)).toMatchObject({ status: 'success' });
    expect(outside.received.map(({ mail }) => mail.subject)).toEqual(['1', '2']);
  });
});

describe('setTriggerReplay', () => {
  const failing = "throw new Error('not now')";
  const keep = (id: string, keepInput: boolean) => done(app, 'automations/setTriggerReplay', { id, keepInput });
  const lastRun = (functionId: string, count: number) =>
    passing(
      () => done(app, 'automations/listRuns', { functionId }),
      (all) => all.length === count && all.every(isOver),
    ).then(([run]) => run);

  it('applies to a mailhook, which shows it', async () => {
    const { id, fnId, address } = await hooked(app, failing);
    const isKept = async () =>
      (await done(app, 'automations/listMailhooks')).mailhooks.find((hook: { id: string }) => hook.id === id).keepInput;
    await deliver(smtpPort, address, oneMail('kept'));
    expect(await lastRun(fnId, 1)).toMatchObject({ status: 'error', replayableUntil: expect.any(String) });
    expect(await isKept()).toBe(true);
    await keep(id, false);
    expect(await isKept()).toBe(false);
    await deliver(smtpPort, address, oneMail('not kept'));
    const run = await lastRun(fnId, 2);
    expect(run).toMatchObject({ status: 'error', replayableUntil: null });
  });

  it('applies to a schedule, which shows it', async () => {
    const { id: functionId } = await done(app, 'automations/createFunction', { name: 'Scheduled', code: failing });
    await done(app, 'automations/updateFunction', { id: functionId, isActive: true });
    const { id, nextTrigger } = await done(app, 'automations/createSchedule', {
      functionId,
      cronExpression: '*/5 * * * *',
    });
    const isKept = async () => (await done(app, 'automations/listTriggers', { functionId })).schedules[0].keepInput;
    clock.advance(Date.parse(nextTrigger) - clock.now());
    expect(await lastRun(functionId, 1)).toMatchObject({ status: 'error', replayableUntil: expect.any(String) });
    expect(await isKept()).toBe(true);
    await keep(id, false);
    expect(await isKept()).toBe(false);
    clock.advance(5 * minute);
    expect(await lastRun(functionId, 2)).toMatchObject({ status: 'error', replayableUntil: null });
    await done(app, 'automations/setScheduleActive', { id, isActive: false });
  });
});

describe('after the retention of runs', () => {
  it('webhooks still show their last start, even after a rebuild', async () => {
    const targets = await Promise.all(targetWords.map((word) => activeTarget(app, word, assistant)));
    const used = async () =>
      Promise.all(targets.map(async (target) => (await target.triggers()).webhooks[0]?.lastTriggered));
    for (const target of targets) {
      const { token } = await target.webhook();
      await app.send('POST', `/api/automations/functions/webhook/${token}`, '{}');
      await passing(target.runs, (all) => all.length === 1 && all.every(isOver));
    }
    const before = await used();
    expect(before).toEqual(targets.map(() => expect.any(String)));
    clock.advance(31 * day);
    await app.app.get(StepRetention, { strict: false }).sweep();
    await app.app.get(InboundRetention, { strict: false }).sweep();
    await app.app.get(RunRetention, { strict: false }).sweep();
    for (const target of targets) expect(await target.runs()).toEqual([]);
    expect(await used()).toEqual(before);
    // The command line can read only the embedded stores of a running service.
    if (process.env['TEST_ENGINES']) return;
    const lines: string[] = [];
    const output = { out: (line: string) => lines.push(line), error: () => {} };
    await runCommand(['projections:verify'], { DATA_DIR: app.dataDir }, output);
    expect(lines).toHaveLength(projections.length);
    expect(lines.filter((line) => !line.includes(': equal at position'))).toEqual([]);
  });
});

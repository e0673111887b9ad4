// Second tier.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { agentWith, ran, toldOf, toolFunction } from '../../support/automations/agents.js';
import { type EventScene, eventScene } from '../../support/automations/event-triggers.js';
import { activeFlow, activeFunction, ranFlow } from '../../support/automations/flows.js';
import { eventually } from '../../support/eventually.js';
import { MailServerForTests } from '../../support/mail/mail-server.js';
import { createMailbox, mailboxAt, mailer, password } from '../../support/mail/mailboxes.js';
import { done } from '../../support/people.js';
import { type AssistantServer, callsTools, writes } from '../../support/servers/assistant-server.js';
import { type OutsideApp, sharedOutside } from '../../support/shared-outside.js';

let app: OutsideApp;
let scene: EventScene;
let assistant: AssistantServer;
let outside: MailServerForTests;
beforeAll(async () => {
  outside = await MailServerForTests.start({ password });
  app = await sharedOutside();
  ({ assistant } = app);
  scene = eventScene(app);
  await createMailbox(app, mailboxAt(outside, { name: 'out', isDefault: true }));
}, 60_000);
afterAll(async () => {
  await app.close();
  await outside.close();
});

const mailStep = (settings: object = {}) => ({
  id: 'mail',
  kind: 'send_mail',
  settings: { to: 'ada@example.org', subject: 'Order {{input.order}}', html: '<p>{{input.note}}</p>', ...settings },
});

describe('a mail that a flow sends', () => {
  it("is sent from the default mailbox, with input as escaped text in its page, and its id is the step's", async () => {
    const raise = {
      id: 'raise',
      kind: 'raise_event',
      settings: { name: 'mailed', properties: { id: '{{steps.mail.messageId}}' } },
    };
    const seen = await scene.add(await scene.fn(), 'custom.mailed');
    const flow = await activeFlow(app, [mailStep({ fromName: 'Shop' }), raise]);
    const run = await ranFlow(app, flow, { order: 7, note: '<b>&' });
    const { mail, to, secure } = outside.last;
    expect([run.status, run.error, to, secure]).toEqual(['success', null, ['ada@example.org'], true]);
    expect([mail.subject, mail.from?.text]).toEqual(['Order 7', '"Shop" <robot@example.com>']);
    expect(outside.last.raw).toContain('<p>&lt;b&gt;&amp;</p>');
    expect(run.steps[0].note ?? run.steps[0]).toMatchObject({ messageId: mail.messageId });
    const [fired] = await scene.over(seen.id);
    expect(fired?.event.properties).toEqual({ id: mail.messageId });
  });

  it('to more recipients than the hourly limit fails at once, and explains what to do', async () => {
    await createMailbox(app, mailboxAt(outside, { name: 'narrow', hourlyLimit: 1 }));
    const to = ['ada@example.org', 'bob@example.org'];
    const run = await ranFlow(app, await activeFlow(app, [mailStep({ mailbox: 'narrow', to })]), {
      order: 1,
      note: '',
    });
    expect(run).toMatchObject({
      status: 'error',
      error: expect.stringContaining("the mailbox 'narrow' allows 1 per hour"),
      steps: [{ attempts: [{ number: 1 }] }],
    });
  });

  it('is sent again after a temporary refusal, but not after a final one', async () => {
    const flow = await activeFlow(app, [mailStep()]);
    let no = 1;
    outside.atRecipient = () => (no-- > 0 ? '451 4.3.0 later' : undefined);
    const run = await app.clock.hasten(() => ranFlow(app, flow, { order: 3, note: '' }));
    expect(run).toMatchObject({ status: 'success' });
    outside.atMail = '554 5.7.1 never';
    const before = outside.received.length;
    const refused = await ranFlow(app, flow, { order: 4, note: '' });
    outside.willing();
    expect(refused).toMatchObject({ status: 'error', error: expect.stringContaining('refused the mail') });
    expect(outside.received).toHaveLength(before);
  });
});

describe('a function that a flow runs', () => {
  const running = (fn: string) =>
    activeFlow(app, [
      { id: 'run', kind: 'run_function', settings: { function: fn, params: { order: '{{input.order}}' } } },
    ]);

  it('fails the step at once if it may not be started, and leaves no run', async () => {
    const fn = await activeFunction(app, 'return 1');
    const flow = await running(fn);
    await done(app, 'automations/updateFunction', { id: fn, isActive: false });
    const run = await ranFlow(app, flow, { order: 1 });
    expect(run).toMatchObject({ status: 'error', error: expect.stringContaining('target is INACTIVE') });
    expect(run.steps[0].attempts).toHaveLength(1);
    await done(app, 'automations/deleteFunction', { id: fn });
    expect(await ranFlow(app, flow, { order: 1 })).toMatchObject({ status: 'error' });
  });

  it("can be replayed by hand after a failure, with the same input, and the flow's run remains as it ended", async () => {
    const fn = await activeFunction(app, "if (params.order) throw new Error('not now'); return 1");
    const run = await ranFlow(app, await running(fn), { order: 9 });
    expect(run).toMatchObject({ status: 'error', error: expect.stringContaining('not now') });
    const [failed] = await done(app, 'automations/listRuns', { functionId: fn });
    expect(failed).toMatchObject({ status: 'error', replayableUntil: expect.any(String) });
    await done(app, 'workspace/updateSettings', { versions: false });
    const { updatedAt } = await done(app, 'automations/getFunction', { id: fn });
    const code = 'console.log(params.order, ctx.run.startedBy.kind); return 1';
    await done(app, 'automations/updateFunction', { id: fn, code, seenUpdatedAt: updatedAt });
    const { runId } = await done(app, 'automations/replayRun', { runId: failed.id });
    const [again] = await eventually(
      () => done(app, 'automations/listRuns', { functionId: fn }),
      ([last]) => last.id === runId && last.status === 'success',
    );
    expect(again).toMatchObject({ replayOf: failed.id, startedBy: failed.startedBy });
    expect((await done(app, 'automations/getRunLog', { runId })).lines[0].text).toBe('9 journey');
    expect((await done(app, 'flows/getFlowRun', { id: run.id })).status).toBe('error');
  });
});

describe('an agent', () => {
  it('can use, through a function, a power that it does not have itself', async () => {
    const code = "return (await ctx.email.send({ to: params.to, subject: 'From a tool', text: 'Hello.' })).messageId";
    const fn = await mailer(app, code);
    const { updatedAt } = await done(app, 'automations/getFunction', { id: fn });
    await done(app, 'workspace/updateSettings', { versions: false });
    const accessRules = { runBy: { pages: false, functions: [], agents: 'any' } };
    await done(app, 'automations/updateFunction', { id: fn, accessRules, seenUpdatedAt: updatedAt });
    await done(app, 'automations/updateFunction', { id: fn, isActive: true, exposed: true });
    assistant.plays(callsTools([fn, { to: 'ada@example.org' }]), writes('Sent.'));
    const { id } = await agentWith(app, { tools: [fn] });
    expect(await ran(app, id)).toMatchObject({ status: 'success', answer: 'Sent.' });
    expect(outside.last.mail.subject).toBe('From a tool');
    expect(toldOf(assistant.asked.at(-1) as never)).toEqual([{ ok: true, answer: outside.last.mail.messageId }]);
    const [run] = await done(app, 'automations/listRuns', { functionId: fn });
    expect(run).toMatchObject({ source: 'agent', startedBy: 'AI agent Scout' });
  });

  it('raises events as an agent', async () => {
    const seen = await scene.add(await scene.fn(), 'custom.by_agent');
    assistant.plays(callsTools(['accountEvents_raise', { name: 'by_agent', properties: { n: 1 } }]), writes('Raised.'));
    const { id } = await agentWith(app, { tools: ['accountEvents_raise'] });
    const run = await ran(app, id);
    const [fired] = await scene.over(seen.id);
    expect(fired?.event).toMatchObject({ origin: 'agent', properties: { n: 1 } });
    const { causes } = await done(app, 'audit/causesOf', { runId: fired?.id });
    expect(causes.map((node: { id: string }) => node.id)).toEqual([fired?.event.id, run.id]);
  });

  it('never gets anything secret: tokens of webhooks and addresses of mailhooks', async () => {
    const fn = await toolFunction(app);
    const flow = await activeFlow(app, []);
    const byHand = [
      await done(app, 'automations/createWebhook', { functionId: fn }),
      await done(app, 'automations/createTargetWebhook', { targetKind: 'flow', targetRef: flow }),
    ].map(({ token }) => token);
    const calls = [
      ['automations_listTriggers', { functionId: fn }],
      ['automations_listTargetTriggers', { targetKind: 'flow', targetRef: flow }],
      ['automations_listAllWebhooks', {}],
      ['automations_createWebhook', { functionId: fn }],
      ['automations_createTargetWebhook', { targetKind: 'flow', targetRef: flow }],
      ['automations_createMailhook', { name: 'Mine', targetKind: 'agent', targetRef: '' }],
      ['automations_listMailhooks', {}],
    ] as const;
    const { id } = await agentWith(app, { tools: calls.map(([tool]) => tool) });
    assistant.plays(
      ...(calls.map(([tool, args]) => callsTools([tool, 'name' in args ? { ...args, targetRef: id } : args])) as [
        never,
      ]),
      writes('Looked.'),
    );
    const run = await ran(app, id);
    expect(
      run.turns.flatMap(({ tools }: { tools: { outcome: string }[] }) => tools.map(({ outcome }) => outcome)),
    ).toEqual(calls.map(() => 'ok'));
    const told = JSON.stringify(toldOf(assistant.asked.at(-1) as never));
    const after = [
      ...(await done(app, 'automations/listTriggers', { functionId: fn })).webhooks,
      ...(await done(app, 'automations/listTargetTriggers', { targetKind: 'flow', targetRef: flow })).webhooks,
    ].map(({ token }) => token);
    const { mailhooks } = await done(app, 'automations/listMailhooks');
    const secrets = [...byHand, ...after, ...mailhooks.map(({ address }: { address: string }) => address)];
    expect(new Set(secrets).size).toBe(5);
    for (const secret of secrets) expect(told.includes(secret)).toBe(false);
    expect(told).toContain('hidden');
  });
});

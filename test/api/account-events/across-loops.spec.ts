import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { agentWith, toolFunction } from '../../support/automations/agents.js';
import { type EventScene, eventScene } from '../../support/automations/event-triggers.js';
import { activeFlow } from '../../support/automations/flows.js';
import { MailServerForTests } from '../../support/mail/mail-server.js';
import { createMailbox, mailboxAt, mailer, password } from '../../support/mail/mailboxes.js';
import { deliver, oneMail } from '../../support/mail/smtp-client.js';
import { done } from '../../support/people.js';
import { type AssistantServer, callsTools, type Play, writes } from '../../support/servers/assistant-server.js';
import { type OutsideApp, sharedOutside } from '../../support/shared-outside.js';

let app: OutsideApp;
let scene: EventScene;
let assistant: AssistantServer;
let outside: MailServerForTests;
let smtpPort: number;
beforeAll(async () => {
  outside = await MailServerForTests.start({ password });
  app = await sharedOutside();
  ({ assistant, smtpPort } = app);
  scene = eventScene(app);
  await createMailbox(app, mailboxAt(outside, { name: 'out', isDefault: true }));
}, 60_000);
afterAll(async () => {
  await app.close();
  await outside.close();
});

/** Plays a model that calls the tool once and then ends. */
const callsOnce =
  (tool: string): Play =>
  (response, asked) => {
    const wasCalled = asked.body.messages.some(({ role }: { role: string }) => role === 'tool');
    (wasCalled ? writes('Done.') : callsTools([tool]))(response, asked);
  };

const mailing = (text: string) =>
  mailer(
    app,
    `return (await ctx.email.send({ to: 'ada@example.org', subject: '${text}', text: '${text}' })).messageId`,
  );
/** Activates the function and exposes it to agents. */
const opened = (id: string) => done(app, 'automations/updateFunction', { id, isActive: true, exposed: true });

async function endsAfterEight(triggerId: string) {
  const [last, ...before] = await scene.over(triggerId, 9);
  expect(last).toMatchObject({ status: 'skipped', reason: 'loop', attempts: 0 });
  expect(before.map(({ status }) => status)).toEqual(Array(8).fill('ok'));
}

describe('a loop ends after eight runs', () => {
  it('if a flow raises the event that triggers it', async () => {
    const flow = await activeFlow(app, [{ id: 'raise', kind: 'raise_event', settings: { name: 'round.flow' } }]);
    const { id } = await scene.add(flow, 'custom.round.flow', { targetKind: 'flow' });
    await scene.ok('raise', { name: 'round.flow' });
    await endsAfterEight(id);
    expect(await done(app, 'flows/listFlowRuns', { flowId: flow })).toHaveLength(8);
  });

  it('if a function sends a mail whenever one was sent', async () => {
    const fn = await mailing('round by code');
    await opened(fn);
    const { id } = await scene.add(fn, 'email.sent', {
      filters: [{ field: 'origin', op: 'eq', value: 'function' }],
    });
    outside.received.length = 0;
    await done(app, 'automations/invokeFunction', { id: fn });
    await endsAfterEight(id);
    await scene.ok('removeEventTrigger', { id });
    expect(outside.received).toHaveLength(9);
  });

  it('if a flow sends a mail whenever one was sent', async () => {
    const settings = { to: 'ada@example.org', subject: 'round by flow', text: 'Again.' };
    const flow = await activeFlow(app, [{ id: 'mail', kind: 'send_mail', settings }]);
    const { id } = await scene.add(flow, 'email.sent', {
      targetKind: 'flow',
      filters: [{ field: 'origin', op: 'eq', value: 'flow' }],
    });
    await done(app, 'flows/runFlow', { id: flow });
    await endsAfterEight(id);
    await scene.ok('removeEventTrigger', { id });
  });

  it('if a tool of an agent raises the event that triggers the agent', async () => {
    const tool = await toolFunction(app, { code: "await ctx.events.emit('round.agent'); return 1" });
    assistant.plays(callsOnce(tool));
    const { id: agent } = await agentWith(app, { tools: [tool] });
    const { id } = await scene.add(agent, 'custom.round.agent', { targetKind: 'agent' });
    await scene.ok('raise', { name: 'round.agent' });
    await endsAfterEight(id);
    expect(await done(app, 'agents/listAgentRuns', { agentId: agent })).toHaveLength(8);
  });

  it('if an agent raises it itself, with a flow in between', async () => {
    const raising = (response: Parameters<Play>[0], asked: Parameters<Play>[1]) => {
      const wasCalled = asked.body.messages.some(({ role }: { role: string }) => role === 'tool');
      const play = wasCalled ? writes('Done.') : callsTools(['accountEvents_raise', { name: 'round.there' }]);
      play(response, asked);
    };
    assistant.plays(raising);
    const { id: agent } = await agentWith(app, { tools: ['accountEvents_raise'] });
    const flow = await activeFlow(app, [{ id: 'raise', kind: 'raise_event', settings: { name: 'round.back' } }]);
    const there = await scene.add(flow, 'custom.round.there', { targetKind: 'flow' });
    const back = await scene.add(agent, 'custom.round.back', { targetKind: 'agent' });
    await scene.ok('raise', { name: 'round.back' });
    const [last, ...before] = await scene.over(back.id, 5);
    expect(last).toMatchObject({ status: 'skipped', reason: 'loop' });
    expect(before.map(({ status }) => status)).toEqual(Array(4).fill('ok'));
    expect((await scene.over(there.id, 4)).map(({ event }) => event.origin)).toEqual(Array(4).fill('agent'));
  });
});

interface Node {
  readonly node: string;
  readonly id: string;
  readonly type: string;
  readonly step: number;
  readonly resource: { readonly kind: string; readonly id: string };
}
const told = (nodes: readonly Node[]) => nodes.map(({ node, type, resource }) => `${node} ${type} ${resource.kind}`);

describe('effectsOf and causesOf', () => {
  it('show a chain over a mail, a function, a flow, an agent and an outgoing mail', async () => {
    const first = await scene.fn("return ctx.events.emit('chain.one');");
    const flow = await activeFlow(app, [{ id: 'raise', kind: 'raise_event', settings: { name: 'chain.two' } }]);
    const tool = await mailing('the end of a chain');
    await opened(tool);
    const { updatedAt } = await done(app, 'automations/getFunction', { id: tool });
    const accessRules = { runBy: { pages: false, functions: [], agents: 'any' } };
    await done(app, 'automations/updateFunction', { id: tool, accessRules, seenUpdatedAt: updatedAt });
    const { versions } = await done(app, 'automations/listFunctionVersions', { functionId: tool });
    await done(app, 'automations/publishFunction', { id: tool, versionId: versions[0].id });
    assistant.plays(callsOnce(tool));
    const { id: agent } = await agentWith(app, { tools: [tool] });
    await scene.add(flow, 'custom.chain.one', { targetKind: 'flow' });
    await scene.add(agent, 'custom.chain.two', { targetKind: 'agent' });
    const end = await scene.add(await scene.fn(), 'email.sent');
    const received = await scene.add(await scene.fn(), 'email.received');
    const hook = { name: 'Chain', targetKind: 'account_function', targetRef: first };
    const { address } = await done(app, 'automations/createMailhook', hook);
    const mailId = /mail_\w+/.exec(await deliver(smtpPort, address, oneMail('chain')))?.[0];
    const [last] = await scene.over(end.id);
    const [arrival] = await scene.over(received.id);

    const { causes, cut } = await done(app, 'audit/causesOf', { runId: last?.id });
    expect(cut).toBe(false);
    expect(told(causes)).toEqual([
      'event email.sent mailAccount',
      'run function function',
      'run agent agent',
      'event AccountEventRecorded accountEvent',
      'run flow flow',
      'event AccountEventRecorded accountEvent',
      'run function function',
      'mail inboundEmail mailhook',
    ]);
    expect(causes.at(-1)).toMatchObject({ id: mailId, causedBy: null });
    const { effects } = await done(app, 'audit/effectsOf', { eventId: mailId });
    const ids = effects.map(({ id }: Node) => id);
    expect(ids).toEqual(expect.arrayContaining([...causes.slice(0, -1).map(({ id }: Node) => id), last?.id]));
    const cameIn = await done(app, 'audit/causesOf', { runId: arrival?.id });
    expect(told(cameIn.causes)).toEqual(['event email.received mailhook', 'mail inboundEmail mailhook']);
    expect(ids).toContain(arrival?.id);
  });
});

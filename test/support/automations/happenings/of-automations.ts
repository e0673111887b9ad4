import { expect } from '@jest/globals';
import { approved } from '../../approved.js';
import { createMailbox, mailboxAt } from '../../mail/mailboxes.js';
import { mailOf, ordinary } from '../../mail/mails.js';
import { deliver } from '../../mail/smtp-client.js';
import { status, writes } from '../../servers/assistant-server.js';
import { agentWith, ran } from '../agents.js';
import { activeFlow, ranFlow } from '../flows.js';
import {
  app,
  assistant,
  canary,
  type Happening,
  type Happenings,
  idle,
  mailboxId,
  mailer,
  name,
  nothing,
  ok,
  outside,
  smtpPort,
} from './scene.js';

const tapped = async (operation: string, body: object) => approved(app, await app.call(operation, body));
const versions = (on: boolean) => ok('workspace/updateSettings', { versions: on });
const newFunction = (more: object = {}) =>
  ok('automations/createFunction', { name: name(), code: 'return 1', ...more }) as Promise<{
    readonly id: string;
    readonly name: string;
    readonly version: string;
  }>;
const fresh = (id: string) => ok('automations/getFunction', { id });
const save = async (id: string, code: string) =>
  ok('automations/updateFunction', { id, code, seenUpdatedAt: (await fresh(id)).updatedAt });
const secrets = [{ name: 'KEY', hosts: ['api.example.com'] }];

/** Does something to a new function, and returns the account event that is expected of it. */
const ofFunction =
  (act: (id: string) => Promise<unknown>, properties: object = {}, times = 1) =>
  async (): Promise<Happening> => {
    const { id, name } = await newFunction();
    await act(id);
    return { subject: { type: 'function', id, name }, properties, times };
  };
const ofFlow =
  (act: (id: string) => Promise<unknown>, properties: object = {}, times = 1) =>
  async (): Promise<Happening> => {
    const { id, name: called } = await ok('flows/createFlow', { name: name(), steps: [] });
    await act(id);
    return { subject: { type: 'flow', id, name: called }, properties, times };
  };
const ofAgent =
  (act: (id: string) => Promise<unknown>, properties: object = {}, times = 1) =>
  async (): Promise<Happening> => {
    const called = name();
    const { id } = await agentWith(app, { name: called, instructions: canary });
    await act(id);
    return { subject: { type: 'agent', id, name: called }, properties, times };
  };
const ofMailbox = (act: (id: string) => Promise<unknown>) => async (): Promise<Happening> => {
  const { id, name } = await createMailbox(app, mailboxAt(outside, { isDefault: false }));
  await act(id);
  return { subject: { type: 'mailAccount', id, name }, properties: {} };
};
const newMailhook = async () =>
  ok('automations/createMailhook', { name: name(), targetKind: 'account_function', targetRef: idle.fn });
const ofMailhook = (act: (id: string) => Promise<unknown>) => async (): Promise<Happening> => {
  const { id, name } = await newMailhook();
  await act(id);
  return { subject: { type: 'mailhook', id, name }, properties: {} };
};

async function published(id: string) {
  const { versions } = await ok('automations/listFunctionVersions', { functionId: id });
  await ok('automations/publishFunction', { id, versionId: versions[0].id });
  return versions as readonly { readonly id: string; readonly state: string }[];
}
const givenEmail = (id: string) => tapped('automations/setFunctionCapabilities', { id, capabilities: ['email'] });
const takenEmail = (id: string) => ok('automations/setFunctionCapabilities', { id, capabilities: [] });
const undo = ({ undo: { id } }: { readonly undo: { readonly id: string } }) => ok('approvals/undoNotice', { id });

const functionRun = async (code: string, properties: object): Promise<Happening> => {
  const { id, name } = await newFunction({ code });
  const { body } = await app.call('automations/invokeFunction', { id });
  const runId = body.runId ?? body.details?.runId;
  const run = { runId, source: 'manual', startedBy: 'Owner', attempts: 1, durationMs: expect.any(Number) };
  return { subject: { type: 'function', id, name }, properties: { ...run, ...properties } };
};
const stepRun = (run: { readonly id: string }, steps: number, error: unknown) => ({
  runId: run.id,
  source: 'manual',
  startedBy: 'Owner',
  steps,
  durationMs: expect.any(Number),
  error,
});
const flowRun = async (steps: readonly object[], error: unknown): Promise<Happening> => {
  const id = await activeFlow(app, steps);
  const run = await ranFlow(app, id, { said: canary });
  const subject = { type: 'flow', id, name: (await ok('flows/getFlow', { id })).name };
  return { subject, properties: stepRun(run, steps.length, error) };
};
const agentRun = async (error: unknown): Promise<Happening> => {
  const called = name();
  const { id } = await agentWith(app, { name: called });
  const run = await ran(app, id, canary);
  return { subject: { type: 'agent', id, name: called }, properties: stepRun(run, 1, error) };
};

export const mail = { to: `${canary}@example.org`, subject: canary, text: canary };
export const sent = (properties: object): Happening => ({
  subject: { type: 'mailAccount', id: mailboxId, name: 'out' },
  properties: { recipients: 1, purpose: 'mail', ...properties },
});

export const automationHappenings: Happenings = {
  'FunctionCreated function.created': ofFunction(nothing),
  'FunctionDetailsChanged function.updated': ofFunction(
    (id) => ok('automations/updateFunction', { id, description: canary }),
    { changed: ['description'] },
  ),
  'FunctionDefinitionChanged function.updated': ofFunction(
    async (id) => {
      await versions(false);
      await save(id, `return '${canary}'`).finally(() => versions(true));
    },
    { changed: ['code'] },
  ),
  'FunctionPowersGiven function.updated': ofFunction(givenEmail, { changed: 'capabilities' }),
  'FunctionPowersTaken function.updated': ofFunction(
    async (id) => {
      await givenEmail(id);
      await takenEmail(id);
    },
    { changed: 'capabilities' },
    2,
  ),
  'FunctionIdentityModeSet function.updated': ofFunction(
    async (id) =>
      tapped('automations/setFunctionIdentityMode', { id, mode: 'workspace', seenVersion: (await fresh(id)).version }),
    { changed: 'identityMode' },
  ),
  'FunctionSecretsGiven function.updated': ofFunction(
    (id) => tapped('automations/setFunctionSecrets', { id, secrets }),
    { changed: 'secrets' },
  ),
  'FunctionSecretsTaken function.updated': ofFunction(
    async (id) => {
      await tapped('automations/setFunctionSecrets', { id, secrets });
      await ok('automations/setFunctionSecrets', { id, secrets: [] });
    },
    { changed: 'secrets' },
    2,
  ),
  'FunctionUndone function.updated': ofFunction(
    async (id) => {
      await givenEmail(id);
      await undo(await takenEmail(id));
    },
    { changed: 'undone' },
  ),
  'FunctionDraftSaved function.draft_saved': ofFunction((id) => save(id, `return '${canary}'`), { changed: ['code'] }),
  'FunctionPublished function.published': ofFunction(
    async (id) => {
      await save(id, 'return 2');
      await published(id);
    },
    { versionId: expect.any(String) },
  ),
  'FunctionRolledBack function.rolled_back': ofFunction(
    async (id) => {
      await save(id, 'return 2');
      const [, first] = await published(id);
      await ok('automations/rollBackFunction', { id, versionId: first?.id });
    },
    { versionId: expect.any(String) },
  ),
  'FunctionActivated function.activated': ofFunction((id) => ok('automations/updateFunction', { id, isActive: true })),
  'FunctionDeactivated function.deactivated': ofFunction(async (id) => {
    await ok('automations/updateFunction', { id, isActive: true });
    await ok('automations/updateFunction', { id, isActive: false });
  }),
  'FunctionDeleted function.deleted': ofFunction((id) => ok('automations/deleteFunction', { id })),
  'RunEnded function.run_succeeded': () => functionRun(`console.log('${canary}'); return '${canary}'`, { error: null }),
  'RunEnded function.run_failed': () => functionRun("throw new Error('no luck')", { error: 'no luck (line 1)' }),
  'AgentAdded agent.created': ofAgent(nothing),
  'AgentUpdated agent.updated': ofAgent((id) => ok('workspace/updateAgent', { id, instructions: `${canary} 2` }), {
    changed: ['instructions'],
  }),
  'AgentRemoved agent.deleted': ofAgent((id) => ok('workspace/removeAgent', { id })),
  'StepRunEnded agent.run_succeeded': () => agentRun(null),
  'StepRunEnded agent.run_failed': async () => {
    assistant.plays(status(400));
    return agentRun(expect.any(String)).finally(() => assistant.plays(writes('Seen.')));
  },
  'FlowCreated flow.created': ofFlow(nothing),
  'FlowChanged flow.updated': ofFlow((id) => ok('flows/updateFlow', { id, description: canary }), {
    changed: ['description'],
  }),
  'FlowSecretsGiven flow.updated': ofFlow((id) => tapped('flows/setFlowSecrets', { id, secrets }), {
    changed: 'secrets',
  }),
  'FlowSecretsTaken flow.updated': ofFlow(
    async (id) => {
      await tapped('flows/setFlowSecrets', { id, secrets });
      await ok('flows/setFlowSecrets', { id, secrets: [] });
    },
    { changed: 'secrets' },
    2,
  ),
  'FlowUndone flow.updated': ofFlow(
    async (id) => {
      await tapped('flows/setFlowSecrets', { id, secrets });
      await undo(await ok('flows/setFlowSecrets', { id, secrets: [] }));
    },
    { changed: 'undone' },
  ),
  'FlowActivated flow.activated': ofFlow((id) => ok('flows/updateFlow', { id, isActive: true })),
  'FlowDeactivated flow.deactivated': ofFlow(async (id) => {
    await ok('flows/updateFlow', { id, isActive: true });
    await ok('flows/updateFlow', { id, isActive: false });
  }),
  'FlowDeleted flow.deleted': ofFlow((id) => ok('flows/deleteFlow', { id })),
  'StepRunEnded flow.run_succeeded': () => flowRun([], null),
  'StepRunEnded flow.run_failed': async () => {
    const { id } = await ok('automations/createFunction', { name: name(), code: 'return 1' });
    return flowRun(
      [{ id: 'x', kind: 'run_function', settings: { function: id, params: {} } }],
      expect.stringContaining('target is INACTIVE'),
    );
  },
  'InboundEmailReceived email.received': async () => {
    const { id, address } = await newMailhook();
    const raw = mailOf([...ordinary([`Message-ID: <${canary}@example.com>`]), `To: ${address}`], `${canary}\r\n`);
    const reply = await deliver(smtpPort, address, raw);
    const mailId = /mail_\w+/.exec(reply)?.[0];
    return { subject: { type: 'mailhook', id }, properties: { mailId, size: raw.length, skip: null } };
  },
  'MailSent email.sent': async () => {
    const { sent: mailed } = await mailer.send(mail, 'out');
    return sent({ messageId: mailed.messageId, refused: 0 });
  },
  'MailFailed email.failed': async () => {
    const { address } = await newMailhook();
    outside.atRecipient = (to) => `550 5.1.1 no such user ${to} ${canary}`;
    await mailer.send({ ...mail, to: address }, 'out').finally(() => outside.willing());
    return sent({ messageId: expect.any(String), error: expect.stringContaining('refused every recipient') });
  },
  'MailAccountCreated email.mailbox_created': ofMailbox(nothing),
  'MailAccountActivated email.mailbox_activated': ofMailbox(async (id) => {
    await ok('automations/updateMailAccount', { id, isActive: false });
    await ok('automations/updateMailAccount', { id, isActive: true });
  }),
  'MailAccountDeactivated email.mailbox_deactivated': ofMailbox((id) =>
    ok('automations/updateMailAccount', { id, isActive: false }),
  ),
  'MailAccountDeleted email.mailbox_deleted': ofMailbox((id) => ok('automations/deleteMailAccount', { id })),
  'MailhookCreated email.mailhook_created': ofMailhook(nothing),
  'MailhookActivated email.mailhook_activated': ofMailhook(async (id) => {
    await ok('automations/updateMailhook', { id, isActive: false });
    await ok('automations/updateMailhook', { id, isActive: true });
  }),
  'MailhookDeactivated email.mailhook_deactivated': ofMailhook((id) =>
    ok('automations/updateMailhook', { id, isActive: false }),
  ),
  'MailhookDeleted email.mailhook_deleted': ofMailhook((id) => ok('automations/deleteMailhook', { id })),
};

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { builtins } from '../../../src/areas/account-events/builtin/builtin.api.js';
import { Coupons } from '../../../src/areas/payments/coupon/coupons.api.js';
import { DueSweeps } from '../../../src/engine/due/due-sweeps.js';
import { Calls, systemActor } from '../../../src/engine/operation/calls.js';
import { startApp, type TestApp } from '../../support/app.js';
import { approved } from '../../support/approved.js';
import { agentWith, ran } from '../../support/automations/agents.js';
import { type EventScene, eventScene, type TriggerRunShown } from '../../support/automations/event-triggers.js';
import { activeFlow, activeFunction, ranFlow } from '../../support/automations/flows.js';
import { eventually } from '../../support/eventually.js';
import { freePort } from '../../support/mail/free-port.js';
import { MailServerForTests } from '../../support/mail/mail-server.js';
import {
  allowingLoopback,
  createMailbox,
  Mailer,
  mailboxAt,
  mailOfTests,
  password,
} from '../../support/mail/mailboxes.js';
import { mailOf, ordinary } from '../../support/mail/mails.js';
import { deliver } from '../../support/mail/smtp-client.js';
import { done } from '../../support/people.js';
import { type AssistantServer, startAssistantServer, status, writes } from '../../support/servers/assistant-server.js';
import { type DnsServer, startDnsServer } from '../../support/servers/dns-server.js';
import { type StandInProcessor, startProcessor } from '../../support/servers/payment-processor.js';
import { openShop, type Shop } from '../../support/sites/shops.js';
import { type SiteVisitors, visitorsOf } from '../../support/sites/site-visitors.js';

/** In what is sealed, in what is mailed, and in addresses: nothing of it may be in an event. */
const canary = 'canary-of-across';

let app: TestApp;
let scene: EventScene;
let assistant: AssistantServer;
let dns: DnsServer;
let processor: StandInProcessor;
let outside: MailServerForTests;
let smtpPort: number;
let mailer: Mailer;
let mailboxId: string;
let idle: { readonly flow: string; readonly fn: string };
beforeAll(async () => {
  assistant = await startAssistantServer();
  assistant.plays(writes('Seen.'));
  outside = await MailServerForTests.start({ password });
  smtpPort = await freePort();
  dns = await startDnsServer();
  processor = await startProcessor();
  app = await startApp({
    environment: {
      ...allowingLoopback,
      ASSISTANT_URL: assistant.url,
      ASSISTANT_KEY: 'sk-across',
      ASSISTANT_MODEL: 'model-1',
      SMTP_IN_PORT: String(smtpPort),
      DNS_SERVERS: dns.address,
      PROCESSOR_URL: processor.url,
    },
    replacements: [mailOfTests()],
  });
  scene = eventScene(app);
  mailboxId = (await createMailbox(app, mailboxAt(outside, { name: 'out', isDefault: true }))).id;
  mailer = await Mailer.of(app);
  idle = { flow: await activeFlow(app, []), fn: await activeFunction(app, 'return 1') };
  await done(app, 'automations/setEnvVar', { name: 'KEY', value: canary, allowedHosts: ['api.example.com'] });
  await done(app, 'workspace/updateSettings', { actsAsWorkspaceSwitch: true });
}, 60_000);
afterAll(async () => {
  await app.close();
  await outside.close();
  await dns.close();
  await processor.close();
  await assistant.close();
});

interface Happening {
  readonly subject: object;
  readonly properties: object;
  /** How often the same is told on the way there. Default: once. */
  readonly times?: number;
}

let made = 0;
const name = () => `happening ${made++}`;
const ok = (operation: string, body: object) => done(app, operation, body);
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

/** What is done to a new function, and how the event tells it. */
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
/** Answers the properties beside the project's id. */
const ofProject = (act: (id: string) => Promise<object>) => async (): Promise<Happening> => {
  const called = name();
  const { id } = await ok('site/createProject', { name: called });
  const properties = { projectId: id, ...(await act(id)) };
  // A plan includes few projects, and the event says what it was called.
  await ok('site/deleteProject', { id });
  return { subject: { type: 'project', id, name: called }, properties };
};
/** Answers the deployment, which is live. */
const publishedSite = async (id: string): Promise<string> => {
  const { deploymentId } = await ok('site/publish', { id });
  await eventually(
    () => ok('site/getPublishStatus', { projectId: id }),
    (now) => now === null,
  );
  return deploymentId;
};
const rolledBack = ofProject(async (projectId) => {
  const deploymentId = await publishedSite(projectId);
  await publishedSite(projectId);
  await ok('site/rollBackPublish', { projectId, deploymentId });
  return { deploymentId };
});
const ofRow =
  (changed: readonly string[], act: (row: { readonly tableId: string; readonly id: string }) => Promise<unknown>) =>
  async (): Promise<Happening> => {
    const { linkedBaseId: baseId, id: projectId } = await ok('site/createProject', { name: name() });
    const fields = ['title', 'note'].map((field) => ({ name: field, type: 'text' }));
    const { id: tableId } = await ok('bases/createTable', { baseId, name: 'Orders', fields });
    const { id } = await ok('bases/createRow', { tableId, values: { title: canary } });
    await act({ tableId, id });
    await ok('site/deleteProject', { id: projectId });
    return { subject: { type: 'row', id }, properties: { tableId, table: 'Orders', rowId: id, changed } };
  };
/** Of a user of a site. */
const ofAppUser =
  (act: (user: { readonly projectId: string; readonly userId: string }) => Promise<unknown>) =>
  async (): Promise<Happening> => {
    const { id: projectId } = await ok('site/createProject', { name: name() });
    const email = `${canary.toLowerCase()}@example.com`;
    const { id: userId } = await ok('site/createAppUser', {
      projectId,
      email,
      name: canary,
      password: canary.repeat(3),
    });
    await act({ projectId, userId });
    await ok('site/deleteProject', { id: projectId });
    return { subject: { type: 'appUser', id: userId }, properties: { projectId } };
  };
/** What is done to a user and a role of a site. */
const ofRole = (act: (of: { readonly userId: string; readonly roleId: string }) => Promise<unknown>) => async () => {
  let roleId = '';
  const happening = await ofAppUser(async ({ projectId, userId }) => {
    roleId = (await ok('site/createProjectRole', { projectId, name: canary })).id;
    // Told once.
    for (let n = 0; n < 2; n += 1) await ok('site/assignRoleToAppUser', { userId, roleId });
    await act({ userId, roleId });
  })();
  return { ...happening, properties: { ...happening.properties, roleId } };
};
/** A campaign to one user of a site, which is sent. */
async function sentCampaign() {
  const { id: projectId } = await ok('site/createProject', { name: name() });
  const email = `${canary.toLowerCase()}@example.com`;
  const { id: userId } = await ok('site/createAppUser', { projectId, email, password: canary.repeat(3) });
  const words = { projectId, name: 'News', subject: canary, html: `<p>${canary}</p>` };
  const { id: campaignId } = await ok('site/createCampaign', words);
  await ok('site/sendCampaign', { projectId, id: campaignId });
  await eventually(
    () => ok('site/listCampaigns', { projectId }),
    ([campaign]) => campaign.status === 'sent',
  );
  return { projectId, userId, campaignId };
}
/** A user of a site buys what costs ten dollars, or what `offer` says. */
const ofPurchase =
  (act: (shop: Shop, paymentId: string) => Promise<unknown>, offer: object = {}, atProcessor = false) =>
  async (): Promise<Happening> => {
    const shop = await openShop(app, processor);
    await shop.offer({ name: canary, ...offer });
    if (atProcessor) await shop.connect();
    const { paymentId, amount } = (await shop.checkout()).body;
    await act(shop, paymentId);
    await ok('site/deleteProject', { id: shop.projectId });
    const about = { projectId: shop.projectId, appUserId: shop.userId, paymentId };
    const properties = { ...about, offerKey: 'club', amount, currency: 'usd' };
    return { subject: { type: 'appUser', id: shop.userId }, properties };
  };
/** The processor tells what `said` makes of the checkout, twice. */
const heard = (type: string, said: object) =>
  ofPurchase(
    async (shop, paymentId) => {
      const session = processor.of('checkout.session').find((one) => one.client_reference_id === paymentId);
      const event = processor.event(type, { ...session, ...said });
      for (let n = 0; n < 2; n += 1) await shop.deliver(event);
    },
    {},
    true,
  );
/** A user who signs up to a site. */
const ofSignUp = (auth: object, act: (visitors: SiteVisitors) => Promise<unknown>) => async (): Promise<Happening> => {
  const { id: projectId } = await ok('site/createProject', { name: name() });
  await ok('site/updateProjectAuth', { id: projectId, authEnabled: true, ...auth });
  const visitors = visitorsOf(app, projectId);
  const sent = { email: `${canary}@example.com`, name: canary, password: canary.repeat(3) };
  expect((await visitors.post('auth/signup', sent)).status).toBe(200);
  const { users } = await ok('site/getAppUsers', { projectId });
  await act(visitors);
  await ok('site/deleteProject', { id: projectId });
  return { subject: { type: 'appUser', id: users[0].id }, properties: { projectId } };
};
/** What becomes of an entitlement of a user of a site. Answers the properties beside those that say which it is. */
const ofEntitlement =
  (act: (of: object) => Promise<object>, times = 1) =>
  async (): Promise<Happening> => {
    const { id: projectId } = await ok('site/createProject', { name: name() });
    const email = `${canary.toLowerCase()}@example.com`;
    const user = { projectId, email, password: canary.repeat(3) };
    const { id: appUserId } = await ok('site/createAppUser', user);
    const of = { projectId, appUserId, key: 'member' };
    await ok('site/grantEntitlement', { ...of, source: { canary } });
    const properties = { ...of, ...(await act(of)) };
    await ok('site/deleteProject', { id: projectId });
    return { subject: { type: 'appUser', id: appUserId }, properties, times };
  };
const future = '2100-01-01T00:00:00.000Z';
const past = '2020-01-01T00:00:00.000Z';
const nothing = async () => undefined;
const deletedAndUndone = async (row: object) => {
  await ok('bases/deleteRow', row);
  await ok('bases/undoRow', row);
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

const mail = { to: `${canary}@example.org`, subject: canary, text: canary };
const sent = (properties: object): Happening => ({
  subject: { type: 'mailAccount', id: mailboxId, name: 'out' },
  properties: { recipients: 1, purpose: 'mail', ...properties },
});

/** The real thing for every line of the table. */
const happenings: Readonly<Record<string, () => Promise<Happening>>> = {
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
  'CustomDomainVerified site.domain_verified': ofProject(async (id) => {
    const domain = `site-${made}.example.com`;
    const { record } = await ok('site/updateCustomDomain', { id, customDomain: domain });
    dns.says(record.name, { texts: [record.value] });
    // The second time it is what it was.
    for (let n = 0; n < 2; n += 1) await ok('site/verifyCustomDomain', { id });
    return { domain };
  }),
  'SitePublished site.published': ofProject(async (id) => ({ deploymentId: await publishedSite(id) })),
  'SiteRolledBack site.published': async () => ({ ...(await rolledBack()), times: 3 }),
  'SiteUnpublished site.unpublished': ofProject(async (id) => {
    await publishedSite(id);
    await ok('site/unpublish', { id });
    return {};
  }),
  'SnapshotRestored site.snapshot_restored': ofProject(async (projectId) => {
    const { snapshots } = await ok('site/listSnapshots', { projectId });
    const snapshotId = snapshots[0].id;
    await ok('site/createPage', { projectId, name: canary, path: `/${canary}`, content: canary });
    await ok('site/restoreSnapshot', { projectId, snapshotId });
    return { snapshotId };
  }),
  'AppUserCreated site.user_signed_up': ofSignUp({}, nothing),
  'AppUserVerified site.user_verified': ofSignUp({ authRequireEmail: true }, async ({ projectId, post }) => {
    // Nobody can send the mail, so it is kept.
    const { mails } = await eventually(
      () => ok('site/listOutgoingMail', { projectId }),
      ({ mails: kept }) => kept.length === 1,
    );
    const token = new URL(mails[0].link).searchParams.get('token');
    expect((await post('auth/verify-email', { token })).status).toBe(200);
    // Told once.
    await post('auth/verify-email', { token });
  }),
  'AppUserSignedIn site.user_signed_in': ofAppUser(async ({ projectId }) => {
    await ok('site/updateProjectAuth', { id: projectId, authEnabled: true });
    const sent = { email: `${canary}@example.com`, password: canary.repeat(3) };
    const json = { 'content-type': 'application/json' };
    const { status } = await app.send('POST', `/api/app/${projectId}/auth/login`, JSON.stringify(sent), json);
    expect(status).toBe(200);
  }),
  'AppUserBanned site.user_banned': ofAppUser(async (user) => {
    // Told once.
    for (let n = 0; n < 2; n += 1) await ok('site/updateAppUser', { ...user, isBanned: true });
  }),
  'AppUserDeleted site.user_deleted': ofAppUser((user) => ok('site/deleteAppUser', user)),
  'AppUserRoleAssigned site.role_assigned': ofRole(nothing),
  'AppUserRoleUnassigned site.role_unassigned': ofRole(async (of) => {
    for (let n = 0; n < 2; n += 1) await ok('site/unassignRoleFromAppUser', of);
  }),
  'SitePaymentStarted site.payment_succeeded': ofPurchase(nothing, { amount: 0 }),
  'SitePaymentStarted site.payment_pending': ofPurchase(nothing),
  'SitePaymentApproved site.payment_succeeded': ofPurchase(({ projectId }, paymentId) =>
    ok('site/approveManualPayment', { projectId, paymentId }),
  ),
  'SitePaymentRejected site.payment_rejected': ofPurchase(({ projectId }, paymentId) =>
    ok('site/rejectManualPayment', { projectId, paymentId, reason: canary }),
  ),
  'SitePaymentFailed site.payment_failed': async () => {
    const shop = await openShop(app, processor);
    await shop.offer();
    await shop.connect();
    processor.faults(500, 500, 500);
    await shop.checkout();
    const [payment] = (await shop.mine()).payments;
    await ok('site/deleteProject', { id: shop.projectId });
    const about = { projectId: shop.projectId, appUserId: shop.userId, paymentId: payment?.id };
    const properties = { ...about, offerKey: 'club', amount: 1_000, currency: 'usd' };
    return { subject: { type: 'appUser', id: shop.userId }, properties };
  },
  'SitePaymentHeardOf site.payment_pending': heard('checkout.session.completed', { payment_status: 'unpaid' }),
  'SitePaymentHeardOf site.payment_succeeded': heard('checkout.session.completed', { payment_status: 'paid' }),
  'SitePaymentHeardOf site.payment_failed': heard('checkout.session.async_payment_failed', {}),
  'SitePaymentHeardOf site.payment_refunded': heard('charge.refunded', { amount_refunded: 1_000, refunded: true }),
  'EntitlementGranted site.entitlement_granted': ofEntitlement(async () => ({ expiresAt: null, graceUntil: null })),
  // Granted first, and once more.
  'EntitlementGrantedAgain site.entitlement_granted': ofEntitlement(async (of) => {
    await ok('site/grantEntitlement', { ...of, expiresAt: future });
    return { expiresAt: future, graceUntil: null };
  }, 2),
  'EntitlementExtended site.entitlement_extended': ofEntitlement(async (of) => {
    for (let n = 0; n < 2; n += 1) await ok('site/extendEntitlement', { ...of, expiresAt: future });
    return { expiresAt: future, graceUntil: null };
  }),
  'EntitlementSuspended site.entitlement_suspended': ofEntitlement(async (of) => {
    for (let n = 0; n < 2; n += 1) await ok('site/suspendEntitlement', { ...of, graceUntil: future });
    return { graceUntil: future };
  }),
  'EntitlementRevoked site.entitlement_revoked': ofEntitlement(async (of) => {
    await ok('site/revokeEntitlement', of);
    return {};
  }),
  'EntitlementExpired site.entitlement_expired': ofEntitlement(async (of) => {
    await ok('site/extendEntitlement', { ...of, expiresAt: past });
    for (let n = 0; n < 2; n += 1) await app.app.get(DueSweeps, { strict: false }).sweep('entitlement-watch');
    return {};
  }),
  'CouponRedeemed site.coupon_redeemed': async () => {
    const { id: projectId } = await ok('site/createProject', { name: name() });
    await ok('site/createCoupon', { projectId, code: 'spring', percentOff: 10 });
    const { id: workspaceId } = await ok('workspace/getWorkspace', {});
    const coupons = app.app.get(Coupons, { strict: false });
    const contextOf = () => app.app.get(Calls, { strict: false }).once(workspaceId, systemActor('test'), 'test');
    const about = { projectId, code: 'SPRING', paymentId: 'pay_1', appUserId: 'usr_1', offerKey: 'gold' };
    await coupons.reserve(contextOf(), { ...about, amount: 100, currency: 'usd', until: future });
    for (let n = 0; n < 2; n += 1) await coupons.redeem(contextOf(), about);
    await ok('site/deleteProject', { id: projectId });
    return { subject: { type: 'appUser', id: 'usr_1' }, properties: about };
  },
  'CampaignSent site.campaign_sent': async () => {
    const { projectId, campaignId } = await sentCampaign();
    await ok('site/deleteProject', { id: projectId });
    const counts = { recipients: 1, sent: 1, failed: 0, suppressed: 0 };
    return { subject: { type: 'project', id: projectId }, properties: { projectId, campaignId, ...counts } };
  },
  'SuppressionAdded site.unsubscribed': async () => {
    const { projectId, campaignId, userId } = await sentCampaign();
    const link = /List-Unsubscribe: <([^>]+)>/.exec(outside.last.raw)?.[1] ?? '';
    for (let n = 0; n < 2; n += 1) expect((await app.send('POST', new URL(link).pathname, '')).status).toBe(200);
    await ok('site/deleteProject', { id: projectId });
    return { subject: { type: 'appUser', id: userId }, properties: { projectId, campaignId } };
  },
  'RowCreated base.row_created': ofRow(['title'], nothing),
  // Created first, and there again later.
  'RowRestored base.row_created': async () => ({ ...(await ofRow(['title'], deletedAndUndone)()), times: 2 }),
  'RowUpdated base.row_updated': ofRow(['note'], (row) =>
    ok('bases/updateRow', { ...row, values: { title: canary, note: canary } }),
  ),
  'RowDeleted base.row_deleted': ofRow(['title'], (row) => ok('bases/deleteRow', row)),
};

/** Fires something of another kind than the event is about, so that nothing goes round. */
const watch = (event: string) =>
  event.startsWith('flow.') ? scene.add(idle.fn, event) : scene.add(idle.flow, event, { targetKind: 'flow' });

/** All that was told in them. */
const told: TriggerRunShown[] = [];

const idOf = (subject: object) => ('id' in subject ? subject.id : undefined);

/** The trigger's run for an event of this name and subject, when it is over. */
const firedBy = async (triggerId: string, event: string, { subject, properties, times = 1 }: Happening) => {
  const isIt = (fired: { readonly name: string; readonly subject: object; readonly properties: object }) =>
    fired.name === event &&
    idOf(fired.subject) === idOf(subject) &&
    (!('changed' in properties) || JSON.stringify(fired.properties) === JSON.stringify(properties));
  const all = await eventually(
    () => scene.runs(triggerId, { limit: 200 }),
    (runs) => {
      const its = runs.filter((run) => isIt(run.event));
      return its.length === times && its.every((run) => run.status !== 'queued');
    },
    15_000,
  );
  return all.filter((run) => isIt(run.event));
};

describe('built-in events', () => {
  it('are each brought about here', () => {
    expect(Object.keys(happenings).sort()).toEqual(builtins.map((line) => `${line.on} ${line.name}`).sort());
  });

  it.each(Object.entries(happenings))('%s', async (line, happen) => {
    const event = line.split(' ')[1] ?? '';
    const watches = [await watch(event), await watch(`${event.split('.')[0]}.*`)];
    try {
      const happening = await happen();
      for (const { id } of watches) {
        const runs = await firedBy(id, event, happening);
        expect(new Set(runs.map((run) => run.event.id)).size).toBe(runs.length);
        expect(runs[0]).toMatchObject({ status: 'ok', attempts: 1 });
        expect(runs[0]?.event.subject).toEqual(happening.subject);
        expect(runs[0]?.event.properties).toEqual(happening.properties);
        told.push(...runs);
      }
    } finally {
      for (const { id } of watches) await scene.ok('removeEventTrigger', { id });
    }
  });

  it('tell nothing of what is sealed, of mails, and of addresses that are passwords', () => {
    const all = JSON.stringify(told);
    for (const secret of [canary, password, 'ada@example', 'An order']) expect(all.includes(secret)).toBe(false);
    expect(/\bin-[0-9a-hjkmnp-tv-z]{26}\b/i.test(all)).toBe(false);
  });
});

describe('a mail that a flow sends', () => {
  it('is told as sent, by the flow', async () => {
    const trigger = await scene.add(idle.fn, 'email.sent', {
      filters: [{ field: 'origin', op: 'eq', value: 'flow' }],
    });
    const settings = {
      mailbox: 'out',
      to: '{{input.to}}',
      subject: 'Order {{input.order}}',
      text: 'It is on its way.',
    };
    const id = await activeFlow(app, [{ id: 'mail', kind: 'send_mail', settings }]);
    const run = await ranFlow(app, id, { to: 'ada@example.org', order: 7 });
    expect(run).toMatchObject({ status: 'success' });
    expect(outside.last).toMatchObject({ to: ['ada@example.org'], secure: true });
    expect(outside.last.mail.subject).toBe('Order 7');
    const [fired] = await scene.over(trigger.id);
    expect(fired?.event).toMatchObject({
      origin: 'flow',
      subject: { type: 'mailAccount', id: mailboxId, name: 'out' },
      properties: { messageId: outside.last.mail.messageId, recipients: 1, refused: 0, purpose: 'mail' },
    });
  });
});

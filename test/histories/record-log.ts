import { writeFileSync } from 'node:fs';
import { couponId } from '../../src/areas/payments/coupon/coupon.record.js';
import type { RecordedEvent } from '../../src/kernel/event/event.js';
import { EventStore } from '../../src/ports/event-store.port.js';
import { type Reply, startApp, type TestApp } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { RandomCommands } from '../support/random-commands/random-commands.js';
import { visitorsOf } from '../support/sites/site-visitors.js';
import { sagasAreDone } from '../support/stores/sagas-are-done.js';

const steps = 400;
/** Operations that delete most records of a kind at the end of the log. */
const endings = [
  ['automations/deleteFunction', 'function'],
  ['flows/deleteFlow', 'flow'],
  ['workspace/removeMember', 'member'],
  ['workspace/removeAgent', 'agent'],
  ['bases/deleteTable', 'table'],
  ['site/deleteProject', 'project'],
] as const;

/** Logs of a single subject, by name. */
const alone: Readonly<Record<string, (call: Ask, app: TestApp) => Promise<void>>> = {
  publishes,
  'restored-coupon': restoredCoupon,
  'source-control': sourceControl,
};

/**
 * Records the log with this name, of a single subject or of a workspace with some of everything. Sagas finish after
 * each command before the next.
 */
export async function recordLog(name: string): Promise<void> {
  const app = await startApp();
  const random = new RandomCommands(app);
  const events: RecordedEvent[] = [];
  // Reads the log after every command, because journals are pruned.
  const settled = async () => {
    await sagasAreDone(app);
    const from = events.at(-1)?.position ?? -1;
    events.push(...(await app.app.get(EventStore).readAll({ from, limit: 1_000 })));
  };
  const call = async (operation: string, body: object) => {
    const { status, body: answer } = await app.call(operation, body);
    if (status >= 400 && status !== 404) throw new Error(`${operation}: ${status} ${answer.detail}`);
    await settled();
    return answer;
  };
  const write = async () => {
    await app.close();
    const lines = events.map((event) => `  ${JSON.stringify(event)}`);
    writeFileSync(new URL(`logs/${name}.json`, import.meta.url), `[\n${lines.join(',\n')}\n]\n`);
  };
  if (alone[name] !== undefined) {
    await alone[name](call, app);
    await settled();
    return write();
  }
  for (let seed = 1; seed <= steps; seed += 1) {
    await random.step(seed);
    await settled();
  }
  await startedRuns(call);
  await lostKeys(call);
  await lostMail(app, call);
  await settled();
  for (const [operation, kind] of endings) {
    for (const { id } of random.world.all(kind).slice(0, -1)) await call(operation, { id });
  }
  await write();
}

type Ask = (operation: string, body: object) => Promise<Reply['body']>;

/** Creates keys and deletes their holders. */
async function lostKeys(call: Ask): Promise<void> {
  const member = await call('workspace/addMember', { name: 'Mia', email: 'mia@example.com', role: 'editor' });
  await call('workspace/createApiKey', { name: 'of Mia', kind: 'person', memberId: member.id });
  await call('workspace/removeMember', { id: member.id });
  const agent = await call('workspace/addAgent', { name: 'Scout' });
  await call('workspace/createApiKey', { name: 'of Scout', kind: 'agent', agentId: agent.id });
  await call('workspace/removeAgent', { id: agent.id });
}

/** Stores and destroys tokens of a git host, and deletes a project with a repository. */
async function sourceControl(call: Ask): Promise<void> {
  const { id: projectId } = await call('site/createProject', { name: 'Harbour tea' });
  await call('site/connectGitHost', { projectId, token: 'ghp_one' });
  await call('site/connectGitHost', { projectId, token: 'ghp_two' });
  await call('site/disconnectGitHost', { projectId });
  await call('site/connectGitHost', { projectId, token: 'ghp_three' });
  await call('site/gitCommit', { projectId, message: 'First' });
  await call('site/deleteProject', { id: projectId });
}

/** Approves a payment while its coupon is deleted, and then undoes the deletion. */
async function restoredCoupon(call: Ask, app: TestApp): Promise<void> {
  const { id: projectId } = await call('site/createProject', { name: 'Harbour tea' });
  await call('site/updateProjectAuth', { id: projectId, authEnabled: true });
  await call('site/createOffer', { projectId, key: 'club', name: 'Club', amount: 900 });
  const { code } = await call('site/createCoupon', { projectId, code: 'HALF', percentOff: 50 });
  const visitors = visitorsOf(app, projectId);
  await visitors.user('ada@example.org');
  const pass = await visitors.logIn('ada@example.org');
  const { body } = await visitors.post('payments/checkout', { offerKey: 'club', couponCode: code }, pass);
  await call('site/deleteCoupon', { projectId, code });
  await call('site/approveManualPayment', { projectId, paymentId: body.paymentId });
  const { events } = await call('audit/getHistory', { kind: 'coupon', id: couponId({ projectId, code }), limit: 10 });
  await call('audit/undoChange', { position: events.at(-1).position });
}

async function publishes(call: Ask): Promise<void> {
  const { id } = await call('site/createProject', { name: 'Harbour tea' });
  const published = async (more: object = {}) => {
    const { deploymentId } = await call('site/publish', { id, ...more });
    const ended = (status: { readonly stage?: string } | null) => status === null || status.stage === 'failed';
    await eventually(() => call('site/getPublishStatus', { projectId: id }), ended, 60_000);
    return deploymentId;
  };
  const first = await published();
  const page = await call('site/createPage', { projectId: id, name: 'Broken', path: '/broken', content: '// nothing' });
  await published();
  await call('site/deletePage', { id: page.id });
  await published();
  await published({ releaseVersion: '1.0.0' });
  await call('site/rollBackPublish', { projectId: id, deploymentId: first });
  await call('site/unpublish', { id });
  await call('site/deleteProject', { id });
}

/** A site that requires verified emails, and loses the mailbox that it sends them from. */
async function lostMail(app: TestApp, call: Ask): Promise<void> {
  const mailbox = await call('automations/createMailAccount', {
    name: 'of a site',
    fromAddress: 'site@example.com',
    host: 'mail.example.com',
    username: 'site',
    password: 'correct horse battery staple',
  });
  const { id } = await call('site/createProject', { name: 'Verified' });
  const auth = { authEnabled: true, authAllowSignup: true, authRequireEmail: true, authMailAccount: 'of a site' };
  await call('site/updateProjectAuth', { id, ...auth });
  const sent = { email: 'new@example.org', password: 'correct horse' };
  await visitorsOf(app, id).post('auth/signup', sent);
  await call('automations/deleteMailAccount', { id: mailbox.id });
}

/** Starts a function with an account event, and replaces an approval card with a newer one. */
async function startedRuns(call: Ask): Promise<void> {
  const { id } = await call('automations/createFunction', { name: 'started', code: 'return params' });
  await call('automations/updateFunction', { id, isActive: true });
  const target = { targetKind: 'account_function', targetRef: id };
  await call('accountEvents/addEventTrigger', { ...target, event: 'custom.sold' });
  await call('accountEvents/addEventTrigger', { ...target, event: 'flow.updated' });
  await call('accountEvents/raise', { name: 'sold', properties: { a: 1 } });
  const flow = await call('flows/createFlow', { name: 'told of', steps: [] });
  await call('flows/updateFlow', { id: flow.id, description: 'Something new.' });
  await call('automations/setFunctionCapabilities', { id, capabilities: ['email'] });
  await call('automations/setFunctionCapabilities', { id, capabilities: ['email', 'env'] });
}

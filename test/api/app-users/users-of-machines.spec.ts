import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { agentWith, ran, toldOf } from '../../support/automations/agents.js';
import { done, keyOf } from '../../support/people.js';
import { type AssistantServer, callsTools, writes } from '../../support/servers/assistant-server.js';
import { type OutsideApp, sharedOutside } from '../../support/shared-outside.js';

let server: AssistantServer;
let app: OutsideApp;
let projectId: string;
let userId: string;
beforeAll(async () => {
  app = await sharedOutside();
  ({ assistant: server } = app);
  projectId = (await done(app, 'site/createProject', { name: 'Shop' })).id;
  const user = { projectId, email: 'ada@example.com', password: 'long enough' };
  userId = (await done(app, 'site/createAppUser', user)).id;
});
afterAll(() => app?.close());

const email = 'attacker@evil.example';
const emailNow = async () => (await done(app, 'site/getAppUser', { projectId, userId })).email;

it('an agent that runs cannot take over a user with a new email, and learns what to do', async () => {
  const { id } = await agentWith(app, { instructions: 'Go.', tools: ['site_updateAppUser'] });
  server.plays(callsTools(['site_updateAppUser', { projectId, userId, email }]), writes('Done.'));
  expect(await ran(app, id)).toMatchObject({ status: 'success' });
  const [told] = toldOf(server.asked.at(-1) ?? fail());
  expect(JSON.stringify(told)).toContain('user-email-by-person');
  expect(JSON.stringify(told)).toContain('omit email');
  expect(await emailNow()).toBe('ada@example.com');
});

it.each(['agent', 'automation', 'flow'])('a key of an %s changes no email and sets no password', async (kind) => {
  const more = kind === 'agent' ? { agentId: (await agentWith(app)).id } : {};
  const key = await keyOf(app, { kind, ...more });
  const changed = await app.call('site/updateAppUser', { projectId, userId, email, name: 'Ada' }, key);
  expect([changed.status, changed.body.code]).toEqual([403, 'user-email-by-person']);
  const reset = await app.call('site/resetAppUserPassword', { projectId, userId, newPassword: 'long enough 2' }, key);
  expect([reset.status, reset.body.code]).toEqual([403, 'caller-not-allowed']);
  await done(app, 'site/updateAppUser', { projectId, userId, name: 'Ada L.' }, key);
  expect(await emailNow()).toBe('ada@example.com');
});

it('members and their clients can change it', async () => {
  const { id: memberId } = (await done(app, 'workspace/listMembers')).members[0];
  const key = await keyOf(app, { kind: 'connection', memberId });
  await done(app, 'site/updateAppUser', { projectId, userId, email: 'ada.l@example.com' }, key);
  expect(await emailNow()).toBe('ada.l@example.com');
});

const fail = (): never => {
  throw new Error('The model was not asked.');
};

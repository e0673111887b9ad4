// Engines: one process.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';
import { type Processes, startTwoApis } from '../../support/processes.js';
import {
  visitorPassword as password,
  type SiteVisitors,
  siteVisitors,
  visitorsOf,
} from '../../support/sites/site-visitors.js';

let processes: Processes;
let one: TestApp;
let two: TestApp;
/** The same site, served by the first and by the second process. */
let here: SiteVisitors;
let there: SiteVisitors;
let userId: string;
beforeAll(async () => {
  [processes, one, two] = await startTwoApis();
}, 60_000);
afterAll(() => processes.close(), 60_000);
beforeEach(async () => {
  here = await siteVisitors(one);
  there = visitorsOf(two, here.projectId);
  ({ id: userId } = await here.user(ada));
}, 60_000);

const ada = 'ada@example.com';
const endsEverywhere = (pass: string) =>
  eventually(
    async () => [await here.me(pass), await there.me(pass)],
    (users) => users.every((user) => user === null),
  );

describe('sign-in at several processes', () => {
  it('is valid at all of them', async () => {
    const pass = await here.logIn(ada);
    expect((await there.me(pass))?.id).toBe(userId);
    await there.post('auth/logout', {}, pass);
    expect(await here.me(pass)).toBeNull();
  });

  it.each([
    ['a ban', () => done(one, 'site/updateAppUser', { projectId: here.projectId, userId, isBanned: true })],
    ['a deletion', () => done(one, 'site/deleteAppUser', { projectId: here.projectId, userId })],
    ['resetSitePasses', () => done(one, 'site/resetSitePasses', { id: here.projectId })],
  ])('ends at all of them after %s', async (_, end) => {
    const pass = await there.logIn(ada);
    expect((await there.me(pass))?.id).toBe(userId);
    await end();
    await endsEverywhere(pass);
  });

  it('counts failures of all of them together', async () => {
    for (let n = 0; n < 10; n++) {
      const at = n % 2 === 0 ? here : there;
      expect((await at.post('auth/login', { email: ada, password: 'wrong horse' })).status).toBe(401);
    }
    for (const at of [here, there]) expect((await at.post('auth/login', { email: ada, password })).status).toBe(429);
  });

  it('creates one user from many simultaneous sign-ups', async () => {
    const email = 'race@example.com';
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => (n % 2 ? here : there).post('auth/signup', { email, password })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const { users } = await done(two, 'site/getAppUsers', { projectId: here.projectId });
    expect(users.filter((user: { email: string }) => user.email === email)).toHaveLength(1);
  });

  it('accepts a token once, if it is used at both of them at once', async () => {
    await done(one, 'site/updateProjectAuth', { id: here.projectId, authRequireEmail: true });
    await here.post('auth/forgot-password', { email: ada });
    const [mail] = await eventually(
      async () => (await done(two, 'site/listOutgoingMail', { projectId: here.projectId })).mails,
      ({ length }: readonly { readonly link: string }[]) => length === 1,
    );
    const token = new URL(mail?.link ?? '').searchParams.get('token');
    const answers = await Promise.all(
      [here, there].map((at, n) => at.post('auth/reset-password', { token, password: `password ${n}` })),
    );
    const taken = answers.flatMap(({ status }, n) => (status === 200 ? [`password ${n}`] : []));
    expect(taken).toHaveLength(1);
    expect(await there.logIn(ada, taken[0])).toMatch(/^[\w-]{32}$/);
  });
});

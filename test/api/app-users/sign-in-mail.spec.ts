// Engines: one process.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SettableClock } from '../../support/clocks/settable-clock.js';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';
import { type OutsideApp, sharedOutside } from '../../support/shared-outside.js';
import { visitorPassword as password, type SiteVisitors, siteVisitors } from '../../support/sites/site-visitors.js';

let clock: SettableClock;
const hours = 3_600_000;
let app: OutsideApp;
let site: SiteVisitors;
beforeAll(async () => {
  app = await sharedOutside();
  ({ clock } = app);
});
afterAll(() => app.close());
beforeEach(async () => {
  clock.set(Date.now());
  site = await siteVisitors(app, { authRequireEmail: true });
});

const ada = 'ada@example.com';
const newPassword = 'battery staple';
const brief = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code];
interface Kept {
  readonly kind: string;
  readonly to: string;
  readonly link: string;
}
/** Waits until the site has at least `count` mails. Newest first. */
const mails = (count: number): Promise<readonly Kept[]> =>
  eventually(
    async () => (await done(app, 'site/listOutgoingMail', { projectId: site.projectId })).mails,
    ({ length }: readonly Kept[]) => length >= count,
  );
const tokenIn = ({ link }: Kept) => new URL(link).searchParams.get('token') ?? '';
const mailed = async (count: number) => tokenIn((await mails(count))[0] as Kept);
const signUp = (email = ada, more = {}) => site.post('auth/signup', { email, password, ...more });
const logIn = (word = password) => site.post('auth/login', { email: ada, password: word });

describe('while emails have to be verified, auth/signup', () => {
  it('gives no session, and mails a link to the page of the site', async () => {
    const { status, body } = await signUp();
    expect([status, body.verificationRequired, body.session]).toEqual([200, true, undefined]);
    expect(brief(await logIn())).toEqual([401, 'email-not-verified']);
    const [mail] = await mails(1);
    expect(mail).toMatchObject({ kind: 'verify', to: ada });
    expect(mail?.link).toMatch(
      new RegExp(`^${app.environment['BASE_URL'] ?? 'http://'}.*/verify-email\\?token=[\\w-]{32}$`),
    );
  });

  it('mails no message of whoever signs up with the address of somebody else', async () => {
    await signUp(ada, { name: 'Your account is locked, see https://evil.example' });
    const [mail] = await mails(1);
    expect(mail).toMatchObject({ kind: 'verify', to: ada, userName: 'ada' });
  });

  it('tells only after a right password that the email is not verified', async () => {
    await signUp();
    expect(brief(await logIn('wrong horse'))).toEqual([401, 'log-in-failed']);
  });

  it('answers a taken email exactly as a fresh one, and its owner is told', async () => {
    const { id } = await site.user(ada, { name: 'Ada' });
    const fresh = await signUp('bob@example.com', { name: 'Bob' });
    const taken = await signUp(ada, { name: 'Bob' });
    const alike = { id: '', email: '' };
    expect({ ...taken.body, user: { ...taken.body.user, ...alike } }).toEqual({
      ...fresh.body,
      user: { ...fresh.body.user, ...alike },
    });
    expect([taken.body.user.email, taken.body.user.id === id, taken.status]).toEqual([ada, false, 200]);
    const kinds = (await mails(2)).map(({ kind, to }) => [kind, to]);
    expect(kinds).toEqual(
      expect.arrayContaining([
        ['taken', ada],
        ['verify', 'bob@example.com'],
      ]),
    );
    expect((await done(app, 'site/getAppUsers', { projectId: site.projectId })).total).toBe(2);
    expect((await logIn()).status).toBe(200);
  });
});

describe('a log-in after a sign-up whose email has to be verified', () => {
  const stranger = 'a stranger’s';
  const tries = async (email: string, word: string, count: number) => {
    const codes: unknown[] = [];
    for (let n = 0; n < count; n++) {
      codes.push(brief(await site.post('auth/login', { email, password: word })).join(' '));
    }
    return codes;
  };

  it('answers the same whether the email was taken, however often, for days', async () => {
    await site.user(ada);
    for (const email of [ada, 'fresh@example.com']) {
      await site.post('auth/signup', { email, password: stranger });
      await site.post('auth/signup', { email, password: `${stranger} second` });
    }
    const ask = async (email: string) => [
      ...(await tries(email, stranger, 12)),
      ...(await tries(` ${email.toUpperCase()} `, `${stranger} second`, 1)),
      ...(await tries(email, 'wrong horse', 1)),
    ];
    const right = '401 email-not-verified';
    for (const _ of ['today', 'in five days']) {
      const [taken, fresh] = [await ask(ada), await ask('fresh@example.com')];
      expect(taken).toEqual([...Array(13).fill(right), '401 log-in-failed']);
      expect(taken).toEqual(fresh);
      clock.set(clock.now() + 5 * 24 * hours);
    }
  });

  it('lets in the owner of the taken email, and the stranger nowhere', async () => {
    await site.user(ada);
    await site.post('auth/signup', { email: ada, password: stranger });
    expect((await logIn()).status).toBe(200);
    const other = await siteVisitors(app, { authRequireEmail: true });
    expect(brief(await other.post('auth/login', { email: ada, password: stranger }))).toEqual([401, 'log-in-failed']);
    await done(app, 'site/updateProjectAuth', { id: site.projectId, authRequireEmail: false });
    expect(brief(await logIn(stranger))).toEqual([401, 'log-in-failed']);
  });
});

it('while emails need not be verified, a taken email is told', async () => {
  await done(app, 'site/updateProjectAuth', { id: site.projectId, authRequireEmail: false });
  await site.user(ada);
  expect(brief(await signUp())).toEqual([409, 'email-taken']);
});

describe('auth/verify-email', () => {
  it('takes a token once', async () => {
    await signUp();
    const token = await mailed(1);
    expect((await site.post('auth/verify-email', { token })).body).toEqual({ success: true });
    expect(brief(await site.post('auth/verify-email', { token }))).toEqual([400, 'sign-in-token-invalid']);
    const pass = (await logIn()).body.session.token;
    expect((await site.me(pass))?.['emailVerified']).toBe(true);
  });

  it('takes a token for 24 hours', async () => {
    await signUp();
    const token = await mailed(1);
    clock.set(clock.now() + 24 * hours);
    expect(brief(await site.post('auth/verify-email', { token }))).toEqual([400, 'sign-in-token-invalid']);
  });

  it.each(['', 'x', 'x'.repeat(32), '\u0001', 'x'.repeat(4_000)])('refuses what is no token: %j', async (token) => {
    expect(brief(await site.post('auth/verify-email', { token }))).toEqual([400, 'sign-in-token-invalid']);
  });

  it('refuses a token of another site, or for another purpose', async () => {
    await signUp();
    const token = await mailed(1);
    const other = await siteVisitors(app);
    expect(brief(await other.post('auth/verify-email', { token }))).toEqual([400, 'sign-in-token-invalid']);
    const reset = { token, password: newPassword };
    expect(brief(await site.post('auth/reset-password', reset))).toEqual([400, 'sign-in-token-invalid']);
  });

  it('verifies nothing once the email is another one', async () => {
    const { body } = await signUp();
    const token = await mailed(1);
    const other = { projectId: site.projectId, userId: body.user.id, email: 'other@example.com' };
    await done(app, 'site/updateAppUser', other);
    expect(brief(await site.post('auth/verify-email', { token }))).toEqual([400, 'sign-in-token-invalid']);
  });
});

describe('auth/resend-verification', () => {
  it('mails another link to whoever has not verified, and always answers success', async () => {
    await signUp();
    await mails(1);
    await site.user('verified@example.com');
    for (const email of ['verified@example.com', 'nobody@example.com', 'no address', ada]) {
      expect((await site.post('auth/resend-verification', { email })).body).toEqual({ success: true });
    }
    expect((await mails(2)).map(({ kind, to }) => [kind, to])).toEqual([
      ['verify', ada],
      ['verify', ada],
    ]);
    expect((await site.post('auth/verify-email', { token: await mailed(2) })).status).toBe(200);
  });

  it('mails five times an hour to one address, and says nothing of it', async () => {
    await signUp();
    await mails(1);
    for (let n = 0; n < 7; n++) {
      expect((await site.post('auth/resend-verification', { email: ada })).body).toEqual({ success: true });
    }
    // Mail is sent in the order of sign-up, so this one arrives last.
    await signUp('last@example.com');
    const all = await eventually(
      () => mails(1),
      (some) => some.some(({ to }) => to === 'last@example.com'),
    );
    expect(all.filter(({ to }) => to === ada).length).toBeLessThanOrEqual(6);
  });
});

describe('auth/forgot-password and auth/reset-password', () => {
  const forgot = (email = ada) => site.post('auth/forgot-password', { email });
  const reset = (token: string, word = newPassword) => site.post('auth/reset-password', { token, password: word });

  it('set a new password by a link, which ends all passes and verifies the email', async () => {
    await signUp();
    await mails(1);
    expect((await forgot()).body).toEqual({ success: true });
    const [mail] = await mails(2);
    expect(mail).toMatchObject({ kind: 'reset', to: ada });
    expect(mail?.link).toContain('/reset-password?token=');
    expect((await reset(tokenIn(mail as Kept))).body).toEqual({ success: true });
    expect(brief(await logIn())).toEqual([401, 'log-in-failed']);
    expect((await logIn(newPassword)).status).toBe(200);
  });

  it('end the sessions there were', async () => {
    await site.user(ada);
    const pass = await site.logIn(ada);
    await forgot();
    await reset(await mailed(1));
    expect(await site.me(pass)).toBeNull();
  });

  it('answer the same for whoever is no user, and mail nothing to them or to banned users', async () => {
    const { id: userId } = await site.user('banned@example.com');
    await done(app, 'site/updateAppUser', { projectId: site.projectId, userId, isBanned: true });
    await site.user(ada);
    for (const email of ['nobody@example.com', 'banned@example.com', '', ada]) {
      expect((await forgot(email)).body).toEqual({ success: true });
    }
    expect((await mails(1)).map(({ to }) => to)).toEqual([ada]);
  });

  it('take a token once and for an hour, and none of before a reset', async () => {
    await site.user(ada);
    await forgot();
    const first = await mailed(1);
    await forgot();
    const second = await mailed(2);
    expect((await reset(first)).status).toBe(200);
    expect(brief(await reset(first))).toEqual([400, 'sign-in-token-invalid']);
    expect(brief(await reset(second))).toEqual([400, 'sign-in-token-invalid']);
    await forgot();
    const third = await mailed(3);
    clock.set(clock.now() + hours);
    expect(brief(await reset(third))).toEqual([400, 'sign-in-token-invalid']);
  });

  it('take one of many uses at once', async () => {
    await site.user(ada);
    await forgot();
    const token = await mailed(1);
    const words = ['first one', 'second one', 'third one', 'fourth one'];
    const answers = await Promise.all(words.map((word) => reset(token, word)));
    const taken = words.filter((_, at) => answers[at]?.status === 200);
    expect(taken).toHaveLength(1);
    expect((await logIn(taken[0])).status).toBe(200);
  });

  it('keep the token for a better password', async () => {
    await site.user(ada);
    await forgot();
    const token = await mailed(1);
    expect((await reset(token, 'seven77')).status).toBe(400);
    expect((await reset(token, 'eight888')).status).toBe(200);
  });
});

it('links go to the page of the platform until the site is published, whatever path it has chosen', async () => {
  await done(app, 'site/updateProjectAuth', { id: site.projectId, authPaths: { login: '/enter' } });
  await site.user(ada);
  await signUp();
  const [mail] = await mails(1);
  expect([mail?.kind, new URL(mail?.link ?? '').pathname]).toEqual(['taken', `/api/app/${site.projectId}/login`]);
});

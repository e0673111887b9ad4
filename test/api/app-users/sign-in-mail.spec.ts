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

describe('while emails must be verified, auth/signup', () => {
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

  it("sends no text of a person who signs up with another's address", async () => {
    await signUp(ada, { name: 'Your account is locked, see https://evil.example' });
    const [mail] = await mails(1);
    expect(mail).toMatchObject({ kind: 'verify', to: ada, userName: 'ada' });
  });

  it('answers that the email is not verified only after a right password', async () => {
    await signUp();
    expect(brief(await logIn('wrong horse'))).toEqual([401, 'log-in-failed']);
  });

  it('answers a taken email exactly like a new one, and notifies its owner', async () => {
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

describe('a log-in after a sign-up whose email must be verified', () => {
  const stranger = 'a stranger’s';
  const tries = async (email: string, word: string, count: number) => {
    const codes: unknown[] = [];
    for (let n = 0; n < count; n++) {
      codes.push(brief(await site.post('auth/login', { email, password: word })).join(' '));
    }
    return codes;
  };

  it('gets the same answer whether or not the email was taken, however often, for days', async () => {
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

  it('admits the owner of a taken email, and never the stranger', async () => {
    await site.user(ada);
    await site.post('auth/signup', { email: ada, password: stranger });
    expect((await logIn()).status).toBe(200);
    const other = await siteVisitors(app, { authRequireEmail: true });
    expect(brief(await other.post('auth/login', { email: ada, password: stranger }))).toEqual([401, 'log-in-failed']);
    await done(app, 'site/updateProjectAuth', { id: site.projectId, authRequireEmail: false });
    expect(brief(await logIn(stranger))).toEqual([401, 'log-in-failed']);
  });
});

it('while emails need not be verified, a taken email is reported', async () => {
  await done(app, 'site/updateProjectAuth', { id: site.projectId, authRequireEmail: false });
  await site.user(ada);
  expect(brief(await signUp())).toEqual([409, 'email-taken']);
});

describe('auth/verify-email', () => {
  it('accepts a token once', async () => {
    await signUp();
    const token = await mailed(1);
    expect((await site.post('auth/verify-email', { token })).body).toEqual({ success: true });
    expect(brief(await site.post('auth/verify-email', { token }))).toEqual([400, 'sign-in-token-invalid']);
    const pass = (await logIn()).body.session.token;
    expect((await site.me(pass))?.['emailVerified']).toBe(true);
  });

  it('accepts a token for 24 hours', async () => {
    await signUp();
    const token = await mailed(1);
    clock.set(clock.now() + 24 * hours);
    expect(brief(await site.post('auth/verify-email', { token }))).toEqual([400, 'sign-in-token-invalid']);
  });

  it.each(['', 'x', 'x'.repeat(32), '\u0001', 'x'.repeat(4_000)])('refuses an invalid token: %j', async (token) => {
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

  it('verifies nothing after the email has changed', async () => {
    const { body } = await signUp();
    const token = await mailed(1);
    const other = { projectId: site.projectId, userId: body.user.id, email: 'other@example.com' };
    await done(app, 'site/updateAppUser', other);
    expect(brief(await site.post('auth/verify-email', { token }))).toEqual([400, 'sign-in-token-invalid']);
  });
});

describe('auth/resend-verification', () => {
  it('mails a new link to a user who has not verified, and always answers success', async () => {
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

  it('mails one address five times an hour, without revealing it', async () => {
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

  it('end the existing sessions', async () => {
    await site.user(ada);
    const pass = await site.logIn(ada);
    await forgot();
    await reset(await mailed(1));
    expect(await site.me(pass)).toBeNull();
  });

  it('answer the same for an unknown user, and mail nothing to them or to banned users', async () => {
    const { id: userId } = await site.user('banned@example.com');
    await done(app, 'site/updateAppUser', { projectId: site.projectId, userId, isBanned: true });
    await site.user(ada);
    for (const email of ['nobody@example.com', 'banned@example.com', '', ada]) {
      expect((await forgot(email)).body).toEqual({ success: true });
    }
    expect((await mails(1)).map(({ to }) => to)).toEqual([ada]);
  });

  it('accept a token once within an hour, and none from before a reset', async () => {
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

  it('accept one of many simultaneous uses', async () => {
    await site.user(ada);
    await forgot();
    const token = await mailed(1);
    const words = ['first one', 'second one', 'third one', 'fourth one'];
    const answers = await Promise.all(words.map((word) => reset(token, word)));
    const taken = words.filter((_, at) => answers[at]?.status === 200);
    expect(taken).toHaveLength(1);
    expect((await logIn(taken[0])).status).toBe(200);
  });

  it('keep the token valid after a weak password', async () => {
    await site.user(ada);
    await forgot();
    const token = await mailed(1);
    expect((await reset(token, 'seven77')).status).toBe(400);
    expect((await reset(token, 'eight888')).status).toBe(200);
  });
});

it('send links to the page of the platform until the site is published, whatever path it has chosen', async () => {
  await done(app, 'site/updateProjectAuth', { id: site.projectId, authPaths: { login: '/enter' } });
  await site.user(ada);
  await signUp();
  const [mail] = await mails(1);
  expect([mail?.kind, new URL(mail?.link ?? '').pathname]).toEqual(['taken', `/api/app/${site.projectId}/login`]);
});

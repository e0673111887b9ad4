// Second tier.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Clock } from '../../../src/ports/clock.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { SettableClock } from '../../support/clocks/settable-clock.js';
import { slowPasswords } from '../../support/given/password-hashes.js';
import { done } from '../../support/people.js';
import {
  visitorPassword as password,
  type SiteVisitors,
  siteVisitors,
  visitorsOf,
} from '../../support/sites/site-visitors.js';

const environment = { TRUST_PROXY: '1' };
const from = (address: string) => ({ 'x-forwarded-for': address });
const hour = 3_600_000;
let app: TestApp;
let site: SiteVisitors;
let made = 0;
const signUp = (address: string, at = site, email = `u${made++}@example.com`) =>
  at.post('auth/signup', { email, password }, undefined, from(address));

describe('sign-ups', () => {
  const clock = new SettableClock();
  beforeAll(async () => {
    app = await startApp({ environment, replacements: [{ provide: Clock, useValue: clock }] });
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    clock.set(Date.now());
    site = await siteVisitors(app);
  });
  const home = '192.0.2.1';
  const fill = async (at = site) => {
    for (let n = 0; n < 20; n++) expect((await signUp(home, at)).status).toBe(200);
  };
  const codeOf = async (answer: ReturnType<typeof signUp>) => {
    const { status, body, headers } = await answer;
    return [status, body.code, Number(headers.get('retry-after')) > 3_000];
  };
  const limited = [429, 'sign-up-limit', true];

  it('are limited to twenty an hour from an address at a site, also after a restart, without affecting sign-in', async () => {
    await site.user('ada@example.com');
    await fill();
    expect(await codeOf(signUp(home))).toEqual(limited);
    expect((await signUp('192.0.2.2')).status).toBe(200);
    expect((await signUp(home, await siteVisitors(app))).status).toBe(200);
    expect(await site.logIn('ada@example.com', password, from(home))).toMatch(/^[\w-]{32}$/);
    app = await app.restart();
    site = visitorsOf(app, site.projectId);
    expect(await codeOf(signUp(home))).toEqual(limited);
    clock.set(clock.now() + hour);
    expect((await signUp(home)).status).toBe(200);
  });

  it('are counted if the email is taken, but not if it is invalid', async () => {
    const emails = ['ada@example.com', 'bob@example.com', 'eve@example.com'];
    for (const email of emails) await site.user(email);
    for (let n = 0; n < 25; n++) expect((await signUp(home, site, 'no address')).status).toBe(400);
    for (let n = 0; n < 20; n++) expect((await signUp(home, site, emails[n % 3])).body.code).toBe('email-taken');
    expect(await codeOf(signUp(home, site, emails[2]))).toEqual(limited);
  });

  it('with one email are limited to ten an hour from all addresses, in every spelling, taken or not', async () => {
    await done(app, 'site/updateProjectAuth', { id: site.projectId, authRequireEmail: true });
    await site.user('ada@example.com');
    for (const email of ['ada@example.com', 'fresh@example.com']) {
      for (let n = 0; n < 10; n++) expect((await signUp(`192.0.2.${n}`, site, email)).status).toBe(200);
      expect(await codeOf(signUp('192.0.2.99', site, ` ${email.toUpperCase()} `))).toEqual(limited);
    }
    expect((await signUp('192.0.2.99')).status).toBe(200);
    clock.set(clock.now() + hour);
    expect((await signUp('192.0.2.99', site, 'ada@example.com')).status).toBe(200);
  });

  it('of one address at once are limited as well', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => signUp(home)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBe(10);
    expect((await done(app, 'site/getAppUsers', { projectId: site.projectId })).total).toBeLessThanOrEqual(20);
  });
});

describe('a flood of sign-ups at one site', () => {
  beforeAll(async () => {
    app = await startApp({ environment, replacements: [slowPasswords] });
    site = await siteVisitors(app);
  });
  afterAll(() => app.close());

  it('delays no log-in there or at another site, and no member who creates a user', async () => {
    const other = await siteVisitors(app);
    for (const each of [site, other]) await each.user('ada@example.com');
    let open = 0;
    const flood = Array.from({ length: 60 }, async (_, n) => {
      open++;
      const { status, body } = await signUp(`10.0.0.${n}`);
      open--;
      return [status, body.code];
    });
    const waiting: number[] = [];
    for (const each of [site, other]) {
      const pass = await each.logIn('ada@example.com');
      waiting.push(open);
      expect(pass).toMatch(/^[\w-]{32}$/);
    }
    await site.user('bob@example.com');
    expect([...waiting, open].every((count) => count > 0)).toBe(true);
    const answers = await Promise.all(flood);
    const refused = answers.filter(([status]) => status !== 200);
    expect(refused).toEqual(refused.map(() => [503, 'passwords-busy']));
    expect(refused.length).toBeGreaterThan(0);
  });
});

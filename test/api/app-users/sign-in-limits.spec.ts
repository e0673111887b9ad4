// Engines: one process.
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { PasswordHash } from '../../../src/ports/offloaded/password-hash.port.js';
import { Vault } from '../../../src/ports/vault.port.js';
import type { Reply, TestApp } from '../../support/app.js';
import { SettableClock } from '../../support/clocks/settable-clock.js';
import { done } from '../../support/people.js';
import { type OutsideApp, sharedOutside } from '../../support/shared-outside.js';
import { visitorPassword as password, type SiteVisitors, siteVisitors } from '../../support/sites/site-visitors.js';

let clock: SettableClock;
const hours = 3_600_000;
let app: OutsideApp;
let site: SiteVisitors;
/** One entry, the kind of work, for each password that was hashed or compared since the test began. */
const hashed: string[] = [];
beforeAll(async () => {
  app = await sharedOutside();
  ({ clock } = app);
  count(app);
});
afterAll(async () => {
  jest.restoreAllMocks();
  await app.close();
});
beforeEach(async () => {
  clock.set(Date.now());
  site = await siteVisitors(app);
  await site.user(ada);
  hashed.length = 0;
});

function count({ app: nest }: TestApp): void {
  const hashes = nest.get(PasswordHash);
  const { hash, matches } = hashes;
  jest.spyOn(hashes, 'hash').mockImplementation((...args) => {
    hashed.push('hash');
    return hash.apply(hashes, args);
  });
  jest.spyOn(hashes, 'matches').mockImplementation((...args) => {
    hashed.push('matches');
    return matches.apply(hashes, args);
  });
}

const ada = 'ada@example.com';
const from = (address: string) => ({ 'x-forwarded-for': address });
const home = '192.0.2.1';
const elsewhere = '198.51.100.7';
const tries = (email: string, word: string, address = elsewhere) =>
  site.post('auth/login', { email, password: word }, undefined, from(address));
const brief = ({ status, body, headers }: Reply) => [status, body.code ?? null, headers.has('retry-after')];
const failed = [401, 'log-in-failed', false];
const limited = [429, 'sign-in-tries', true];
const right = [200, null, false];
const fail = async (times: number, email: (n: number) => string, address: (n: number) => string) => {
  for (let n = 0; n < times; n++) expect(brief(await tries(email(n), 'wrong horse', address(n)))).toEqual(failed);
};

describe('ten failed sign-ins in an hour', () => {
  it('for one email, from any addresses, lock it', async () => {
    await fail(
      10,
      () => ada,
      (n) => `198.51.100.${n}`,
    );
    expect(brief(await tries(ada, 'wrong horse', home))).toEqual(limited);
    expect(brief(await tries(ada, password, home))).toEqual(limited);
    expect(brief(await tries('bob@example.com', password, home))).toEqual(failed);
  });

  it('from one address, for any emails, lock it', async () => {
    await fail(
      10,
      (n) => `user-${n}@example.com`,
      () => elsewhere,
    );
    expect(brief(await tries(ada, password))).toEqual(limited);
    expect(brief(await tries(ada, password, home))).toEqual(right);
  });

  it('are counted for an unknown email as for any other, in any case', async () => {
    await fail(
      10,
      (n) => (n % 2 ? 'nobody@example.com' : ' NOBODY@Example.com'),
      (n) => `198.51.100.${n}`,
    );
    expect(brief(await tries('nobody@example.com', password, home))).toEqual(limited);
  });

  it('are forgotten after an hour; until then Retry-After says how long', async () => {
    await fail(
      10,
      () => ada,
      (n) => `198.51.100.${n}`,
    );
    clock.set(clock.now() + hours / 2);
    const seconds = Number((await tries(ada, password, home)).headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(1_800);
    clock.set(clock.now() + seconds * 1_000);
    expect(brief(await tries(ada, password, home))).toEqual(right);
  });

  it('apply to one site only', async () => {
    await fail(
      10,
      () => ada,
      () => elsewhere,
    );
    const other = await siteVisitors(app);
    await other.user(ada);
    expect(await other.logIn(ada, password, from(elsewhere))).toMatch(/^[\w-]{32}$/);
  });

  it('are the maximum that get through at once', async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => tries(ada, 'wrong horse', `10.0.0.${n}`)));
    const codes = answers.map(({ body }) => body.code);
    expect(codes.filter((code) => code === 'log-in-failed')).toHaveLength(10);
    expect(codes.filter((code) => code === 'sign-in-tries')).toHaveLength(30);
    expect(hashed).toHaveLength(10);
  });

  it('do not prevent many users from signing in at once', async () => {
    const answers = await Promise.all(Array.from({ length: 15 }, () => tries(ada, password)));
    expect(answers.map(brief)).toEqual(answers.map(() => right));
  });

  it("leave neither emails nor addresses in the vault's entry names", async () => {
    await fail(
      1,
      () => ada,
      () => elsewhere,
    );
    const names: string[] = [];
    for await (const { name } of app.app.get(Vault).sealedEntries()) names.push(name);
    expect(names.some((name) => name.startsWith('hourly-place/'))).toBe(true);
    expect(names.filter((name) => name.includes('ada') && name.includes('example'))).toEqual([]);
    expect(names.filter((name) => name.includes(elsewhere))).toEqual([]);
  });
});

describe('at an address from which the user signed in', () => {
  it('failures of others do not lock the user out, for 30 days', async () => {
    expect(brief(await tries(ada, password, home))).toEqual(right);
    clock.set(clock.now() + 29 * 24 * hours);
    await fail(
      10,
      () => ada,
      (n) => `198.51.100.${n}`,
    );
    await fail(
      10,
      (n) => `user-${n}@example.com`,
      () => home,
    );
    expect(brief(await tries(ada, password, home))).toEqual(right);
    expect(brief(await tries(ada, password, elsewhere))).toEqual(limited);
  });

  it('failures of others do lock the user out after 30 days', async () => {
    expect(brief(await tries(ada, password, home))).toEqual(right);
    clock.set(clock.now() + 30 * 24 * hours);
    await fail(
      10,
      () => ada,
      (n) => `198.51.100.${n}`,
    );
    expect(brief(await tries(ada, password, home))).toEqual(limited);
  });

  it('ten failures of the user do', async () => {
    expect(brief(await tries(ada, password, home))).toEqual(right);
    await fail(
      10,
      () => ada,
      () => home,
    );
    expect(brief(await tries(ada, password, home))).toEqual(limited);
  });
});

describe('the amount of hashing is the same', () => {
  const work = async (call: () => Promise<Reply>) => {
    hashed.length = 0;
    const { status } = await call();
    return [status, ...hashed];
  };

  it('for every failed log-in', async () => {
    const { id: userId } = await site.user('banned@example.com');
    await done(app, 'site/updateAppUser', { projectId: site.projectId, userId, isBanned: true });
    const attempts = [
      tries.bind(null, ada, 'wrong horse', '10.0.0.1'),
      tries.bind(null, 'nobody@example.com', password, '10.0.0.2'),
      tries.bind(null, 'no address at all', password, '10.0.0.3'),
      tries.bind(null, '', password, '10.0.0.4'),
      tries.bind(null, 'banned@example.com', password, '10.0.0.5'),
    ];
    for (const attempt of attempts) expect(await work(attempt)).toEqual([401, 'matches']);
  });

  it('for every log-in after a sign-up, whether or not its email was taken', async () => {
    site = await siteVisitors(app, { authRequireEmail: true });
    await site.user(ada);
    for (const email of [ada, 'fresh@example.com']) {
      await site.post('auth/signup', { email, password: 'of a stranger' });
      expect(await work(() => tries(email, 'of a stranger'))).toEqual([401, 'matches']);
    }
  });

  it('for a sign-up with a taken email while emails must be verified', async () => {
    site = await siteVisitors(app, { authRequireEmail: true });
    await site.user(ada);
    for (const email of [ada, 'fresh@example.com']) {
      expect(await work(() => site.post('auth/signup', { email, password }))).toEqual([200, 'hash']);
    }
  });

  it('for every request of a password reset, before the answer: none', async () => {
    for (const email of [ada, 'nobody@example.com']) {
      expect(await work(() => site.post('auth/forgot-password', { email }))).toEqual([200]);
    }
  });
});

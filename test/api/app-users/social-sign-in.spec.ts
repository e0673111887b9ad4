// Engines: one process.
import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Clock } from '../../../src/ports/clock.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { SettableClock } from '../../support/clocks/settable-clock.js';
import { done } from '../../support/people.js';
import { OpenIdProviderForTests } from '../../support/servers/openid-provider.js';
import { visitorPassword as password, type SiteVisitors, siteVisitors } from '../../support/sites/site-visitors.js';
import { storedFiles } from '../../support/stores/stored-files.js';

const clock = new SettableClock();
const heard: string[] = [];
let provider: OpenIdProviderForTests;
let app: TestApp;
let site: SiteVisitors;
let made = 0;
let ada: { readonly sub: string; readonly email: string; readonly email_verified: boolean; readonly name: string };
beforeAll(async () => {
  provider = await OpenIdProviderForTests.start();
  app = await startApp({
    environment: {
      LOG_LEVEL: 'verbose',
      SOCIAL_PROVIDERS: JSON.stringify([
        provider.settings('own'),
        provider.settings('other'),
        { ...provider.settings('gone'), issuer: 'http://127.0.0.1:9' },
      ]),
    },
    replacements: [{ provide: Clock, useValue: clock }],
  });
  const hear = (...said: readonly unknown[]) => heard.push(inspect(said, { depth: 10 }));
  app.app.useLogger({ log: hear, error: hear, warn: hear, debug: hear, verbose: hear, fatal: hear });
});
afterAll(async () => {
  await app.close();
  await provider.close();
});
beforeEach(async () => {
  clock.set(Date.now());
  made += 1;
  provider.claims = {};
  ada = { sub: `sub-${made}`, email: `ada-${made}@example.org`, email_verified: true, name: 'Ada' };
  site = await siteVisitors(app, { authAllowSocial: true, authPaths: { afterLogin: '/inside', login: '/enter' } });
});

/** A browser that stores its cookie and follows no redirect by itself. */
class Browser {
  cookie = '';

  async get(address: string): Promise<{ status: number; location: string; body: { code?: string } }> {
    const response = await fetch(address, { redirect: 'manual', headers: { cookie: this.cookie } });
    const set = response.headers.get('set-cookie');
    if (set !== null) {
      expect(set).toMatch(/^site_sign_in=[\w-]{32}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/);
      this.cookie = set.split(';')[0] ?? '';
    }
    const text = await response.text();
    return {
      status: response.status,
      location: response.headers.get('location') ?? '',
      body: text === '' ? {} : JSON.parse(text),
    };
  }

  begin(name = 'own', more = '') {
    return this.get(`${app.url}/api/app/${site.projectId}/auth/social/${name}${more}`);
  }

  /** Goes through the whole sign-in. Returns the redirect at its end. */
  async signIn(person: object = ada, name = 'own', more = '') {
    const { location } = await this.begin(name, more);
    return this.get(here(provider.signIn(location, person as Record<string, unknown>)));
  }

  exchange(code: string, more: object = {}) {
    return site.post('auth/social/exchange', { code, ...more }, undefined, { cookie: this.cookie });
  }

  async session(person: object = ada, name = 'own') {
    const { body, status } = await this.exchange(codeIn(await this.signIn(person, name)));
    expect([status, body.code]).toEqual([200, undefined]);
    return body;
  }
}

/** Links contain the port of BASE_URL, but the tests listen on another one. */
const here = (address: string) => {
  const { pathname, search } = new URL(address);
  return `${app.url}${pathname}${search}`;
};
const landed = ({ location }: { location: string }) => {
  const { pathname, hash, search } = new URL(location);
  return [pathname, search, hash.replace(/=[\w-]{32}$/, '=<code>')];
};
const codeIn = ({ location }: { location: string }) => /#sign-in-code=([\w-]{32})$/.exec(location)?.[1] ?? '';
const brief = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code];
const users = async () => (await done(app, 'site/getAppUsers', { projectId: site.projectId })).users;
const setAuth = (auth: object) => done(app, 'site/updateProjectAuth', { id: site.projectId, ...auth });

describe('auth/social/<provider>', () => {
  it('sends a new person to the provider and back, and creates a user with a verified address', async () => {
    const browser = new Browser();
    const begun = await browser.begin();
    expect(begun.status).toBe(303);
    expect(new URL(begun.location).searchParams.get('redirect_uri')).toMatch(
      new RegExp(`/api/app/${site.projectId}/auth/social/own/callback$`),
    );
    const back = await browser.get(here(provider.signIn(begun.location, ada)));
    expect([back.status, ...landed(back)]).toEqual([303, '/inside', '', '#sign-in-code=<code>']);
    const { status, body } = await browser.exchange(codeIn(back));
    expect([status, body]).toEqual([
      200,
      {
        user: expect.objectContaining({ email: ada.email, name: 'Ada', emailVerified: true }),
        session: { token: expect.stringMatching(/^[\w-]{32}$/), expiresAt: expect.any(String) },
      },
    ]);
    expect((await site.me(body.session.token))?.id).toBe(body.user.id);
    expect(await users()).toHaveLength(1);
  });

  it('signs the same person in as the same user, even if both have changed their addresses', async () => {
    const { user } = await new Browser().session();
    await done(app, 'site/updateAppUser', { projectId: site.projectId, userId: user.id, email: 'new@example.org' });
    const { user: again } = await new Browser().session({ ...ada, email: 'other@example.org', email_verified: false });
    expect(again.id).toBe(user.id);
  });

  it('links a user whose address is verified on both sides', async () => {
    const { id } = await site.user(ada.email);
    expect((await new Browser().session()).user.id).toBe(id);
    expect((await new Browser().session(ada, 'other')).user.id).toBe(id);
    expect(await users()).toHaveLength(1);
  });

  it('takes over no user whose address is not verified here', async () => {
    const { body } = await site.post('auth/signup', { email: ada.email, password });
    const back = await new Browser().signIn();
    expect(landed(back)).toEqual(['/enter', '', '#sign-in-error=email-not-verified']);
    expect((await users())[0]).toMatchObject({ id: body.user.id });
    expect(await site.logIn(ada.email)).toBeTruthy();
  });

  it.each([
    ['did not verify the address', { email_verified: false }, 'email-not-verified'],
    ['tells no address', { email: undefined }, 'email-missing'],
    ['tells what is no address', { email: 'nobody' }, 'email-missing'],
  ])('creates no user if the provider %s', async (_, claims, reason) => {
    const back = await new Browser().signIn({ ...ada, ...claims });
    expect(landed(back)).toEqual(['/enter', '', `#sign-in-error=${reason}`]);
    expect(await users()).toEqual([]);
  });

  it('creates no user while sign-up is off, but signs in existing ones', async () => {
    await setAuth({ authAllowSignup: false });
    expect(landed(await new Browser().signIn())).toEqual(['/enter', '', '#sign-in-error=sign-up-off']);
    const { id } = await site.user(ada.email);
    expect((await new Browser().session()).user.id).toBe(id);
  });

  it('admits no banned user, before or after the redirect', async () => {
    const browser = new Browser();
    const { id } = await site.user(ada.email);
    const code = codeIn(await browser.signIn());
    await done(app, 'site/updateAppUser', { projectId: site.projectId, userId: id, isBanned: true });
    expect(brief(await browser.exchange(code))).toEqual([401, 'social-code-invalid']);
    expect(landed(await browser.signIn())).toEqual(['/enter', '', '#sign-in-error=refused']);
  });

  it('creates a new user for one who was deleted', async () => {
    const { user } = await new Browser().session();
    await done(app, 'site/deleteAppUser', { projectId: site.projectId, userId: user.id });
    const { user: again } = await new Browser().session();
    expect(again.id).not.toBe(user.id);
    expect((await new Browser().session()).user.id).toBe(again.id);
  });

  it('creates one user if the same person returns twice at once', async () => {
    const backs = await Promise.all([1, 2, 3, 4].map(() => new Browser().session()));
    expect(new Set(backs.map(({ user }) => user.id)).size).toBe(1);
    expect(await users()).toHaveLength(1);
  });

  it.each([
    ['while it is off', { authAllowSocial: false }, 'own', [403, 'social-off']],
    ['while sign-in is off', { authEnabled: false }, 'own', [403, 'sign-in-off']],
    ['of a provider that nobody configured', {}, 'facebook', [404, 'social-provider-unknown']],
    ['of a provider that is away', {}, 'gone', [503, 'social-away']],
  ])('refuses a social sign-in %s', async (_, auth, name, refusal) => {
    await setAuth(auth);
    expect(brief(await new Browser().begin(name))).toEqual(refusal);
  });

  it('redirects to the log-in page with a reason if it is cancelled, or the provider is not trusted', async () => {
    const browser = new Browser();
    const state = async () => new URL((await browser.begin()).location).searchParams.get('state');
    const callback = `${app.url}/api/app/${site.projectId}/auth/social/own/callback`;
    const iss = encodeURIComponent(provider.issuer);
    const off = await browser.get(`${callback}?error=access_denied&state=${await state()}&iss=${iss}`);
    expect(landed(off)).toEqual(['/enter', '', '#sign-in-error=denied']);
    provider.claims = { nonce: 'another' };
    expect(landed(await browser.signIn())).toEqual(['/enter', '', '#sign-in-error=invalid']);
    expect(await users()).toEqual([]);
  });
});

describe('the return from a provider', () => {
  const refused = [400, 'social-flow-unknown'];

  it('is valid in the same browser, once, within ten minutes', async () => {
    const [browser, other] = [new Browser(), new Browser()];
    await other.begin();
    const { location } = await browser.begin();
    const back = here(provider.signIn(location, ada));
    expect(brief(await other.get(back))).toEqual(refused);
    expect(brief(await new Browser().get(back))).toEqual(refused);
    expect((await browser.get(back)).status).toBe(303);
    expect(brief(await browser.get(back))).toEqual(refused);
    const late = here(provider.signIn((await browser.begin()).location, ada));
    clock.set(Date.now() + 10 * 60_000);
    expect(brief(await browser.get(late))).toEqual(refused);
  });

  it('is valid for the site and the provider that it began with', async () => {
    const browser = new Browser();
    const { location } = await browser.begin();
    const back = here(provider.signIn(location, ada));
    expect(brief(await browser.get(back.replace('/own/', '/other/')))).toEqual(refused);
    const elsewhere = await siteVisitors(app, { authAllowSocial: true });
    expect(brief(await browser.get(back.replace(site.projectId, elsewhere.projectId)))).toEqual(refused);
    expect((await browser.get(back)).status).toBe(303);
  });

  it.each(['', '?state=', '?state=x&code=y', `?state=${'a'.repeat(32)}&code=y`, '?error=access_denied'])(
    'is invalid without a known state: %j',
    async (query) => {
      const browser = new Browser();
      await browser.begin();
      const callback = `${app.url}/api/app/${site.projectId}/auth/social/own/callback${query}`;
      expect(brief(await browser.get(callback))).toEqual(refused);
    },
  );
});

describe('auth/social/exchange', () => {
  const invalid = [401, 'social-code-invalid'];

  it('accepts a code once, within a minute, from the browser that signed in, at its site', async () => {
    const browser = new Browser();
    const code = codeIn(await browser.signIn());
    expect(brief(await new Browser().exchange(code))).toEqual(invalid);
    const elsewhere = await siteVisitors(app, { authAllowSocial: true });
    const there = await elsewhere.post('auth/social/exchange', { code }, undefined, { cookie: browser.cookie });
    expect(brief(there)).toEqual(invalid);
    const all = await Promise.all([1, 2, 3, 4].map(() => browser.exchange(code)));
    expect(all.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
    const late = codeIn(await browser.signIn());
    clock.set(Date.now() + 60_000);
    expect(brief(await browser.exchange(late))).toEqual(invalid);
  });

  it('accepts it from a page on another host that has the verifier, and from no other', async () => {
    const browser = new Browser();
    const verifier = 'v'.repeat(43);
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const code = codeIn(await browser.signIn(ada, 'own', `?challenge=${challenge}`));
    expect(brief(await browser.exchange(code))).toEqual(invalid);
    expect(brief(await browser.exchange(code, { verifier: 'w'.repeat(43) }))).toEqual(invalid);
    const { status } = await site.post('auth/social/exchange', { code, verifier });
    expect(status).toBe(200);
  });

  it.each(['x', 'a'.repeat(42), `${'a'.repeat(42)}!`])(
    'does not begin with an invalid challenge: %s',
    async (challenge) => {
      expect(brief(await new Browser().begin('own', `?challenge=${challenge}`))).toEqual([400, 'invalid-input']);
    },
  );

  it.each([{}, { code: 7 }, { code: '' }, { code: 'x'.repeat(201) }, { code: 'x', verifier: 'short' }])(
    'refuses to exchange %j',
    async (body) => {
      const reply = await site.post('auth/social/exchange', body);
      expect([400, 401]).toContain(reply.status);
    },
  );
});

it('No secret or address of a sign-in is in a file or in a line of the log', async () => {
  const browser = new Browser();
  const { location } = await browser.begin();
  const query = new URL(location).searchParams;
  const back = here(provider.signIn(location, ada));
  const landedAt = await browser.get(back);
  const { body } = await browser.exchange(codeIn(landedAt));
  const control = site.projectId;
  const secrets = {
    client: provider.clientSecret,
    state: query.get('state') ?? '',
    nonce: query.get('nonce') ?? '',
    code: codeIn(landedAt),
    browser: browser.cookie.split('=')[1] ?? '',
    session: body.session.token,
    subject: ada.sub,
    email: ada.email,
  };
  const said = heard.join('\n');
  const holds = (text: Buffer | string) => Object.entries(secrets).filter(([, one]) => text.includes(one));
  // Engines store the log outside the data directory.
  if (!process.env['TEST_ENGINES']) {
    expect(storedFiles(app.dataDir).some(({ bytes }) => bytes.includes(control))).toBe(true);
  }
  expect(Object.values(secrets).every((one) => one.length > 4)).toBe(true);
  expect(
    storedFiles(app.dataDir).flatMap(({ path, bytes }) => holds(bytes).map(([what]) => `${what} in ${path}`)),
  ).toEqual([]);
  expect(holds(said)).toEqual([]);
});

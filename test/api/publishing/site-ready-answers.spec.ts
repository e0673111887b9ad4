import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { WhileUnchanged } from '../../../src/engine/read-models/while-unchanged.js';
import { SiteAnswers } from '../../../src/http/site/site-answers.js';
import { Clock } from '../../../src/ports/clock.port.js';
import { VaultUnavailable } from '../../../src/ports/vault.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { SettableClock } from '../../support/clocks/settable-clock.js';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';
import { MadeUpDeployments, type MadeUpSite, madeUpSite, shownPages } from '../../support/sites/made-up-deployments.js';
import type { SiteReply } from '../../support/sites/site-client.js';

const clock = new SettableClock();
const day = 86_400_000;
let app: TestApp;
let deployments: MadeUpDeployments;
let one: MadeUpSite;
let made: jest.SpiedFunction<SiteAnswers['answer']>;

async function start(useValue: Clock, environment: Record<string, string> = {}): Promise<void> {
  app = await startApp({ environment, replacements: [{ provide: Clock, useValue }] });
  deployments = new MadeUpDeployments(app);
}
beforeAll(async () => {
  made = jest.spyOn(SiteAnswers.prototype, 'answer');
  await start(clock);
}, 60_000);
afterAll(async () => {
  made.mockRestore();
  await app.close();
});
beforeEach(async () => {
  clock.set(Date.now());
  one = await madeUpSite(app, deployments, ['/members']);
  await done(app, 'site/setPageAccessRules', { pageId: one.pages['/members'], accessRules: { read: signedIn } });
});

const signedIn = { type: 'authenticated' };
const scriptOf = (path: string) => {
  const script = deployments.publish(one.id, shownPages(one)).pages.find((page) => page.path === path)?.script;
  return `/_site/${script}`;
};
const signIn = async () => {
  const { id } = await one.visitors.user('ada@example.com');
  one.client.cookies.set('site_pass', await one.visitors.logIn('ada@example.com'));
  return id;
};

/**
 * Repeats the request until the answer is served from the cache. Background writes of the service invalidate the cache
 * now and then.
 */
function ready(path: string, headers: Record<string, string> = {}): Promise<SiteReply> {
  let before = 0;
  const ask = () => {
    before = made.mock.calls.length;
    return one.client.get(path, headers);
  };
  return eventually(ask, ({ status }) => status !== 200 || made.mock.calls.length === before);
}

const own = ['x-request-id', 'date', 'content-security-policy', 'connection', 'keep-alive'];
const shared = ({ headers }: SiteReply) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !own.includes(name)));
const nonceIn = (text: string | undefined) => /nonce[-=]"?([0-9a-f-]{36})/.exec(text ?? '')?.[1] ?? 'none';

describe('a cached answer', () => {
  it('equals a fresh one, except for values of each answer', async () => {
    const script = scriptOf('/');
    const members = scriptOf('/members');
    await signIn();
    const signedInAs = one.client.cookies.get('site_pass') ?? '';
    one.client.cookies.clear();
    for (const [path, cookie] of [
      ['/', ''],
      [script, ''],
      [members, `site_pass=${signedInAs}`],
    ] as const) {
      const headers: Record<string, string> = { 'accept-encoding': 'br', ...(cookie === '' ? {} : { cookie }) };
      // A conditional request bypasses the cache.
      const first = await one.client.get(path, { ...headers, 'if-none-match': '"none"' });
      const [second, third] = [await ready(path, headers), await ready(path, headers)];
      expect([first.status, second.status]).toEqual([200, 200]);
      expect(shared(second)).toEqual(shared(first));
      expect(new Set([first, second, third].map((answer) => answer.headers['x-request-id'])).size).toBe(3);
      const nonces = [first, second, third].map(({ text }) => nonceIn(text));
      expect(new Set(nonces).size).toBe(path === '/' ? 3 : 1);
      for (const [at, answer] of [first, second, third].entries()) {
        expect(answer.text.replaceAll(nonces[at] ?? '', 'nonce')).toBe(first.text.replaceAll(nonces[0] ?? '', 'nonce'));
        const policy = answer.headers['content-security-policy'];
        if (path === '/') expect(String(policy)).toContain(`'nonce-${nonces[at]}'`);
        else expect(policy).toBeUndefined();
      }
    }
  });

  it.each<[string, (userId: string) => Promise<unknown>]>([
    ['a ban', (userId) => done(app, 'site/updateAppUser', { projectId: one.id, userId, isBanned: true })],
    ['the deletion of the user', (userId) => done(app, 'site/deleteAppUser', { projectId: one.id, userId })],
    ['sign-out', () => one.visitors.post('auth/logout', {}, one.client.cookies.get('site_pass'))],
    ['resetSitePasses', () => done(app, 'site/resetSitePasses', { id: one.id })],
    [
      'another rule of the page',
      () => done(app, 'site/setPageAccessRules', { pageId: one.pages['/members'], accessRules: {} }),
    ],
    ['the deletion of the page', () => done(app, 'site/deletePage', { id: one.pages['/members'] })],
    ['unpublishing', async () => deployments.unpublish(one.id)],
    ['the end of the session', async () => clock.set(clock.now() + 8 * day)],
  ])('is no longer used after %s', async (_, end) => {
    const script = scriptOf('/members');
    const userId = await signIn();
    expect((await ready(script)).status).toBe(200);
    await end(userId);
    expect((await one.client.get(script)).status).toBe(404);
  });

  it('is judged by the time of each request', async () => {
    const script = scriptOf('/members');
    const read = { type: 'has_entitlement', key: 'member' };
    await done(app, 'site/setPageAccessRules', { pageId: one.pages['/members'], accessRules: { read } });
    const appUserId = await signIn();
    const expiresAt = new Date(clock.now() + day).toISOString();
    await done(app, 'site/grantEntitlement', { projectId: one.id, appUserId, key: 'member', expiresAt });
    expect((await ready(script)).status).toBe(200);
    clock.set(clock.now() + day + 1_000);
    expect((await one.client.get(script)).status).toBe(404);
  });

  it('is not given to others', async () => {
    const script = scriptOf('/members');
    await signIn();
    await ready(script);
    const cookie = `site_pass=${'x'.repeat(32)}`;
    for (const headers of [{ cookie }, { cookie: '' }]) {
      expect((await one.client.get(script, headers)).status).toBe(404);
    }
    const neighbour = await madeUpSite(app, deployments, []);
    const pass = `site_pass=${one.client.cookies.get('site_pass')}`;
    expect((await neighbour.client.get(script, { cookie: pass })).status).toBe(404);
  });

  it('names the pages that its visitor may read now', async () => {
    const pages = async (): Promise<string[]> => {
      const data = /id="site-data">(.*?)<\/script>/.exec((await ready('/')).text)?.[1] ?? '';
      return JSON.parse(data).pages.map(({ path }: { path: string }) => path);
    };
    expect(await pages()).toEqual(['/']);
    await done(app, 'site/setPageAccessRules', {
      pageId: one.pages['/members'],
      accessRules: { read: { type: 'public', scope: 'everywhere' } },
    });
    expect(await pages()).toEqual(['/', '/members']);
  });
});

describe('a store that is away', () => {
  it('is reported to all requests, and does not end the service', async () => {
    expect((await ready('/')).status).toBe(200);
    const version = jest.spyOn(app.app.get(WhileUnchanged, { strict: false }), 'version').mockImplementation(() => {
      throw new VaultUnavailable('The vault is away.');
    });
    expect((await one.client.get('/')).status).toBe(503);
    version.mockRestore();
    expect((await one.client.get('/')).status).toBe(200);
  });
});

describe('visitors with cached answers', () => {
  it('are counted like all, and refused beyond their rate', async () => {
    await app.close();
    await start(new MadeUpClock(Date.now()), { VISITOR_RATE: '4', SITE_RATE: '100' });
    one = await madeUpSite(app, deployments, []);
    const statuses: number[] = [];
    while (!statuses.includes(429)) statuses.push((await one.client.get('/')).status);
    expect([made.mock.calls.length > 0, statuses.filter((status) => status === 200).length]).toEqual([true, 20]);
    const refused = await one.client.get('/');
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1']);
  });
});

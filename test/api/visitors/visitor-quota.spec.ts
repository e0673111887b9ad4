// Second tier.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Clock } from '../../../src/ports/clock.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { done } from '../../support/people.js';
import { SiteFunctionsScene } from '../../support/sites/site-functions.js';
import { type SiteVisitors, siteVisitors } from '../../support/sites/site-visitors.js';

let app: TestApp;
let clock: MadeUpClock;
beforeEach(async () => {
  clock = new MadeUpClock(Date.parse('2026-03-01T20:00:00Z'));
  app = await startApp({ environment: { WORKSPACE_DAY_MB: '4' }, replacements: [{ provide: Clock, useValue: clock }] });
});
afterEach(() => app.close());

let made = 0;
const record = (kilobytes = 100) =>
  app.call('automations/createFunction', { name: `large ${made++}`, code: `// ${'x'.repeat(kilobytes * 1_000)}` });

async function fillWorkspace(): Promise<void> {
  for (let n = 0; n < 100; n++) if ((await record()).status === 429) return;
  throw new Error('The quota of the workspace has no end.');
}

const noteNames = ['a', 'b', 'c'];
/** Custom fields of this size. The values differ in each call. */
const notes = (kilobytes: number) =>
  Object.fromEntries(
    noteNames.map((name) => [name, `${made++}${'x'.repeat((kilobytes * 1_000) / noteNames.length - 10)}`]),
  );

async function siteWithNotes() {
  const site = await siteVisitors(app, {
    authAllowSignup: true,
    authCustomFields: noteNames.map((name) => ({ name, type: 'longText' })),
  });
  await site.user('a@example.com');
  return { site, pass: await site.logIn('a@example.com') };
}

const note = (site: SiteVisitors, pass: string, kilobytes = 60) =>
  site.post('auth/profile', { customFields: notes(kilobytes) }, pass);

/** Changes the profile until a change is refused. Returns the number of changes and the refusal. */
async function fillSite(site: SiteVisitors, pass: string) {
  for (let n = 0; n < 25; n++) {
    const { status, body } = await note(site, pass);
    if (status !== 200) return { changes: n, status, code: body.code };
  }
  throw new Error('The quota of visitors has no end.');
}

describe("the daily recording quota of a site's visitors", () => {
  it("is a tenth of the day's quota, and does not affect the owner and visitors of other sites", async () => {
    const one = await siteWithNotes();
    const two = await siteWithNotes();
    const full = await fillSite(one.site, one.pass);
    expect(full).toMatchObject({ status: 429, code: 'visitors-quota' });
    expect([full.changes >= 6, full.changes <= 8]).toEqual([true, true]);
    expect(await one.site.post('auth/signup', { email: 'b@example.com', password: 'correct horse' })).toMatchObject({
      status: 429,
    });
    for (let n = 0; n < 10; n++) expect((await record()).status).toBe(200);
    expect((await app.call('site/updateProject', { id: one.site.projectId, name: 'Other' })).status).toBe(200);
    expect((await note(two.site, two.pass)).status).toBe(200);
    clock.advance(4 * 3_600_000);
    expect((await note(one.site, one.pass)).status).toBe(200);
  });

  it("uses no more of the workspace's quota than what visitors recorded", async () => {
    const { site, pass } = await siteWithNotes();
    await fillSite(site, pass);
    let kept = 0;
    while (kept < 100 && (await record()).status === 200) kept++;
    expect([kept >= 38, kept <= 42]).toEqual([true, true]);
  });

  it('applies to rows that functions write for them', async () => {
    const { site, pass } = await siteWithNotes();
    const { projectId } = site;
    await done(app, 'workspace/updateSettings', { versions: false });
    const everybody = { type: 'public', scope: 'everywhere' };
    const { linkedBase } = await done(app, 'site/getProject', { id: projectId });
    const fields = [{ name: 'text', type: 'longText' }];
    const { id: tableId } = await done(app, 'bases/createTable', { baseId: linkedBase.id, name: 'Notes', fields });
    await done(app, 'bases/setTableAccessRules', { tableId, accessRules: { create: everybody, read: everybody } });
    const code =
      "return await ctx.tables.createRow('Notes', params).then(() => 'kept', ({ status, code }) => [status, code])";
    await new SiteFunctionsScene(app, projectId).create('note', code, { accessRules: { execute: everybody } });
    const heard: unknown[] = [];
    for (let n = 0; n < 10; n++) {
      heard.push((await site.post('functions/note', { text: 'x'.repeat(60_000) }, pass)).body.data);
    }
    expect([heard[0], heard[4], heard[9]]).toEqual(['kept', 'kept', [429, 'visitors-quota']]);
  });
});

describe('a user who changes the profile', () => {
  it('can do so thirty times an hour', async () => {
    const { site, pass } = await siteWithNotes();
    for (let n = 0; n < 30; n++) expect((await note(site, pass, 1)).status).toBe(200);
    const { status, body, headers } = await note(site, pass, 1);
    expect([status, body.code, headers.get('retry-after')]).toEqual([429, 'visitor-hourly-limit', '3600']);
    clock.advance(3_600_000);
    expect((await note(site, pass, 1)).status).toBe(200);
  });
});

describe('an owner whose daily quota is used up', () => {
  it('can still close the site: sign-up off, passes reset, users banned, functions off; but can open nothing', async () => {
    const { site, pass } = await siteWithNotes();
    const { id: userId } = (await site.me(pass)) ?? { id: '' };
    const { projectId } = site;
    const fn = await done(app, 'site/createBackendFunction', { projectId, name: 'f', code: 'return 1' });
    await fillWorkspace();
    const statusOf = async (path: string, input: object) => (await app.call(path, input)).status;
    const auth = (input: object) => statusOf('site/updateProjectAuth', { id: projectId, ...input });
    expect(await auth({ authAllowSignup: false })).toBe(200);
    expect(await auth({ authAllowSignup: true })).toBe(429);
    expect(await auth({ authAllowSocial: false, authPaths: { login: '/in' } })).toBe(429);
    expect(await auth({ authEnabled: false })).toBe(429);
    expect(await statusOf('site/resetSitePasses', { id: projectId })).toBe(200);
    expect(await site.me(pass)).toBeNull();
    expect(await statusOf('site/updateAppUser', { projectId, userId, isBanned: true })).toBe(200);
    expect(await statusOf('site/updateAppUser', { projectId, userId, isBanned: false })).toBe(429);
    const functionOff = { projectId, functionId: fn.id, isActive: false };
    expect(await statusOf('site/updateBackendFunction', functionOff)).toBe(200);
    expect(await statusOf('site/updateBackendFunction', { ...functionOff, isActive: true })).toBe(429);
  });

  it('is refused conditional removals if they remove nothing', async () => {
    const { site, pass } = await siteWithNotes();
    const { id: userId } = (await site.me(pass)) ?? { id: '' };
    await fillWorkspace();
    const change = { projectId: site.projectId, userId, customFields: notes(60) };
    const { status, body } = await app.call('site/updateAppUser', change);
    expect([status, body.code]).toEqual([429, 'workspace-quota']);
  });
});

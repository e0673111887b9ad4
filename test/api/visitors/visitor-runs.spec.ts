import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Sandbox } from '../../../src/ports/offloaded/sandbox.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { done } from '../../support/people.js';
import { SiteFunctionsScene } from '../../support/sites/site-functions.js';
import { type SiteVisitors, siteVisitors } from '../../support/sites/site-visitors.js';

const everybody = { execute: { type: 'public', scope: 'everywhere' } };

let app: TestApp;
beforeEach(async () => {
  app = await startApp({ environment: { WORKSPACE_DAY_RUNS_MB: '1', WORKSPACE_DAY_FILES_MB: '1' } });
  await done(app, 'workspace/updateSettings', { versions: false });
});
afterEach(() => app.close());

async function siteWith(name: string, code: string): Promise<{ visitors: SiteVisitors; site: SiteFunctionsScene }> {
  const visitors = await siteVisitors(app);
  const site = new SiteFunctionsScene(app, visitors.projectId);
  await site.create(name, code, { accessRules: everybody });
  return { visitors, site };
}

/** The results or refusal codes of `count` calls. */
async function outcomes(visitors: SiteVisitors, name: string, params: object, count: number) {
  const codes: string[] = [];
  for (let n = 0; n < count; n++) {
    const { status, body } = await visitors.post(`functions/${name}`, params);
    codes.push(status === 200 ? String(body.data) : `${status} ${body.code}`);
  }
  return codes;
}

describe('runs that visitors start', () => {
  it('may record a tenth of what runs may record a day, and then only theirs are refused', async () => {
    const one = await siteWith('say', 'console.log("x".repeat(100_000)); return "said"');
    const two = await siteWith('say', 'return "said"');
    const heard = await outcomes(one.visitors, 'say', {}, 40);
    expect([heard[0], heard.at(-1)]).toEqual(['said', '429 visitors-quota']);
    expect(heard.indexOf('429 visitors-quota')).toBeGreaterThan(10);
    expect((await one.site.invoke('say')).status).toBe(200);
    expect(await outcomes(two.visitors, 'say', {}, 1)).toEqual(['said']);
  });

  it("use the visitors' share of the sandbox, without affecting those of members", async () => {
    const { visitors, site } = await siteWith('say', 'return "said"');
    const ran = jest.spyOn(app.app.get(Sandbox, { strict: false }), 'run');
    const sharesOf = () => ran.mock.calls.splice(0).map(([{ byVisitors }]) => byVisitors);
    await outcomes(visitors, 'say', {}, 1);
    expect(sharesOf()).toEqual([true]);
    await site.invoke('say');
    expect(sharesOf()).toEqual([false]);
  });

  it('store 4,096 characters of output, and those of members all', async () => {
    const { visitors, site } = await siteWith(
      'say',
      'for (let n = 0; n < 3; n++) console.log("x".repeat(3_000)); return "said"',
    );
    await outcomes(visitors, 'say', {}, 1);
    await site.invoke('say');
    const [ofMember, ofVisitor] = await site.runs();
    const linesOf = async ({ id }: { id: string }) => (await done(app, 'automations/getRunLog', { runId: id })).lines;
    expect((await linesOf(ofMember)).map(({ text }: { text: string }) => text.length)).toEqual([3_000, 3_000, 3_000]);
    expect((await linesOf(ofVisitor)).map(({ text }: { text: string }) => text.slice(0, 1_500))).toEqual([
      'x'.repeat(1_500),
      'x'.repeat(1_096),
      expect.stringContaining('The rest is omitted'),
    ]);
  });

  it('may store a tenth of the files of a day, and the owner the rest', async () => {
    const code = 'return await ctx.files.upload("f.txt", "x".repeat(params.size)).then(() => "kept", (e) => e.code)';
    const { visitors, site } = await siteWith('keep', code);
    expect(await outcomes(visitors, 'keep', { size: 60_000 }, 3)).toEqual(['kept', 'kept', 'visitors-quota']);
    expect((await site.invoke('keep', { size: 900_000 })).body.data).toBe('kept');
    expect((await site.invoke('keep', { size: 200_000 })).body.data).toBe('kept');
    expect((await site.invoke('keep', { size: 1 })).body.data).toBe('files-quota');
  });
});

// Second tier.
import { afterAll, describe, expect, it } from '@jest/globals';
import { childrenOf } from '../../../src/adapters/processes/resident-memory.js';
import { ChildProcessSandbox } from '../../../src/adapters/sandbox/child-process/child-process-sandbox.adapter.js';
import { ChildProcessSiteBuilder } from '../../../src/adapters/site-builder/child-process/child-process-site-builder.adapter.js';
import { SiteBuilderBusy } from '../../../src/ports/offloaded/site-builder.port.js';
import { takes } from '../../support/clocks/delays.js';
import { eventually } from '../../support/eventually.js';
import { built, refused, sourcesOf } from '../../support/sites/site-sources.js';

const builder = new ChildProcessSiteBuilder();
const sandbox = new ChildProcessSandbox({ memoryMb: 128, processes: 1 });
afterAll(async () => {
  await builder.close();
  await sandbox.close(0);
});
const page = 'export default () => <p>page</p>;';

describe('the process that builds', () => {
  it('is ended when it takes too long or too much memory, with an error that blames the site', async () => {
    const late = new ChildProcessSiteBuilder({ timeMs: 1 });
    expect(await refused(late, sourcesOf({ 'pages/index.tsx': page }))).toContain('The build took longer than 0.001 s');
    const small = new ChildProcessSiteBuilder({ memoryBytes: 1_000_000 });
    expect(await refused(small, sourcesOf({ 'pages/index.tsx': page }))).toContain('more than 1 MB of memory');
  });

  it('is ended if it waits forever', async () => {
    const stuck = new ChildProcessSiteBuilder({ wallMs: 60 });
    expect(await refused(stuck, sourcesOf({ 'pages/index.tsx': page }))).toContain(
      'did not finish within 0.001 minutes',
    );
  });

  it('is not ended for time in which the machine did not run it', async () => {
    const limits = { timeMs: 12_000 };
    const patient = new ChildProcessSiteBuilder(limits);
    const before = new Set(childrenOf(process.pid));
    const building = built(patient, sourcesOf({ 'pages/index.tsx': page }));
    const builds = await eventually(
      async () => childrenOf(process.pid).filter((pid) => !before.has(pid)),
      (found) => found.length > 0,
    );
    // Stops the build for longer than its limit of processor time.
    for (const pid of builds) process.kill(-pid, 'SIGSTOP');
    await takes(limits.timeMs + 1_000);
    for (const pid of builds) process.kill(-pid, 'SIGCONT');
    expect((await building).pages.length).toBe(1);
  }, 60_000);

  it('is ended with the service, and the build may be repeated', async () => {
    const closing = new ChildProcessSiteBuilder();
    const building = built(closing, sourcesOf({ 'pages/index.tsx': page }), { reached: () => void closing.close() });
    await expect(building).rejects.toBeInstanceOf(SiteBuilderBusy);
    await expect(built(closing, sourcesOf({ 'pages/index.tsx': page }))).rejects.toBeInstanceOf(SiteBuilderBusy);
  });

  it('is ended if its output cannot be stored', async () => {
    const failing = async () => Promise.reject(new Error('The store is full.'));
    const building = built(builder, sourcesOf({ 'pages/index.tsx': page }), { made: failing });
    await expect(building).rejects.toThrow('The store is full.');
  });

  it('is ended with an error if the classes of a page make too many styles', async () => {
    const classes = Array.from({ length: 50_000 }, (_, index) => `p-[${index}px]`).join(' ');
    const why = await refused(
      builder,
      sourcesOf({ 'pages/index.tsx': page.replace('<p>', `<p className="${classes}">`) }),
    );
    expect(why).toBe(
      'pages/index.tsx: The classes of a page make more than 2 MB of styles. Use fewer different classes.',
    );
  });

  it('builds 500 pages whose components import one another in a cycle', async () => {
    const files = Object.fromEntries([
      ...Array.from({ length: 500 }, (_, index) => [
        `pages/p${index}.tsx`,
        `import C from '@/components/C${index % 10}'; export default () => <C>page {${index}}</C>;`,
      ]),
      ...Array.from({ length: 10 }, (_, index) => [
        `components/C${index}.tsx`,
        `import Next from '@/components/C${(index + 1) % 10}'; export default () => <b>{typeof Next}</b>;`,
      ]),
    ]);
    const { pages, assets } = await built(builder, sourcesOf(files));
    expect(new Set(pages.map(({ script }) => script)).size).toBe(500);
    expect(assets.length).toBeLessThan(550);
  }, 60_000);

  it('makes one build at a time for a workspace', async () => {
    let open = 0;
    let most = 0;
    const reached = (stage: string, done: number) => {
      if (stage === 'checking' && done === 0) most = Math.max(most, ++open);
    };
    const one = (word: string) =>
      built(builder, sourcesOf({ 'pages/index.tsx': page.replace('page', word) }), { reached }).finally(() => open--);
    await Promise.all([one('a'), one('b')]);
    expect(most).toBe(1);
  });
});

describe('open pages', () => {
  const rendered = async (files: Parameters<typeof sourcesOf>[0], settings: Parameters<typeof sourcesOf>[1] = {}) => {
    const site = await built(builder, sourcesOf(files, settings));
    const outcomes = [];
    for (const { server, path } of site.pages) {
      const source = `(async function (params) {${site.renderer}\n${server}\nreturn renderPage(params);})`;
      const params = { path, params: {} };
      const job = {
        isolateKey: 'w1/p1/1',
        program: { source },
        params,
        context: {},
        capabilities: [],
        timeoutMs: 10_000,
      };
      outcomes.push(await sandbox.run({ ...job, captureLogs: false }));
    }
    return outcomes.map((one) => (one.ok ? one.result : one.error));
  };

  it('are prerendered in the sandbox, without Node and without a document', async () => {
    const [first, second] = await rendered(
      {
        'pages/index.tsx':
          "import { useState } from 'react'; import { Link } from '@countersign/site'; export default () => { const [n] = useState(7); return <b>{n}<Link href=\"/a\">go</Link></b>; };",
        'pages/broken.tsx': "export default () => { throw new Error('It cannot be shown.'); };",
        'components/Frame.tsx': 'export default ({ children }) => <main>{children}</main>;',
      },
      { layout: 'Frame' },
    );
    expect(first).toBe('<main><b>7<a href="/a">go</a></b></main>');
    expect(second).toContain('It cannot be shown.');
  });

  it('have a renderer, and protected pages have none', async () => {
    const files = { 'pages/index.tsx': page, 'pages/closed.tsx': page };
    const site = await built(builder, sourcesOf(files, { closed: ['pages/closed.tsx'] }));
    expect(site.pages.map(({ server }) => server === undefined)).toEqual([false, true]);
    const none = await built(builder, sourcesOf(files, { closed: Object.keys(files) }));
    expect(none.renderer).toBe('');
  });
});

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { components } from '../../../src/areas/sites/component/component.record.js';
import { CommandRunner } from '../../../src/engine/commands/command-runner.js';
import { Calls } from '../../../src/engine/operation/calls.js';
import type { TestApp } from '../../support/app.js';
import { done, otherWorkspace, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let workspaceId: string;
beforeAll(async () => {
  app = await sharedApp();
  workspaceId = (await done(app, 'workspace/getWorkspace')).id;
});
afterAll(() => app.close());

const made = async (): Promise<string> => (await done(app, 'site/createProject', { name: 'Shop' })).id;
const page = (projectId: string, path: string, content: string) =>
  done(app, 'site/createPage', { projectId, name: path, path, content });
const check = (projectId: string, key?: string) => done(app, 'site/verifyBuild', { projectId }, key);
const good = (body = '<p />', before = '') => `${before}\nexport default function Page() { return ${body}; }\n`;

async function component(projectId: string, name: string, content: string): Promise<void> {
  const call = app.app
    .get(Calls, { strict: false })
    .once(workspaceId, { kind: 'service', id: 'test' } as never, 'site/createComponent');
  const facts = {
    projectId,
    name,
    description: null,
    type: 'custom',
    content,
    isGlobal: false,
    message: null,
  } as const;
  await app.app.get(CommandRunner, { strict: false }).change(call, {
    aggregate: components,
    id: `comp_${randomUUID()}`,
    begins: true,
    decide: () => [{ type: 'ComponentCreated' as const, data: facts }],
  });
}

describe('verifyBuild', () => {
  it('reports no fault in a new project', async () => {
    expect(await check(await made())).toEqual({ ok: true, warnings: [] });
  });

  it('reports the file, the line and the kind of each fault of a page', async () => {
    const id = await made();
    await page(id, '/blog/:slug', good('<Nope />', "import X from '@/components/X';\nimport _ from 'lodash';"));
    await page(id, '/broken', 'export default function Page() {\n  return <main>\n');
    await page(id, '/none', 'export const Page = () => <p />;');
    const { ok, warnings } = await check(id);
    expect(ok).toBe(false);
    expect(warnings.map(({ file, line, kind }: never) => [file, line, kind])).toEqual([
      ['pages/blog/[slug].tsx', 1, 'unresolved-component'],
      ['pages/blog/[slug].tsx', 2, 'missing-package'],
      ['pages/blog/[slug].tsx', 3, 'undefined-jsx'],
      ['pages/broken.tsx', expect.any(Number), 'syntax'],
      ['pages/none.tsx', 1, 'no-default-export'],
    ]);
    for (const { message } of warnings) expect(message).toMatch(/\w/);
  });

  it('knows the components of the project and its dependencies', async () => {
    const id = await made();
    await page(id, '/x', good('<Hero />', "import Hero from '@/components/Hero';\nimport { z } from 'zod'; z;"));
    expect((await check(id)).warnings.map(({ kind }: { kind: string }) => kind)).toEqual([
      'unresolved-component',
      'missing-package',
    ]);
    await component(id, 'Hero', good('<p />', "import { useUser } from '@countersign/site';\nuseUser;"));
    await done(app, 'site/updateProject', { id, dependencies: { zod: '^3.0.0' } });
    expect(await check(id)).toEqual({ ok: true, warnings: [] });
  });

  it('names components that are not PascalCase, and checks components like pages', async () => {
    const id = await made();
    await component(id, 'hero-banner', good());
    await component(id, 'Card', good('<Missing />'));
    const { ok, warnings } = await check(id);
    expect(ok).toBe(false);
    expect(warnings.map(({ file, kind }: never) => [file, kind]).sort()).toEqual([
      ['components/Card.tsx', 'undefined-jsx'],
      ['components/hero-banner.tsx', 'component-name'],
    ]);
  });

  it('is ok if only unpublished pages have faults, and leaves out pages without content', async () => {
    const id = await made();
    const draft = await page(id, '/draft', 'nothing here');
    await done(app, 'site/updatePage', { id: draft.id, isDraft: true });
    await page(id, '/empty', '');
    const { ok, warnings } = await check(id);
    expect([ok, warnings.map(({ file }: { file: string }) => file)]).toEqual([true, ['pages/draft.tsx']]);
  });

  it('reports omitted values of brandKit, which do not prevent a publish', async () => {
    const id = await made();
    await done(app, 'site/updateProject', { id, brandKit: { colors: { sea: 'url(x)', sand: '#fed' }, radius: 'big' } });
    expect(await check(id)).toEqual({
      ok: true,
      warnings: ['colors.sea is not a valid CSS color', 'radius is not a valid CSS length'].map((what) => ({
        file: 'site.json',
        line: 1,
        kind: 'brand-kit',
        message: `brandKit.${what}, and is ignored.`,
      })),
    });
  });

  it('knows the exports of the platform and of components, like a publish', async () => {
    const id = await made();
    await component(id, 'Card', good());
    await page(
      id,
      '/names',
      good('<p>{a}{b}</p>', "import { a } from '@/components/Card';\nimport { b } from 'react';"),
    );
    await page(id, '/path', good('<p />', 'export const later = (a: string) => import(`./$' + '{a}`);'));
    const { ok, warnings } = await check(id);
    expect(ok).toBe(false);
    expect(warnings.map(({ file, kind, message }: never) => [file, kind, message])).toEqual([
      ['pages/names.tsx', 'unresolved-component', "'@/components/Card' has no export 'a'."],
      ['pages/names.tsx', 'missing-package', "'react' has no export 'b'."],
      ['pages/path.tsx', 'syntax', expect.stringContaining('A computed path cannot be imported')],
    ]);
  });

  it('checks 500 pages completely', async () => {
    const id = await made();
    const content = good(`<main>${'<section className="p-4"><h2>Title</h2><p>Text</p></section>'.repeat(40)}</main>`);
    for (let at = 0; at < 500; at += 50) {
      await Promise.all(Array.from({ length: 50 }, (_, n) => page(id, `/p${at + n}`, content)));
    }
    await page(id, '/last', good('<Nope />'));
    const { warnings } = await check(id);
    expect(warnings.map(({ file }: { file: string }) => file)).toEqual(['pages/last.tsx']);
  }, 120_000);

  it('answers for hostile sources of 2 MB, and reports the other faults too', async () => {
    const id = await made();
    await page(id, '/brackets', '['.repeat(1_900_000));
    await page(id, '/none', 'export const a = 1;');
    const { ok, warnings } = await check(id);
    expect(ok).toBe(false);
    const found = Object.fromEntries(warnings.map(({ file, kind }: never) => [file, kind]));
    expect(found).toMatchObject({
      'pages/brackets.tsx': 'syntax',
      'pages/none.tsx': 'no-default-export',
    });
    expect((await check(await made())).ok).toBe(true);
  }, 120_000);

  it('reports the position of hundreds of open < in a page, and checks the others', async () => {
    const id = await made();
    await page(id, '/open', `\n${'a<'.repeat(400)}`);
    await page(id, '/other', good('<Nope />'));
    const { warnings } = await check(id);
    expect(warnings).toMatchObject([
      { file: 'pages/open.tsx', line: 2, kind: 'syntax', message: expect.stringContaining('close them') },
      { file: 'pages/other.tsx', kind: 'undefined-jsx' },
    ]);
  });

  it('is open to every member, and 404 for a project of another workspace', async () => {
    const id = await made();
    expect((await check(id, (await person(app, 'viewer')).key)).ok).toBe(true);
    const { ownerKey } = await otherWorkspace(app);
    const foreign = await app.call('site/verifyBuild', { projectId: id }, ownerKey);
    expect([foreign.status, foreign.body.code]).toEqual([404, 'site-not-found']);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SiteBuilder } from '../../../src/ports/offloaded/site-builder.port.js';
import { cases } from '../../support/depth.js';
import { built, refused, sourcesOf } from '../../support/sites/site-sources.js';

const page = (body: string, before = '') => `${before}\nexport default function Page() { return ${body}; }`;
const component = (body: string) => `export default ({ children }) => ${body};`;
const hero = "import Hero from '@/components/Hero';";

/** The promises of every `SiteBuilder` adapter. */
export function siteBuilderContract(name: string, open: () => SiteBuilder): void {
  describe(`${name} as site builder`, () => {
    let builder: SiteBuilder;
    beforeAll(() => {
      builder = open();
    });
    afterAll(() => builder.close());

    it('makes a script and a style sheet for each page, and lists what they need', async () => {
      const site = await built(
        builder,
        sourcesOf(
          {
            'pages/index.tsx': page('<Hero><p className="text-brand p-[11px]">one</p></Hero>', hero),
            'pages/two.tsx': page('<Hero><p className="m-[12px]">two</p></Hero>', hero),
            'components/Hero.tsx': component('<h1 className="hero-[1px] text-[13px]">{children}</h1>'),
          },
          { theme: { 'color-brand': '#2563eb' } },
        ),
      );
      expect(site.stages).toEqual(['checking', 'bundling', 'styling']);
      const [first, second] = site.pages;
      expect(first).toMatchObject({ id: 'pages/index.tsx', path: '/' });
      const text = (name: string | undefined) => site.texts.get(name ?? '') ?? '';
      expect(text(first?.script)).toContain('one');
      expect(text(first?.script)).not.toContain('two');
      const shared = first?.imports.filter((one) => second?.imports.includes(one)) ?? [];
      const heroes = shared.filter((one) => text(one).includes('text-[13px]'));
      expect(heroes).toHaveLength(1);
      const assets = new Map(site.assets.map((one) => [one.name, one]));
      expect(assets.get(heroes[0] ?? '')?.pages).toEqual(['pages/index.tsx', 'pages/two.tsx']);
      expect(assets.get(first?.script ?? '')?.pages).toEqual(['pages/index.tsx']);
      expect(assets.get(site.start)?.pages).toBe('all');
      expect(text(first?.styles)).toMatch(/11px.*|\.text-brand/s);
      expect(text(first?.styles)).toContain('#2563eb');
      expect(text(first?.styles)).toContain('13px');
      expect(text(first?.styles)).not.toContain('12px');
      expect(text(second?.styles)).not.toContain('11px');
      // Every asset that a page names exists.
      for (const { script, styles, imports } of site.pages) {
        for (const one of [script, styles, ...imports]) expect(assets.has(one)).toBe(true);
      }
    });

    it('wraps a page in its layout, and makes global components available without an import', async () => {
      const site = await built(
        builder,
        sourcesOf(
          {
            'pages/index.tsx': page('<Badge />'),
            'components/Badge.tsx': component('<b>{"a global badge"}</b>'),
            'components/Frame.tsx': component('<div title="a frame">{children}</div>'),
          },
          { globals: ['Badge'], layout: 'Frame' },
        ),
      );
      const script = site.texts.get(site.pages[0]?.script ?? '');
      expect(script).toContain('a global badge');
      expect(script).toContain('a frame');
    });

    it.each(
      cases(4, [
        ['a file of the machine', "import x from '/etc/passwd';", "'/etc/passwd' cannot be resolved"],
        ['a module of Node', "import fs from 'node:fs';", "The package 'node:fs' is imported"],
        ['a path out of the site', "import x from '../../x';", "'../../x' cannot be resolved"],
        ['a URL', "import x from 'https://example.com/x.js';", "The package 'https:' is imported"],
        ['an unknown component', "import X from '@/components/X';", 'the project has no component X'],
        [
          'a name that the platform does not have',
          "import { nope } from '@countersign/site'; nope();",
          "has no export 'nope'",
        ],
        ['an unknown package', "import x from 'lodash';", "The package 'lodash' is imported"],
      ]),
    )('refuses a page that imports %s, with file and line', async (_, line, sentence) => {
      const why = await refused(builder, sourcesOf({ 'pages/index.tsx': page('<p />', `\n${line}`) }));
      expect(why).toContain('pages/index.tsx:2 ');
      expect(why).toContain(sentence);
    });

    it('leaves code of protected pages out of open ones, including code that is loaded later', async () => {
      const files = {
        'pages/index.tsx': page('<p />'),
        'pages/closed.tsx': `import { lazy } from 'react'; const Secret = lazy(() => import('@/components/Secret')); ${page('<Secret />')}`,
        'components/Secret.tsx': component(`<b className="content-['a-secret']">a secret</b>`),
      };
      const { assets, texts, pages } = await built(builder, sourcesOf(files, { closed: ['pages/closed.tsx'] }));
      const telling = assets.filter(({ name }) => /secret/.test(texts.get(name) ?? ''));
      expect(telling.map((one) => one.pages)).toEqual(telling.map(() => ['pages/closed.tsx']));
      expect(telling.map(({ type }) => type.slice(0, 8)).sort()).toEqual(['text/css', 'text/jav']);
      expect(pages[0]?.server).not.toContain('secret');
      for (const text of texts.values()) expect(text).not.toMatch(/node_modules|pages\/|components\//);
    });

    it.each([
      ['broken syntax', 'export default () => <p>;', ':1 '],
      ['no default export', 'export const a = 1;', ':1 The file has no default export.'],
      ['a tag that nothing declares', page('<Nope />'), ':2 <Nope /> is used'.replace(' />', '>')],
    ])('refuses %s, even in a component that no page imports', async (_, source, why) => {
      const sources = sourcesOf({ 'pages/index.tsx': page('<p />'), 'components/Unused.tsx': source });
      expect(await refused(builder, sources)).toContain(`components/Unused.tsx${why}`);
    });
  });
}

/** The promises of every `SiteBuilder` adapter about repeated builds and about imports between files. */
export function siteBuilderNamesContract(name: string, open: () => SiteBuilder): void {
  describe(`${name} as site builder: names and paths`, () => {
    let builder: SiteBuilder;
    beforeAll(() => {
      builder = open();
    });
    afterAll(() => builder.close());

    it('makes the same bytes from the same sources, and nothing that is stored already', async () => {
      const sources = sourcesOf({ 'pages/index.tsx': page('<p className="p-4">same</p>') });
      const first = await built(builder, sources);
      const again = await built(builder, sources);
      expect(again.assets).toEqual(first.assets);
      expect(again.pages.map(({ server: _, ...one }) => one)).toEqual(first.pages.map(({ server: _, ...one }) => one));
      const known = new Map(first.assets.map(({ key, pages: _, ...asset }) => [key, asset]));
      const third = await built(builder, { ...sources, known });
      expect(third.made).toEqual([]);
      expect(third.assets).toEqual(first.assets);
    });

    it('changes no other names when the inside of one page changes', async () => {
      const files = (word: string) => ({
        'pages/index.tsx': page(`<Hero>${word}</Hero>`, hero),
        'pages/two.tsx': page('<Hero>two</Hero>', hero),
        'pages/three.tsx': page('<b>three</b>'),
        'components/Hero.tsx': component('<h1>{children}</h1>'),
      });
      const before = await built(builder, sourcesOf(files('old')));
      const after = await built(builder, sourcesOf(files('new')));
      const names = (site: typeof before) => new Set(site.assets.map(({ name }) => name));
      const added = [...names(after)].filter((one) => !names(before).has(one));
      expect(added).toEqual([after.pages[0]?.script]);
    });

    it.each([
      ['put together in a template', 'import(`./§{a}`)'],
      ['added', "import('../../..' + a)"],
      ['of a constant', 'require(dir + a)'],
      ['of an alternative', "require(a ? './etc/' + a : 'react')"],
      ['written with escapes', 'r\\u0065quire(`\\x2e/etc/§{a}`)'],
      ['behind a comment', 'import(/* ) */ // (\n `./§{a}`)'],
    ])('refuses a path that is %s, which the bundler would resolve to files', async (_, call) => {
      const source = `const dir = './etc/'; export default ({ a }) => { ${call.replace('§', '$')}; };`;
      expect(await refused(builder, sourcesOf({ 'pages/index.tsx': source }))).toMatch(
        /^pages\/index\.tsx:1 A computed path cannot be imported/,
      );
    });

    it('builds components that import each other', async () => {
      const files = {
        'pages/index.tsx': page('<Hero />', hero),
        'components/Hero.tsx': `import Card from '@/components/Card';\n${component('<Card />')}`,
        'components/Card.tsx': `${hero}\nexport default () => <b>{Hero.name}</b>;`,
      };
      expect(await refused(builder, sourcesOf(files))).toBe('built');
    });
  });
}

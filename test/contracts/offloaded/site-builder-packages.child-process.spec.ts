// Second tier.
import { createHash } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { cases } from '../../support/depth.js';
import { packed, type TarEntry } from '../../support/servers/tar-archives.js';
import { QuickSiteBuilder } from '../../support/sites/quick-builds.js';
import { built, refused, sourcesOf } from '../../support/sites/site-sources.js';

const builder = new QuickSiteBuilder();
afterAll(() => builder.close());

type Files = Readonly<Record<string, string>>;

/**
 * Sources with installed packages, by their paths below `node_modules/`. The `package.json` files need no name and
 * version.
 */
function withPackages(packages: Readonly<Record<string, Files | readonly TarEntry[]>>, page: string) {
  const archives = new Map<string, Uint8Array>();
  const resolved = Object.entries(packages).map(([place, files]) => {
    const name = place.split('node_modules/').at(-1) ?? place;
    const entries = Array.isArray(files)
      ? (files as readonly TarEntry[])
      : Object.entries(files).map(([path, content]) => ({ path: `package/${path}`, content }));
    const archive = packed(entries);
    const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
    archives.set(integrity, archive);
    return { path: `node_modules/${place}`, name, version: '1.0.0', integrity };
  });
  const dependencies = resolved.filter(({ path }) => path.lastIndexOf('node_modules/') === 0).map(({ name }) => name);
  return sourcesOf(
    { 'pages/index.tsx': page },
    {
      packages: resolved,
      dependencies,
      archive: async (integrity) => archives.get(integrity) ?? new Uint8Array(0),
    },
  );
}

const json = (value: object) => JSON.stringify(value);
const shows = (imports: string, expression: string) =>
  `${imports}\nexport default () => <p>{String(${expression})}</p>;`;

async function scripts(sources: Parameters<typeof built>[1]) {
  const site = await built(builder, sources);
  const [page] = site.pages;
  return { site, text: site.texts.get(page?.script ?? '') ?? '', css: site.texts.get(page?.styles ?? '') ?? '' };
}

describe('packages of a site', () => {
  it('are resolved as bundlers for browsers resolve them', async () => {
    const { text } = await scripts(
      withPackages(
        {
          'main-field': { 'package.json': json({ main: 'lib' }), 'lib/index.js': "module.exports = 'from-main';" },
          'module-field': {
            'package.json': json({ main: './main.js', module: './module.js' }),
            'main.js': "module.exports = 'not this';",
            'module.js': "export default 'from-module';",
          },
          '@scope/exported': {
            'package.json': json({
              exports: {
                '.': { node: './no.js', browser: './web.js' },
                './*': { import: './sub/*.mjs' },
                './private/*': null,
              },
            }),
            'no.js': "export default 'not this';",
            'web.js': "export { default } from '#inner'; export { default as leaf } from 'leaf';".replace(
              "'#inner'",
              "'./inner.js'",
            ),
            'inner.js': "export default 'from-exports';",
            'sub/part.mjs': "export default 'from-pattern';",
          },
          '@scope/exported/node_modules/leaf': { 'index.js': "export default 'inner-leaf';" },
          leaf: { 'index.js': "module.exports = 'outer-leaf';" },
          mapped: {
            'package.json': json({ browser: { './node.js': './web.js', fs: false } }),
            'index.js': "require('fs'); module.exports = require('./node');",
            'node.js': "module.exports = 'not this';",
            'web.js': "module.exports = 'from-browser-map';",
          },
        },
        shows(
          "import a from 'main-field'; import b from 'module-field'; import c, { leaf as d } from '@scope/exported'; import e from '@scope/exported/part'; import f from 'leaf'; import g from 'mapped';",
          '[a, b, c, d, e, f, g]',
        ),
      ),
    );
    for (const found of ['main', 'module', 'exports', 'pattern', 'browser-map'])
      expect(text).toContain(`from-${found}`);
    expect(text).toContain('inner-leaf');
    expect(text).toContain('outer-leaf');
    expect(text).not.toContain('not this');
  });

  it('share React with the page, both as ES modules and as CommonJS', async () => {
    const { site, text } = await scripts(
      withPackages(
        {
          ui: {
            'index.js':
              "const React = require('react'); const { jsx } = require('react/jsx-runtime'); exports.Box = () => { const [a] = React.useState('boxed'); return jsx('i', { children: a }); };",
          },
          dom: {
            'package.json': json({ type: 'module' }),
            'index.js': "import Dom, { createPortal } from 'react-dom'; export default [Dom, createPortal];",
          },
        },
        shows("import { Box } from 'ui'; import dom from 'dom';", 'dom.length + Box.name'),
      ),
    );
    expect(text).toMatch(/from"\.\/react-[A-Z0-9]+\.js"/);
    expect(text).toMatch(/from"\.\/react-dom-[A-Z0-9]+\.js"/);
    expect(text.length).toBeLessThan(10_000);
    expect(site.pages[0]?.server).toContain('boxed');
  });

  it('may contain style sheets, fonts and pictures', async () => {
    const { site, css, text } = await scripts(
      withPackages(
        {
          styled: {
            'index.js': "import './a.css'; import picture from './p.svg'; export default picture;",
            'a.css':
              "@import 'b.css'; .a-of-package { src: url(font.woff2?#iefix); background: url(https://example.com/x.png) }",
            'b.css': '.b-of-package { color: rgb(1 2 3) }',
            'font.woff2': 'a font',
            'p.svg': '<svg/>',
          },
        },
        shows("import picture from 'styled';", 'picture'),
      ),
    );
    expect(css).toContain('.a-of-package');
    expect(css).toContain('.b-of-package');
    expect(css).toContain('https://example.com/x.png');
    const font = site.assets.find(({ name }) => name.endsWith('.woff2'));
    expect(font).toMatchObject({ type: 'font/woff2', pages: ['pages/index.tsx'] });
    expect(css).toContain(font?.name);
    expect(text).toContain('data:image/svg+xml');
  });

  it('leave out modules that a page does not use', async () => {
    const { text } = await scripts(
      withPackages(
        {
          icons: {
            'package.json': json({ sideEffects: ['*.css'] }),
            'index.js': "export { default as A } from './a.js'; export { default as B } from './b.js';",
            'a.js': "export default 'icon-a'; globalThis.a = 1;",
            'b.js': "export default 'icon-b'; globalThis.b = 1;",
          },
        },
        shows("import { A } from 'icons';", 'A'),
      ),
    );
    expect(text).toContain('icon-a');
    expect(text).not.toContain('icon-b');
  });

  it('are searched for classes in modules that a page uses', async () => {
    const { css } = await scripts(
      withPackages(
        {
          ui: {
            'package.json': json({ sideEffects: false }),
            'index.js': "export { A } from './a.js'; export { B } from './b.js';",
            'a.js': "export const A = 'p-[71px]';",
            'b.js': "export const B = 'p-[72px]';",
          },
        },
        shows("import { A } from 'ui';", 'A'),
      ),
    );
    expect(css).toContain('71px');
    expect(css).not.toContain('72px');
  });

  const uses = (files: Files | readonly TarEntry[], subpath = '') =>
    refused(builder, withPackages({ tea: files }, shows(`import tea from 'tea${subpath}';`, 'tea')));

  const refusals: readonly (readonly [string, Files | readonly TarEntry[], string])[] = [
    ['a main that is a URL', { 'package.json': json({ main: 'https://example.com/x.js' }) }, 'has no such module'],
    ['a main outside', { 'package.json': json({ main: '../../../../../../etc/passwd' }) }, 'has no such module'],
    ['exports outside', { 'package.json': json({ exports: './../../../etc/passwd' }) }, 'has no such module'],
    ['a module of the machine', { 'index.js': "import '/etc/passwd';" }, "imports '/etc/passwd', which does not exist"],
    ['a path outside', { 'index.js': "import '../../../../etc/passwd';" }, 'which does not exist'],
    [
      'a module of Node',
      { 'index.js': "import fs from 'node:fs'; fs();" },
      "'node:fs', which is a Node.js module and does not exist in browsers",
    ],
    ['a required module of Node', { 'index.js': "module.exports = require('fs');" }, 'Could not resolve "fs"'],
    ['a URL', { 'index.js': "import x from 'https://example.com/x.js'; x();" }, 'which does not exist'],
    [
      'a glob of the machine',
      { 'index.js': 'export default (x) => import(`../../../../../etc/$' + '{x}`);' },
      'tea/index.js:1 A computed path cannot be imported',
    ],
    ['an import of another package', { 'index.js': "import 'cup';" }, "imports 'cup', which does not exist"],
    ['a component', { 'index.js': "import '@/components/Hero';" }, 'which does not exist'],
    ['a link', [{ path: 'package/index.js', type: '2', linkTo: '/etc/passwd' }], 'an archive with a link'],
    ['a path with dots', [{ path: 'package/../../x.js', content: '' }], 'a path that leads out of it'],
    ['@plugin', { 'index.js': "import './a.css';", 'a.css': '\n@plugin "x";' }, "tea/a.css:2 '@plugin' is not allowed"],
    ['@config', { 'index.js': "import './a.css';", 'a.css': '@config "./x.js";' }, "'@config' is not allowed"],
    ['@source', { 'index.js': "import './a.css';", 'a.css': '@source "/etc";' }, "'@source' is not allowed"],
    [
      '@import of a URL',
      { 'index.js': "import './a.css';", 'a.css': '@import "https://example.com/a.css";' },
      'which does not exist',
    ],
    [
      '20 MB of CSS',
      { 'index.js': "import './a.css';", 'a.css': '.a{color:red}'.repeat(1_600_000) },
      'have more than 5 MB',
    ],
  ];
  it.each(cases(6, refusals))('are refused with an error: %s', async (_, files, why) => {
    expect(await uses(files)).toContain(why);
  });

  it('may import optional modules that are missing', async () => {
    const { text } = await scripts(
      withPackages(
        { tea: { 'index.js': "let fs = 'none'; try { fs = require('fs'); } catch {} module.exports = fs;" } },
        shows("import tea from 'tea';", 'tea'),
      ),
    );
    expect(text).toContain('none');
  });

  it('are unpacked only when they are imported, and read only if they are bundled', async () => {
    const sources = withPackages({ tea: { 'index.js': '' } }, shows('', '1'));
    const unread = { ...sources, archive: async () => Promise.reject(new Error('It was opened.')) };
    expect(await refused(builder, unread)).toBe('built');
    const missing = sourcesOf({ 'pages/index.tsx': shows("import tea from 'tea';", 'tea') }, { dependencies: ['tea'] });
    expect(await refused(builder, missing)).toContain("pages/index.tsx:1 The package 'tea' has not been bundled");
  });
});

import { describe, expect, it } from '@jest/globals';
import { readSource } from '../../../adapters/source-check/worker/read-source.js';
import type { ImportableComponent } from '../../../kernel/site-code/site-imports.js';
import { warningsOf } from './source-warnings.js';

const known = {
  components: new Map<string, ImportableComponent | undefined>([
    ['Hero', { syntax: [], exports: { names: ['default'], allOf: ['@/components/Card'] } }],
    ['Card', { syntax: [], exports: { names: ['default', 'Card'], allOf: ['@/components/Hero'] } }],
    ['Broken', readSource('export default () => <p>')],
    ['TooMuch', undefined],
  ]),
  globals: new Set(['Badge']),
  packages: new Set(['react', 'zod', '@scope/ui']),
};
const check = (content: string) => warningsOf('pages/index.tsx', readSource(content), known);
const kinds = (content: string) => check(content).map(({ kind, line }) => `${line} ${kind}`);
const page = (body: string, before = '') => `${before}\nexport default function Page() { return ${body}; }`;

describe('a good page', () => {
  it.each([
    ['a function', page('<main>Hello</main>')],
    ['an arrow function', 'const Page = () => <p />;\nexport default Page;'],
    ['an export by name', 'function Page() { return <p /> }\nexport { Page as default };'],
    ['an export of another module', "export { default } from '@/components/Hero';"],
    ['a class', 'export default class Page { render() { return <p />; } }'],
    [
      'imports of all kinds',
      page(
        '<Hero><Card /></Hero>',
        "import Hero from '@/components/Hero';\nimport { Card } from '@/components/Card.tsx'; import { z } from 'zod/v4'; import * as UI from '@scope/ui/button'; z; UI;",
      ),
    ],
    ['members', page('<><UI.Button /><Form.Field.Label /></>', "import * as UI from '@scope/ui'; const Form = {};")],
    [
      'types',
      page(
        '<p />',
        "import type { X } from 'only-types'; import { type Y } from 'types-too'; type Z = X | Y; interface W { a: Z }; enum E { A }; const v = <T,>(x: T) => x as unknown as W; v; E;",
      ),
    ],
    [
      'a parameter',
      'export default function Page({ as: Tag, icons: [Icon = Tag, ...Rest], ...Others }) { return <Tag><Icon /><Rest.a /><Others.b /></Tag>; }',
    ],
    ['a later declaration', `${page('<Later />')}\nfunction Later() { return <p />; }`],
    ['a variable of var', 'export default function Page() { if (1) { var Tag = "p"; } return <Tag />; }'],
    [
      'a caught error, a class and a named function',
      'export default function Page() { try {} catch (Error2) { return <Error2 /> } const A = function B() { return <B /> }; const C = class D { r() { return <D /> } }; return <A><C /></A>; }',
    ],
    ['a global component', page('<Badge><Badge.Mark /></Badge>')],
    ['tags of HTML', page('<my-element><svg xlink:href="x"><path /></svg></my-element>')],
    [
      'names of types',
      page('<p>{a}</p>', "import { FC, Nope as N } from 'react'; const a: FC<N> = null as unknown as N;"),
    ],
    [
      'a name that is declared again',
      page('<p />', "import { nope } from 'react'; const f = (nope: number) => nope; f;"),
    ],
    ['a name that another component hands on', page('<p>{Card}</p>', "import { Card } from '@/components/Hero';")],
    ['a name of a component that is broken', page('<p>{a}</p>', "import { a } from '@/components/Broken';")],
    ['a name of a component that was not read', page('<p>{a}</p>', "import { a } from '@/components/TooMuch';")],
    [
      'all of a module',
      page('<p>{React.nope}</p>', "import * as React from 'react'; export * from '@/components/Card';"),
    ],
    ['a path in a template', page('<p />', 'const l = () => import(`@/components/Hero`);')],
    ['overloads', 'function A(): null; function A(x?: 1) { return null; } export default A;'],
    ['variables that change', page('<p>{a}</p>', 'let a = 1; { const a = 2; a; } a = 3; const o = { a }; o.a = 4;')],
    [
      'a lazy import',
      page('<L />', "import { lazy } from 'react'; const L = lazy(() => import('@/components/Hero'));"),
    ],
  ])('has no warnings: %s', (_, content) => expect(check(content)).toEqual([]));
});

describe('a kind of warning', () => {
  it.each([
    ['broken syntax', 'export default function Page() {\n  return <main>;\n}', ['2 syntax']],
    ['an unclosed tag', page('<main><p></main>'), ['2 syntax']],
    ['a name that is declared twice', 'const a = 1;\nconst a = 2;\nexport default () => null;', ['2 syntax']],
    ['no default export', 'export function Page() { return <p />; }', ['1 no-default-export']],
    ['a default export of a type', 'export default interface Page { a: string }', ['1 no-default-export']],
    ['a tag that nobody declares', page('<main>\n<Heroo />\n</main>'), ['3 undefined-jsx']],
    ['a member of what nobody declares', page('<Form.Field />'), ['2 undefined-jsx']],
    [
      'a tag that another function declares',
      'function A() { const Tag = "p"; return Tag; }\nexport default () => <Tag>{A()}</Tag>;',
      ['2 undefined-jsx'],
    ],
    [
      'a tag of a block further in',
      'export default () => {\n{ const Tag = "p"; Tag; }\nreturn <Tag />; }',
      ['3 undefined-jsx'],
    ],
    ['an unknown component', page('<X />', "import X from '@/components/X';"), ['1 unresolved-component']],
    ['a relative import', page('<X />', "import X from '../components/Hero';"), ['1 unresolved-component']],
    [
      'a lazy import of none',
      page('<p />', "const l = () => import('@/components/Nope');"),
      ['1 unresolved-component'],
    ],
    ['an unknown package', page('<p />', "import _ from 'lodash/fp';"), ['1 missing-package']],
    ['an unknown package with a scope', page('<p />', "import '@other/ui/x.css';"), ['1 missing-package']],
    ['a package that is required', page('<p />', "const _ = require('lodash');"), ['1 missing-package']],
    ['a package that is exported on', page('<p />', "export * from 'lodash';"), ['1 missing-package']],
    ['a module of Node', page('<p />', "import fs from 'node:fs'; fs;"), ['1 missing-package']],
    ['an empty file', '', ['1 no-default-export']],
    [
      'a name that the platform does not have',
      page('<p>{nope}</p>', "import {\n nope } from 'react';"),
      ['2 missing-package'],
    ],
    [
      'a tag that the platform does not have',
      page('<Nope />', "import { Nope } from '@countersign/site';"),
      ['1 missing-package'],
    ],
    [
      'a default export that the platform does not have',
      page('<S />', "import S from '@countersign/site';"),
      ['1 missing-package'],
    ],
    [
      'a name that is handed on and is not there',
      page('<p />', "export { nope } from 'react';"),
      ['1 missing-package'],
    ],
    ['a module that the platform does not have', page('<p />', "import 'react-dom/server';"), ['1 missing-package']],
    [
      'a name that a component does not have',
      page('<p>{a}</p>', "import { a } from '@/components/Card';"),
      ['1 unresolved-component'],
    ],
    ['an unknown package in a template', page('<p />', 'const l = () => import(`lodash`);'), ['1 missing-package']],
    ['a path that is put together', page('<p />', `const l = (a) => import(\`./$\{a}\`);`), ['1 syntax']],
    ['a path that is put together and required', page('<p />', "const l = (a) => require?.('../' + a);"), ['1 syntax']],
    [
      'a constant that changes',
      page('<p />', 'const a = 1;\nfor (const [b] of []) b++;\na = 2;'),
      ['2 syntax', '3 syntax'],
    ],
    [
      'an import that changes',
      page('<p />', "import a, * as b from 'react';\n[a] = [1];\nb.c = 2;"),
      ['2 syntax', '3 syntax'],
    ],
    ['two exports of one name', page('<p />', 'export const a = 1;\nconst b = 2; export { b as a };'), ['2 syntax']],
    ['two default exports', `${page('<p />')}\nconst b = 1; export { b as default };`, ['3 syntax']],
    ['a default export that is a type', 'type A = 1; export default A;', ['1 no-default-export']],
    ['a default export of overloads alone', 'export default function A(): null;', ['1 no-default-export']],
    ['what begins a tag', page('<p />', 'const f = <T>(x: T) => x;'), ['1 syntax']],
  ])('is given for %s', (_, content, expected) => expect(kinds(content)).toEqual(expected));

  it('is not given for texts and comments', () => {
    expect(check(page('<p>{"<Nope />"}</p>', "// import X from 'nope'\nconst t = `import y from 'nope'`; t;"))).toEqual(
      [],
    );
  });

  it('is described in plain words', () => {
    expect(check('const f = <T>(x: T) => x;')[0]?.message).toMatch(/^In TSX, <T> begins a tag/);
    expect(check(page('<p />', "import _ from 'lodash/fp';"))[0]?.message).toContain("'lodash'");
  });
});

describe('hostile sources', () => {
  it.each([
    ['brackets', '['.repeat(500_000)],
    ['tags', `export default () => ${'<a>'.repeat(300_000)}`],
    ['closed tags', `export default () => ${'<a>'.repeat(100_000)}${'</a>'.repeat(100_000)}`],
    ['sums', `export default () => ${'1+'.repeat(500_000)}1`],
    ['arrows', `export default ${'a=>'.repeat(300_000)}1`],
    ['templates', '`${'.repeat(300_000)],
    ['null characters', '\0'.repeat(1_000_000)],
    ['faults', 'let a;\n'.repeat(100_000)],
  ])('get few warnings: %s', (_, content) => {
    const found = check(content);
    expect(found.length).toBeLessThanOrEqual(50);
    for (const one of found) expect(one.message.length).toBeLessThan(600);
  });
});

import { describe, expect, it } from '@jest/globals';
import { dependenciesInOrder, refusedPackages } from './dependency-set.js';

const refused = (version: unknown) => refusedPackages({ lodash: version }).length > 0;

describe('versions', () => {
  it.each([
    '1.2.3',
    '^1.2.0',
    '~1.2',
    '1.x',
    '*',
    '>=1.0.0 <2.0.0',
    '1 - 2',
    '^1 || ^2',
    '1.0.0-beta.1',
    'latest',
    'next',
  ])('%s is a registry version', (version) => expect(refused(version)).toBe(false));

  it.each([
    '',
    ' ',
    'npm:other@1.0.0',
    'file:../x',
    'link:../x',
    'workspace:*',
    'git://example.com/x',
    'git+https://example.com/x.git',
    'github:user/repo',
    'user/repo',
    'https://example.com/x.tgz',
    './x',
    '../x',
    '/etc/passwd',
    '~/x',
    'x.tgz',
    'x.tar.gz',
    'C:\\x',
    '1.2.3\n',
    'a b',
    '.',
    '..',
    'x'.repeat(300),
    3,
    null,
    {},
    ['1.0.0'],
  ])('%j is not valid', (version) => expect(refused(version)).toBe(true));
});

describe('names', () => {
  it.each(['lodash', '@tanstack/react-query', 'react-router-dom', 'framer-motion', 'chart.js', 'a'])(
    '%s may be a dependency',
    (name) => expect(refusedPackages({ [name]: '1.0.0' })).toEqual([]),
  );

  it.each([
    'react',
    'react-dom',
    'esbuild',
    'vite',
    '@vitejs/plugin-react',
    'tailwindcss',
    '@tailwindcss/forms',
    'postcss',
  ])('%s is pinned', (name) => expect(refusedPackages({ [name]: '1.0.0' })[0]?.reason).toContain('pinned'));

  it.each(['typescript', '@babel/core', '@swc/core', 'webpack', 'autoprefixer', '@countersign/site', '@types/react'])(
    '%s is pinned, too',
    (name) => expect(refusedPackages({ [name]: '1.0.0' })[0]?.reason).toContain('pinned'),
  );

  it.each([
    '',
    '__proto__',
    '.hidden',
    '_x',
    'Upper',
    'a b',
    '../x',
    '@/x',
    '@a',
    'a/b',
    'node_modules',
    'x'.repeat(215),
  ])('%j is no name', (name) => expect(refusedPackages(Object.fromEntries([[name, '1.0.0']]))).toHaveLength(1));
});

describe('a set', () => {
  it('names everything that is refused, and what exceeds the limit', () => {
    const many = Object.fromEntries(
      Array.from({ length: 202 }, (_, n) => [`package-${n}`, n === 0 ? 'file:x' : '1.0.0']),
    );
    expect(refusedPackages(many).map(({ name }) => name)).toEqual(['package-0', 'package-200', 'package-201']);
  });

  it('is stored in the order of names', () => {
    expect(Object.keys(dependenciesInOrder({ zod: '1', axios: '1' }))).toEqual(['axios', 'zod']);
  });
});

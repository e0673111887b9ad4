import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const root = join(import.meta.dirname, '../..');

/**
 * A fake compiler that writes the output and counts its runs. Like the real one, it trusts dist/.tsbuildinfo without
 * checking dist.
 */
const compiler = `
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
appendFileSync('built', 'x');
const source = readFileSync('src/main.ts', 'utf8');
if (source.includes('fault')) process.exit(1);
mkdirSync('dist/src', { recursive: true });
const known = existsSync('dist/.tsbuildinfo') && readFileSync('dist/.tsbuildinfo', 'utf8') === source;
if (!known) writeFileSync('dist/src/main.js', source);
writeFileSync('dist/.tsbuildinfo', source);
`;

describe('npm start builds', () => {
  let folder: string;
  const put = (file: string, text: string) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  const dist = () => readFileSync(join(folder, 'dist/src/main.js'), 'utf8');
  const builds = () => readFileSync(join(folder, 'built'), 'utf8').length;
  const start = () => execFileSync(process.execPath, [join(folder, 'build-if-changed.js')], { stdio: 'pipe' });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-build-'));
    cpSync(join(root, 'build-if-changed.js'), join(folder, 'build-if-changed.js'));
    for (const file of ['nest-cli.json', 'tsconfig.json', 'tsconfig.build.json', 'package-lock.json']) put(file, '{}');
    put('package.json', '{ "type": "module" }');
    put('node_modules/@nestjs/cli/package.json', '{ "type": "module" }');
    put('node_modules/@nestjs/cli/bin/nest.js', compiler);
    put('projections/projections.ts', '');
    put('src/main.ts', 'one');
    start();
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('the first time, but not again without a change', () => {
    start();
    expect([builds(), dist()]).toEqual([1, 'one']);
  });

  it('not again after a change only of a specification, a text or a file time', () => {
    put('src/main.spec.ts', 'a test');
    put('src/README.md', 'a text');
    utimesSync(join(folder, 'src/main.ts'), 1, 1);
    start();
    expect(builds()).toBe(1);
  });

  it.each([
    ['a source, even one with an old time', 'src/main.ts', 'two'],
    ['a new source', 'projections/new.ts', ''],
    ['the settings of the compiler', 'tsconfig.json', '{ }'],
    ['the packages', 'package-lock.json', '{ }'],
  ])('again after a change of %s', (_, file, text) => {
    put(file, text);
    utimesSync(join(folder, file), 1, 1);
    start();
    expect([builds(), dist()]).toEqual([2, readFileSync(join(folder, 'src/main.ts'), 'utf8')]);
  });

  it('again if a file of dist is missing, although the compiler assumes that it exists', () => {
    rmSync(join(folder, 'dist/src/main.js'));
    start();
    expect(dist()).toBe('one');
  });

  it('again if something else has built other sources into dist', () => {
    put('dist/src/main.js', 'another branch, built by npm run dev');
    start();
    expect(dist()).toBe('one');
  });

  it('again after a failed build, which stops the start', () => {
    put('src/main.ts', 'fault');
    expect(start).toThrow();
    expect(start).toThrow();
    put('src/main.ts', 'one');
    start();
    expect([builds(), dist()]).toEqual([4, 'one']);
  });
});

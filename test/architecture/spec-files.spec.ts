import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { root } from './import-graph.js';

const read = (file: string) => readFileSync(join(root, file), 'utf8');
const specs = globSync('{src,projections,test}/**/*.spec.ts', { cwd: root }).sort();
const ofTests = [...new Set([...specs, ...globSync('test/**/*.ts', { cwd: root })])].sort();

/** Leaves out strings, including the code of functions that a test saves. */
const withoutTexts = (text: string) => text.replace(/`(?:\\.|[^`\\])*`|'(?:\\.|[^'\\\n])*'/g, "''");

/** Lines that wait for a fixed time. Pauses within a polling loop are allowed. */
function pausesIn(text: string): readonly string[] {
  const pause = /await (?:new Promise(?:<\w+>)?\(\(\w+\) => )?(?:setTimeout|sleep|pause)\(/;
  return withoutTexts(text)
    .split('\n')
    .filter((line) => pause.test(line) && !/\b(?:while|for) \(/.test(line));
}

describe('test files', () => {
  /** Files that poll or are slow on purpose. The list may only get shorter. */
  const pausing = [
    'test/support/eventstoredb/test-server.ts',
    'test/support/eventually.ts',
    'test/support/kafka/real-cluster.ts',
    'test/support/kills/event-kill-ledger.ts',
    'test/support/kills/kill-check.ts',
    'test/support/mail/kill-mails.ts',
    'test/support/mongodb/server-connection.ts',
  ];

  it('wait for conditions and not for a time (support/eventually, support/clocks)', () => {
    expect(ofTests.filter((file) => pausesIn(read(file)).length > 0)).toEqual(pausing);
  });

  it.each([
    ['src and projections', 300, specs.filter((file) => !file.startsWith('test/'))],
    ['test', 400, specs],
  ])('in %s have at most %d lines: split them by subject', (_, most, files) => {
    expect(files.filter((file) => read(file).split('\n').length - 1 > most)).toEqual([]);
  });

  it('that pause are reported, but not polling loops, slow work, or code in strings', () => {
    const pauses = ['await setTimeout(5);', 'await new Promise((resolve) => setTimeout(resolve, 20));'];
    const others = ['while (!isSo()) await setTimeout(5);', 'await takes(5);', "run('await setTimeout(5);')"];
    expect(pausesIn([...pauses, ...others].join('\n'))).toEqual(pauses);
  });
});

/** Titles of `each` tables that mean nothing without their row and their `describe`. */
function bareTitlesIn(text: string): readonly string[] {
  const titles = [...text.matchAll(/^ *(?:\]|(?:it|test|describe)\.each\b.*)\)\(\s*(['"`])(.*?)\1/gm)].map(
    ([, , title = '']) => title,
  );
  return titles.filter((title) => /^(?:%[a-z#%]|\$[\w.]+|\W|refuses|refused|is|of|the)*$/.test(title));
}

describe('a title of a table of cases', () => {
  /** Exempt, because snapshots are named after its titles. */
  const frozen = ['test/contract/open-api.spec.ts'];

  it('is understood without its describe', () => {
    const bare = ofTests.filter((file) => bareTitlesIn(read(file)).length > 0);
    expect(bare).toEqual(frozen);
  });

  it('is reported if it has only placeholders', () => {
    const bare = [
      "  ])('%s', () => {",
      "it.each(['a', 'b'])('refuses %j', () => {",
      "describe.each(some)('%s: %s', () => {",
    ];
    const others = ["  ])('refuses a name of %j', () => {", "it.each(some)('has %s', () => {"];
    expect(bareTitlesIn([...bare, ...others].join('\n'))).toEqual(['%s', 'refuses %j', '%s: %s']);
  });
});

describe('a slice', () => {
  /** Whether the file is pure code that can refuse. Code that loads something first is tested over HTTP. */
  const decides = (file: string) =>
    /\brefuse(?:Input)?\(/.test(read(file)) && !/@Injectable\(|inject: \[|await /.test(read(file));

  it('whose decisions refuse something has a spec beside it', () => {
    const files = globSync('src/areas/*/**/*.ts', { cwd: root }).filter(
      (file) => !/\.(?:spec|refusals|operations|record)\.ts$/.test(file),
    );
    const tested = new Set(specs.map(dirname));
    const deciding = files.filter((file) => dirname(file).split('/').length > 3 && decides(file));
    expect(deciding.length).toBeGreaterThan(50);
    expect(deciding.filter((file) => !tested.has(dirname(file)))).toEqual([]);
  });
});

import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { files, type Import, imports, root, within } from './import-graph.js';

interface Layer {
  readonly folder: string;
  /**
   * The rooms of the layer, lowest first. Each may import itself and those before it. The empty name means files
   * directly in the layer's folder.
   */
  readonly rooms: readonly string[];
}

const layers: readonly Layer[] = [
  {
    folder: 'src/kernel',
    rooms: [
      '',
      'text',
      'json',
      'callers',
      'refusals',
      'event',
      'actors',
      'condition',
      'record',
      'rows',
      'mail',
      'money',
      'cron',
      'site-code',
      'field',
      'noun',
      'judging',
      'audit-chain',
    ],
  },
  {
    folder: 'src/engine',
    rooms: [
      'refusals',
      'operation',
      'cluster',
      'dry-run',
      'authorisation',
      'scopes',
      'personal-data',
      'quotas',
      'explain',
      'read-models',
      'commands',
      'ownership',
      'records',
      'due',
      'approvals',
      'journal',
      'retention',
      'projections',
      'sagas',
      'health',
      'messages',
      'lifecycle',
      'jobs',
      'step-work',
      'assistant',
      'pipeline',
      '',
    ],
  },
];

const roomOf = ({ folder }: Layer, file: string) =>
  file
    .slice(folder.length + 1)
    .split('/')
    .slice(0, -1)[0] ?? '';

/** Imports of a room by a lower one. */
function upward(layer: Layer, all: readonly Import[]): readonly string[] {
  const height = (file: string) => layer.rooms.indexOf(roomOf(layer, file));
  return all
    .filter(({ from, to }) => within(from, layer.folder) && within(to, layer.folder) && height(to) > height(from))
    .map(({ from, line, to }) => `${from}:${line} imports ${to}`);
}

describe.each(layers)('the rooms of $folder', (layer) => {
  it('are those listed here', () => {
    const there = files.filter((file) => within(file, layer.folder)).map((file) => roomOf(layer, file));
    expect([...new Set(there)].sort()).toEqual([...layer.rooms].sort());
  });

  it('import only rooms listed before them', () => {
    expect(upward(layer, imports)).toEqual([]);
  });
});

it('include no file directly in the engine but its module', () => {
  expect(files.filter((file) => dirname(file) === 'src/engine')).toEqual(['src/engine/engine.module.ts']);
});

it('allow no import of a later room, but of the same or an earlier one', () => {
  const layer = { folder: 'src/engine', rooms: ['low', 'high'] };
  const line = (from: string, to: string) => ({ from: `src/engine/${from}`, line: 1, to: `src/engine/${to}` });
  const all = [line('low/a.ts', 'high/b.ts'), line('high/b.ts', 'low/a.ts'), line('low/a.ts', 'low/c.ts')];
  expect(upward(layer, all)).toEqual(['src/engine/low/a.ts:1 imports src/engine/high/b.ts']);
});

describe('folders', () => {
  const most = 25;
  it(`contain at most ${most} files of code`, () => {
    const code = globSync('{src,projections,test,bench}/**/*.{ts,tsx,mjs}', { cwd: root });
    const counts = Object.entries(Object.groupBy(code, dirname)).map(([folder, all = []]) => ({ folder, all }));
    const over = counts.filter(({ all }) => all.length > most).map(({ folder }) => folder);
    expect(over).toEqual([]);
  });
});

it('contain a source for every built file that benches import', () => {
  const imported = globSync('bench/**/*.mjs', { cwd: root }).flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/'(?:\.\.\/)+dist\/([^']+)\.js'/g)].map(
      ([, path]) => `${path}.ts`,
    ),
  );
  expect(imported.length).toBeGreaterThan(50);
  expect(imported.filter((source) => !existsSync(join(root, source)))).toEqual([]);
});

it('contain the script of a thread or process beside the module that names it', () => {
  const named = files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/\bscript: '(.+)\.js'/g)].map(([, script]) =>
      join(dirname(file), `${script}.ts`),
    ),
  );
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter((script) => !existsSync(join(root, script)))).toEqual([]);
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { storedFiles } from './stored-files.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-stored-files-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('the stored files are all files of a folder, hidden ones and those of hidden folders too', () => {
  mkdirSync(join(folder, '.hidden', 'deep'), { recursive: true });
  const paths = ['.hidden/deep/a', '.lock', 'b'];
  for (const path of paths) writeFileSync(join(folder, path), path);
  const files = storedFiles(folder).map(({ path, bytes }) => [path, bytes.toString()]);
  expect(files.sort()).toEqual(paths.map((path) => [path, path]));
});

it('a folder that is gone has no stored files', () => {
  expect(storedFiles(join(folder, 'gone'))).toEqual([]);
});

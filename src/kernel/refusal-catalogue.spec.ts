import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { refusals } from './refusal-catalogue.js';

const folder = join(import.meta.dirname, 'refusals');

it('holds every code of every list, and none twice: of two, one would be told in the words of the other', async () => {
  const files = readdirSync(folder).filter((file) => file.endsWith('.ts') && file !== 'refusal-entry.ts');
  const codes: string[] = [];
  for (const file of files) {
    const lists: Readonly<Record<string, object>> = await import(`./refusals/${file.replace(/\.ts$/, '.js')}`);
    codes.push(...Object.values(lists).flatMap(Object.keys));
  }
  expect(codes.filter((code, at) => codes.indexOf(code) !== at)).toEqual([]);
  expect(codes.toSorted()).toEqual(Object.keys(refusals).toSorted());
});

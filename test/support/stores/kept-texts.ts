import { basename } from 'node:path';
import { expect } from '@jest/globals';
import { Vault } from '../../../src/ports/vault.port.js';
import { allOf } from '../all-of.js';
import type { TestApp } from '../app.js';
import { storedFiles } from './stored-files.js';

/** Returns the names of the files below a folder that contain the text, regardless of case. */
export function filesHolding(folder: string, text: string): readonly string[] {
  const files = storedFiles(folder);
  expect(files.length).toBeGreaterThan(0);
  return files
    .filter(({ bytes }) => bytes.toString('latin1').toLowerCase().includes(text.toLowerCase()))
    .map(({ path }) => basename(path));
}

/** Returns the names of the vault entries whose decrypted value contains the text. */
export async function entriesHolding({ app }: Pick<TestApp, 'app'>, text: string): Promise<readonly string[]> {
  const vault = app.get(Vault);
  const names = (await allOf(vault.sealedEntries())).map(({ name }) => name);
  const opened = await Promise.all(
    names.map(async (name) => ({ name, text: Buffer.from((await vault.open(name)) ?? []).toString('utf8') })),
  );
  return opened.filter((one) => one.text.includes(text)).map(({ name }) => name);
}

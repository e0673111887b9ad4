import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from '@jest/globals';

const root = join(import.meta.dirname, '../..');

/** Large packages that few processes or calls need. They are imported on demand with `await import()`. */
const late = [
  '@eventstore/db-client',
  '@grpc/grpc-js',
  '@modelcontextprotocol/sdk/client/index.js',
  '@modelcontextprotocol/sdk/server/index.js',
  '@modelcontextprotocol/sdk/types.js',
  '@node-oauth/oauth2-server',
  'class-validator',
  'kafkajs',
  'mongodb',
  'nodemailer/lib/mail-composer',
  'nodemailer/lib/smtp-connection',
  'openid-client',
  'stripe',
];

/** The modules that a file loads before it runs. Imports of types only load nothing. */
function importedBy(file: string): readonly string[] {
  const text = readFileSync(join(root, file), 'utf8');
  const found = text.matchAll(/^(?:import|export) (?!type )(?:([^;']*?) from )?'([^']+)';$/gm);
  return [...found].flatMap(([, names, from = '']) => {
    const members = /^\{([^}]*)\}$/s.exec(names ?? '')?.[1]?.split(',') ?? ['all'];
    const isTypes = members.every((one) => one.trim() === '' || one.trim().startsWith('type '));
    return isTypes ? [] : [from];
  });
}

it('the service starts without loading packages that only few calls need', () => {
  const files = new Set(['src/serve.ts']);
  const packages = new Map<string, string>();
  for (const file of files) {
    for (const from of importedBy(file)) {
      const path = normalize(join(dirname(file), from)).replace(/\.js$/, '.ts');
      if (!from.startsWith('.')) packages.set(from, file);
      else files.add(path);
    }
  }
  expect(files.size).toBeGreaterThan(1_000);
  expect(packages.has('@nestjs/platform-fastify')).toBe(true);
  expect(late.flatMap((name) => (packages.has(name) ? [`${packages.get(name)} imports ${name}`] : []))).toEqual([]);
});

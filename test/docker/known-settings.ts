import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const config = join(import.meta.dirname, '../../src/config');
const sources = globSync('**/*.ts', { cwd: config }).filter((name) => !name.endsWith('.spec.ts'));

/** The names of all environment variables that the service reads. */
export const knownSettings: readonly string[] = sources.flatMap((name) =>
  [...readFileSync(join(config, name), 'utf8').matchAll(/'([A-Z][A-Z_]+)'/g)].map(([, setting = '']) => setting),
);

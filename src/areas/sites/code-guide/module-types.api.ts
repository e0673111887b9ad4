import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const moduleTypes = readFileSync(join(import.meta.dirname, '../../../site-module/site.d.ts'), 'utf8');

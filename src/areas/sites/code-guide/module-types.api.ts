import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Type declarations of `@countersign/site`, with which editors support the code of sites. */
export const moduleTypes = readFileSync(join(import.meta.dirname, '../../../site-module/site.d.ts'), 'utf8');

import { existsSync, globSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const sagas = globSync('**/*.saga.ts', { cwd: import.meta.dirname });

describe('every saga', () => {
  it.each(sagas)('%s has a spec of its own', (file) => {
    expect(existsSync(`${import.meta.dirname}/${file.replace('.saga.ts', '.spec.ts')}`)).toBe(true);
  });
});

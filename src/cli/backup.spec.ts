import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fileDigest, pieceBytes } from './backup.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'backup-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the digest of a file', () => {
  it.each([0, 1, pieceBytes - 1, pieceBytes, pieceBytes + 1, 3 * pieceBytes])('is that of its %i bytes', (size) => {
    const bytes = Buffer.alloc(size, 'each piece differs from the others. ');
    const path = join(folder, 'data.db');
    writeFileSync(path, bytes);
    expect(fileDigest(path)).toBe(createHash('sha256').update(bytes).digest('hex'));
  });
});

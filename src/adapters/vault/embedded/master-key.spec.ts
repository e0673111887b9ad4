import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findMasterKey, readMasterKey } from './master-key.js';

describe('readMasterKey', () => {
  const key = Buffer.from(Array.from({ length: 32 }, (_, n) => 255 - n * 3));
  let directory: string;
  let file: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'countersign-'));
    file = join(directory, 'data', 'master.key');
  });
  afterEach(() => rmSync(directory, { recursive: true }));
  const read = (text?: string): Buffer => readMasterKey({ text, directory: join(directory, 'data') });

  it.each([
    ['hex', key.toString('hex')],
    ['HEX', key.toString('hex').toUpperCase()],
    ['base64', key.toString('base64')],
    ['base64 without padding', key.toString('base64').slice(0, 43)],
    ['base64url', key.toString('base64url')],
    ['base64url with padding', `${key.toString('base64url')}=`],
    ['a line', `${key.toString('hex')}\n`],
  ])('reads %s from the environment', (_, text) => {
    expect(read(text).equals(key)).toBe(true);
  });

  it.each(['hunter2', 'g'.repeat(64), 'a'.repeat(63), `${'a'.repeat(42)}!`, 'a'.repeat(45)])(
    'refuses %s without showing it',
    (text) => {
      expect(() => read(text)).toThrow(
        new Error('MASTER_KEY must be 32 bytes: 64 hexadecimal characters, or 43 or 44 of base64 or base64url.'),
      );
    },
  );

  it('creates a file that only its owner can read, and reads it from then on', () => {
    const made = read();
    expect(made).toHaveLength(32);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(read('  ').equals(made)).toBe(true);
    expect(read(key.toString('hex')).equals(key)).toBe(true);
    expect(readFileSync(file, 'utf8')).toBe(`${made.toString('hex')}\n`);
  });

  it.each([0o640, 0o604, 0o620])('refuses a file of mode %o', (mode) => {
    read();
    chmodSync(file, mode);
    expect(() => read()).toThrow(
      'master.key can be read by users other than its owner: run chmod 600 on it, and start again.',
    );
  });

  it('finds an existing key, and creates none if there is none', () => {
    const source = { directory: join(directory, 'data') };
    expect(findMasterKey(source)).toBeUndefined();
    expect(existsSync(source.directory)).toBe(false);
    expect(findMasterKey({ ...source, text: key.toString('hex') })?.equals(key)).toBe(true);
    const made = read();
    expect(findMasterKey(source)?.equals(made)).toBe(true);
  });

  it('refuses a file that holds no key', () => {
    read();
    writeFileSync(file, '');
    expect(() => read()).toThrow('master.key must be 32 bytes');
  });
});

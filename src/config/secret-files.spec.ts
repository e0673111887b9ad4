import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readEnvironment } from './environment.js';
import { secretSettings, withSecretFiles } from './secret-files.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'secret-files-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function fileOf(content: string): string {
  const path = join(folder, 'secret');
  writeFileSync(path, content);
  return path;
}
const keyText = 'ab'.repeat(32);

describe('a secret setting in a file', () => {
  it.each(secretSettings)('is read for %s, without the final line break', (name) => {
    expect(withSecretFiles({ [`${name}_FILE`]: fileOf('its value\n') })[name]).toBe('its value');
  });

  it('is treated as the setting itself', () => {
    const path = fileOf(`${keyText}\r\n`);
    const shared = { READ_STORE: 'mongodb', MONGODB_URL: 'mongodb://db/?replicaSet=rs0', MASTER_KEY_FILE: path };
    expect(readEnvironment(shared).masterKey).toBe(keyText);
    expect(() => readEnvironment({ BOOTSTRAP_OWNER_KEY_FILE: path, DATA_DIR: folder })).not.toThrow();
  });

  it('is refused beside the setting, if it is empty, and if it cannot be read, without showing its content', () => {
    const path = fileOf(keyText);
    expect(() => withSecretFiles({ MASTER_KEY: 'x', MASTER_KEY_FILE: path })).toThrow(
      'MASTER_KEY and MASTER_KEY_FILE are both set: remove one of them.',
    );
    expect(() => withSecretFiles({ KAFKA_BROKERS_FILE: join(folder, 'none') })).toThrow(/KAFKA_BROKERS_FILE.*ENOENT/);
    expect(() => withSecretFiles({ KAFKA_BROKERS_FILE: folder })).toThrow(/KAFKA_BROKERS_FILE.*EISDIR/);
    expect(() => withSecretFiles({ MONGODB_URL_FILE: fileOf('\n') })).toThrow(
      'MONGODB_URL_FILE refers to an empty file',
    );
    expect(() => withSecretFiles({ MONGODB_URL_FILE: fileOf('x'.repeat(100_001)) })).toThrow(
      /larger than 100000 bytes/,
    );
  });

  it('is treated as missing if the variable is empty', () => {
    expect(withSecretFiles({ MASTER_KEY: keyText, MASTER_KEY_FILE: '' })['MASTER_KEY']).toBe(keyText);
  });
});

describe('the master key', () => {
  it('is required if the vault is shared, and only then', () => {
    const shared = { READ_STORE: 'mongodb', MONGODB_URL: 'mongodb://db/?replicaSet=rs0' };
    expect(() => readEnvironment(shared)).toThrow(/^MASTER_KEY \(or MASTER_KEY_FILE\) must be set/);
    expect(readEnvironment({}).masterKey).toBeUndefined();
  });
});

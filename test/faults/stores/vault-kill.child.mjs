// Seals and destroys entries in groups until it is killed, and prints what was acknowledged.
import { randomBytes } from 'node:crypto';
import { EmbeddedVault } from '../../../dist/src/adapters/vault/embedded/embedded-vault.adapter.js';
import { acknowledge } from '../../support/acknowledge.mjs';

const [directory, masterKey, round] = process.argv.slice(2);
const clock = { now: () => Date.now() };
const vault = new EmbeddedVault({ directory, masterKey: Buffer.from(masterKey, 'hex'), clock });

async function write(writer) {
  for (let n = 0; ; n += 1) {
    const name = `${round}/${writer}/${n}`;
    await vault.seal(name, randomBytes(300));
    acknowledge(`sealed ${name}`);
    if (n % 3 > 0) continue;
    await vault.destroy(name);
    acknowledge(`destroyed ${name}`);
  }
}

await Promise.all(Array.from({ length: 8 }, (_, writer) => write(writer)));

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { EmbeddedVault } from '../../../src/adapters/vault/embedded/embedded-vault.adapter.js';
import { EmbeddedDirectory } from '../../contracts/embedded-directory.js';
import { allOf } from '../../support/all-of.js';
import { randomMoment } from '../../support/clocks/delays.js';

const child = fileURLToPath(new URL('./vault-kill.child.mjs', import.meta.url));
const rounds = 10;

/** Needs a build: the writer is a child process, in which a thread commits most groups. */
describe('vault: embedded, killed while it writes', () => {
  const masterKey = randomBytes(32);
  const clock = { now: () => Date.now(), after: () => () => undefined };
  let directory: EmbeddedDirectory;
  beforeEach(() => {
    directory = new EmbeddedDirectory();
  });
  afterEach(() => directory.remove());

  /** Kills a child at a random moment. Returns what it had acknowledged. */
  async function writeAndKill(round: number): Promise<readonly string[]> {
    const words = ['--no-warnings', child, directory.path, masterKey.toString('hex'), `${round}`];
    const writer = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    writer.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    await once(writer.stdout, 'data');
    await randomMoment(100, 250);
    writer.kill('SIGKILL');
    await once(writer, 'close');
    return output.split('\n').slice(0, -1);
  }

  it('has everything acknowledged as sealed, and nothing acknowledged as destroyed', async () => {
    const sealed = new Set<string>();
    const destroyed = new Set<string>();
    for (let round = 0; round < rounds; round += 1) {
      for (const line of await writeAndKill(round)) {
        const [what, name = ''] = line.split(' ');
        (what === 'sealed' ? sealed : destroyed).add(name);
      }
      const vault = new EmbeddedVault({ directory: directory.path, masterKey, clock });
      const names = new Set((await allOf(vault.sealedEntries())).map(({ name }) => name));
      await vault.close();
      expect([...destroyed].filter((name) => names.has(name))).toEqual([]);
      // Each writer may have destroyed one entry without acknowledging it. It destroys every third of its entries.
      const missing = [...sealed].filter((name) => !destroyed.has(name) && !names.has(name));
      expect(missing.filter((name) => Number(name.split('/')[2]) % 3 > 0)).toEqual([]);
    }
    expect(sealed.size).toBeGreaterThan(rounds * 8);
  }, 60_000);
});

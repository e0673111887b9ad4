import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const main = join(import.meta.dirname, '../../bench/main.mjs');
const environment = { ...process.env, BENCH_SMOKE: '1' };

/** Benches that run only with TEST_DEPTH=full because even their minimal form takes minutes, and what they start. */
const leftToFull: Readonly<Record<string, string>> = {
  kafka: 'three brokers of Kafka, where Java and Maven are installed, three times over',
  processes: 'two dozen service processes, on stand-ins for the engines',
};
const isFull = process.env['TEST_DEPTH'] === 'full';

/** Starting an unknown bench prints the names of all. */
function names(): readonly string[] {
  const { stderr } = spawnSync(process.execPath, ['--no-warnings', main, 'none'], { encoding: 'utf8' });
  return /there are: (.*)\.\n$/.exec(stderr)?.[1]?.split(', ') ?? [];
}

const all = names();

/**
 * A bench whose requirements this machine does not meet (Chromium, kcat, the npm registry) reports that and succeeds.
 */
describe('the benches', () => {
  it('are listed', () => {
    expect(all).toEqual(expect.arrayContaining(['commands', ...Object.keys(leftToFull)]));
  });

  for (const name of all) {
    (Object.hasOwn(leftToFull, name) && !isFull ? it.skip : it)(
      `measure ${name}`,
      async () => {
        const child = spawn(process.execPath, ['--no-warnings', main, name], { env: environment });
        let said = '';
        child.stdout.on('data', (piece) => {
          said += piece;
        });
        child.stderr.on('data', (piece) => {
          said += piece;
        });
        const [code] = await once(child, 'close');
        expect({ code, said }).toEqual({ code: 0, said: expect.stringMatching(/\S/) });
      },
      300_000,
    );
  }
});

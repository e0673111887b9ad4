import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const main = join(import.meta.dirname, '../../bench/main.mjs');
const environment = { ...process.env, BENCH_SMOKE: '1' };

/** Left to TEST_DEPTH=full, because the least of it takes minutes: what it starts. */
const leftToFull: Readonly<Record<string, string>> = {
  kafka: 'three brokers of Kafka, where Java and Maven are installed, three times over',
  processes: 'two dozen service processes, on stand-ins for the engines',
};
const isFull = process.env['TEST_DEPTH'] === 'full';

/** An unknown name makes it list all. */
function names(): readonly string[] {
  const { stderr } = spawnSync(process.execPath, ['--no-warnings', main, 'none'], { encoding: 'utf8' });
  return /there are: (.*)\.\n$/.exec(stderr)?.[1]?.split(', ') ?? [];
}

const all = names();

/** A bench that lacks something of this machine (Chromium, kcat, npm's registry) says so and ends well. */
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

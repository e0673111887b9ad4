import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { whyNoKafka } from '../support/kafka/mock-cluster.js';

const main = join(import.meta.dirname, '../../bench/main.mjs');
const environment = { ...process.env, BENCH_SMOKE: '1' };
const chromium = process.env['CHROMIUM'] || '/usr/bin/chromium';

/** An unknown name makes it list all. */
function names(): readonly string[] {
  const { stderr } = spawnSync(process.execPath, ['--no-warnings', main, 'none'], { encoding: 'utf8' });
  return /there are: (.*)\.\n$/.exec(stderr)?.[1]?.split(', ') ?? [];
}

/** What this machine lacks for a bench. */
const lacking: Readonly<Record<string, boolean>> = {
  kafka: whyNoKafka() !== undefined,
  processes: whyNoKafka() !== undefined,
  'site-paint': !existsSync(chromium),
  // Needs npm's registry.
  'bundle-deps': true,
};

const all = names();

describe('the benches', () => {
  it('are listed', () => {
    expect(all).toEqual(expect.arrayContaining(Object.keys(lacking)));
  });

  for (const name of all) {
    (lacking[name] ? it.skip : it)(
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

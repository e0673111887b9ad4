import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { DryRun, DryRunEnded, PerDryRun } from '../../src/engine/dry-run/dry-run.js';
import { dryRunPort } from '../../src/engine/dry-run/dry-run-port.js';
import { dryRunPorts } from '../../src/engine/dry-run/port-behaviours.js';

const root = join(import.meta.dirname, '../..');
const ports = globSync('src/ports/**/*.port.ts', { cwd: root }).flatMap((file) =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/^export abstract class (\w+)/gm)].map(([, name]) => name),
);

/** app.module declares these two itself, because they need the recorded log and the read models. */
const elsewhere = ['EventStore', 'ReadStore'];

describe('a dry run', () => {
  it('declares the behaviour of every port', () => {
    expect([...dryRunPorts.map(({ port }) => port.name), ...elsewhere].sort()).toEqual(ports.sort());
  });

  it('calls nothing outside and reports what would have been called, even if the refusal is swallowed', async () => {
    const called: string[] = [];
    const port = dryRunPort(
      { send: async (to: string) => void called.push(to), ready: true },
      {
        send: { outside: (to) => `sends to ${to}` },
      },
    );
    const trial = new DryRun();
    const answer = await trial.run(async () => {
      await port.send('a').catch(() => undefined);
      await port.send('b').catch(() => undefined);
      return 'swallowed';
    });
    expect([answer, trial.endsAt, called, port.ready]).toEqual([undefined, 'sends to a', [], true]);
    await port.send('c');
    expect(called).toEqual(['c']);
  });

  it('refuses methods without a declared behaviour', async () => {
    const called: string[] = [];
    const thing = { known: async () => undefined, unknown: async () => void called.push('unknown') };
    const port = dryRunPort(thing, { known: { overlay: async () => undefined } } as never) as typeof thing;
    await expect(new DryRun().inside(() => port.unknown())).rejects.toThrow(DryRunEnded);
    expect(called).toEqual([]);
  });

  it('rejects when the work rejects', async () => {
    await expect(new DryRun().run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  });

  it('has its own copies of what a process holds in memory', async () => {
    const kept = new PerDryRun<string[]>(() => []);
    kept.now.push('real');
    const trial = new DryRun();
    trial.inside(() => kept.now.push('tried'));
    expect([kept.now, trial.inside(() => kept.now), new DryRun().inside(() => kept.now)]).toEqual([
      ['real'],
      ['tried'],
      [],
    ]);
  });
});

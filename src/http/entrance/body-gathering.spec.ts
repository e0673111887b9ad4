import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import type { Environment } from '../../config/environment.js';
import type { Metrics } from '../../engine/health/metrics.js';
import { Refusal } from '../../kernel/refusals/refusal.js';
import { BodyGathering } from './body-gathering.js';
import type { BodyShare } from './door.js';

const kb = 1024;
const metrics = { gauge: () => undefined } as unknown as Metrics;

function stage() {
  const gathering = new BodyGathering({ edge: { bodyBytes: 64 * kb } } as Environment, metrics);
  const begun: { readonly name: string; ended: string | undefined }[] = [];
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const send = async (of: BodyShare['of'], name: string, size: number) => {
    const one: (typeof begun)[number] = { name, ended: undefined };
    begun.push(one);
    const source = new PassThrough();
    gathering.gather(source, { share: { of, name }, limit: 1024 * kb, declared: size + 1 }).then(
      () => undefined,
      (error: unknown) => {
        one.ended = error instanceof Refusal ? error.code : String(error);
      },
    );
    source.write(Buffer.alloc(size));
    await settle();
    return one.ended === undefined;
  };
  const held = () => begun.filter(({ ended }) => ended === undefined).map(({ name }) => name);
  return { send, held };
}

describe('incoming bodies', () => {
  it('of visitors may use a quarter of the memory, from any number of addresses', async () => {
    const { send, held } = stage();
    for (let n = 0; n < 20; n++) await send('visitor', `site 192.0.2.${n}`, kb - 1);
    expect(held()).toHaveLength(16);
  });

  it('of all callers without a key leave a quarter to callers with one', async () => {
    const { send } = stage();
    for (let n = 0; n < 80; n++) await send(n % 2 ? 'visitor' : 'stranger', `${n}`, kb - 1);
    expect(await send('caller', 'workspace', 16 * kb - 1)).toBe(true);
  });

  it('of an address give up memory for those of another at the same site', async () => {
    const { send, held } = stage();
    for (let n = 0; n < 4; n++) await send('visitor', 'site 192.0.2.1', 4 * kb - 1);
    expect(await send('visitor', 'site 192.0.2.1', 100)).toBe(false);
    expect(await send('visitor', 'site 192.0.2.2', 100)).toBe(true);
    expect(held()).toHaveLength(4);
  });

  it('of a webhook give up memory for those of another', async () => {
    const { send } = stage();
    for (let n = 0; n < 6; n++) await send('stranger', 'webhook 1', 8 * kb - 1);
    expect(await send('stranger', 'webhook 2', 8 * kb - 1)).toBe(true);
  });

  it('of callers with a key may use all free memory, and the largest share gives up some', async () => {
    const { send } = stage();
    for (let n = 0; n < 8; n++) expect(await send('caller', 'greedy', 8 * kb - 1)).toBe(true);
    expect(await send('caller', 'greedy', kb)).toBe(false);
    expect(await send('visitor', 'site 192.0.2.1', kb)).toBe(true);
    expect(await send('caller', 'modest', kb)).toBe(true);
  });
});

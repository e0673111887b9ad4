import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { RecordedEvent } from '../../../kernel/event/event.js';
import type { ReadStreamOptions } from '../../../ports/event-store.port.js';
import { StreamTails } from './stream-tails.js';

class Streams {
  read = 0;
  private readonly events = new Map<string, RecordedEvent[]>();

  append(stream: string, count: number): void {
    const known = this.events.get(stream) ?? [];
    for (let left = count; left > 0; left -= 1) {
      const revision = known.length;
      known.push({ id: `${stream}-${revision}`, revision, position: revision * 7 } as RecordedEvent);
    }
    this.events.set(stream, known);
  }

  async stream(
    stream: string,
    { from = 0, direction = 'forward', limit = 1_000 }: ReadStreamOptions,
  ): Promise<readonly RecordedEvent[]> {
    const known = this.events.get(stream) ?? [];
    const found = direction === 'forward' ? known.slice(from, from + limit) : known.slice(-limit).reverse();
    this.read += found.length;
    return found;
  }

  last(stream: string): readonly string[] {
    return (this.events.get(stream) ?? []).slice(-256).map(({ id }) => id);
  }
}

describe('the tail of a stream', () => {
  const idsOf = async (tails: StreamTails, stream: string) => (await tails.tailOf(stream)).map(({ id }) => id);

  it('is read once, and then only what is new', async () => {
    const streams = new Streams();
    const tails = new StreamTails(streams);
    streams.append('a', 1_000);
    expect(await idsOf(tails, 'a')).toEqual(streams.last('a'));
    expect(streams.read).toBe(256);
    for (let n = 0; n < 10; n += 1) {
      streams.append('a', 2);
      expect(await idsOf(tails, 'a')).toEqual(streams.last('a'));
    }
    expect(streams.read).toBe(256 + 20);
  });

  it('is forgotten for streams that have not been used for long', async () => {
    const streams = new Streams();
    const tails = new StreamTails(streams);
    for (let n = 0; n <= 300; n += 1) {
      streams.append(`s${n}`, 10);
      await tails.tailOf(`s${n}`);
    }
    const before = streams.read;
    await tails.tailOf('s300');
    expect(streams.read).toBe(before);
    await tails.tailOf('s0');
    expect(streams.read).toBe(before + 10);
  });

  it('is correct however much others append and however many read it at the same time', async () => {
    const step = fc.record({
      stream: fc.constantFrom('a', 'b'),
      count: fc.nat(600),
      looks: fc.integer({ min: 1, max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const streams = new Streams();
        const tails = new StreamTails(streams);
        for (const { stream, count, looks } of steps) {
          streams.append(stream, count);
          const seen = await Promise.all(Array.from({ length: looks }, () => idsOf(tails, stream)));
          for (const ids of seen) expect(ids).toEqual(streams.last(stream));
        }
      }),
    );
  });
});

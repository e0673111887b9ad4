import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';
import { type OutsideApp, sharedStandingTime } from '../../support/shared-outside.js';
import { verifyExport } from '../../support/stores/second-audit-verifier.js';

let app: OutsideApp<MadeUpClock>;
let clock: MadeUpClock;
let began: number;
beforeEach(async () => {
  app = await sharedStandingTime();
  ({ clock } = app);
  began = clock.now();
});
afterEach(async () => {
  await app.close();
});

const time = (minutes: number, ms = 0) => new Date(began + minutes * 60_000 + ms).toISOString();
const asked = (query = '') =>
  app.send('GET', `/api/v1/audit/export${query}`, undefined, { authorization: `Bearer ${app.ownerKey}` });
const make = (name: string) => done(app, 'automations/createFunction', { name, code: 'return 1' });

interface Line {
  readonly number: number;
  readonly event: {
    readonly type: string;
    readonly data: { readonly name?: string };
    readonly metadata: { at: string };
  };
}

/** The events of an exported part that the second verifier accepts. */
async function part(query = ''): Promise<readonly Line[]> {
  const { status, body } = await asked(query);
  expect([query, status]).toEqual([query, 200]);
  expect(verifyExport(Buffer.from(String(body)))).toBe('');
  return String(body)
    .split('\n')
    .filter((line) => line.startsWith('{"event"'))
    .map((line) => JSON.parse(line));
}

const namesIn = (lines: readonly Line[]) => lines.flatMap(({ event }) => event.data.name ?? []);

describe('the times of an export', () => {
  it('are compared with each event: of two events at one moment, both or none are included', async () => {
    clock.advance(60_000);
    await make('one');
    await make('other');
    clock.advance(60_000);
    await make('later');
    expect(namesIn(await part(`?from=${time(1)}&to=${time(1, 1)}`))).toEqual(['one', 'other']);
    expect(namesIn(await part(`?from=${time(1, 1)}&to=${time(3)}`))).toEqual(['later']);
    expect(namesIn(await part(`?from=${time(0)}&to=${time(1)}`))).not.toContain('one');
    expect(await part(`?from=${time(1)}&to=${time(1)}`)).toEqual([]);
  });

  it('before the beginning and in the future select nothing or everything; reversed ones are refused', async () => {
    await make('one');
    clock.advance(60_000);
    expect(await part('?to=1999-12-31')).toEqual([]);
    expect(await part('?from=2999-01-01')).toEqual([]);
    expect(namesIn(await part('?from=1999-12-31&to=2999-01-01'))).toContain('one');
    const turned = await asked(`?from=${time(2)}&to=${time(1)}`);
    expect([turned.status, turned.body.detail]).toEqual([400, expect.stringContaining('must not be before from')]);
  });

  it('select a stretch of the chain, even if the clock was set back within it and between seals', async () => {
    clock.advance(60_000 * 60);
    await make('at 60');
    await part();
    clock.advance(60_000 * 30);
    await make('at 90');
    // The clock is set back before this event is sealed, so its seal is signed at minute 21.
    clock.set(began + 20 * 60_000);
    clock.advance(60_000);
    await make('at 21, later');
    await part();
    clock.advance(60_000);
    await make('at 22, later');
    const from = (minutes: number) => part(`?from=${time(minutes)}`);
    expect(namesIn(await from(80))).toEqual(['at 90', 'at 21, later', 'at 22, later']);
    expect(namesIn(await from(60))).toEqual(['at 60', 'at 90', 'at 21, later', 'at 22, later']);
    expect(namesIn(await from(91))).toEqual([]);
    expect(namesIn(await part(`?from=${time(60)}&to=${time(80)}`))).toEqual(['at 60']);
    expect(namesIn(await part(`?from=${time(60)}&to=${time(100)}`))).toEqual([
      'at 60',
      'at 90',
      'at 21, later',
      'at 22, later',
    ]);
  });
});

describe('an export while others write as fast as they can', () => {
  it('is valid each time, continues the chains before it, and contains everything acknowledged before it', async () => {
    let isWriting = true;
    let answered = 0;
    const write = async (writer: number) => {
      for (let n = 0; isWriting; n++) {
        await make(`${writer}/${n}`);
        answered += 1;
      }
    };
    const writers = Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(write));
    try {
      let before: readonly string[] = [];
      for (let round = 0; round < 5; round++) {
        const already = answered;
        // At most eight of these calls began before the previous export ended.
        const atLeast = await eventually(
          async () => answered,
          (now) => now > already + 8,
        );
        const { body } = await asked();
        expect(verifyExport(Buffer.from(String(body)))).toBe('');
        const lines = String(body).split('\n').slice(1, -2);
        expect(lines.filter((line) => line.includes('"FunctionCreated"')).length).toBeGreaterThanOrEqual(atLeast);
        expect(lines.slice(0, before.length)).toEqual(before);
        expect(lines.length).toBeGreaterThan(before.length);
        before = lines;
      }
    } finally {
      isWriting = false;
    }
    await writers;
  }, 60_000);
});

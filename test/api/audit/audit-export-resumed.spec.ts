import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { done } from '../../support/people.js';
import { type OutsideApp, sharedStandingTime } from '../../support/shared-outside.js';
import { cli, Folders } from '../../support/stores/log-transfer.js';
import { verifyExport } from '../../support/stores/second-audit-verifier.js';

const folders = new Folders();
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
  folders.remove();
});

const time = (minutes: number) => new Date(began + minutes * 60_000).toISOString();
const authorization = () => ({ authorization: `Bearer ${app.ownerKey}` });
const asked = (query = '') => app.send('GET', `/api/v1/audit/export${query}`, undefined, authorization());
const make = (name: string, code = `return "${name}"`) => done(app, 'automations/createFunction', { name, code });

async function exported(query = ''): Promise<string> {
  const { status, body } = await asked(query);
  expect([query, status]).toEqual([query, 200]);
  return String(body);
}

/** Expects both verifiers to accept the export. Returns the output of the command line's. */
async function whole(text: string): Promise<string> {
  expect(verifyExport(Buffer.from(text))).toBe('');
  const path = join(folders.make(), 'audit.ndjson');
  writeFileSync(path, text);
  const { code, out, error } = await cli({}, 'audit:verify', path);
  expect({ code, error }).toEqual({ code: 0, error: '' });
  return out[0] ?? '';
}

/** Follows the format's documentation for resuming after an incomplete file. */
function whatIsThere(broken: string): { readonly kept: string; readonly after: number } {
  const kept = broken.slice(0, broken.lastIndexOf('\n') + 1);
  const lines = kept
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  const last = lines.findLast(({ line }) => line === 'event');
  return { kept, after: last?.number ?? lines[0].start.count };
}

const numbersOf = (text: string): number[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{"event"'))
    .map((line) => JSON.parse(line).number);

describe('an export that is resumed', () => {
  it('continues at any point of interruption, and the pieces together are one valid file', async () => {
    for (let n = 0; n < 3; n++) await make(`f${n}`, `return "${`large ${n} ä`.repeat(400)}"`);
    const text = await exported();
    const marks = [...text.matchAll(/\n/g)].map(({ index }) => index + 1);
    const cuts = [...marks.slice(0, -1), ...marks.slice(1).map((mark, n) => Math.floor((mark + (marks[n] ?? 0)) / 2))];
    expect(cuts.length).toBeGreaterThan(15);
    for (const cut of cuts) {
      const { kept, after } = whatIsThere(text.slice(0, cut));
      const rest = await exported(`?after=${after}`);
      expect(rest.startsWith('{"line":"header"')).toBe(false);
      const said = await whole(kept + rest);
      expect(said).toContain(`events 1 to ${numbersOf(rest).at(-1)}, unchanged since they were signed`);
    }
  });

  it('continues after a day of many records and seals, from an interrupted connection', async () => {
    for (let n = 0; n < 30; n++) await make(`f${n}`, `return "${`large ${n}`.repeat(2_000)}"`);
    const request = httpGet(`${app.url}/api/v1/audit/export`, { headers: authorization(), agent: false });
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    const [piece] = (await once(answer, 'data')) as [Buffer];
    answer.destroy();
    const { kept, after } = whatIsThere(piece.toString('utf8'));
    expect(after).toBeGreaterThan(0);
    for (let hour = 0; hour < 24; hour++) {
      clock.advance(3_600_000);
      await make(`later ${hour}`);
    }
    const rest = await exported(`?after=${after}`);
    const joined = kept + rest;
    await whole(joined);
    const numbers = numbersOf(joined);
    expect(numbers).toEqual(numbers.map((_, at) => at + 1));
    expect(joined).toContain('"name":"later 23"');
  });

  it('is the rest of the same range, with the same from and to', async () => {
    for (let n = 0; n < 6; n++) {
      clock.advance(60_000);
      await make(`f${n}`);
      // Seals the event, because an export does that, so that each has a seal of its own.
      await exported();
    }
    clock.advance(60_000);
    const query = `?from=${time(2)}&to=${time(5)}`;
    const text = await exported(query);
    const numbers = numbersOf(text);
    expect(numbers.length).toBeGreaterThan(4);
    for (const after of [(numbers[0] ?? 0) - 1, ...numbers]) {
      const kept = text.slice(0, text.indexOf(`"number":${after + 1}}`));
      const lines = kept.slice(0, kept.lastIndexOf('\n') + 1);
      const upToEnd = after === numbers.at(-1) ? text.slice(0, text.indexOf('{"head":{')) : lines;
      const rest = await exported(`${query}&after=${after}`);
      expect(numbersOf(rest)).toEqual(numbers.filter((number) => number > after));
      await whole(upToEnd + rest);
    }
    // The continuation of an export with another range does not fit.
    const other = await exported(`?to=${time(5)}&after=${numbers[0]}`);
    const start = text.split('\n').slice(0, 2).join('\n');
    expect(verifyExport(Buffer.from(`${start}\n${other}`))).not.toBe('');
  });

  it('is refused beyond the end, before its beginning, and with an invalid number', async () => {
    await make('one');
    clock.advance(60_000);
    await make('two');
    const all = numbersOf(await exported()).length;
    expect((await asked(`?after=${all + 50}`)).body.detail).toContain('this export currently contains events 1 to');
    const first = numbersOf(await exported(`?from=${time(1)}`))[0] ?? 0;
    expect(first).toBeGreaterThan(1);
    expect((await asked(`?from=${time(1)}&after=${first - 2}`)).status).toBe(400);
    for (const after of ['', '-1', '1.5', 'x', '1e3', '9'.repeat(16), '1&after=2']) {
      expect([after, (await asked(`?after=${after}`)).status]).toEqual([after, 400]);
    }
    const { events } = await done(app, 'audit/listEvents', { kind: 'auditReading', limit: 200 });
    const asking = events.map((event: { data: { asked?: object } }) => event.data.asked);
    expect(asking).toContainEqual({ from: null, to: null, after: all + 50 });
  });
});

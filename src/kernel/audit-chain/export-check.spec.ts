import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { beginningOf, chainedText } from './chain.js';
import { checkExport, unfinishedLine } from './export-check.js';
import { ExportLines } from './export-lines.js';
import { signingKeyOf } from './signed-head.js';

const key = signingKeyOf(Buffer.alloc(32, 1));
const at = '2026-01-01T00:00:00.000Z';
const metadata = {
  workspaceId: 'ws_1',
  actor: { kind: 'person', id: 'member_1', name: 'Ada' },
  correlationId: 'c',
  causationId: null,
  commandId: 'c',
  operation: 'automations/updateFunction',
  at,
} as const;

function exported(count: number, signing = key): string[] {
  const lines = new ExportLines({ workspaceId: 'ws_1', from: null, to: null, start: beginningOf('ws_1') }, signing);
  const events = Array.from({ length: count }, (_, revision) => {
    const data = { name: `n${revision}` };
    return {
      stream: 'function-ws_1.fn_1',
      revision,
      id: `e-${revision}`,
      type: 'FunctionDetailsChanged',
      data,
      metadata,
    };
  });
  return [lines.first(), ...events.map((event) => lines.event(chainedText(event))), lines.last(['function'], at)];
}

async function problem(lines: readonly string[]): Promise<string | undefined> {
  async function* each() {
    yield lines;
  }
  return (await checkExport(each())).problem;
}

const whole = exported(6);
const line = (number: number) => whole[number - 1] ?? '';

describe('an exported audit', () => {
  test('is valid as it was written, also without an event', async () => {
    expect(await problem(whole)).toBeUndefined();
    expect(await problem(exported(0))).toBeUndefined();
  });

  test.each([
    ['changed', whole.with(3, line(4).replace('n2', 'x')), 'Line 4 (event 3) was changed'],
    ['changed in its head', whole.with(3, line(4).replace(/"head":"./, '"head":"x')), 'Line 4 (event 3) was changed'],
    ['not JSON any more', whole.with(3, 'x'), 'Line 4 (event 3) was changed'],
    ['given one more member', whole.with(3, line(4).replace('{', '{"a":1,')), 'Line 4 (event 3) was changed'],
    ['dropped', whole.toSpliced(3, 1), 'Event 3 was dropped before line 4'],
    ['dropped with the next', whole.toSpliced(3, 2), 'Events 3 to 4 were dropped before line 4'],
    ['inserted', whole.toSpliced(3, 0, line(4).replace('n2', 'x')), 'Line 4 was inserted: event 3 follows in line 5'],
    ['said twice', whole.toSpliced(4, 0, line(4)), 'Line 5 was inserted: event 4 follows in line 6'],
    ['said again at the end', whole.toSpliced(7, 0, line(4)), 'Line 8 was inserted: its number is that of event 3'],
    [
      'reordered',
      whole.toSpliced(3, 2, line(5), line(4)),
      'Line 4 is out of order: events were reordered, and event 3',
    ],
    ['cut off', whole.slice(0, 4), 'The file is truncated: it ends after line 4 (event 3)'],
    ['cut off before the end', whole.toSpliced(5, 2), 'The file is truncated: line 6, the signed head, has 6 events'],
    ['cut off in a line', [...whole.slice(0, 4), unfinishedLine], 'it ends in the middle of line 5, after event 3'],
    ['cut off in its end', [...whole.slice(0, 7), unfinishedLine], 'it ends in the middle of line 8, after event 6'],
    ['followed by a piece of a line', [...whole, unfinishedLine], 'Line 9 was inserted after the end'],
    ['followed by more', [...whole, line(4)], 'Line 9 was inserted after the end'],
    ['changed in its header', whole.with(0, line(1).replace('"to":null', `"to":"${at}"`)), 'Line 1 was changed'],
    ['changed in its end', whole.with(7, line(8).replace('"count":6', '"count":5')), 'The signature in line 8'],
    ['without a header', whole.slice(1), 'Line 1 is not the header'],
    ['empty', [], 'Line 1 is not the header'],
  ])('that was %s is rejected', async (_, lines, said) => {
    expect(await problem(lines)).toContain(said);
  });

  test('that was rewritten with another key, or with lines of another, is rejected', async () => {
    const forged = exported(6, signingKeyOf(Buffer.alloc(32, 2)));
    expect(await problem(forged.with(-1, whole.at(-1) ?? ''))).toContain('The signature in line 8');
    expect(await problem([line(1), ...exported(5).slice(1, -1), line(8)])).toContain('The file is truncated');
    const other = new ExportLines({ workspaceId: 'ws_1', from: null, to: null, start: beginningOf('ws_1') }, key);
    other.first();
    const event = { stream: 's-ws_1.1', revision: 0, id: 'e', type: 'T', data: {}, metadata };
    expect(await problem([line(1), other.event(chainedText(event)), exported(1).at(-1) ?? ''])).toContain(
      'were rewritten',
    );
  });

  test('whose signature ends in another letter for the same bytes is rejected', async () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const signature = /"signature":"([^"]+)"/.exec(line(8))?.[1] ?? '';
    const same = alphabet[alphabet.indexOf(signature.at(-1) ?? '') + 1] ?? '';
    const other = signature.slice(0, -1) + same;
    expect(Buffer.from(other, 'base64url')).toEqual(Buffer.from(signature, 'base64url'));
    expect(await problem(whole.with(7, line(8).replace(signature, other)))).toContain('The signature in line 8');
  });

  test('property: is invalid after a change of any letter', async () => {
    const text = whole.join('\n');
    await fc.assert(
      fc.asyncProperty(fc.nat(text.length - 1), fc.string({ minLength: 1, maxLength: 1 }), async (place, letter) => {
        fc.pre(text[place] !== letter);
        const changed = text.slice(0, place) + letter + text.slice(place + 1);
        expect(await problem(changed.split('\n'))).toBeDefined();
      }),
    );
  });
});

import { describe, expect, test } from '@jest/globals';
import { changedAlike, lostSecrets } from './secret-list.js';

const entry = (name: string, ...hosts: string[]) => ({ name, hosts });
const keyFormat = { encoding: 'hex' } as const;

describe('a list that is changed like another one', () => {
  test.each([
    ['gets what is new', [entry('B')], [], [entry('A', 'a.example')], [entry('B'), entry('A', 'a.example')]],
    ['loses what went', [entry('A', 'a.example'), entry('B')], [entry('A', 'a.example')], [], [entry('B')]],
    [
      'moves a host, and keeps one that somebody else added',
      [entry('A', 'other.example', 'old.example')],
      [entry('A', 'old.example')],
      [entry('A', 'new.example')],
      [entry('A', 'new.example', 'other.example')],
    ],
    [
      'brings back nothing that was removed since',
      [],
      [entry('B', 'b.example')],
      [entry('B', 'b.example'), entry('A')],
      [entry('A')],
    ],
    [
      'adds a host, and nothing that the secret lost since',
      [],
      [entry('A', 'a.example')],
      [entry('A', 'a.example', 'b.example')],
      [entry('A', 'b.example')],
    ],
    ['gets a key format', [entry('A')], [entry('A')], [{ ...entry('A'), keyFormat }], [{ ...entry('A'), keyFormat }]],
    [
      'keeps a key format that was given since',
      [{ ...entry('A'), keyFormat }],
      [entry('A')],
      [entry('A', 'a.example')],
      [{ ...entry('A', 'a.example'), keyFormat }],
    ],
    [
      'has to have its hosts opened anew',
      [{ ...entry('B', 'b.example'), opened: true as const }],
      [],
      [{ ...entry('A', 'a.example'), opened: true as const }],
      [entry('B', 'b.example'), entry('A', 'a.example')],
    ],
  ])('a list that follows the change of another %s', (_, held, from, to, made) => {
    expect(changedAlike(held, from, to)).toEqual(made);
  });
});

test('what a list has lost: whole entries, and hosts of remaining ones', () => {
  const held = [entry('A', 'a.example', 'b.example'), entry('B'), entry('C', 'c.example')];
  expect(lostSecrets(held, [entry('A', 'a.example'), entry('C', 'c.example')])).toEqual([
    entry('A', 'b.example'),
    entry('B'),
  ]);
});

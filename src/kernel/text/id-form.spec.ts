import { expect, test } from '@jest/globals';
import { derivedId } from '../event/derived-id.js';
import { isIdForm } from './id-form.js';

test.each([
  derivedId('fn', 'a'),
  derivedId('agentrun', 'b'),
  ` ${derivedId('flow', 'c')}`,
  derivedId('fn', 'd').toUpperCase(),
])('%s has the form of an id', (text) => {
  expect(isIdForm(text)).toBe(true);
});

test.each(['fn_orders', 'Charge customer', 'fn_', `${derivedId('fn', 'a')}x`, `a ${derivedId('fn', 'a')}`])(
  '%s does not have the form of an id',
  (text) => {
    expect(isIdForm(text)).toBe(false);
  },
);

import { expect, test } from '@jest/globals';
import { Field } from '../../kernel/field/field.js';
import { withoutPasswords } from './without-passwords.js';

const hidden = '(hidden: it is as secret as a password)';

class Inner {
  @Field({ type: 'string', password: true }) token!: string;
  @Field({ type: 'string' }) name!: string;
}

class Outer {
  @Field({ type: 'object', shape: () => Inner }) one!: Inner;
  @Field({ type: 'array', items: () => Inner }) many!: readonly Inner[];
  @Field({ type: 'string', nullable: true, password: true }) none!: string | null;
  @Field({ type: 'any' }) any!: unknown;
}

const inner = { token: 't', name: 'n' };
const shown = { token: hidden, name: 'n' };
const outer = { one: inner, many: [inner, inner], none: null, any: { token: 'kept' }, other: 1 };
const outerShown = { one: shown, many: [shown, shown], none: null, any: { token: 'kept' }, other: 1 };

test('every password field is hidden, at any depth, and nothing else', () => {
  expect(withoutPasswords({ record: Outer }, outer)).toEqual(outerShown);
  expect(withoutPasswords({ list: Outer }, [outer, outer])).toEqual([outerShown, outerShown]);
  expect(withoutPasswords({ fields: { all: { type: 'array', items: () => Outer } } }, { all: [outer] })).toEqual({
    all: [outerShown],
  });
});

test('an answer of another form is not changed', () => {
  expect(withoutPasswords({ record: Outer }, null)).toBeNull();
  expect(withoutPasswords({ list: Outer }, 'x')).toBe('x');
  expect(withoutPasswords({ record: Outer }, { one: 'x', many: {} })).toEqual({ one: 'x', many: {} });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import '../../../src/app.module.js';
import { projections } from '../../../projections/projections.js';
import { recordCategories, recordKind } from '../../../src/kernel/record/record.js';
import { Sagas } from '../../../src/sagas/sagas.js';
import type { TestApp } from '../../support/app.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await sharedApp();
}, 60_000);
afterAll(() => app?.close());

/** Readers that handle the creation of a record but not its return by undo, and why. */
const told = 'Built-in account events tell of what is made, which this was before.';
const notAgain: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['Agent', 'Flow', 'Function', 'Mailhook'].map((kind) => [`account-events-fire-triggers: ${kind}Restored`, told]),
  ),
  'toolNames: FunctionRestored':
    "The name of a function's tool outlasts the function, and is there when it comes back.",
};

interface Reader {
  readonly name: string;
  readonly types: readonly string[];
}
const readModels: readonly Reader[] = projections.flatMap(({ name, reads }) =>
  'types' in reads ? [{ name, types: reads.types }] : [],
);
const sagas = (): readonly Reader[] =>
  app.app.get(Sagas, { strict: false }).all.map(({ name, reads }) => ({ name, types: reads }));

const returning = recordCategories().flatMap((category) => {
  const { undoing = '', firstTypes = [] } = recordKind(category) ?? {};
  const back = typeof undoing === 'string' ? undefined : undoing.returns?.type;
  return back === undefined ? [] : [{ category, back, first: firstTypes.filter((type) => type !== back) }];
});

describe('readers of the creation of a record', () => {
  it.each(returning)('also read its restoration: $category', ({ back, first }) => {
    const forgetful = [...sagas(), ...readModels]
      .filter(({ types }) => first.some((type) => types.includes(type)) && !types.includes(back))
      .map(({ name }) => `${name}: ${back}`);
    expect(forgetful.filter((one) => notAgain[one] === undefined)).toEqual([]);
  });

  it('have no exceptions that do not exist', () => {
    const all = [...sagas(), ...readModels].flatMap(({ name }) => returning.map(({ back }) => `${name}: ${back}`));
    expect(all).toEqual(expect.arrayContaining(Object.keys(notAgain)));
  });
});

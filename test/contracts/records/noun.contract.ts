import { beforeAll, describe, expect, it } from '@jest/globals';
import type { DomainEvent } from '../../../src/kernel/event/event.js';
import type { FieldSpec } from '../../../src/kernel/field/field.js';
import type { AnyNoun } from '../../../src/kernel/noun/noun.js';
import { type AnyField, is } from '../../../src/kernel/noun/noun-field.js';
import { recordHistory } from '../../histories/record-history.js';
import type { TestApp } from '../../support/app.js';
import { done } from '../../support/people.js';

type Shown = Readonly<Record<string, unknown>>;
type Values = Readonly<Record<string, unknown>>;

/** How to create, change and show a noun. Operations are named `area/operation`. */
export interface NounRow {
  readonly create: string;
  /** If omitted, no update changes its fields. */
  readonly update?: string;
  /** Input with as few fields as possible. Each call creates a different record. */
  smallest(): Values;
  /** The members that name the record to `update`. If omitted, its id. */
  naming?(made: Shown, sent: Values): Values;
  /** Returns the record as it is shown now. */
  shown(app: TestApp, made: Shown, sent: Values): Promise<Shown | undefined>;
  /**
   * Two values of a field, for its creation and for a change, and other members to send with them. If omitted, they are
   * derived from the field's specification.
   */
  readonly values?: Readonly<Record<string, { readonly of: readonly [unknown, unknown]; readonly beside?: Values }>>;
  /**
   * Operations that record the noun's own events, in the order of a record's life, with what they are sent beside its
   * name. Its history is recorded by them.
   */
  readonly own?: readonly (readonly [operation: string, values?: Values])[];
  /** The noun's own events that no operation records, but a job or a due time: added at the end of the record's life. */
  readonly later?: readonly DomainEvent[];
  /**
   * Fields whose stored value is decided by the service, and why. Other specs test them. One that callers do not send
   * may change while the row is checked.
   */
  readonly decided?: Readonly<Record<string, string>>;
}

/** Checks over HTTP that every declared field is shown, changed, defaulted and bounded. */
export function nounContract(app: () => TestApp, noun: AnyNoun, row: NounRow): void {
  const fields = Object.entries(noun.fields);
  const named = (marked: (field: AnyField, name: string) => boolean) =>
    fields.filter(([name, field]) => row.decided?.[name] === undefined && marked(field, name));
  const sendable = named((field) => !is(field, 'unsent') && !is(field, 'key') && !is(field, 'owner'));
  /** Without what may change meanwhile. */
  const settled = (shown: Shown = {}) =>
    Object.fromEntries(
      Object.entries(shown).filter(([name]) => {
        const field = noun.fields[name];
        const isDecided = field !== undefined && is(field, 'unsent') && row.decided?.[name] !== undefined;
        return name !== 'updatedAt' && !isDecided;
      }),
    );
  const isAnswered = (field: AnyField) => !is(field, 'internal');
  const valuesOf = (name: string, { sent }: AnyField) => {
    const { of: [one, other] = samplesOf(sent), beside = {} } = row.values?.[name] ?? {};
    return { one, other, beside };
  };
  const kept = (name: string, value: unknown) => (noun.normalise({ [name]: value }) as Values)[name];
  const make = async (more: Values) => {
    const sent = { ...row.smallest(), ...more };
    const made: Shown = await done(app(), row.create, sent);
    const name = row.naming?.(made, sent) ?? { id: made['id'] };
    return { made, name, shown: () => row.shown(app(), made, sent) };
  };

  describe(`a ${noun.category}, field by field`, () => {
    it.each(sendable.filter(([, field]) => isAnswered(field) && !is(field, 'set later')))(
      'shows the %s that it is created with',
      async (name, field) => {
        const { one, beside } = valuesOf(name, field);
        const { made, shown } = await make({ ...beside, [name]: one });
        expect([made[name], (await shown())?.[name]]).toEqual([kept(name, one), kept(name, one)]);
      },
    );

    const required = Object.keys(row.smallest());
    const defaulted = sendable.filter(
      ([name, field]) => is(field, 'defaulted') && isAnswered(field) && !required.includes(name),
    );
    if (defaulted.length > 0) {
      it.each(defaulted)('has its default if no %s is sent', async (name, field) => {
        const { shown } = await make({});
        expect((await shown())?.[name]).toEqual(field.made.initial);
      });
    }

    const changed = sendable.filter(
      ([, field]) => row.update !== undefined && !is(field, 'fixed') && isAnswered(field),
    );
    if (changed.length > 0) {
      it.each(changed)('changes its %s, and nothing else', async (name, field) => {
        const { other, beside } = valuesOf(name, field);
        const { name: naming, shown } = await make(beside);
        const before = await shown();
        const answer: Shown = await done(app(), row.update ?? '', { ...naming, [name]: other });
        expect(answer[name]).toEqual(kept(name, other));
        const wanted = { ...before, [name]: kept(name, other) };
        expect(settled(await shown())).toEqual(settled(wanted));
      });
    }

    const bounded = sendable.flatMap(([name, field]) =>
      beyond(field.sent).map((value) => [name, JSON.stringify(value).slice(0, 40), value] as const),
    );
    it.each(bounded)('refuses %s: %s, on creation and on change', async (name, _, value) => {
      const paths = async (operation: string, body: object) => {
        const { status, body: answer } = await app().call(operation, body);
        return [status, answer.errors?.map(({ path }: { readonly path: string }) => path)];
      };
      const wrong = [400, [expect.stringMatching(new RegExp(`^${name}\\b`))]];
      expect(await paths(row.create, { ...row.smallest(), [name]: value })).toEqual(wrong);
      const isChanged = changed.some(([one]) => one === name);
      if (isChanged) expect(await paths(row.update ?? '', { ...first.name, [name]: value })).toEqual(wrong);
    });

    it('shows none of its internal fields', async () => {
      const inner = fields.filter(([, field]) => is(field, 'internal') && !is(field, 'owner') && !is(field, 'key'));
      const { made, shown } = await make({});
      for (const [name] of inner)
        expect([Object.hasOwn(made, name), Object.hasOwn((await shown()) ?? {}, name)]).toEqual([false, false]);
      expect(Object.hasOwn(made, 'workspaceId')).toBe(false);
    });

    if (process.env['RECORD_HISTORY'] === '1') {
      it('has a history with every type of event', async () => {
        const update = changed.slice(0, 1).map(([name, field]) => {
          const { other, beside } = valuesOf(name, field);
          return [row.update ?? '', { ...beside, [name]: other }] as const;
        });
        const own = (row.own ?? []).map(([operation, values = {}]) => [operation, values] as const);
        await recordHistory(app(), noun, {
          create: () => make({}),
          changes: [...update, ...own],
          later: row.later ?? [],
        });
      });
    }

    let first: Awaited<ReturnType<typeof make>>;
    beforeAll(async () => {
      first = await make({});
    });
  });
}

/** Two values that satisfy the specification. */
function samplesOf(spec: FieldSpec): readonly [unknown, unknown] {
  switch (spec.type) {
    case 'string': {
      if (spec.enum) return [spec.enum[0], spec.enum.at(-1)];
      if (spec.format) return ['2031-02-03T04:05:06+01:00', '2032-01-01'];
      return ['one', 'two'];
    }
    case 'integer':
    case 'number':
      return [spec.minimum ?? 1, (spec.minimum ?? 1) + 1];
    case 'boolean':
      return [false, true];
    case 'object':
      return [{}, {}];
    case 'array':
      return spec.enum ? [[spec.enum[0]], [...spec.enum]] : [['one'], ['one', 'two']];
    case 'any':
      return ['One', 'Two'];
  }
}

/** Values of other types and values just beyond each bound. */
function beyond(spec: FieldSpec): readonly unknown[] {
  const text = 'x';
  switch (spec.type) {
    case 'string': {
      if (spec.enum) return [5, 'no such word'];
      if (spec.format) return [5, 'tomorrow'];
      const { maxLength, minLength } = spec;
      const long = maxLength === undefined || maxLength > 100_000 ? [] : [text.repeat(maxLength + 1)];
      return [5, ...long, ...(minLength ? [''] : []), ...(spec.pattern ? ['\n'] : [])];
    }
    case 'integer': {
      const { minimum, maximum } = spec;
      const above = maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER ? [] : [maximum + 1];
      return ['5', 1.5, ...(minimum === undefined ? [] : [minimum - 1]), ...above];
    }
    case 'number':
      return [
        '5',
        ...(spec.minimum === undefined ? [] : [spec.minimum - 1]),
        ...(spec.maximum === undefined ? [] : [spec.maximum + 1]),
      ];
    case 'boolean':
      return ['true', 1];
    case 'object':
      return ['{}', []];
    case 'array': {
      const { maxItems } = spec;
      const item = spec.items === 'string' ? (spec.enum?.[0] ?? text) : {};
      const long = maxItems === undefined || maxItems > 1_000 ? [] : [Array.from({ length: maxItems + 1 }, () => item)];
      return ['one', ...(spec.items === 'string' ? [[5]] : []), ...(spec.enum ? [['no such word']] : []), ...long];
    }
    case 'any':
      return spec.wrong === undefined && spec.schema === undefined ? [] : [5];
  }
}

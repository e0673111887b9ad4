import type { FieldSpec, ValueOfSpec } from '../field/field.js';
import { idField, nameField } from '../field/plain-text.js';
import { timeOf } from '../field/sent-time.js';
import { currencyOf, mostMinorUnits, wrongCurrency } from '../money/currency.js';
import type { Text } from '../text/text.js';
import { NounField } from './noun-field.js';

export const field = <const Spec extends FieldSpec>(spec: Spec): NounField<ValueOfSpec<Spec>, never> =>
  new NounField(spec);

/** Creates a field whose specification does not imply the type of its value. */
export const fieldOf =
  <Value>() =>
  (spec: FieldSpec): NounField<Value, never> =>
    new NounField(spec);

type Bounds = Pick<Extract<FieldSpec, { type: 'string' }>, 'minLength' | 'maxLength' | 'pattern'>;

export const text = (bounds: Bounds = {}): NounField<string, never> => field({ type: 'string', ...bounds });

/** A large text is recorded by its digest. The limit is in UTF-8 bytes. */
export const largeText = (mostBytes: number): NounField<Text, never> =>
  fieldOf<Text>()({
    type: 'any',
    schema: { type: 'string' },
    must: 'a string',
    wrong: (value) =>
      typeof value === 'string' && Buffer.byteLength(value) > mostBytes
        ? `must be at most ${mostBytes} bytes`
        : undefined,
  })
    .text()
    .describe({ sent: `At most ${mostBytes} bytes. Stored byte for byte.` });

export const id = (): NounField<string, never> => field(idField);

export const name = (): NounField<string, never> => field(nameField).shownAs({ type: 'string' });

export const integer = (minimum?: number, maximum?: number): NounField<number, never> =>
  field({
    type: 'integer',
    ...(minimum === undefined ? {} : { minimum }),
    ...(maximum === undefined ? {} : { maximum }),
  });

export const boolean = (): NounField<boolean, never> => field({ type: 'boolean' });

/** Accepts ISO 8601 with any offset, and records UTC with milliseconds. */
export const dateTime = (): NounField<string, never> =>
  field({ type: 'string', format: 'date-time' }).storedAs((sent, path) => timeOf(path, sent));

export const oneOf = <const One extends string>(...words: readonly One[]): NounField<One, never> =>
  new NounField({ type: 'string', enum: words });

export const texts = (maxItems?: number): NounField<readonly string[], never> =>
  new NounField({ type: 'array', items: 'string', ...(maxItems === undefined ? {} : { maxItems }) });

/** Accepts an ISO 4217 code in any case, and records lower case. */
export const currencyCode = (): NounField<string, never> =>
  fieldOf<string>()({ type: 'any', schema: { type: 'string', pattern: '^[A-Za-z]{3}$' }, wrong: wrongCurrency })
    .storedAs((sent) => currencyOf(sent) ?? sent)
    .shownAs({ type: 'string' });

export const minorUnits = (minimum: 0 | 1): NounField<number, never> => integer(minimum, mostMinorUnits);

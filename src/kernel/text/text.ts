import { createHash } from 'node:crypto';
import { wtf8 } from './wtf8.js';

/**
 * A reference to a large text in events and documents. The text itself is stored once, in `ports/texts`, by its digest.
 */
export interface TextRef {
  /** SHA-256 (hex) of the text in UTF-8. A lone surrogate is encoded as its three bytes in WTF-8. */
  readonly digest: string;
  /** In UTF-16 code units. */
  readonly length: number;
  readonly bytes: number;
  readonly lines: number;
}

/** A text that is short, not yet recorded or in an old event is a string; any other is a reference. */
export type Text = string | TextRef;

export type ReadText = (text: Text) => string;

/** Paths of texts in a value: member names from the outside in, joined by dots. `*` matches every item of a list. */
export type TextPlaces = readonly string[];

/**
 * Minimum length, in code units, of a text that is stored separately. For shorter texts, a separate read would cost
 * more than the storage saves. Must not be less than the longest text that the audit's lists show in full.
 */
export const shortestReferred = 2_048;

const members = ['digest', 'length', 'bytes', 'lines'];
const digestForm = /^[0-9a-f]{64}$/;

export function referTo(text: string): TextRef {
  const bytes = wtf8(text);
  const digest = createHash('sha256').update(bytes).digest('hex');
  return { digest, length: text.length, bytes: bytes.length, lines: lineCountOf(text) };
}

/** Callers' JSON may have the same form, so use this only at paths of texts. */
export function isTextRef(value: unknown): value is TextRef {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== members.length) return false;
  const { digest, ...counts } = value as Readonly<Record<string, unknown>>;
  if (typeof digest !== 'string' || !digestForm.test(digest)) return false;
  return members.every((name) => name === 'digest' || Number.isSafeInteger(counts[name]));
}

export function sameText(one: Text, other: Text): boolean {
  if (typeof one === 'string' && typeof other === 'string') return one === other;
  if (lengthOf(one) !== lengthOf(other)) return false;
  return digestOf(one) === digestOf(other);
}

export function lineCountOf(text: Text): number {
  if (typeof text !== 'string') return text.lines;
  if (text === '') return 0;
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

const lengthOf = (text: Text) => text.length;
const digestOf = (text: Text) => (typeof text === 'string' ? referTo(text).digest : text.digest);

export function textsAt(paths: TextPlaces, value: unknown): readonly Text[] {
  const found: Text[] = [];
  mapTexts(paths, value, (text) => {
    found.push(text);
    return text;
  });
  return found;
}

/** Returns the same object if no text changes. */
export function mapTexts<Value>(paths: TextPlaces, value: Value, replace: (text: Text) => Text): Value {
  return paths.reduce<unknown>((soFar, path) => mapped(path.split('.'), soFar, replace), value) as Value;
}

function mapped(names: readonly string[], value: unknown, replace: (text: Text) => Text): unknown {
  const [name, ...rest] = names;
  if (name === undefined) return typeof value === 'string' || isTextRef(value) ? replace(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (name === '*') {
    if (!Array.isArray(value)) return value;
    const items = value.map((item: unknown) => mapped(rest, item, replace));
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  if (!Object.hasOwn(value, name)) return value;
  const before: unknown = value[name as keyof typeof value];
  const after = mapped(rest, before, replace);
  return after === before ? value : { ...value, [name]: after };
}

type TextField<Of> = { [Name in keyof Of & string]: TextRef extends Of[Name] ? Name : never }[keyof Of & string];

type Inner<Of> = string extends keyof Of ? string : TextField<Of>;

export type TextPlace<Doc> =
  | TextField<Doc>
  | {
      [Name in keyof Doc & string]: NonNullable<Doc[Name]> extends readonly (infer Item)[]
        ? `${Name}.*.${Inner<Item>}`
        : NonNullable<Doc[Name]> extends object
          ? `${Name}.${Inner<NonNullable<Doc[Name]>>}`
          : never;
    }[keyof Doc & string];

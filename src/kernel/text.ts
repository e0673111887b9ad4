import { createHash } from 'node:crypto';
import { wtf8 } from './wtf8.js';

/** A large text as events and documents hold it. The text itself is kept once, in `ports/texts`, under its digest. */
export interface TextRef {
  /** SHA-256 (hex) of the text in UTF-8; a lone surrogate counts as its three bytes in WTF-8. */
  readonly digest: string;
  /** In UTF-16 code units, as JavaScript counts. */
  readonly length: number;
  readonly bytes: number;
  /** Lines as an editor counts them: line feeds and one. */
  readonly lines: number;
}

/** A short text, a new text, or a text of an old event stands there itself; other large texts are references. */
export type Text = string | TextRef;

/** Gives the text of a reference that was read before. A string is its own text. */
export type ReadText = (text: Text) => string;

/** Where a value holds texts: names from the outside in, joined by dots. `*` stands for every item of a list. */
export type TextPlaces = readonly string[];

/** A text of fewer code units stays where it is: its reference would take about as much room. */
export const shortestReferred = 1_024;

const digestForm = /^[0-9a-f]{64}$/;

export function referTo(text: string): TextRef {
  const bytes = wtf8(text);
  const digest = createHash('sha256').update(bytes).digest('hex');
  return { digest, length: text.length, bytes: bytes.length, lines: linesOf(text) };
}

export function isTextRef(value: unknown): value is TextRef {
  return typeof value === 'object' && value !== null && 'digest' in value && digestForm.test(String(value.digest));
}

/** Whether both are the same text, code unit by code unit. */
export function sameText(one: Text, other: Text): boolean {
  if (typeof one === 'string' && typeof other === 'string') return one === other;
  if (lengthOf(one) !== lengthOf(other)) return false;
  return digestOf(one) === digestOf(other);
}

/** An empty text has no lines. */
export function linesOf(text: Text): number {
  if (typeof text !== 'string') return text.lines;
  if (text === '') return 0;
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

const lengthOf = (text: Text) => text.length;
const digestOf = (text: Text) => (typeof text === 'string' ? referTo(text).digest : text.digest);

/** The texts at these places, in the order of the places. */
export function textsAt(places: TextPlaces, value: unknown): readonly Text[] {
  const found: Text[] = [];
  mapTexts(places, value, (text) => {
    found.push(text);
    return text;
  });
  return found;
}

/** The value with each text at these places replaced; the same value when none is. */
export function mapTexts<Value>(places: TextPlaces, value: Value, replace: (text: Text) => Text): Value {
  return places.reduce<unknown>((soFar, place) => mapped(place.split('.'), soFar, replace), value) as Value;
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

import type { Json } from '../kernel/json.js';
import type { HiddenTexts, RedactorTables, TextKind } from '../ports/large-texts.port.js';
import { findInBase64 } from './base64-reading.js';
import { findInHex } from './hex-reading.js';
import { collectTexts, withTexts } from './json-texts.js';
import { readingsOf } from './readings.js';
import { byteView, plainView, startOf, type TextView } from './text-view.js';
import { ValueFinder } from './value-finder.js';
import { writingsOf } from './value-writings.js';

export interface Redacted<T> {
  /** The very value that was given, if nothing in it was hidden. */
  readonly value: T;
  readonly hid: boolean;
  /** All of it was hidden, because what was found is a value that can be guessed. */
  readonly guessable?: true;
}

type Range = readonly [start: number, end: number];
type ViewOf = (text: string) => TextView;
const views: Readonly<Record<TextKind, ViewOf>> = { text: plainView, bytes: byteView };

export const MASK = '***';
/** Hiding may bring together what makes up a value anew. What is not done by then is hidden whole. */
const PASSES = 4;
/** Stands between texts that are searched as one: no escape, no base64 and no UTF-16 of ASCII has it. */
const BETWEEN = '\u0001';

/**
 * Hides values in all that leaves a run to be read: its log lines, its error line, its result and what it answers. A
 * value of four characters or more is hidden as it stands, in base64, in hexadecimal digits, in UTF-16, URL-encoded, with
 * JSON's escapes and with HTML's, anywhere in a longer text. Time grows with the text alone. Not hidden: a part of a value,
 * and one that code wrote in another way.
 *
 * The place of what was hidden tells the value to whoever wrote many guesses there. Values that can be guessed are
 * therefore given apart: where one is found, all that is looked at is hidden.
 */
export class Redactor {
  private readonly finder: ValueFinder | undefined;
  private readonly guessed: ValueFinder | undefined;

  constructor(values: Iterable<string>, guessable: Iterable<string> = []) {
    this.finder = finderOf(values);
    this.guessed = finderOf(guessable);
  }

  static over({ values, guessable }: RedactorTables): Redactor {
    return Object.assign(new Redactor([]), {
      finder: values && new ValueFinder(values),
      guessed: guessable && new ValueFinder(guessable),
    });
  }

  get tables(): RedactorTables {
    return { values: this.finder?.tables, guessable: this.guessed?.tables };
  }

  /** There is nothing that it could hide. */
  get isIdle(): boolean {
    return this.finder === undefined && this.guessed === undefined;
  }

  text(text: string): Redacted<string> {
    const hidden = this.hide([text], 'text');
    return hidden ? { value: hidden.texts.join(''), ...verdictOf(hidden) } : { value: text, hid: false };
  }

  /**
   * Reads names of members as well, and numbers: one that shows a value becomes a text. Members whose names come to be
   * the same become one.
   */
  json(value: Json): Redacted<Json> {
    const texts: string[] = [];
    collectTexts(value, texts);
    return redactedJson(value, this.hide(texts, 'text'));
  }

  /** Bytes that need not be text. */
  bytes(bytes: Uint8Array): Redacted<Uint8Array> {
    const hidden = this.hide([Buffer.from(bytes).toString('latin1')], 'bytes');
    if (!hidden) return { value: bytes, hid: false };
    return { value: Buffer.from(hidden.texts.join(''), 'latin1'), ...verdictOf(hidden) };
  }

  /** Texts that belong together, each hidden by itself. Undefined: there was nothing to hide. */
  hide(texts: readonly string[], kind: TextKind): HiddenTexts | undefined {
    const view = views[kind];
    if (this.guessed && rangesIn(view(texts.join(BETWEEN)), this.guessed).length > 0)
      return { texts: texts.map(() => MASK), guessable: true };
    const redacted = this.finder && this.redact(texts, view);
    return redacted && { texts: redacted, guessable: false };
  }

  private redact(texts: readonly string[], view: ViewOf): readonly string[] | undefined {
    let redacted = this.pass(texts, view);
    for (let passes = 1; redacted; passes += 1) {
      const again = this.pass(redacted, view);
      if (!again) return redacted;
      if (passes === PASSES) return redacted.map((text) => (this.pass([text], view) ? MASK : text));
      redacted = again;
    }
    return undefined;
  }

  private pass(texts: readonly string[], view: ViewOf): readonly string[] | undefined {
    const joined = texts.join(BETWEEN);
    const ranges = this.finder ? rangesIn(view(joined), this.finder) : [];
    if (ranges.length === 0) return undefined;
    let [start, next] = [0, 0];
    return texts.map((text) => {
      const end = start + text.length;
      let [shown, upTo] = ['', start];
      for (let range = ranges[next]; range && range[0] < end; range = ranges[next]) {
        if (range[1] > upTo) shown += joined.slice(upTo, Math.max(upTo, range[0])) + MASK;
        upTo = Math.max(upTo, range[1]);
        if (range[1] > end) break;
        next += 1;
      }
      start = end + BETWEEN.length;
      return shown + joined.slice(upTo, end);
    });
  }
}

/** The value with what was hidden in its texts, in the order of `collectTexts`. */
export function redactedJson(value: Json, hidden: HiddenTexts | undefined): Redacted<Json> {
  if (!hidden) return { value, hid: false };
  if (hidden.guessable) return { value: MASK, hid: true, guessable: true };
  return { value: withTexts(value, hidden.texts.values()), hid: true };
}

function verdictOf({ guessable }: HiddenTexts): Pick<Redacted<never>, 'hid' | 'guessable'> {
  return guessable ? { hid: true, guessable } : { hid: true };
}

function finderOf(values: Iterable<string>): ValueFinder | undefined {
  const writings = [...values].flatMap(writingsOf);
  return writings.length > 0 ? ValueFinder.of(writings) : undefined;
}

/** In order, and no two that touch. */
function rangesIn(text: TextView, finder: ValueFinder): readonly Range[] {
  const found: Range[] = [];
  const hit = (start: number, end: number) => {
    found.push([start, end]);
  };
  for (const { view, coded } of readingsOf(text)) {
    findInBytes(view, finder, hit);
    if (!coded) continue;
    findInBase64(view, finder, hit);
    findInHex(view, finder, hit);
  }
  found.sort(([a], [b]) => a - b);
  const merged: Range[] = [];
  for (const [start, end] of found) {
    const last = merged.at(-1);
    if (last && start <= last[1]) merged[merged.length - 1] = [last[0], Math.max(last[1], end)];
    else merged.push([start, end]);
  }
  return merged;
}

function findInBytes(view: TextView, finder: ValueFinder, hit: (start: number, end: number) => void): void {
  const { bytes } = view;
  let node = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    node = finder.next(node, bytes[at] as number);
    const length = finder.lengthAt(node);
    if (length > 0) hit(startOf(view, at + 1 - length), startOf(view, at + 1));
  }
}

import type { Json } from '../../kernel/json/json.js';
import type { HiddenTexts, RedactorTables, TextKind } from '../../ports/offloaded/large-texts.port.js';
import { findInBase64 } from './base64-reading.js';
import { findInHex } from './hex-reading.js';
import { collectTexts, withTexts } from './json-texts.js';
import { byteFormsOf } from './secret-encodings.js';
import { decodedFormsOf } from './text-decodings.js';
import { byteView, plainView, startOf, type TextView } from './text-view.js';
import { ValueFinder } from './value-finder.js';

export interface Redacted<T> {
  readonly value: T;
  readonly hid: boolean;
  /** Set if the whole value was hidden because it contained a guessable secret (see `isGuessable`). */
  readonly guessable?: true;
}

type Range = readonly [start: number, end: number];
type ViewOf = (text: string) => TextView;
const views: Readonly<Record<TextKind, ViewOf>> = { text: plainView, bytes: byteView };

export const MASK = '***';
/**
 * Maximum number of passes. Hiding a value can join the text around it into another value, so one pass is not enough.
 * If a text still contains a value after these passes, all of it is hidden.
 */
const PASSES = 4;
/** Separates texts that are searched as one. It does not occur in escapes, base64 or UTF-16 of ASCII. */
const BETWEEN = '\u0001';

/**
 * Hides values in everything readable that leaves a run: log lines, error line, result and responses. A value of at
 * least four characters is hidden in plain form, in base64, in hexadecimal digits, in UTF-16, URL-encoded, with JSON
 * escapes and with HTML entities, anywhere in a longer text. The time depends only on the length of the text. Parts of
 * a value, and values that code encoded in other ways, are not hidden. If a guessable value is found, the whole input
 * is hidden. Otherwise code could write many guesses and see which of them is hidden.
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

  get isIdle(): boolean {
    return this.finder === undefined && this.guessed === undefined;
  }

  text(text: string): Redacted<string> {
    const hidden = this.hide([text], 'text');
    return hidden ? { value: hidden.texts.join(''), ...verdictOf(hidden) } : { value: text, hid: false };
  }

  /**
   * Also searches names of members, and numbers: a number that contains a value becomes a string. Members whose names
   * become equal are merged.
   */
  json(value: Json): Redacted<Json> {
    const texts: string[] = [];
    collectTexts(value, texts);
    return redactedJson(value, this.hide(texts, 'text'));
  }

  bytes(bytes: Uint8Array): Redacted<Uint8Array> {
    const hidden = this.hide([Buffer.from(bytes).toString('latin1')], 'bytes');
    if (!hidden) return { value: bytes, hid: false };
    return { value: Buffer.from(hidden.texts.join(''), 'latin1'), ...verdictOf(hidden) };
  }

  /** The texts are joined for a single search. Returns undefined if there was nothing to hide. */
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

/**
 * `hidden` must have its texts in the order of `collectTexts`. If a guessable value was found, the mask replaces the
 * whole value.
 */
export function redactedJson(value: Json, hidden: HiddenTexts | undefined): Redacted<Json> {
  if (!hidden) return { value, hid: false };
  if (hidden.guessable) return { value: MASK, hid: true, guessable: true };
  return { value: withTexts(value, hidden.texts.values()), hid: true };
}

function verdictOf({ guessable }: HiddenTexts): Pick<Redacted<never>, 'hid' | 'guessable'> {
  return guessable ? { hid: true, guessable } : { hid: true };
}

function finderOf(values: Iterable<string>): ValueFinder | undefined {
  const writings = [...values].flatMap(byteFormsOf);
  return writings.length > 0 ? ValueFinder.of(writings) : undefined;
}

function rangesIn(text: TextView, finder: ValueFinder): readonly Range[] {
  const found: Range[] = [];
  const hit = (start: number, end: number) => {
    found.push([start, end]);
  };
  for (const { view, coded } of decodedFormsOf(text)) {
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

import { canonicalJson } from '../json/canonical-json.js';
import { referTo } from '../text/text.js';
import { beginningOf, type ChainPlace, digestOfText, following } from './chain.js';
import {
  type ExportEnd,
  type ExportedEvent,
  type ExportedText,
  type ExportHeader,
  eventLine,
  exportFormat,
  formatWithoutTexts,
  headerDigest,
} from './export-lines.js';
import { isSigned, signedHeadOf } from './signed-head.js';

export type ExportVerdict =
  | { readonly problem: string }
  | { readonly problem: undefined; readonly header: ExportHeader; readonly end: ExportEnd['head'] };

type Visit = (place: ChainPlace, workspaceId: string) => void;

interface Wrong {
  readonly line: number;
  readonly given: number | undefined;
}

/** Represents a last line that was cut off. A real line never contains a line feed. */
export const unfinishedLine = '\n';

const mostExamined = 1_000;

/**
 * Reads an export up to the first line that is wrong, and explains what is wrong with it.
 * @param batches lines without their line feeds, several at a time; `unfinishedLine` for a line that has no line feed
 * @param visit called with every position of the chain, beginning with the header's start
 */
export async function checkExport(
  batches: AsyncIterable<readonly string[]>,
  visit: Visit = () => undefined,
): Promise<ExportVerdict> {
  const check = new ExportCheck(visit);
  for await (const lines of batches) {
    for (const line of lines) {
      const verdict = check.add(line);
      if (verdict !== undefined) return verdict;
    }
  }
  return check.finish();
}

class ExportCheck {
  private read = 0;
  private header: ExportHeader | undefined;
  private headerText = '';
  private place: ChainPlace = { count: 0, head: '' };
  private wrong: Wrong | undefined;
  private signed: ExportEnd['head'] | undefined;

  constructor(private readonly visit: Visit) {}

  add(text: string): ExportVerdict | undefined {
    this.read += 1;
    if (this.header === undefined) return this.begin(text);
    if (this.signed !== undefined) return { problem: `Line ${this.read} was inserted after the end` };
    if (text === unfinishedLine && this.wrong === undefined) {
      const { read, place } = this;
      return { problem: `The file is truncated: it ends in the middle of line ${read}, after event ${place.count}` };
    }
    const after = placeAfter(this.place, text);
    if (this.wrong !== undefined) return this.explain(this.wrong, after);
    if (after !== undefined) {
      this.goTo(after, this.header);
      return undefined;
    }
    const value = canonicalOf(text);
    const event = eventOf(value);
    const end = event === undefined ? endOf(value) : undefined;
    if (end !== undefined) return this.close(end, this.header);
    if (this.header.format === exportFormat && isText(value)) return undefined;
    this.wrong = { line: this.read, given: event?.number };
    return undefined;
  }

  finish(): ExportVerdict {
    const { header, signed, wrong, read, place } = this;
    if (wrong !== undefined) return { problem: explainMissing(wrong, place.count + 1) };
    if (header === undefined) return { problem: 'Line 1 is not the header of an exported audit, or was changed' };
    if (signed !== undefined) return { problem: undefined, header, end: signed };
    return {
      problem: `The file is truncated: it ends after line ${read} (event ${place.count}), without the signed head`,
    };
  }

  private begin(text: string): ExportVerdict | undefined {
    const header = headerOf(canonicalOf(text));
    if (header === undefined) return { problem: 'Line 1 is not the header of an exported audit, or was changed' };
    const { workspaceId, start } = header;
    if (start.count === 0 && start.head !== beginningOf(workspaceId).head) {
      return { problem: 'Line 1 was changed: a chain of this workspace does not begin there' };
    }
    this.header = header;
    this.headerText = text;
    this.goTo(start, header);
    return undefined;
  }

  private goTo(place: ChainPlace, { workspaceId }: ExportHeader): void {
    this.place = place;
    this.visit(place, workspaceId);
  }

  private close(end: ExportEnd['head'], header: ExportHeader): ExportVerdict | undefined {
    const problem = wrongEnd(end, { header, headerText: this.headerText, place: this.place, line: this.read });
    if (problem !== undefined) return { problem };
    this.signed = end;
    return undefined;
  }

  private explain(wrong: Wrong, found: ChainPlace | undefined): ExportVerdict | undefined {
    const expected = this.place.count + 1;
    if (found === undefined) {
      return this.read - wrong.line < mostExamined ? undefined : { problem: explainMissing(wrong, expected) };
    }
    return {
      problem:
        wrong.given !== undefined && wrong.given > expected
          ? `Line ${wrong.line} is out of order: events were reordered, and event ${expected} is in line ${this.read}`
          : `Line ${wrong.line} was inserted: event ${expected} follows in line ${this.read}`,
    };
  }
}

function explainMissing({ line, given }: Wrong, expected: number): string {
  if (given === undefined || given === expected) return `Line ${line} (event ${expected}) was changed`;
  if (given < expected) return `Line ${line} was inserted: its number is that of event ${given}, which comes earlier`;
  const gone = given === expected + 1 ? `Event ${expected} was` : `Events ${expected} to ${given - 1} were`;
  return `${gone} dropped before line ${line}`;
}

function wrongEnd(
  end: ExportEnd['head'],
  at: { readonly header: ExportHeader; readonly headerText: string; readonly place: ChainPlace; readonly line: number },
): string | undefined {
  const { header, headerText, place, line } = at;
  const name = `line ${line}, the signed head,`;
  if (end.publicKey !== header.publicKey || !isSigned(end))
    return `The signature in ${name} is not valid: it was changed`;
  if (end.header !== headerDigest(headerText))
    return `Line 1 was changed: it is not the header that ${name} was signed for`;
  if (end.count > place.count) {
    return `The file is truncated: ${name} has ${end.count} events, and the last before it is event ${place.count}`;
  }
  if (end.count < place.count) return `Events were inserted before the end: ${name} has only ${end.count}`;
  if (end.head !== place.head) return `The events were rewritten: they do not lead to ${name.slice(0, -1)}`;
  const { start, workspaceId } = header;
  const isOfHeader = end.previous.count === start.count && end.previous.head === start.head;
  return isOfHeader && end.workspaceId === workspaceId ? undefined : `Line ${line} is the end of another export`;
}

type Members = Readonly<Record<string, unknown>>;

function canonicalOf(text: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return canonicalJson(value) === text ? (value as Members) : undefined;
  } catch {
    return undefined;
  }
}

const namesOf = (value: object) => Object.keys(value).join(' ');

function headerOf(value: Members | undefined): ExportHeader | undefined {
  if (value === undefined || namesOf(value) !== 'format from line publicKey start to workspaceId') return undefined;
  const header = value as Partial<ExportHeader> as ExportHeader;
  const isOurs = header.line === 'header' && (header.format === exportFormat || header.format === formatWithoutTexts);
  return isOurs && typeof header.start?.head === 'string' ? header : undefined;
}

/**
 * The event's text is hashed without being parsed, because the signature covers exactly what the service wrote. Returns
 * undefined if this is not the next line.
 */
function placeAfter(place: ChainPlace, text: string): ChainPlace | undefined {
  if (!text.startsWith(eventLine.before)) return undefined;
  const end = text.length - eventLine.after({ head: place.head, count: place.count + 1 }).length;
  const after = following(place, digestOfText(text.slice(eventLine.before.length, end)));
  return text.endsWith(eventLine.after(after)) ? after : undefined;
}

function eventOf(value: Members | undefined): ExportedEvent | undefined {
  if (value?.['line'] !== 'event' || namesOf(value) !== 'event head line number') return undefined;
  const line = value as Partial<ExportedEvent> as ExportedEvent;
  return Number.isSafeInteger(line.number) ? line : undefined;
}

function isText(value: Members | undefined): boolean {
  if (value?.['line'] !== 'text' || namesOf(value) !== 'digest line text') return false;
  const { text, digest } = value as Partial<ExportedText>;
  return typeof text === 'string' && referTo(text).digest === digest;
}

function endOf(value: Members | undefined): ExportEnd['head'] | undefined {
  if (value?.['line'] !== 'end' || namesOf(value) !== 'head line') return undefined;
  const { head } = value as Partial<ExportEnd>;
  return signedHeadOf(head) === undefined ? undefined : head;
}

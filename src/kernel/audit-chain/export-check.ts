import { canonicalJson } from '../canonical-json.js';
import { referTo } from '../text.js';
import { beginningOf, type ChainPlace, digestOf, following } from './chain.js';
import {
  type ExportEnd,
  type ExportedEvent,
  type ExportedText,
  type ExportHeader,
  exportFormat,
  formatWithoutTexts,
  headerDigest,
} from './export-lines.js';
import { isSigned, signedHeadOf } from './signed-head.js';

/** The result of checking an export: whole, or where it is damaged and how. */
export type ExportVerdict =
  | { readonly problem: string }
  | { readonly problem: undefined; readonly header: ExportHeader; readonly end: ExportEnd['head'] };

interface Line {
  readonly number: number;
  readonly text: string;
}

/** How many lines after a wrong one are examined to find out what happened. */
const mostLookedAt = 1_000;

/** Checks an export line by line and says what happened to the first line that is wrong. */
export async function checkExport(texts: AsyncIterable<string>): Promise<ExportVerdict> {
  const lines = numbered(texts);
  const first = await lines.next();
  const header = first.done ? undefined : headerOf(first.value.text);
  if (first.done || header === undefined)
    return { problem: 'Line 1 is no header of an exported audit, or was changed' };
  const { workspaceId, start } = header;
  if (start.count === 0 && start.head !== beginningOf(workspaceId).head) {
    return { problem: 'Line 1 was changed: a chain of this workspace does not begin there' };
  }
  let place = start;
  let read = 1;
  for (let next = await lines.next(); !next.done; next = await lines.next()) {
    const line = next.value;
    read = line.number;
    const end = endOf(line.text);
    if (end !== undefined) {
      const problem = wrongEnd(end, { header, headerText: first.value.text, place, line });
      if (problem !== undefined) return { problem };
      const behind = await lines.next();
      return behind.done
        ? { problem: undefined, header, end }
        : { problem: `Line ${line.number + 1} was inserted behind the end` };
    }
    if (header.format === exportFormat && isText(line.text)) continue;
    const after = eventAfter(place, line.text);
    if (after === undefined) return { problem: await whatBecameOf(line, place, lines) };
    place = after;
  }
  return {
    problem: `The file is truncated: it ends after line ${read} (event ${place.count}), without the signed head`,
  };
}

async function* numbered(texts: AsyncIterable<string>): AsyncGenerator<Line> {
  let number = 0;
  for await (const text of texts) {
    number += 1;
    yield { number, text };
  }
}

/** The chain after this line; undefined if it is not the next line. */
function eventAfter(place: ChainPlace, text: string): ChainPlace | undefined {
  const line = eventOf(text);
  if (line === undefined || line.number !== place.count + 1) return undefined;
  const after = following(place, digestOf(line.event));
  return after.head === line.head ? after : undefined;
}

/** Finds out whether the expected line comes later or is missing. */
async function whatBecameOf(line: Line, place: ChainPlace, rest: AsyncGenerator<Line>): Promise<string> {
  const wanted = place.count + 1;
  const given = eventOf(line.text)?.number;
  for (let looked = 0; looked < mostLookedAt; looked++) {
    const { value, done } = await rest.next();
    if (done) break;
    if (eventAfter(place, value.text) === undefined) continue;
    return given !== undefined && given > wanted
      ? `Line ${line.number} is not in its place: events were reordered, and event ${wanted} stands in line ${value.number}`
      : `Line ${line.number} was inserted: event ${wanted} follows in line ${value.number}`;
  }
  if (given === undefined || given === wanted) return `Line ${line.number} (event ${wanted}) was changed`;
  if (given < wanted) return `Line ${line.number} was inserted: it says that it is event ${given}, which was before`;
  const gone = given === wanted + 1 ? `Event ${wanted} was` : `Events ${wanted} to ${given - 1} were`;
  return `${gone} dropped before line ${line.number}`;
}

function wrongEnd(
  end: ExportEnd['head'],
  at: { readonly header: ExportHeader; readonly headerText: string; readonly place: ChainPlace; readonly line: Line },
): string | undefined {
  const { header, headerText, place, line } = at;
  const name = `line ${line.number}, the signed head,`;
  if (end.publicKey !== header.publicKey || !isSigned(end))
    return `The signature in ${name} is not right: it was changed`;
  if (end.header !== headerDigest(headerText))
    return `Line 1 was changed: it is not the header that ${name} was signed for`;
  if (end.count > place.count) {
    return `The file is truncated: ${name} has ${end.count} events, and the last before it is event ${place.count}`;
  }
  if (end.count < place.count) return `Events were inserted before the end: ${name} has only ${end.count}`;
  if (end.head !== place.head) return `The events were written anew: they do not lead to ${name.slice(0, -1)}`;
  return undefined;
}

const headerOf = (text: string): ExportHeader | undefined => {
  const header = parsed<ExportHeader>(text, ['format', 'from', 'line', 'publicKey', 'start', 'to', 'workspaceId']);
  const isOurs = header?.line === 'header' && (header.format === exportFormat || header.format === formatWithoutTexts);
  return isOurs && typeof header.start?.head === 'string' ? header : undefined;
};

function eventOf(text: string): ExportedEvent | undefined {
  const line = parsed<ExportedEvent>(text, ['event', 'head', 'line', 'number']);
  const isEvent = line?.line === 'event' && typeof line.event === 'object' && line.event !== null;
  if (!isEvent || !Number.isSafeInteger(line.number)) return undefined;
  return Object.keys(line.event).sort().join(' ') === 'data id metadata revision stream type' ? line : undefined;
}

/** Whether it is the line of a text, with the digest of that text. */
function isText(text: string): boolean {
  const line = parsed<ExportedText>(text, ['digest', 'line', 'text']);
  return line?.line === 'text' && typeof line.text === 'string' && referTo(line.text).digest === line.digest;
}

function endOf(text: string): ExportEnd['head'] | undefined {
  const line = parsed<ExportEnd>(text, ['head', 'line']);
  if (line?.line !== 'end' || signedHeadOf(line.head) === undefined) return undefined;
  return line.head;
}

/** An object with exactly these members, in exactly canonical JSON; undefined otherwise. */
function parsed<Shape>(text: string, members: readonly string[]): (Partial<Shape> & Shape) | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return undefined;
    const isWhole = Object.keys(value).sort().join(' ') === members.join(' ');
    return isWhole && canonicalJson(value) === text ? (value as Shape) : undefined;
  } catch {
    return undefined;
  }
}

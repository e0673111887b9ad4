import type { DomainEvent, RecordedEvent } from '../event/event.js';
import { mayHoldSealed } from '../event/personal-data.js';
import { type Difference, differences } from './difference.js';
import type { Document } from './projection.js';
import type { RecordAggregate } from './record.js';

/** Maximum number of changes that a sentence lists. If there are more, it ends with their number (`and 2 more`). */
const most = 4;
/** Maximum length of a quoted value, in characters. */
const longestValue = 60;
const longestPath = 80;

/** Members that sentences leave out: ids, positions, times, undo data, and the members who made a key or an agent. */
export const ofEveryEvent: readonly string[] = [
  'id',
  'workspaceId',
  'position',
  'createdAt',
  'updatedAt',
  'undo',
  'makers',
];
/** Fields by which people recognise a record, in order of preference. */
const names = ['name', 'key', 'code', 'domain', 'path'] as const;

/** Makes a sentence from the event type alone: `FunctionAccessRulesSet` becomes `Function access rules set`. */
export function typeWords(type: string): string {
  const [first = '', ...rest] = type.split(/(?<=[a-z0-9])(?=[A-Z])/);
  return [first, ...rest.map((word) => word.toLowerCase())].join(' ');
}

/**
 * Describes what an event did to its record, as a sentence without a full stop. If the record still exists and its kind
 * declares a sentence for the event, returns that sentence. Otherwise, makes one with `eventWords`.
 */
export function eventSentence(
  kind: RecordAggregate<Document, DomainEvent>,
  event: RecordedEvent,
  before: Document | undefined,
  after: Document | undefined,
  changes: readonly Difference[] = differences(before ?? {}, after ?? {}),
): string {
  const step = after === undefined ? 'ends' : before === undefined ? 'begins' : 'changes';
  const sentence = after === undefined ? undefined : kind.sentenceOf?.(event, after);
  return sentence ?? eventWords(event.type, step, changes, kind.inner);
}

/**
 * Returns the record's name, shortened if it is long. Returns undefined if the record has no name or its name may be
 * personal data.
 */
export function nameOf(record: Document | undefined): string | undefined {
  const fields = (record ?? {}) as Readonly<Record<string, unknown>>;
  const name = names.map((field) => fields[field]).find((value) => typeof value === 'string');
  return typeof name === 'string' && !mayHoldSealed(name) ? shortened(name, longestValue) : undefined;
}

export type LifeStep = 'begins' | 'changes' | 'ends';

/**
 * Makes a sentence from an event's type and differences. If the record begins or ends, adds only its name; otherwise
 * lists the changes without members in `inner`. Personal data, lists and objects are not quoted, and long texts are
 * shortened.
 */
export function eventWords(
  type: string,
  step: LifeStep,
  differences: readonly Difference[],
  inner: readonly string[] = [],
): string {
  const what = typeWords(type);
  if (step !== 'changes') return `${what}${nameIn(differences, step)}`;
  const hidden = [...ofEveryEvent, ...inner];
  const changes = differences.filter(({ path }) => !path.split(/[.[]/).some((name) => hidden.includes(name)));
  if (changes.length === 0) return what;
  const phrases = changes.slice(0, most).map(changeWords);
  const more = changes.length > most ? [`${changes.length - most} more`] : [];
  const list = listed([...phrases, ...more]);
  return /[a-z](Changed|Updated|Renamed)$/.test(type) ? `Changed ${list}` : `${what}: ${list}`;
}

function nameIn(differences: readonly Difference[], step: 'begins' | 'ends'): string {
  for (const name of names) {
    const found = differences.find(({ path }) => path === name);
    const value = found === undefined ? undefined : quoted(step === 'begins' ? found.to : found.from);
    if (found !== undefined) return value === undefined ? '' : `: ${value}`;
  }
  return '';
}

function changeWords({ path, from, to }: Difference): string {
  const shownPath = shortened(path, longestPath);
  const [before, after] = [quoted(from), quoted(to)];
  if (before === undefined || after === undefined) return shownPath;
  return from === null ? `${shownPath} to ${after}` : `${shownPath} from ${before} to ${after}`;
}

/** Returns undefined for a list, an object, or a text that may be personal data. */
function quoted(value: unknown): string | undefined {
  if (value === null) return 'nothing';
  if (typeof value === 'string') {
    return mayHoldSealed(value) ? undefined : JSON.stringify(shortened(value, longestValue));
  }
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/** Shortens a text without cutting a surrogate pair. */
function shortened(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest).replace(/[\uD800-\uDBFF]$/, '')}…` : text;
}

function listed(parts: readonly string[]): string {
  if (parts.length < 2) return parts.join('');
  return `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

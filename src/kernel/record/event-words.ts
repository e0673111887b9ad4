import type { DomainEvent, RecordedEvent } from '../event/event.js';
import { mayHoldSealed } from '../event/personal-data.js';
import { type Difference, differences } from './difference.js';
import type { Document } from './projection.js';
import type { RecordAggregate } from './record.js';

const most = 4;
const longestValue = 60;
const longestPath = 80;

export const ofEveryEvent: readonly string[] = [
  'id',
  'workspaceId',
  'position',
  'createdAt',
  'updatedAt',
  'undo',
  'makers',
];
const names = ['name', 'key', 'code', 'domain', 'path'] as const;

/** `FunctionAccessRulesSet` becomes `Function access rules set`. */
export function typeWords(type: string): string {
  const [first = '', ...rest] = type.split(/(?<=[a-z0-9])(?=[A-Z])/);
  return [first, ...rest.map((word) => word.toLowerCase())].join(' ');
}

/**
 * Returns a sentence without a full stop. A sentence that `kind` declares for the event is used only if the record
 * still exists.
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

export function nameOf(record: Document | undefined): string | undefined {
  const fields = (record ?? {}) as Readonly<Record<string, unknown>>;
  const name = names.map((field) => fields[field]).find((value) => typeof value === 'string');
  return typeof name === 'string' && !mayHoldSealed(name) ? shortened(name, longestValue) : undefined;
}

export type LifeStep = 'begins' | 'changes' | 'ends';

/**
 * Returns the words of the event type, followed by the record's name if the record begins or ends, and otherwise by the
 * changes. Leaves out changes of members in `inner`. Personal data, lists and objects are not quoted, and long texts
 * are shortened.
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

function quoted(value: unknown): string | undefined {
  if (value === null) return 'nothing';
  if (typeof value === 'string') {
    return mayHoldSealed(value) ? undefined : JSON.stringify(shortened(value, longestValue));
  }
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

function shortened(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest).replace(/[\uD800-\uDBFF]$/, '')}…` : text;
}

function listed(parts: readonly string[]): string {
  if (parts.length < 2) return parts.join('');
  return `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

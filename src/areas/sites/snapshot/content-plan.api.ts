import { isDeepStrictEqual } from 'node:util';
import type { Change } from '../../../engine/commands/change.js';
import type { RelatedChange } from '../../../engine/commands/related-changes.js';
import type { Reservation } from '../../../engine/commands/reservation.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { differing } from '../../../kernel/record/differing.js';
import type { Document } from '../../../kernel/record/projection.js';
import { type Project, type ProjectEvent, projects } from '../project/project.record.js';
import type { ChangeableSettings } from '../project/settings/project-settings.record.js';
import type { ContentKind, ContentRecord } from './content-kinds.api.js';
import type { ChangedContent } from './past-content.api.js';
import type { RestoreSkipReason } from './snapshot-shapes.js';

type Facts = Readonly<Record<string, unknown>>;

/** `now` is undefined if the record does not exist; `to` is undefined if the record must not exist after the change. */
export interface PlannedChange {
  readonly kind: ContentKind;
  readonly workspaceId: string;
  readonly id: string;
  readonly now: ContentRecord | undefined;
  readonly to: ContentRecord | undefined;
}

export interface ContentPlan {
  readonly changes: readonly PlannedChange[];
  /** Is decided first. If it records no events, the whole plan records nothing. */
  readonly main: Main;
  readonly also?: readonly RelatedChange[];
  readonly message: string;
}

/** `decide` may throw `Outdated`, after which the changes are planned again. */
type Main = Pick<Change<Document | undefined, DomainEvent>, 'aggregate' | 'id' | 'begins' | 'decide'>;

export function mainChange<Doc extends Document, Event extends DomainEvent>(
  main: Pick<Change<Doc | undefined, Event>, 'aggregate' | 'id' | 'begins' | 'decide'>,
): Main {
  return main as unknown as Main;
}

/** `settings` are set in the same append. */
export const projectEvent = (
  id: string,
  changes: readonly PlannedChange[],
  event: ProjectEvent,
  settings: Partial<ChangeableSettings> = {},
): Main =>
  mainChange<Project, ProjectEvent>({
    aggregate: projects,
    id,
    decide: (now) => {
      const data = now === undefined ? undefined : differing<ChangeableSettings>(now, settings);
      // `event` is the last one, because the Undo of a notice undoes the last event.
      if (data !== undefined) return [{ type: 'ProjectUpdated', data }, event];
      return changes.length === 0 ? [] : [event];
    },
  });

export const changesNothing = ({ now, to }: PlannedChange): boolean =>
  now === undefined || to === undefined ? now === to : changedFacts(now, to) === undefined;

export function eventsOf({ kind: { noun }, now, to }: PlannedChange, message: string): readonly DomainEvent[] {
  if (to === undefined) {
    return now === undefined ? [] : [{ type: `${noun}Deleted`, data: { projectId: now.projectId, message } }];
  }
  if (now === undefined) return [{ type: `${noun}Created`, data: { ...factsOf(to), message } }];
  const changed = changedFacts(now, to);
  const { projectId } = to;
  return changed === undefined ? [] : [{ type: `${noun}Updated`, data: { projectId, ...changed, message } }];
}

export function takenBy(change: PlannedChange): readonly Reservation[] {
  const before = reservationsOf(change, change.now);
  return reservationsOf(change, change.to).filter((one) => !has(before, one));
}

/** Whether the record has the unique value after the change. */
export const retains = (change: PlannedChange, reservation: Reservation): boolean =>
  has(reservationsOf(change, change.to), reservation);

function reservationsOf({ kind, workspaceId, id }: PlannedChange, record: ContentRecord | undefined) {
  return record === undefined ? [] : kind.reservations(record, streamOf(kind.record.category, workspaceId, id));
}

const has = (reservations: readonly Reservation[], one: Reservation) =>
  reservations.some(({ category, name }) => category === one.category && name === one.name);

/**
 * Returns what the record would be without the change, or the reason why the change cannot be undone. A result of
 * undefined means that the record would not exist. A change is undone completely or not at all.
 */
export function undone(
  now: ContentRecord | undefined,
  { before, after }: ChangedContent,
): ContentRecord | undefined | RestoreSkipReason {
  if (now === undefined || before === undefined || after === undefined) {
    if (isSame(now, after)) return before;
    return isSame(now, before) ? 'already-reverted' : 'edited-later';
  }
  const given = changedFacts(before, after) ?? {};
  const undoing = Object.fromEntries(Object.keys(given).map((name) => [name, factsOf(before)[name]]));
  if (holds(now, given)) return { ...now, ...undoing };
  return holds(now, undoing) ? 'already-reverted' : 'edited-later';
}

function isSame(one: ContentRecord | undefined, other: ContentRecord | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return isDeepStrictEqual(factsOf(one), factsOf(other));
}

const holds = (record: ContentRecord, facts: Facts) => differing<Facts>(factsOf(record), facts) === undefined;

/** A field that only `from` has becomes null. */
function changedFacts(from: ContentRecord, to: ContentRecord): Partial<Facts> | undefined {
  const before = factsOf(from);
  const after = factsOf(to);
  const nothing = Object.keys(before).filter((name) => after[name] === undefined);
  return differing<Facts>(before, { ...after, ...Object.fromEntries(nothing.map((name) => [name, null])) });
}

function factsOf(record: ContentRecord): Facts {
  const { id, workspaceId, createdAt, updatedAt, ...facts } = record as ContentRecord & { readonly createdAt?: string };
  return facts;
}

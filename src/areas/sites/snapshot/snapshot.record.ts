import type { Reservation } from '../../../engine/reservation.js';
import type { Actor, DomainEvent } from '../../../kernel/event.js';
import type { Document } from '../../../kernel/projection.js';
import type { RecordAggregate } from '../../../kernel/record.js';
import { componentName, components } from '../component/component.record.js';
import { activePath, homePage, pages, pathIn } from '../page/page.record.js';

/** A record of a project's content. Its events carry facts and the `message` of the caller. */
export interface ContentRecord extends Document {
  readonly projectId: string;
  readonly name: string;
  /** Of a page. */
  readonly path?: string;
  readonly updatedAt: string;
}

/** One kind of content. Its events are `<Noun>Created`, `<Noun>Updated` and `<Noun>Deleted`. */
export interface ContentKind {
  readonly record: RecordAggregate<ContentRecord, DomainEvent>;
  readonly noun: string;
  /** The names and places that a record in this state holds, and no other at the same time. */
  places(record: ContentRecord, stream: string): readonly Reservation[];
}

function contentKind<Doc extends ContentRecord, Event extends DomainEvent>(
  record: RecordAggregate<Doc, Event>,
  noun: string,
  places: (record: Doc, stream: string) => readonly Reservation[],
): ContentKind {
  return { record, noun, places } as unknown as ContentKind;
}

/** Everything that snapshots are of. */
export const contentKinds: readonly ContentKind[] = [
  contentKind(pages, 'Page', ({ projectId, path, active, isHomePage }, stream) => [
    ...(active ? [activePath(pathIn(projectId, path), stream)] : []),
    ...(isHomePage ? [homePage(projectId, stream)] : []),
  ]),
  contentKind(components, 'Component', ({ projectId, name }, stream) => [
    componentName(`${projectId} ${name}`, stream),
  ]),
];

export function contentKindOf(category: string): ContentKind | undefined {
  return contentKinds.find(({ record }) => record.category === category);
}

export type ContentChange = 'created' | 'updated' | 'deleted';
export const snapshotKinds = ['change', 'restore', 'revert'] as const;

/** A point in the log: a project's content after everything that one command recorded. */
export interface Snapshot extends Document {
  readonly projectId: string;
  /** Of the command's last event. */
  readonly position: number;
  readonly commandId: string;
  readonly kind: (typeof snapshotKinds)[number];
  readonly label: string | null;
  readonly author: Pick<Actor, 'kind' | 'id' | 'name'>;
  readonly createdAt: string;
  readonly files: readonly SnapshotFile[];
}

/** What the command did to one record. */
export interface SnapshotFile {
  readonly kind: string;
  readonly id: string;
  readonly change: ContentChange;
}

/** Every record that a project ever contained, so that each can be found as it was. */
export interface ContentFile extends Document {
  readonly projectId: string;
  readonly kind: string;
  /** As it is, or was when it was deleted. */
  readonly name: string;
  readonly path: string | null;
  /** Positions of its first event and of its last. */
  readonly since: number;
  readonly changed: number;
  /** Position at which it was deleted; null while it is there. */
  readonly deleted: number | null;
}

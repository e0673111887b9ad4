import { inProject, type Reservation } from '../../../engine/commands/reservation.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';
import type { RecordAggregate } from '../../../kernel/record/record.js';
import { componentName, components } from '../component/component.record.js';
import { emailTemplates, templateSlug } from '../email-template/email-template.record.js';
import { activePath, homePage, homePath, pages } from '../page/page.record.js';
import { contentNouns } from './snapshot.record.js';

export interface ContentRecord extends Document {
  readonly projectId: string;
  readonly name: string;
  readonly path?: string;
  readonly updatedAt: string;
}

export interface ContentKind {
  readonly record: RecordAggregate<ContentRecord, DomainEvent>;
  readonly noun: string;
  reservations(record: ContentRecord, stream: string): readonly Reservation[];
  /** True if the values of the fields fit together. A partial undo may combine values that do not. */
  goesTogether(record: ContentRecord): boolean;
}

const nounOf: Readonly<Record<string, string>> = contentNouns;

/** All content events contain the project, so that the read model can assign their snapshot to it. */
interface ContentFacts {
  readonly projectId: string;
  readonly message: string | null;
}

function contentKind<Doc extends ContentRecord, Event extends DomainEvent<string, ContentFacts>>(
  record: RecordAggregate<Doc, Event>,
  reservations: (record: Doc, stream: string) => readonly Reservation[],
  goesTogether: (record: Doc) => boolean = () => true,
): ContentKind {
  return { record, noun: nounOf[record.category], reservations, goesTogether } as unknown as ContentKind;
}

export const contentKinds: readonly ContentKind[] = [
  contentKind(
    pages,
    ({ projectId, path, active, isHomePage }, stream) => [
      ...(active ? [activePath(inProject(projectId, path), stream)] : []),
      ...(isHomePage ? [homePage(projectId, stream)] : []),
    ],
    ({ isHomePage, path }) => !isHomePage || path === homePath,
  ),
  contentKind(components, ({ projectId, name }, stream) => [componentName(inProject(projectId, name), stream)]),
  contentKind(emailTemplates, ({ projectId, slug }, stream) => [templateSlug(inProject(projectId, slug), stream)]),
];

export function contentKindOf(category: string): ContentKind | undefined {
  return contentKinds.find(({ record }) => record.category === category);
}

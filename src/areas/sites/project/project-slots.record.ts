import type { DomainEvent } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';
import { record } from '../../../kernel/record/record.js';
import { refuse } from '../sites.refusals.js';

interface Slot {
  readonly projectId: string;
  readonly isApp: boolean;
}

export type ProjectSlotsEvent =
  | DomainEvent<'ProjectSlotsOpened', object>
  | DomainEvent<'ProjectSlotTaken', Slot>
  | DomainEvent<'ProjectSlotsGivenBack', { readonly projectIds: readonly string[] }>;

/** Concurrent creations conflict on this record, so the limits of the plan are exact. */
export interface ProjectSlots extends Document {
  /** Keyed by project id. `at` is the time of the reservation, in ISO 8601. */
  readonly taken: Readonly<Record<string, { readonly isApp: boolean; readonly at: string }>>;
}

export const projectSlots = record<ProjectSlots, ProjectSlotsEvent>()({
  category: 'projectSlots',
  auditedFor: 'site.read',
  shownBy: null,
  undoing: 'Past changes cannot be undone; getStateAt returns the earlier state.',
  missing: () => refuse('site-not-found'),
  collection: { name: 'projectSlots', version: 1, indexes: [] },
  begins: { ProjectSlotsOpened: (_, ids) => ({ ...ids, taken: {} }) },
  continues: {
    ProjectSlotTaken: (slots, { data, metadata }) => ({
      ...slots,
      taken: { ...slots.taken, [data.projectId]: { isApp: data.isApp, at: metadata.at } },
    }),
    ProjectSlotsGivenBack: (slots, { data }) => ({
      ...slots,
      taken: Object.fromEntries(Object.entries(slots.taken).filter(([id]) => !data.projectIds.includes(id))),
    }),
  },
});

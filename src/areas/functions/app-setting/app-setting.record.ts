import type { DomainEvent } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';
import { record } from '../../../kernel/record/record.js';
import { refuse } from '../functions.refusals.js';

/** Readers need only the last event, because each one contains the full state. */
export type AppSettingEvent =
  | DomainEvent<'AppSettingSet', { readonly value: string }>
  | DomainEvent<'AppSettingRemoved', object>;

export interface AppSetting extends Document {
  readonly name: string;
  readonly value: string;
  readonly updatedAt: string;
}

export const appSettings = record<AppSetting, AppSettingEvent>()({
  category: 'appSetting',
  auditedFor: 'functions.read',
  shownBy: null,
  undoing: 'Set the value again; getStateAt returns the earlier value.',
  missing: () => refuse('resource-not-found'),
  begins: {
    AppSettingSet: ({ data, metadata }, ids) => ({ ...ids, name: ids.id, value: data.value, updatedAt: metadata.at }),
  },
  continues: { AppSettingRemoved: () => undefined },
});

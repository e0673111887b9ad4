import type { Project, ProjectEvent } from './project.record.js';
import { publishedSettingsOf } from './update-project.api.js';

/**
 * Records the settings that the project had when the live deployment's content was read (`as`). The current settings
 * (`now`) may differ. `at` is the time of the publish, in ISO 8601.
 */
export function markPublished(now: Project | undefined, as: Project, at: string): readonly ProjectEvent[] {
  if (now === undefined) return [];
  return [{ type: 'ProjectPublished', data: { published: { at, settings: publishedSettingsOf(as) } } }];
}

export function markUnpublished(now: Project | undefined): readonly ProjectEvent[] {
  return now?.published ? [{ type: 'ProjectUnpublished', data: {} }] : [];
}

import type { Project, ProjectEvent } from './project.record.js';
import { publishedSettingsOf } from './update-project.api.js';

/**
 * Records the settings with which the live deployment was built (`as`: the project as it was when the content was
 * read), which may differ from the current settings (`now`). `at` is the time of the publish, in ISO 8601.
 */
export function markPublished(now: Project | undefined, as: Project, at: string): readonly ProjectEvent[] {
  if (now === undefined) return [];
  return [{ type: 'ProjectPublished', data: { published: { at, settings: publishedSettingsOf(as) } } }];
}

export function markUnpublished(now: Project | undefined): readonly ProjectEvent[] {
  return now?.published ? [{ type: 'ProjectUnpublished', data: {} }] : [];
}

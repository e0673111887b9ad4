import type { Project } from '../project.record.js';

export const longestLabel = 63;
/**
 * No app has `preview` or `app` as its slug, because these words are reserved, so `<slug>--<handle>` never begins with
 * a prefix.
 */
export const previewPrefix = 'preview--';
export const appPrefix = 'app--';
/** Host labels omit the prefix, because host names must not contain an underscore. */
export const idPrefix = 'proj_';

export const previewLabel = (projectId: string): string => `${previewPrefix}${projectId.replace(idPrefix, '')}`;

/** `<slug>--<handle>`, or `app--<id>` if the former is too long. */
export function appLabel({ id, slug }: Pick<Project, 'id' | 'slug'>, handle: string): string {
  const label = `${slug ?? ''}--${handle}`;
  return label.length > longestLabel ? `${appPrefix}${id.replace(idPrefix, '')}` : label;
}

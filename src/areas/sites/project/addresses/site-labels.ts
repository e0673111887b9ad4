import type { Project } from '../project.record.js';

export const longestLabel = 63;
/**
 * A label of the form `<slug>--<handle>` never begins with these prefixes, because `preview` and `app` are reserved and
 * cannot be slugs.
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

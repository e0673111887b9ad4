import type { Project } from '../project.record.js';

/** Maximum length of a host label, in characters. */
export const longestLabel = 63;
/**
 * Prefixes of host labels. No app has `preview` or `app` as its slug, because these words are reserved, so
 * `<slug>--<handle>` never begins with a prefix.
 */
export const previewPrefix = 'preview--';
export const appPrefix = 'app--';
/** Prefix of project ids. Host labels omit it, because host names must not contain an underscore. */
export const idPrefix = 'proj_';

/** Returns the host label of a project's preview. */
export const previewLabel = (projectId: string): string => `${previewPrefix}${projectId.replace(idPrefix, '')}`;

/** Returns the host label of a workspace app: `<slug>--<handle>`, or `app--<id>` if the former is too long. */
export function appLabel({ id, slug }: Pick<Project, 'id' | 'slug'>, handle: string): string {
  const label = `${slug ?? ''}--${handle}`;
  return label.length > longestLabel ? `${appPrefix}${id.replace(idPrefix, '')}` : label;
}

import type { Project } from '../project.record.js';

/** Longest host label, in characters. */
export const longestLabel = 63;
/** No app may have these words as its slug, because they are reserved, as they are for subdomains. */
export const previewPrefix = 'preview--';
export const appPrefix = 'app--';
/** Prefix of project ids. Host labels omit it, because host names must not contain an underscore. */
export const idPrefix = 'proj_';

/** The label of a project's preview. */
export const previewLabel = (projectId: string): string => `${previewPrefix}${projectId.replace(idPrefix, '')}`;

/** Returns the label of a workspace app: slug and handle, or its id if these are longer than a host label may be. */
export function appLabel({ id, slug }: Pick<Project, 'id' | 'slug'>, handle: string): string {
  const label = `${slug ?? ''}--${handle}`;
  return label.length > longestLabel ? `${appPrefix}${id.replace(idPrefix, '')}` : label;
}

import type { Project } from '../project.record.js';

/** Longest host label, in characters. */
export const longestLabel = 63;
/** No app has these words as its slug: they are reserved, as subdomains are. */
export const previewPrefix = 'preview--';
export const appPrefix = 'app--';
/** Ids begin with it; host labels leave it out, because an underscore is no part of a host name. */
export const idPrefix = 'proj_';

/** The label of a project's preview. */
export const previewLabel = (projectId: string): string => `${previewPrefix}${projectId.replace(idPrefix, '')}`;

/** The label of a workspace app: slug and handle, or its id where they are longer than a host label may be. */
export function appLabel({ id, slug }: Pick<Project, 'id' | 'slug'>, handle: string): string {
  const label = `${slug ?? ''}--${handle}`;
  return label.length > longestLabel ? `${appPrefix}${id.replace(idPrefix, '')}` : label;
}

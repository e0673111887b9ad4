import { refuse } from '../sites.refusals.js';
import type { SiteFile, SiteFileEvent, SiteFileFacts } from './site-file.record.js';

/** @throws Refusal upload-link-used */
export function beginFile(file: SiteFile | undefined, facts: SiteFileFacts, bytesId: string): readonly SiteFileEvent[] {
  if (file !== undefined) refuse('upload-link-used');
  return [{ type: 'SiteFileBegun', data: { ...facts, bytesId } }];
}

/**
 * The file may have been deleted during its upload, together with its site.
 * @throws Refusal site-file-not-found
 */
export function storeFile(file: SiteFile | undefined, bytesId: string): readonly SiteFileEvent[] {
  if (file?.bytesId !== bytesId) return refuse('site-file-not-found');
  return file.isStored ? [] : [{ type: 'SiteFileStored', data: {} }];
}

export function deleteFile({ projectId, bytesId }: SiteFile): readonly SiteFileEvent[] {
  return [{ type: 'SiteFileDeleted', data: { projectId, bytesId } }];
}

/** Ends a failed upload. A file whose bytes are stored is unchanged. */
export function giveUpFile(file: SiteFile | undefined, bytesId: string): readonly SiteFileEvent[] {
  return file === undefined || file.isStored || file.bytesId !== bytesId ? [] : deleteFile(file);
}

import { refuse } from '../sites.refusals.js';
import type { SiteFile, SiteFileEvent, SiteFileFacts } from './site-file.record.js';

export function beginFile(file: SiteFile | undefined, facts: SiteFileFacts, bytesId: string): readonly SiteFileEvent[] {
  if (file !== undefined) refuse('upload-link-used');
  return [{ type: 'SiteFileBegun', data: { ...facts, bytesId } }];
}

/** @throws Refusal site-file-not-found if the file was deleted during its upload, for example together with its site */
export function storeFile(file: SiteFile | undefined, bytesId: string): readonly SiteFileEvent[] {
  if (file?.bytesId !== bytesId) return refuse('site-file-not-found');
  return file.isStored ? [] : [{ type: 'SiteFileStored', data: {} }];
}

export function deleteFile({ projectId, bytesId }: SiteFile): readonly SiteFileEvent[] {
  return [{ type: 'SiteFileDeleted', data: { projectId, bytesId } }];
}

export function giveUpFile(file: SiteFile | undefined, bytesId: string): readonly SiteFileEvent[] {
  return file === undefined || file.isStored || file.bytesId !== bytesId ? [] : deleteFile(file);
}

import type { DomainEvent } from '../../../kernel/event/event.js';
import { plainRecord } from '../../../kernel/record/plain-record.js';
import type { Document } from '../../../kernel/record/projection.js';
import { refuse } from '../sites.refusals.js';

export interface SiteFileFacts {
  readonly projectId: string;
  /** Includes the folders, as in `invoices/2026/7.pdf`. Several private files may have the same name. */
  readonly name: string;
  readonly contentType: string;
  /** In bytes. */
  readonly size: number;
  /** Everyone may download a public file at `/files/<name>` of the site. */
  readonly isPublic?: boolean;
}

/** Identifies the bytes of one upload. A repeated upload has a different id. */
interface Bytes {
  readonly bytesId: string;
}

export type SiteFileEvent =
  /**
   * Recorded before the bytes are stored, so that the bytes of an interrupted upload can be found and destroyed. If a
   * file was deleted and its upload link is used again, this event begins the same file again.
   */
  | DomainEvent<'SiteFileBegun', SiteFileFacts & Bytes>
  | DomainEvent<'SiteFileStored', object>
  | DomainEvent<'SiteFileDeleted', { readonly projectId: string } & Bytes>;

export interface SiteFile extends Document, SiteFileFacts, Bytes {
  readonly isStored: boolean;
  readonly isPublic: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export const siteFiles = plainRecord<SiteFile, SiteFileEvent>()({
  category: 'siteFile',
  inner: ['bytesId'],
  auditedFor: 'site.read',
  shownBy: null,
  of: { project: 'projectId' },
  undoing: 'The bytes of a deleted file are destroyed; upload it again.',
  missing: () => refuse('site-file-not-found'),
  collection: {
    name: 'siteFiles',
    version: 2,
    indexes: [
      { fields: ['workspaceId', 'projectId', 'isPublic', 'isStored', 'name'] },
      { fields: ['isStored', 'createdAt'] },
    ],
  },
  updatedAt: true,
  begins: { SiteFileBegun: { isStored: false, isPublic: false } },
  ends: ['SiteFileDeleted'],
  also: { SiteFileStored: () => ({ isStored: true }) },
});

/** Files are stored in blobs of this size, so at most one of these blobs has to be in memory at a time. */
export const partBytes = 1024 * 1024;

import type { DomainEvent } from '../../../kernel/event/event.js';
import { plainRecord } from '../../../kernel/record/plain-record.js';
import type { Document } from '../../../kernel/record/projection.js';
import { refuse } from '../sites.refusals.js';

export interface SiteFileFacts {
  readonly projectId: string;
  /** A name such as `invoices/2026/7.pdf`, which includes the folders. Several files may have the same name. */
  readonly name: string;
  readonly contentType: string;
  /** Size in bytes. */
  readonly size: number;
  /**
   * Whether everyone may download the file at `/files/<name>` of the site. If omitted, it is a private file that
   * functions of the site stored.
   */
  readonly isPublic?: boolean;
}

/** Identifies the bytes of one upload. If the upload is repeated, the new attempt has a different id. */
interface Bytes {
  readonly bytesId: string;
}

export type SiteFileEvent =
  /**
   * Recorded before the bytes are stored, so that the bytes of an interrupted upload can be found and destroyed. It may
   * also follow a deletion, if an upload link is used again.
   */
  | DomainEvent<'SiteFileBegun', SiteFileFacts & Bytes>
  | DomainEvent<'SiteFileStored', object>
  | DomainEvent<'SiteFileDeleted', { readonly projectId: string } & Bytes>;

export interface SiteFile extends Document, SiteFileFacts, Bytes {
  /** False during the upload. Unfinished files are not listed or served. */
  readonly isStored: boolean;
  readonly isPublic: boolean;
  readonly createdAt: string;
  /** Time at which the file was stored. */
  readonly updatedAt: string;
}

/** A private file that functions of a site stored, or a public file of a site. Its bytes are in the blob store. */
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

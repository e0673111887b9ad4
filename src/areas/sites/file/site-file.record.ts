import type { DomainEvent } from '../../../kernel/event/event.js';
import { plainRecord } from '../../../kernel/record/plain-record.js';
import type { Document } from '../../../kernel/record/projection.js';
import { refuse } from '../sites.refusals.js';

export interface SiteFileFacts {
  readonly projectId: string;
  /** A name such as `invoices/2026/7.pdf`: folders are part of the name. Several files may have the same name. */
  readonly name: string;
  readonly contentType: string;
  /** Size in bytes. */
  readonly size: number;
  /**
   * Whether everyone may download it at `/files/<name>` of the site. If omitted, it is a file that functions of the
   * site store.
   */
  readonly isPublic?: boolean;
}

/** The bytes of one upload. Another attempt of the same upload has a different id. */
interface Bytes {
  readonly bytesId: string;
}

export type SiteFileEvent =
  /**
   * Recorded before the bytes are stored, so that the bytes of an interrupted upload can be found. May follow a
   * deletion.
   */
  | DomainEvent<'SiteFileBegun', SiteFileFacts & Bytes>
  | DomainEvent<'SiteFileStored', object>
  | DomainEvent<'SiteFileDeleted', { readonly projectId: string } & Bytes>;

export interface SiteFile extends Document, SiteFileFacts, Bytes {
  /** False during the upload. The file is not shown until it is stored. */
  readonly isStored: boolean;
  readonly isPublic: boolean;
  readonly createdAt: string;
  /** Time at which the file was stored. */
  readonly updatedAt: string;
}

/** A file that functions of a site store, or one of its public files. Its bytes are in the blob store. */
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

/** A file is stored in blobs of this size, so that no more than one of them must be in memory at a time. */
export const partBytes = 1024 * 1024;

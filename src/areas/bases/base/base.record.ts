import type { DomainEvent } from '../../../kernel/event.js';
import { plainRecord } from '../../../kernel/plain-record.js';
import type { Document } from '../../../kernel/projection.js';
import { refuse } from '../../../kernel/refusal.js';

interface BaseFacts {
  readonly name: string;
  readonly description: string | null;
  /** The project that reads the base directly; null for a base of the workspace alone. */
  readonly projectId: string | null;
}

export type BaseEvent = DomainEvent<'BaseCreated', BaseFacts> | DomainEvent<'BaseDeleted', object>;

export interface Base extends Document, BaseFacts {
  readonly createdAt: string;
}

export const bases = plainRecord<Base, BaseEvent>()({
  category: 'base',
  auditedFor: 'site.read',
  missing: () => refuse('base-not-found'),
  collection: { name: 'bases', version: 1, indexes: [{ fields: ['workspaceId', 'createdAt'] }] },
  begins: { BaseCreated: {} },
  ends: ['BaseDeleted'],
  also: {},
});

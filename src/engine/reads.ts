import { Injectable } from '@nestjs/common';
import type { Document, Where } from '../kernel/projection.js';
import { type Query, ReadStore } from '../ports/read-store.port.js';

/** The read store limited to one workspace: documents of others are not found. */
@Injectable()
export class Reads {
  constructor(private readonly store: ReadStore) {}

  async get<D extends Document>(workspaceId: string, collection: string, id: string): Promise<D | undefined> {
    const document = await this.store.get<D>(collection, id);
    return document?.workspaceId === workspaceId ? document : undefined;
  }

  find<D extends Document>(workspaceId: string, collection: string, query: Partial<Query> = {}): Promise<readonly D[]> {
    return this.store.find<D>(collection, { ...query, where: { ...query.where, workspaceId } });
  }

  async first<D extends Document>(workspaceId: string, collection: string, where: Where): Promise<D | undefined> {
    return (await this.find<D>(workspaceId, collection, { where, limit: 1 }))[0];
  }
}

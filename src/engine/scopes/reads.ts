import { Injectable } from '@nestjs/common';
import type { DomainEvent } from '../../kernel/event/event.js';
import type { Document, Where } from '../../kernel/record/projection.js';
import type { RecordAggregate } from '../../kernel/record/record.js';
import type { Group } from '../../kernel/rows/row-report.js';
import { type Counting, type Query, ReadStore, type Report } from '../../ports/read-store.port.js';
import type { OperationContext } from '../operation/operation-context.js';
import { Scopes } from './scopes.js';

@Injectable()
export class Reads {
  constructor(
    private readonly store: ReadStore,
    private readonly scopes: Scopes,
  ) {}

  /** @throws Refusal if the record or its project does not exist, or if the caller has no access */
  async one<D extends Document, Event extends DomainEvent>(
    call: OperationContext,
    kind: RecordAggregate<D, Event>,
    id: string,
  ): Promise<D> {
    const found = kind.collection && (await this.get<D>(call.workspaceId, kind.collection.name, id));
    if (found === undefined) return kind.missing();
    await this.scopes.admit(call, kind, found);
    return found;
  }

  /** @param includes as in `ReadStore.get` */
  async get<D extends Document>(
    workspaceId: string,
    collection: string,
    id: string,
    includes?: number,
  ): Promise<D | undefined> {
    const document = await this.store.get<D>(collection, id, includes);
    return document?.workspaceId === workspaceId ? document : undefined;
  }

  find<D extends Document>(workspaceId: string, collection: string, query: Partial<Query> = {}): Promise<readonly D[]> {
    return this.store.find<D>(collection, { ...query, where: { ...query.where, workspaceId } });
  }

  count(workspaceId: string, collection: string, where: Where = {}, narrowing?: Counting): Promise<number> {
    return this.store.count(collection, { ...where, workspaceId }, narrowing);
  }

  groups(workspaceId: string, collection: string, report: Report): Promise<readonly Group[]> {
    return this.store.groups(collection, { ...report, where: { ...report.where, workspaceId } });
  }

  async first<D extends Document>(workspaceId: string, collection: string, where: Where): Promise<D | undefined> {
    return (await this.find<D>(workspaceId, collection, { where, limit: 1 }))[0];
  }
}

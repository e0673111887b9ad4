import { Injectable } from '@nestjs/common';
import type { SignedHead } from '../../../kernel/audit-chain/signed-head.js';
import { parseStream } from '../../../kernel/event/stream-name.js';
import { RecordedLog } from '../../../ports/event-store.port.js';
import { RecordedSeals } from './recorded-seals.js';

const pageSize = 500;

@Injectable()
export class LastHeads {
  constructor(
    private readonly store: RecordedLog,
    private readonly seals: RecordedSeals,
  ) {}

  /**
   * If `workspaceId` is undefined, yields the heads of all workspaces, in the order in which the workspaces were
   * created. Skips workspaces without a seal.
   */
  async *of(workspaceId: string | undefined): AsyncGenerator<SignedHead> {
    for await (const id of workspaceId === undefined ? this.workspaces() : [workspaceId]) {
      const seal = await this.seals.last(id);
      if (seal !== undefined) yield seal.data.head;
    }
  }

  private async *workspaces(): AsyncGenerator<string> {
    const seen = new Set<string>();
    for (let from = -1; ; ) {
      const page = await this.store.readAll({ from, categories: ['workspace'], limit: pageSize });
      for (const { stream, position } of page) {
        from = position;
        const { workspaceId } = parseStream(stream);
        if (seen.has(workspaceId)) continue;
        seen.add(workspaceId);
        yield workspaceId;
      }
      if (page.length < pageSize) return;
    }
  }
}

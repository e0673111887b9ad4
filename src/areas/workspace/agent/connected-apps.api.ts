import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/scopes/reads.js';
import { refuseInput } from '../../../kernel/field/refuse-input.js';

interface ConnectedApp {
  readonly id: string;
}

/**
 * Collection of the connections. Its name is repeated here, because the area of connections depends on this one and so
 * cannot be imported.
 */
const collection = 'mcpConnections';
const message = 'must be the id of a connection of this workspace; listMcpConnections lists them';

@Injectable()
export class ConnectedApps {
  constructor(private readonly reads: Reads) {}

  async known(workspaceId: string, named: readonly ConnectedApp[] = []): Promise<ReadonlySet<string>> {
    if (named.length === 0) return new Set();
    const where = { id: { in: named.map(({ id }) => id) } };
    return new Set((await this.reads.find(workspaceId, collection, { where })).map(({ id }) => id));
  }

  /**
   * An app that is already granted is accepted even if it no longer exists, so that stored grants can be sent back.
   * @throws Refusal invalid-input
   */
  check(
    sent: readonly ConnectedApp[] | undefined,
    granted: readonly ConnectedApp[],
    known: ReadonlySet<string>,
    path: string,
  ): void {
    const problems = (sent ?? []).flatMap(({ id }, at) =>
      known.has(id) || granted.some((one) => one.id === id) ? [] : [{ path: `${path}[${at}].id`, message }],
    );
    if (problems.length > 0) refuseInput(problems);
  }
}

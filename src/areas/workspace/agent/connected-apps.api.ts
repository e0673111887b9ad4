import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/scopes/reads.js';
import { refuseInput } from '../../../kernel/field/refuse-input.js';

interface ConnectedApp {
  readonly id: string;
}

/** The read model of the area that stores connections. */
const collection = 'mcpConnections';
const message = 'must be the id of a connection of this workspace, as listMcpConnections shows them';

/** The connected apps that a function or an agent may use, which are MCP connections of the workspace. */
@Injectable()
export class ConnectedApps {
  constructor(private readonly reads: Reads) {}

  /** Returns the named connections that exist. */
  async known(workspaceId: string, named: readonly ConnectedApp[] = []): Promise<ReadonlySet<string>> {
    if (named.length === 0) return new Set();
    const where = { id: { in: named.map(({ id }) => id) } };
    return new Set((await this.reads.find(workspaceId, collection, { where })).map(({ id }) => id));
  }

  /**
   * Refuses ids that are not connections. Apps that are already granted may remain, so that stored grants can be sent
   * back.
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

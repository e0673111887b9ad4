import { Injectable } from '@nestjs/common';
import type { Json, JsonObject } from '../../../kernel/json/json.js';
import { type Capability, CapabilityRefused } from '../../../ports/sandbox.port.js';
import type { CapabilityMaker, RunScope } from './capability-table.api.js';
import { ServiceTools } from './service-tools.api.js';

/** The connection name under which code reaches the service itself. */
const service = 'service';

/**
 * `ctx.connections.call('service', tool, args)`: runs one of the service's own operations if the function's
 * `grants.serviceTools` lists it (Automations API, Rules 5).
 */
@Injectable()
export class ConnectionsCall implements CapabilityMaker {
  readonly usage =
    "ctx.connections.call('service', tool, args): runs an operation of the service that grants.serviceTools lists, e.g. 'automations_listFunctions', and resolves to its answer.";

  constructor(private readonly tools: ServiceTools) {}

  make(scope: RunScope): Capability {
    return { name: 'connections.call', call: (args) => this.call(scope, args) };
  }

  private async call(scope: RunScope, args: readonly Json[]): Promise<Json> {
    const [connection, tool, input = {}] = args;
    if (typeof connection !== 'string' || typeof tool !== 'string' || !isObject(input)) {
      throw new CapabilityRefused(
        'ctx.connections.call takes the name of a connection, a tool and an object of arguments.',
        'invalid-input',
        400,
      );
    }
    if (connection !== service) {
      throw new CapabilityRefused(
        `There is no connection '${connection.slice(0, 100)}'; this workspace has '${service}', the service itself.`,
        'connection-not-found',
        404,
      );
    }
    return this.tools.call(scope, tool, input);
  }
}

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

import { Injectable } from '@nestjs/common';
import { serviceTool } from '../../../engine/authorisation/service-tool.js';
import { decisionIdIn } from '../../../engine/explain/decision-ids.js';
import { Calls } from '../../../engine/operation/calls.js';
import { Pipeline } from '../../../engine/pipeline/pipeline.js';
import type { Json, JsonObject } from '../../../kernel/json/json.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { CapabilityRefused } from '../../../ports/sandbox.port.js';
import type { RunScope } from '../capabilities/capability-table.api.js';
import { functionCall } from '../capabilities/function-caller.api.js';
import { ServiceTools } from '../capabilities/service-tools.api.js';

/**
 * Operations that a function calls. The call is treated like an automation: operations for persons only are refused,
 * saves become drafts, risky changes become cards. It has an Editor's rights and no more, whoever listed the tools.
 * Since nobody's own rights are lent, nothing has to be revoked when that person leaves or changes role.
 */
@Injectable()
export class OperationsAsTools extends ServiceTools {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly calls: Calls,
  ) {
    super();
  }

  override async call(scope: RunScope, tool: string, args: JsonObject): Promise<Json> {
    const { function: fn } = scope;
    if (!fn.grants.serviceTools.includes(tool)) {
      throw new CapabilityRefused(
        `The function '${fn.name}' may not use the tool '${tool.slice(0, 100)}'; list it in grants.serviceTools.`,
        'tool-not-granted',
        403,
      );
    }
    const operation = serviceTool(tool);
    if (operation === undefined) {
      throw new CapabilityRefused(`'${tool.slice(0, 100)}' is no tool that a function can use.`, 'tool-not-found', 404);
    }
    try {
      return (await this.pipeline.within(operation, args, functionCall(this.calls, scope, operation.name))) as Json;
    } catch (error) {
      if (error instanceof Refusal) {
        throw new CapabilityRefused(error.message, error.code, 403, undefined, decisionIdIn(error));
      }
      throw error;
    }
  }
}

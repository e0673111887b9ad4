import { serviceTool } from '../../../engine/authorisation/service-tool.js';
import { Pipeline } from '../../../engine/pipeline/pipeline.js';
import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.js';
import { CapabilityRefused } from '../../../ports/sandbox.port.js';
import { type CtxCall, type CtxMember, ctxMember } from './ctx-member.js';
import { refusing } from './ctx-refusals.js';
import { functionCall } from './function-caller.js';

/** The connection name under which code reaches the service itself. */
const service = 'service';

export const connectionMembers: readonly CtxMember[] = [
  ctxMember({ pipeline: Pipeline })({
    name: 'connections.call',
    usage:
      "('service', tool, args): runs an operation of the service that grants.serviceTools lists, e.g. 'automations_listFunctions', and resolves to its answer.",
    args: ([connection, tool, input = {}], no) =>
      typeof connection === 'string' && typeof tool === 'string' && isJsonObject(input)
        ? { connection, tool, input }
        : no('takes the name of a connection, a tool and an object of arguments'),
    call: ({ connection, tool, input }, run) => {
      if (connection === service) return useTool(run, tool, input);
      throw new CapabilityRefused(
        `There is no connection '${connection.slice(0, 100)}'; this workspace has '${service}', the service itself.`,
        'connection-not-found',
        404,
      );
    },
  }),
];

/**
 * The call is treated as an automation's: operations for people are refused, saves become drafts, risky changes become
 * cards. It has an Editor's rights, whoever listed the tools, so nothing needs revoking when that person leaves or
 * changes role (Automations API, Rules 5).
 */
async function useTool(run: CtxCall & { readonly pipeline: Pipeline }, tool: string, input: JsonObject): Promise<Json> {
  const { grants, name } = run.scope.function;
  if (!grants.serviceTools.includes(tool)) {
    throw new CapabilityRefused(
      `The function '${name}' may not use the tool '${tool.slice(0, 100)}'; list it in grants.serviceTools.`,
      'tool-not-granted',
      403,
    );
  }
  const operation = serviceTool(tool);
  if (operation === undefined) {
    throw new CapabilityRefused(`'${tool.slice(0, 100)}' is no tool that a function can use.`, 'tool-not-found', 404);
  }
  const answer = await refusing(
    () => run.pipeline.within(operation, input, functionCall(run, operation.name)),
    () => 403,
  );
  return answer as Json;
}

import { Injectable } from '@nestjs/common';
import { functionActor } from '../../../kernel/actors/members-behind.js';
import { isJsonObject, type Json } from '../../../kernel/json/json.js';
import { Ids } from '../../../ports/ids.port.js';
import { type CallingRun, type Capability, CapabilityRefused } from '../../../ports/sandbox.port.js';
import { visitorAt } from '../run/function-runs.api.js';
import { CalledRuns } from './called-runs.js';
import type { CapabilityMaker, RunScope } from './capability-table.api.js';
import { grantedSite } from './granted-site.js';
import { SiteMethods } from './site-methods.api.js';

/**
 * `ctx.sites['<name or id>'].methods.call(name, params)`: runs an exposed function of a site in grants.bases and resolves to
 * its result. A function that names its callers in accessRules.runBy.functions has to name this one; the site user behind
 * the call, if there is one, is judged by its execute rule.
 */
@Injectable()
export class SitesMethodsCall implements CapabilityMaker {
  readonly usage =
    "ctx.sites['<name or id>'].methods.call(name, params): runs an exposed function of a site in grants.bases and resolves to its result.";

  constructor(
    private readonly methods: SiteMethods,
    private readonly called: CalledRuns,
    private readonly ids: Ids,
  ) {}

  make(scope: RunScope): Capability {
    return { name: 'sites.methods.call', call: (args, caller) => this.call(scope, args, caller) };
  }

  private async call(scope: RunScope, [site, name, params = {}]: readonly Json[], caller: CallingRun): Promise<Json> {
    const { projectId } = grantedSite(scope, site);
    if (typeof name !== 'string' || !isJsonObject(params))
      throw new CapabilityRefused(
        'methods.call takes the name of a function and an object of params.',
        'invalid-input',
        400,
      );
    const { request, function: fn } = scope;
    const starter = { kind: 'function', id: fn.id, name: fn.name, behind: request.starter } as const;
    const { workspaceId } = request;
    const visitor = request.visitor && visitorAt(request.visitor, projectId);
    const called = { workspaceId, projectId, nameOrId: name, starter, visitor };
    const method = await this.methods.callable(called);
    return this.called.resultOf(
      {
        ...request,
        ...method,
        visitor,
        runId: this.ids.newId('run'),
        params,
        source: 'method',
        starter,
        actor: functionActor(fn, request.actor),
        causationId: request.runId,
        depth: request.depth + 1,
        replayOf: null,
        pinnedVersion: null,
      },
      caller,
    );
  }
}

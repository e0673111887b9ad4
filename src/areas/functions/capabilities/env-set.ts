import { Injectable } from '@nestjs/common';
import { Calls } from '../../../engine/operation/calls.js';
import type { Json } from '../../../kernel/json/json.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { type Capability, CapabilityRefused } from '../../../ports/sandbox.port.js';
import { SiteVariables } from '../../sites/env-var/site-variables.api.js';
import { AppSettings } from '../app-setting/app-settings.api.js';
import { mustHold } from './capability-refusals.js';
import type { CapabilityMaker, RunScope } from './capability-table.api.js';

/** Limited per run because each write is recorded permanently. */
const mostWrites = 100;

/**
 * `ctx.env.set(name, value)`: stores text under an APP_ name for every function of the workspace or, from a function of a
 * site, as a variable of that site. Null removes the setting; so does undefined, because it arrives as null.
 */
@Injectable()
export class EnvSet implements CapabilityMaker {
  readonly usage =
    "ctx.env.set(name, value): keeps text under an APP_ name; null takes it away. Needs the power 'env'.";

  constructor(
    private readonly settings: AppSettings,
    private readonly variables: SiteVariables,
    private readonly calls: Calls,
  ) {}

  make(scope: RunScope): Capability {
    let writes = 0;
    return {
      name: 'env.set',
      call: (args) => {
        writes += 1;
        return this.set(scope, args, writes);
      },
    };
  }

  private async set(scope: RunScope, [name, value]: readonly Json[], writes: number): Promise<null> {
    mustHold(scope, 'env', 'ctx.env');
    if (typeof name !== 'string' || (typeof value !== 'string' && value !== null))
      throw new CapabilityRefused(
        'ctx.env.set takes a name that begins with APP_, and text, or null to take the setting away.',
        'invalid-input',
        400,
      );
    if (writes > mostWrites)
      throw new CapabilityRefused(
        `A run may call ctx.env.set ${mostWrites} times; keep more in one setting.`,
        'limit',
        429,
      );
    try {
      await this.keep(scope, name, value);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      throw new CapabilityRefused(error.message, error.code, error.kind === 'invalid' ? 400 : 409);
    }
    return null;
  }

  private async keep({ request, function: fn }: RunScope, name: string, value: string | null): Promise<void> {
    const { workspaceId, correlationId, runId } = request;
    const actor = { kind: 'function', id: fn.id, name: fn.name } as const;
    if (fn.projectId === undefined) {
      return this.settings.set({ workspaceId, name, value, actor, correlationId, causationId: runId });
    }
    this.settings.check(name, value);
    await this.variables.set(this.calls.within(request, actor, 'ctx.env.set'), fn.projectId, name, value);
  }
}

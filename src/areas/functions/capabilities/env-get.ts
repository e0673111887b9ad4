import { Injectable } from '@nestjs/common';
import type { Json } from '../../../kernel/json/json.js';
import { type Capability, CapabilityRefused } from '../../../ports/sandbox.port.js';
import { isPaymentVariable } from '../../../secret-text/granted-secret.js';
import { SecretValues } from '../../secrets/env-var/secret-values.api.js';
import { SiteVariables } from '../../sites/env-var/site-variables.api.js';
import { AppSettings } from '../app-setting/app-settings.api.js';
import { mustHold } from './capability-refusals.js';
import type { CapabilityMaker, RunScope } from './capability-table.api.js';

const names = /^[A-Z][A-Z0-9_]{0,99}$/;

/** `ctx.env.get(name)`: the value of a setting, or null if it is not set. Never a secret (Automations API, Rules 7). */
@Injectable()
export class EnvGet implements CapabilityMaker {
  readonly usage = "ctx.env.get(name): resolves to the text of an APP_ setting, or null. Needs the power 'env'.";

  constructor(
    private readonly settings: AppSettings,
    private readonly secrets: SecretValues,
    private readonly variables: SiteVariables,
  ) {}

  make(scope: RunScope): Capability {
    return { name: 'env.get', call: (args) => this.get(scope, args) };
  }

  private async get(scope: RunScope, [name]: readonly Json[]): Promise<string | null> {
    mustHold(scope, 'env', 'ctx.env');
    if (typeof name !== 'string')
      throw new CapabilityRefused("ctx.env.get takes the name of a setting, such as 'APP_PLAN'.", 'invalid-input', 400);
    if (!names.test(name)) return null;
    const { workspaceId } = scope.request;
    const { projectId } = scope.function;
    if (projectId !== undefined) return this.ofSite(workspaceId, projectId, name);
    if (name.startsWith('APP_')) return this.settings.get(workspaceId, name);
    return (await this.secrets.has(workspaceId, name)) ? notReadable(name) : null;
  }

  /** Of a site, every variable that is no secret is readable. */
  private async ofSite(workspaceId: string, projectId: string, name: string): Promise<string | null> {
    const found = await this.variables.open(workspaceId, projectId, name);
    if (found === undefined) return null;
    return found.recorded.isSecret || isPaymentVariable(name) ? notReadable(name) : found.value;
  }
}

function notReadable(name: string): never {
  throw new CapabilityRefused(
    `${name} is a secret, which code never reads: send it with ctx.secrets.ref('${name}') inside ctx.fetch, or check a signature with ctx.secrets.verifyHmac.`,
    'secret-not-readable',
    403,
  );
}

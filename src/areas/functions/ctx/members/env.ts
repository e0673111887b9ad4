import type { Json } from '../../../../kernel/json/json.js';
import { CapabilityRefused } from '../../../../ports/offloaded/sandbox.port.js';
import { isPaymentVariable } from '../../../../secret-text/granted-secret.js';
import { SecretValues } from '../../../secrets/env-var/secret-values.api.js';
import { SiteVariables } from '../../../sites/env-var/site-variables.api.js';
import { AppSettings } from '../../app-setting/app-settings.api.js';
import { refuse } from '../../functions.refusals.js';
import { type CtxMember, ctxMember } from '../ctx-member.js';

const names = /^[A-Z][A-Z0-9_]{0,99}$/;

export const envMembers: readonly CtxMember[] = [
  /** Never returns a secret (Automations API, Rules 7). */
  ctxMember({ settings: AppSettings, secrets: SecretValues, variables: SiteVariables })({
    name: 'env.get',
    usage: '(name): resolves to the text of an APP_ setting, or null.',
    power: 'env',
    args: ([name], no) => (typeof name === 'string' ? name : no("takes the name of a setting, such as 'APP_PLAN'")),
    call: async (name, { scope, settings, secrets, variables }) => {
      if (!names.test(name)) return null;
      const { workspaceId } = scope.request;
      const { projectId } = scope.function;
      if (projectId !== undefined) return ofSite(await variables.open(workspaceId, projectId, name), name);
      if (name.startsWith('APP_')) return settings.get(workspaceId, name);
      return (await secrets.has(workspaceId, name)) ? notReadable(name) : null;
    },
  }),
  ctxMember({ settings: AppSettings, variables: SiteVariables })({
    name: 'env.set',
    usage: '(name, value): stores text under an APP_ name; null removes it.',
    power: 'env',
    // Limited because each write is recorded permanently.
    mostCalls: { count: 100, instead: 'store more in one setting' },
    // The sandbox sends an undefined value as null, which removes the setting.
    args: ([name, value], no) =>
      typeof name === 'string' && (typeof value === 'string' || value === null)
        ? { name, value }
        : no('takes a name that begins with APP_, and text, or null to remove the setting'),
    call: async ({ name, value }, { scope, settings, variables, newCall }) => {
      const { id, name: functionName, projectId } = scope.function;
      // The actor is the function, not the members who started it.
      const call = { ...newCall(), actor: { kind: 'function', id, name: functionName } as const };
      const { neverDeletes = false } = scope.request;
      settings.check(name, value);
      if (projectId === undefined) {
        const { workspaceId, actor, correlationId, causationId } = call;
        const removes = value === null && (await settings.get(workspaceId, name)) !== null;
        if (neverDeletes && removes) refuse('key-never-deletes', { operation: call.operation });
        await settings.set({ workspaceId, name, value, actor, correlationId, causationId });
      } else {
        await variables.set(call, projectId, name, value, neverDeletes);
      }
      return null;
    },
  }),
];

function ofSite(found: Awaited<ReturnType<SiteVariables['open']>>, name: string): Json {
  if (found === undefined) return null;
  return found.recorded.isSecret || isPaymentVariable(name) ? notReadable(name) : found.value;
}

function notReadable(name: string): never {
  throw new CapabilityRefused(
    `${name} is a secret, which code cannot read: send it with ctx.secrets.ref('${name}') in ctx.fetch, or check a signature with ctx.secrets.verifyHmac.`,
    'secret-not-readable',
    403,
  );
}

import type { TargetKind } from '../callers/target.js';
import { eachCall, invalid, refusal } from './refusal-entry.js';

const targetWords: Readonly<Record<TargetKind, string>> = {
  flow: 'flow',
  specialist: 'AI agent',
  account_function: 'function',
  site_function: 'site function',
};

export const automationsRefusals = {
  'function-not-found': refusal(
    'not-found',
    () => 'There is no such function in this workspace; listFunctions shows those there are.',
  ),
  'function-name-taken': refusal(
    'conflict',
    (about: { name: string }) => `Another function is named '${about.name}' already; choose another name.`,
  ),
  'function-name-used-before': refusal(
    'forbidden',
    (about: { name: string }) =>
      `Another function was named '${about.name}' before, and code or flows may still call it by that; choose another name, or have a person give it.`,
  ),
  'seen-updated-at-missing': invalid(
    'seenUpdatedAt',
    () => 'Changing code, grants or accessRules needs seenUpdatedAt: send the updatedAt that getFunction answered.',
  ),
  'function-changed-since': refusal(
    'conflict',
    (about: { updatedAt: string }) =>
      `The function was changed at ${about.updatedAt}, after the version this save was made from; read it again and save on top of that.`,
  ),
  'code-too-large': invalid(
    eachCall,
    (about: { limit: number }) => `The code is larger than ${about.limit} bytes; make it smaller.`,
  ),
  'code-import': invalid(
    eachCall,
    (about: { line: number }) => `Code cannot import anything (line ${about.line}); what it may reach is on ctx.`,
  ),
  'code-invalid': invalid(
    eachCall,
    (about: { line: number; message: string }) => `The code does not parse at line ${about.line}: ${about.message}`,
  ),
  'tool-not-yours': refusal(
    'forbidden',
    (about: { tool: string }) =>
      `Only tools that you may use yourself can be given to a function, and ${about.tool} is not.`,
  ),
  'version-not-found': refusal(
    'not-found',
    () => 'There is no such version of this function; listFunctionVersions shows them.',
  ),
  'version-not-a-draft': refusal(
    'conflict',
    (about: { state: string }) => `Only a draft is published, and this version is ${about.state}.`,
  ),
  'version-not-to-be-tried': refusal(
    'conflict',
    (about: { state: string }) =>
      `Only the open draft is run by its versionId, and this version is ${about.state}; leave versionId out to run what is live.`,
  ),
  'drafts-tried-by-persons': refusal(
    'forbidden',
    () => 'Only a person runs a draft; leave versionId out to run what is live.',
  ),
  'version-cannot-return': refusal(
    'conflict',
    (about: { state: string }) =>
      `Only an archived version that was live before can be rolled back to, and this one is ${about.state}.`,
  ),
  'versions-off': refusal(
    'forbidden',
    () =>
      'Versions are switched off in this workspace, so every save is live; switch them on with updateSettings versions.',
  ),
  'drafts-only': refusal(
    'forbidden',
    (about: { who: string }) => `An ${about.who} saves drafts only; a person has to make them live.`,
  ),
  'seen-version-missing': invalid(
    'seenVersion',
    () => 'Full data access needs seenVersion: send the version that getFunction answered.',
  ),
  'function-not-as-seen': refusal(
    'conflict',
    () => 'The function is no longer the version that was seen; read it again, and send the version it has now.',
  ),
  'service-through-identity-mode': refusal(
    'forbidden',
    () =>
      "Full data access is given through setFunctionIdentityMode 'workspace' in this workspace, because it has that switch.",
  ),
  'identity-mode-off': refusal(
    'forbidden',
    () =>
      'A function cannot act as the workspace here; an Owner or Admin can switch that on with updateSettings actsAsWorkspaceSwitch.',
  ),
  'agent-cannot-create': refusal(
    'forbidden',
    () => "This agent may not create functions; a person can switch on its 'Can create functions' with updateAgent.",
  ),
  'agent-may-not-change': refusal(
    'forbidden',
    (about: { what: string }) => `An AI agent cannot change ${about.what}; a person has to do it.`,
  ),
  'automation-may-not-change': refusal(
    'forbidden',
    (about: { what: string }) =>
      `An automation, a flow or a function cannot change ${about.what}; a person has to do it.`,
  ),
  'target-inactive': refusal(
    'conflict',
    (about: { name: string }) =>
      `The function '${about.name}' cannot be started: target is INACTIVE. Activate it with updateFunction isActive true.`,
  ),
  'run-not-allowed': refusal(
    'forbidden',
    (about: { name: string; who: string }) =>
      `The function '${about.name}' may not be started by ${about.who}; its accessRules.runBy says who may.`,
  ),
  'params-invalid': invalid(
    eachCall,
    (about: { name: string; first: string; others: number }) =>
      `The function '${about.name}' was not run, because its params do not fit its inputSchema: ${about.first}${about.others > 0 ? ` (and ${about.others} more)` : ''}.`,
  ),
  'params-check-given-up': invalid(
    eachCall,
    (about: { name: string }) =>
      `The function '${about.name}' was not run: checking its params by its inputSchema takes too much work. Simplify the schema's patterns, references and alternatives, or send less.`,
  ),
  'function-failed': refusal('failed', (about: { error: string }) => about.error),
  'run-not-recorded': refusal(
    'unavailable',
    (about: { runId: string }) =>
      `Run ${about.runId} ended, but its end could not be recorded yet; listRuns shows it as soon as the event store can be written again.`,
  ),
  'run-not-found': refusal(
    'not-found',
    () => 'There is no such run in this workspace; listRuns shows those there are.',
  ),
  'run-not-replayable': refusal(
    'conflict',
    (about: { runId: string; why: string }) =>
      `Run ${about.runId} cannot be replayed: ${about.why}. What can is an accepted run that failed; listRuns shows it with replayableUntil.`,
  ),
  'run-input-gone': refusal(
    'conflict',
    (about: { runId: string }) =>
      `Run ${about.runId} cannot be replayed: its input is no longer kept. Have the sender deliver it again.`,
  ),
  'replay-live-only': refusal(
    'forbidden',
    () => "Only a person may run a version again that is no longer live; replay with version 'live'.",
  ),
  'replay-with-full-data-access': refusal(
    'forbidden',
    (about: { name: string }) =>
      `The function '${about.name}' has Full data access, so a version that is no longer live runs only after a person approved it: roll back to it, and replay with version 'live'.`,
  ),
  'trigger-not-found': refusal(
    'not-found',
    () => 'There is no such trigger in this workspace; listTriggers and listAllWebhooks show those there are.',
  ),
  'older-runs-off': refusal(
    'forbidden',
    () =>
      'Older runs are not switched on in this workspace; leave before out, or switch runsTab on with updateSettings.',
  ),
  'schedule-not-found': refusal(
    'not-found',
    () => 'There is no such schedule in this workspace; listTriggers shows those of a function.',
  ),
  'schedules-full': refusal(
    'conflict',
    (about: { limit: number }) =>
      `The workspace has ${about.limit} schedules, which is the limit; delete those that are no longer needed.`,
  ),
  'account-schedules-off': refusal(
    'forbidden',
    () =>
      'A schedule of a site cannot start an account function here; an Owner or Admin can switch that on with updateSettings accountFunctionScheduleTargets.',
  ),
  'site-targets-off': refusal(
    'forbidden',
    () =>
      'A site function cannot be a target here; an Owner or Admin can switch that on with updateSettings siteFunctionTargets.',
  ),
  'mailhook-not-found': refusal(
    'not-found',
    () => 'There is no such mailhook in this workspace; listMailhooks shows those there are.',
  ),
  'mailhook-target-halved': invalid(
    eachCall,
    () => 'A mailhook is pointed at another target by targetKind and targetRef together; send both, or neither.',
  ),
  'site-not-found': refusal(
    'not-found',
    () => 'There is no such site in this workspace; sitesManifest lists those there are.',
  ),
  'inbound-email-not-found': refusal(
    'not-found',
    () => 'There is no such mail in this workspace; listInboundEmails shows those that are kept.',
  ),
  'inbound-email-in-hand': refusal(
    'conflict',
    () => 'This mail was not run yet; wait until listInboundEmails shows what became of it.',
  ),
  'inbound-email-unreadable': refusal(
    'conflict',
    () => 'This mail could not be read, so nothing can be run with it; listInboundEmails says why.',
  ),
  'webhook-not-found': refusal('not-found', () => 'There is no such webhook.'),
  'webhook-secrets-full': refusal(
    'conflict',
    () =>
      'Two secrets are accepted already; take the previous one out with removePrevious true, in this call or before it.',
  ),
  'delivery-not-verified': refusal(
    'forbidden',
    () => 'The delivery is not signed as this webhook asks, so nothing was run; sign the bytes that you send, and now.',
  ),
  'env-var-not-found': refusal(
    'not-found',
    () => 'There is no such secret in this workspace; listEnvVars shows those there are.',
  ),
  'env-var-exists': refusal(
    'conflict',
    (about: { name: string }) =>
      `There is a secret ${about.name} already; send overwrite true to give it a new value, or choose another name.`,
  ),
  'env-var-name-reserved': invalid(
    eachCall,
    (about: { name: string }) =>
      `${about.name} would be the name of a setting, which code writes with ctx.env.set and reads in the clear; choose a name for the secret that does not begin with APP_.`,
  ),
  'env-var-in-use': refusal('conflict', (about: { name: string; functions: readonly string[] }) => {
    const shown = about.functions.slice(0, 5).map((name) => `'${name}'`);
    const more = about.functions.length - shown.length;
    const named = more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
    return `The secret ${about.name} is read with Full data access by ${named}; take it out of their secrets and code, or take Full data access away, and delete it then.`;
  }),
  'app-setting-name': invalid(
    'name',
    (about: { name: string }) =>
      `'${about.name}' is not a valid setting name; use APP_ followed by up to 96 of A to Z, 0 to 9 and _. A secret is set by a person with setEnvVar.`,
  ),
  'app-setting-value': invalid(
    'value',
    (about: { name: string; limit: number }) =>
      `The value of ${about.name} has to be text of at most ${about.limit} whole characters; keep less in it.`,
  ),
  'app-settings-full': refusal(
    'conflict',
    (about: { limit: number }) =>
      `The workspace has ${about.limit} settings, which is the limit; remove one by setting it to null.`,
  ),
  'site-webhooks-off': refusal(
    'forbidden',
    () => 'A site function cannot have a webhook yet: the switch siteFunctionWebhooks is off in this workspace.',
  ),
  'target-not-found': refusal(
    'not-found',
    (about: { kind: TargetKind }) =>
      `There is no such ${targetWords[about.kind]} in this workspace to be started; send the id of one that is listed.`,
  ),
  'target-kind-inactive': refusal(
    'conflict',
    (about: { kind: TargetKind; name: string }) =>
      `The ${targetWords[about.kind]} '${about.name}' cannot be started: target is INACTIVE. Activate it first.`,
  ),
  'target-kind-unavailable': refusal(
    'conflict',
    (about: { kind: TargetKind }) =>
      `Nothing can be started as a ${targetWords[about.kind]} here: this service keeps none. Choose another targetKind.`,
  ),
} as const;

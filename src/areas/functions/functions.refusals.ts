import { engineRefusals } from '../../engine/refusals/engine.refusals.js';
import { type Refuse, refusalsOf, refusing } from '../../kernel/refusals/refusal.js';
import { eachCall, invalid, refusal } from '../../kernel/refusals/refusal-entry.js';
import { accessRefusals } from '../access/access.refusals.js';
import { basesRefusals } from '../bases/bases.refusals.js';
import { sitesRefusals } from '../sites/sites.refusals.js';
import { workspaceRefusals } from '../workspace/workspace.refusals.js';

export const functionsRefusals = {
  'function-not-found': refusal(
    'not-found',
    () => 'There is no such function in this workspace; listFunctions lists the functions.',
  ),
  'function-name-taken': refusal(
    'conflict',
    (about: { name: string }) => `Another function is named '${about.name}' already; choose another name.`,
  ),
  'function-name-used-before': refusal(
    'forbidden',
    (about: { name: string }) =>
      `Another function was named '${about.name}' before, and code or flows may still use that name; choose another one, or have a person set it.`,
  ),
  'seen-updated-at-missing': invalid(
    'seenUpdatedAt',
    () => 'Changing code, grants or accessRules needs seenUpdatedAt: send the updatedAt that getFunction returned.',
  ),
  'function-changed-since': refusal(
    'conflict',
    (about: { updatedAt: string }) =>
      `The function was changed at ${about.updatedAt}, after the version that this save is based on; read it again and repeat the change.`,
  ),
  'code-too-large': invalid(
    eachCall,
    (about: { limit: number }) => `The code is larger than ${about.limit} bytes; make it smaller.`,
  ),
  'code-import': invalid(
    eachCall,
    (about: { line: number }) => `Code cannot import anything (line ${about.line}); everything it may use is on ctx.`,
  ),
  'code-invalid': invalid(
    eachCall,
    (about: { line: number; message: string }) => `The code does not parse at line ${about.line}: ${about.message}`,
  ),
  'tool-not-yours': refusal(
    'forbidden',
    (about: { tool: string }) =>
      `A function can be given only tools that you may use yourself, and ${about.tool} is not one of them.`,
  ),
  'grant-not-yours': refusal(
    'forbidden',
    (about: { what: string }) =>
      `Code can give a function only what its own grants contain, and they do not contain ${about.what}.`,
  ),
  'version-not-found': refusal(
    'not-found',
    () => 'There is no such version of this function; listFunctionVersions shows them.',
  ),
  'version-not-a-draft': refusal(
    'conflict',
    (about: { state: string }) => `Only a draft can be published, and this version is ${about.state}.`,
  ),
  'version-not-to-be-tried': refusal(
    'conflict',
    (about: { state: string }) =>
      `Only the open draft can be run by its versionId, and this version is ${about.state}; omit versionId to run the live version.`,
  ),
  'drafts-tried-by-persons': refusal(
    'forbidden',
    () => 'Only a person can run a draft; omit versionId to run the live version.',
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
    (about: { who: string }) => `An ${about.who} can only save drafts; a person has to make them live.`,
  ),
  'seen-version-missing': invalid(
    'seenVersion',
    () => 'Full data access needs seenVersion: send the version that getFunction returned.',
  ),
  'function-not-as-seen': refusal(
    'conflict',
    () => 'The function has changed since the version that was seen; read it again, and send its current version.',
  ),
  'service-through-identity-mode': refusal(
    'forbidden',
    () =>
      "In this workspace, Full data access is given with setFunctionIdentityMode 'workspace', because actsAsWorkspaceSwitch is on.",
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
      `Run ${about.runId} ended, but its end could not be recorded yet; listRuns will show it once the event store can be written again.`,
  ),
  'run-not-found': refusal('not-found', () => 'There is no such run in this workspace; listRuns lists the runs.'),
  'run-not-replayable': refusal(
    'conflict',
    (about: { runId: string; why: string }) =>
      `Run ${about.runId} cannot be replayed: ${about.why}. Only failed asynchronous runs can; listRuns shows their replayableUntil.`,
  ),
  'run-input-gone': refusal(
    'conflict',
    (about: { runId: string }) =>
      `Run ${about.runId} cannot be replayed: its input is no longer stored. Have the sender deliver it again.`,
  ),
  'replay-live-only': refusal(
    'forbidden',
    () => "Only a person may replay a version that is no longer live; use version 'live'.",
  ),
  'replay-with-full-data-access': refusal(
    'forbidden',
    (about: { name: string }) =>
      `The function '${about.name}' has Full data access, so a version that is no longer live can only run after a person has approved it: roll back to it, and replay with version 'live'.`,
  ),
  'replay-needs-approval': refusal(
    'forbidden',
    (about: { name: string }) =>
      `In this workspace, a person must approve the code of the function '${about.name}' before it runs. Roll back to this version, and once that is approved, replay with version 'live'.`,
  ),
  'app-setting-name': invalid(
    'name',
    (about: { name: string }) =>
      `'${about.name}' is not a valid setting name; use APP_ followed by up to 96 of A to Z, 0 to 9 and _. A secret is set by a person with setEnvVar.`,
  ),
  'app-setting-value': invalid(
    'value',
    (about: { name: string; limit: number }) =>
      `The value of ${about.name} must be text of at most ${about.limit} whole characters; store less in it.`,
  ),
  'too-many-rows': refusal(
    'too-large',
    (about: { found: number; most: number }) =>
      `${about.found.toLocaleString('en')} rows match, and readAll returns at most ${about.most.toLocaleString('en')}: narrow the filter, or set maxRows.`,
  ),
  'site-function-not-found': refusal(
    'not-found',
    () => 'Function not found: this site has no such function; listBackendFunctions lists its functions.',
  ),
  'site-run-not-found': refusal(
    'not-found',
    () => 'There is no such run of this site that has ended; listFunctionRuns lists the runs.',
  ),
  'data-function-without-code': invalid(
    eachCall,
    () => 'This is a data function, which has a definition instead of code; change that with updateDataFunction.',
  ),
  'no-data-function': invalid(
    eachCall,
    () => 'This function has code and no definition; change it with updateBackendFunction.',
  ),
  'definition-kind': invalid(
    'definition.kind',
    (about: { kind: string }) =>
      `The kind of a definition cannot change, and this one is ${about.kind}; make another data function.`,
  ),
  'data-limit': invalid(
    'definition.limit',
    (about: { most: number }) => `The limit of a data function must be a whole number from 1 to ${about.most}.`,
  ),
  'data-field-gone': refusal(
    'conflict',
    (about: { name: string }) =>
      `The field '${about.name}' that this data function uses is no longer in its table; change its definition with updateDataFunction. \`fields\` lists the existing fields.`,
  ),
  'no-access-rules': refusal(
    'forbidden',
    (about: { name: string }) =>
      `No access rules configured: no one may execute the function '${about.name}' until it has an execute rule.`,
  ),
  'execute-refused': refusal(
    'forbidden',
    (about: { name: string }) => `You may not execute the function '${about.name}': its access rules do not let you.`,
  ),
  'site-not-served': refusal(
    'forbidden',
    (about: { name: string }) =>
      `The function '${about.name}' does not serve this site: its owner has to list the site in grants.bases.`,
  ),
  'nothing-to-keep-fixing': refusal(
    'conflict',
    (about: { name: string }) =>
      `The function '${about.name}' does not have Full data access, so its code needs no approval; save it as usual.`,
  ),
  'gate-chain': invalid(
    eachCall,
    (about: { limit: number; chain: readonly string[]; of?: string | undefined }) =>
      `The functions that ${about.of ?? 'this execute rule'} calls form a cycle, or a chain longer than ${about.limit}: ${about.chain.join(' → ')}. Use a function that calls no other function.`,
  ),
  'method-not-exposed': refusal(
    'forbidden',
    (about: { name: string }) =>
      `The function '${about.name}' is not an exposed method of its site; set exposed to true with updateBackendFunction.`,
  ),
};

const known = {
  ...engineRefusals,
  ...workspaceRefusals,
  ...accessRefusals,
  ...basesRefusals,
  ...sitesRefusals,
  ...functionsRefusals,
};
export const refusalOf = refusalsOf(known);
export const refuse: Refuse<typeof known> = refusing(known);

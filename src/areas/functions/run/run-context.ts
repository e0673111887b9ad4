import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { RecordTexts } from '../../../engine/commands/record-texts.js';
import { PersonalData } from '../../../engine/personal-data/personal-data.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { type FunctionOwnerKind, ownedBy, ownerOf } from '../../../kernel/callers/function-owner.js';
import type { Json, JsonObject } from '../../../kernel/json/json.js';
import type { Program } from '../../../ports/offloaded/sandbox.port.js';
import { checkProgram } from '../../../sandbox/program.js';
import { RowOfEvent } from '../../bases/row/row-of-event.api.js';
import { Sites } from '../../sites/project/sites.api.js';
import { settingsOf, termsOf } from '../../workspace/workspace/workspace-settings.api.js';
import type { FunctionDocument } from '../function/function.record.js';
import { functionKinds, functionsOf } from '../function/function-kinds.api.js';
import { ownerRules } from '../function/function-owner.api.js';
import { asDraft } from '../function/versions/function-draft.api.js';
import { FunctionVersionReader } from '../function/versions/function-version-reader.api.js';
import type { RunSecrets } from '../run-secrets/run-secrets.api.js';
import { SecretsOfRuns } from '../run-secrets/secrets-of-runs.api.js';
import { paramsForCode, starterForCode, userForCode } from './params-for-code.js';
import type { RunRequest } from './run-request.api.js';

export interface RunSurroundings {
  readonly params: JsonObject;
  /** Plain data below `ctx`: `run`, and `sites` for workspace functions or `user` for functions of sites. */
  readonly facts: JsonObject;
  readonly captureLogs: boolean;
  readonly mostCalls: number;
  readonly secrets: RunSecrets;
  readonly program: CheckedProgram;
}

type CheckedProgram = ReturnType<typeof checkProgram>;

@Injectable()
export class RunContext {
  constructor(
    private readonly reads: Reads,
    private readonly functions: CommandRunner,
    private readonly earlier: FunctionVersionReader,
    private readonly secrets: SecretsOfRuns,
    private readonly texts: RecordTexts,
    private readonly personal: PersonalData,
    private readonly rows: RowOfEvent,
    private readonly sites: Sites,
  ) {}

  async functionOf(request: RunRequest, found?: FunctionDocument): Promise<FunctionDocument> {
    const { pinnedVersion, draftId } = request;
    const fn = found ?? (await this.find(request)) ?? functionsOf(request).missing();
    if (draftId !== undefined) return asDraft(fn, draftId, await settingsOf(this.reads, request.workspaceId));
    return pinnedVersion ? this.earlier.asOf(fn, pinnedVersion) : fn;
  }

  async find(
    { workspaceId, functionId, ...owned }: Pick<RunRequest, 'workspaceId' | 'functionId' | 'projectId'>,
    kind: FunctionOwnerKind = ownerOf(owned).kind,
  ): Promise<FunctionDocument | undefined> {
    const shown = await this.reads.get<FunctionDocument>(workspaceId, ownerRules[kind].collection, functionId);
    // The read model can lag behind the log, so a new function can be missing from it. Only the function's stream can
    // show whether the function exists.
    return shown ?? (await this.functions.find(functionKinds[kind], workspaceId, functionId));
  }

  /** For a deleted function, returns the state before its deletion. */
  last({ workspaceId, functionId, ...owned }: RunRequest): Promise<FunctionDocument | undefined> {
    return this.earlier.last(workspaceId, functionId, ownerOf(owned).kind);
  }

  async around(request: RunRequest, fn: FunctionDocument): Promise<RunSurroundings> {
    const { workspaceId } = request;
    const { settings, plan } = await termsOf(this.reads, workspaceId);
    const secrets = await this.secrets.of(workspaceId, fn.secrets, {
      ...ownedBy(ownerOf(fn)),
      visitor: request.visitor,
    });
    const read = await this.texts.read(workspaceId, [fn.code]);
    const program = checkProgram(read(fn.code));
    const run = await this.personal.opened(workspaceId, runContext(request));
    const own = fn.projectId === undefined ? { sites: await this.sitesFor(program, fn) } : { user: userOf(request) };
    return {
      facts: { run, ...own },
      params: await this.rows.added(request, paramsForCode(request)),
      captureLogs: settings.functionLogs,
      mostCalls: callsOfPlan(plan),
      secrets,
      program,
    };
  }

  private async sitesFor(program: CheckedProgram, fn: FunctionDocument): Promise<JsonObject> {
    return program.ok && program.mayReadSites ? this.sitesOf(fn) : {};
  }

  /**
   * Maps the name and the id of a granted site to its id (GR-01). A name shared by several sites maps to all their ids,
   * and the code must choose one (Q-A72). The id of a site without a grant maps to `null`, so that calls with the id
   * are refused with the reason.
   */
  private async sitesOf({ workspaceId, grants }: FunctionDocument): Promise<JsonObject> {
    const sites = await this.sites.list(workspaceId);
    const granted = new Set(grants.bases.map(({ projectId }) => projectId));
    const known = new Map<string, Json>();
    for (const [name, [first, ...others]] of Map.groupBy(sites, ({ name }) => name)) {
      if (first === undefined) continue;
      if (others.length > 0)
        known.set(
          name,
          [first, ...others].map(({ id }) => id),
        );
      else if (granted.has(first.id)) known.set(name, first.id);
    }
    for (const { id } of sites) known.set(id, granted.has(id) ? id : null);
    return Object.fromEntries(known);
  }
}

function runContext({ runId, starter, replayOf }: RunRequest): JsonObject {
  const run = { id: runId, startedBy: starterForCode(starter) };
  return replayOf ? { ...run, replayOf } : run;
}

const userOf = ({ visitor }: RunRequest): JsonObject | null => userForCode(visitor?.person);

/** Source: Sites API, Code context 5. */
function callsOfPlan(plan: string): number {
  if (plan === 'pro') return 100;
  return plan === 'starter' ? 50 : 20;
}

/** The functions of a site share one isolate, and so do the functions of the workspace that belong to no site. */
export const isolateKeyOf = (
  { workspaceId }: Pick<RunRequest, 'workspaceId'>,
  { projectId }: Pick<FunctionDocument, 'projectId'>,
): string => `${workspaceId}/${projectId ?? 'account'}`;

export function programOf(functionId: string, checked: CheckedProgram): Program {
  if (!checked.ok) throw new Error(`Function ${functionId} was saved with code that is not accepted now.`);
  return checked.program;
}

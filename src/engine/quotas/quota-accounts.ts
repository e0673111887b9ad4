/** What is counted, each kind in a quota of its own. */
export type QuotaKind = 'commands' | 'runs' | 'files';

/** For whom something is counted. A `Call` says it. */
export interface CountedFor {
  readonly workspaceId: string;
  /** The site whose visitor is behind it. Left out: none is, and it counts for the workspace itself. */
  readonly visitedSite?: string | undefined;
}

/** Of a workspace and day, in bytes; 0: no limit. */
export interface DayLimits {
  readonly workspaceDayBytes: number;
  readonly workspaceDayRunBytes: number;
  readonly workspaceDayFileBytes: number;
}

/** One count of a day and its limit. */
export interface Account {
  /** Unique within the workspace. Empty: what its own commands record. */
  readonly name: string;
  readonly bytes: number;
  readonly refusal: 'workspace-quota' | 'runs-quota' | 'files-quota' | 'visitors-quota';
}

/** What the visitors of one site may have of each quota, beside the workspace, which keeps the whole. */
const partOfSite = 1 / 10;
/** What the visitors of all its sites may have together. */
const partOfVisitors = 1 / 2;

const own = { commands: 'workspace-quota', runs: 'runs-quota', files: 'files-quota' } as const;

/** Where something counts. None: there is no limit. */
export function accountsOf(settings: DayLimits, { visitedSite }: CountedFor, kind: QuotaKind): readonly Account[] {
  const { workspaceDayBytes: commands, workspaceDayRunBytes: runs, workspaceDayFileBytes: files } = settings;
  const bytes = { commands, runs, files }[kind];
  if (bytes === 0) return [];
  const name = kind === 'commands' ? '' : kind;
  if (visitedSite === undefined) return [{ name, bytes, refusal: own[kind] }];
  const refusal = 'visitors-quota';
  return [
    { name: `${kind}-visitors`, bytes: bytes * partOfVisitors, refusal },
    { name: `${kind}-visitors-${visitedSite}`, bytes: bytes * partOfSite, refusal },
  ];
}

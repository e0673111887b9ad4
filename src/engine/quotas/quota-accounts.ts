/** The things that are counted. Each kind has a quota of its own. */
export type QuotaKind = 'commands' | 'runs' | 'files';

/** To whom a use is charged. The context of a call has these fields. */
export interface CountedFor {
  readonly workspaceId: string;
  /** Id of the site whose visitor caused the use. If omitted, the workspace itself is charged. */
  readonly visitedSite?: string | undefined;
}

/** Limits per workspace and day, in bytes. 0 means no limit. */
export interface DayLimits {
  readonly workspaceDayBytes: number;
  readonly workspaceDayRunBytes: number;
  readonly workspaceDayFileBytes: number;
}

export interface Account {
  /** Name, unique within the workspace. Empty for the account of the workspace's own commands. */
  readonly name: string;
  readonly bytes: number;
  readonly refusal: 'workspace-quota' | 'runs-quota' | 'files-quota' | 'visitors-quota';
}

/** Additional share of each quota for the visitors of one site. The workspace's own quota is not reduced. */
const partOfSite = 1 / 10;
/** Additional share for the visitors of all sites together. */
const partOfVisitors = 1 / 2;

const own = { commands: 'workspace-quota', runs: 'runs-quota', files: 'files-quota' } as const;

/** Returns the accounts to which a use is charged. Empty if there is no limit. */
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
